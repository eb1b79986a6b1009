// Sums of distances of sets to all sets, nearly: allonym.kinds.set_metric.medoids computes exactly what may be least.

#include "element_rows.h"

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace allonym::sets;

namespace {

// Σ ω·d of sets to all sets, with rounding errors, for the distances that are sums over elements. For min-sum,
//   Σ_B ω (Σ_a near(a, B) + Σ_b near(b, A)) / (|A| + |B|) =
//   Σ_s (Σ_a Σ_{B: |B| = s} ω near(a, B) + Σ_b near(b, A) Σ_{B: |B| = s, b in B} ω) / (|A| + s)
// with sizes s: tables by size and element hold the inner sums, and a set is compared with all classes, not all sets.
template <class Rank> class Estimates {
  public:
    Estimates(ElementRows<Rank>& table, const Vector<const int64_t>& levels, const Sets& sets, Distance distance,
              double unit)
        : table(table), classes(table.classes()), sets(sets), distance(distance), unit(unit),
          values(levels.size()), near(classes) {
        for (size_t rank = 0; rank < levels.size(); ++rank)
            values[rank] = static_cast<double>(levels.data()[rank]) * unit;
    }

    void run(const Vector<const int64_t>& targets, const Vector<const double>& weights, double* estimates) {
        double empty = 0.0, full = 0.0;
        for (size_t set = 0; set < weights.size(); ++set) (sets.size(set) ? full : empty) += weights.data()[set];
        distance == AVG ? add_means(weights) : add_sums(weights);
        std::vector<int64_t> by_size(targets.size());
        std::iota(by_size.begin(), by_size.end(), 0);
        std::stable_sort(by_size.begin(), by_size.end(), [&](int64_t x, int64_t y) {
            return sets.size(targets.data()[x]) < sets.size(targets.data()[y]);
        });
        int64_t done = 0, folded = 0;
        for (int64_t i : by_size) {
            check_interrupt(done++);
            const int64_t set = targets.data()[i], size = sets.size(set);
            if (distance != AVG && size != folded) fold(folded = size);
            estimates[i] = !size ? full : empty + (distance == AVG ? mean(set) : sum(set));
        }
    }

  private:
    ElementRows<Rank>& table;
    int64_t classes;
    const Sets& sets;
    Distance distance;
    double unit;
    std::vector<double> values;  // by rank
    const std::vector<const Rank*>* rows = nullptr;  // of the elements of a set
    std::vector<Rank> near;      // by class: the best rank over the elements of a set
    std::vector<int64_t> sizes;  // that sets with a weight have
    std::vector<double> near_classes, near_elements, held;  // by size, then by class or element
    std::vector<double> first, second, second_of_classes;   // by element or class, for sets of one size
    std::vector<double> sums_of_elements;                   // avg: Σ over all elements of weight · distance

    double value(Rank rank) const {
        if constexpr (sizeof(Rank) == sizeof(int64_t)) return static_cast<double>(rank) * unit;  // a distance itself
        else return values[rank];
    }

    void fill_near(int64_t set) {
        rows = &table.of_elements(sets.begin(set), sets.size(set), sets.classes);
        Rank* best = near.data();
        std::memcpy(best, (*rows)[0], classes * sizeof(Rank));
        for (int64_t j = 1; j < sets.size(set); ++j) {
            const Rank* row = (*rows)[j];
            if (distance == MIN_SUM)
                for (int64_t i = 0; i < classes; ++i) best[i] = std::min(best[i], row[i]);
            else
                for (int64_t i = 0; i < classes; ++i) best[i] = std::max(best[i], row[i]);
        }
    }

    // The best distance of the jth element of a set to that set, after fill_near, less that of its class.
    double correction(int64_t set, int64_t j) const {
        const int32_t* own = sets.begin(set);
        Rank best = 0;  // the nearest is the element itself
        if (distance == MAX_SUM)
            for (int64_t i = 0; i < sets.size(set); ++i)
                if (i != j) best = std::max(best, (*rows)[j][sets.classes[own[i]]]);
        return value(best) - value(near[sets.classes[own[j]]]);
    }

    void add_sums(const Vector<const double>& weights) {
        std::vector<int64_t> place;  // of a size
        for (size_t set = 0; set < weights.size(); ++set) {
            const size_t size = sets.size(set);
            if (!size || weights.data()[set] == 0.0) continue;
            if (size >= place.size()) place.resize(size + 1, -1);
            if (place[size] < 0) place[size] = sizes.size(), sizes.push_back(size);
        }
        near_classes.assign(sizes.size() * classes, 0.0);
        near_elements.assign(sizes.size() * sets.elements, 0.0);
        held.assign(sizes.size() * sets.elements, 0.0);
        for (size_t set = 0; set < weights.size(); ++set) {
            check_interrupt(set);
            const double weight = weights.data()[set];
            if (!sets.size(set) || weight == 0.0) continue;
            fill_near(set);
            const int64_t row = place[sets.size(set)];
            double* sums = near_classes.data() + row * classes;
            for (int64_t i = 0; i < classes; ++i) sums[i] += weight * value(near[i]);
            for (int64_t j = 0; j < sets.size(set); ++j) {
                const int32_t item = sets.begin(set)[j];
                near_elements[row * sets.elements + item] += weight * correction(set, j);
                held[row * sets.elements + item] += weight;
            }
        }
    }

    // Divide the tables by |A| + |B| and add them up, for sets A of one size.
    void fold(int64_t size) {
        std::vector<double> of_classes(classes, 0.0);
        first.assign(sets.elements, 0.0);
        second.assign(sets.elements, 0.0);
        second_of_classes.assign(classes, 0.0);
        for (size_t row = 0; row < sizes.size(); ++row) {
            const double share = 1.0 / static_cast<double>(size + sizes[row]);
            for (int64_t i = 0; i < classes; ++i) of_classes[i] += share * near_classes[row * classes + i];
            for (int64_t i = 0; i < sets.elements; ++i) {
                first[i] += share * near_elements[row * sets.elements + i];
                second[i] += share * held[row * sets.elements + i];
            }
        }
        for (int64_t i = 0; i < sets.elements; ++i) {
            first[i] += of_classes[sets.classes[i]];
            second_of_classes[sets.classes[i]] += second[i];
        }
    }

    double sum(int64_t set) {
        fill_near(set);
        double total = 0.0;
        for (int64_t i = 0; i < classes; ++i) total += value(near[i]) * second_of_classes[i];
        for (int64_t j = 0; j < sets.size(set); ++j) {
            const int32_t item = sets.begin(set)[j];
            total += first[item] + correction(set, j) * second[item];
        }
        return total;
    }

    void add_means(const Vector<const double>& weights) {
        std::vector<double> shares(sets.elements, 0.0), of_classes(classes, 0.0), sums(classes, 0.0), same(classes);
        for (size_t set = 0; set < weights.size(); ++set)
            for (const int32_t* item = sets.begin(set); item != sets.end(set); ++item)
                shares[*item] += weights.data()[set] / static_cast<double>(sets.size(set));
        for (int64_t i = 0; i < sets.elements; ++i) of_classes[sets.classes[i]] += shares[i];
        table.for_each([&](int32_t x, const Rank* row) {
            check_interrupt(x);
            double total = 0.0;
            for (int64_t y = 0; y < classes; ++y) total += value(row[y]) * of_classes[y];
            sums[x] = total;
            same[x] = value(row[x]);
        });
        sums_of_elements.resize(sets.elements);
        for (int64_t i = 0; i < sets.elements; ++i) {
            const int64_t own = sets.classes[i];
            sums_of_elements[i] = sums[own] - same[own] * shares[i];
        }
    }

    double mean(int64_t set) const {
        double total = 0.0;
        for (const int32_t* item = sets.begin(set); item != sets.end(set); ++item) total += sums_of_elements[*item];
        return total / static_cast<double>(sets.size(set));
    }
};

// Return Σ ω·d to all sets of each of some sets, with rounding errors; by avg, min-sum or max-sum.
template <class Rank>
Output cost_estimates(ElementRows<Rank>& table, Vector<const int64_t> levels, Vector<const int64_t> starts,
                      Vector<const int64_t> sizes, Vector<const int32_t> items, Vector<const int32_t> classes,
                      Vector<const double> weights, Vector<const int64_t> targets, int distance, int bits) {
    auto* estimates = new std::vector<double>(targets.size());
    Output output = owned(estimates);
    const Sets sets(starts, sizes, items, classes);
    RowsInUse in_use(table);
    nb::gil_scoped_release release;
    Estimates<Rank> run(table, levels, sets, Distance(distance), std::ldexp(1.0, -bits));
    run.run(targets, weights, estimates->data());
    return output;
}

template <class Rank> void bind_ranks(nb::module_& module) {
    module.def("set_cost_estimates", &cost_estimates<Rank>, nb::arg("table"), nb::arg("levels"),
               nb::arg("starts"), nb::arg("sizes"), nb::arg("items"), nb::arg("classes"), nb::arg("weights"),
               nb::arg("targets"), nb::arg("distance"), nb::arg("bits"));
}

}  // namespace

void bind_set_costs(nb::module_& module) {
    bind_ranks<int16_t>(module);
    bind_ranks<int32_t>(module);
    bind_ranks<int64_t>(module);
}
