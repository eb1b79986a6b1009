// Distances between sets: one set against many, pairs of sets, and the table of distances of classes.

#include "sets.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <unordered_map>

#if defined(__SSE2__) || defined(_M_X64)
#define ALLONYM_SSE2
#include <emmintrin.h>
#endif

using namespace allonym::sets;

namespace {

// --- pairs of sets -----------------------------------------------------------------------------------------------

// Compares two sets element by element.
template <class Rank, Distance D> class Comparison {
  public:
    Comparison(const Sets& sets, const Measure<Rank, D>& measure) : sets(sets), measure(measure) {}

    // Return the distance of a set of elements, of which row(j) has the ranks by class, to another set.
    template <class Row> double distance(const int32_t* own, int64_t size, Row row, int64_t set) {
        const int64_t other = sets.size(set);
        if (!size || !other) return size == other ? 0.0 : 1.0;
        best.assign(other, Rank(0));
        Rank best_of_all = 0;
        int64_t sum = 0;
        for (int64_t j = 0; j < size; ++j) {
            const Rank* ranks = row(j);
            Rank best_of_one = 0;
            for (int64_t i = 0; i < other; ++i) {
                const int32_t element = sets.begin(set)[i];
                const Rank rank = element == own[j] ? Rank(0) : ranks[sets.classes[element]];
                best_of_one = i ? measure.better(best_of_one, rank) : rank;
                best[i] = j ? measure.better(best[i], rank) : rank;
                if (D == AVG) sum += measure.level(rank);
            }
            best_of_all = j ? measure.better(best_of_all, best_of_one) : best_of_one;
            if (measure.SUMS) sum += measure.level(best_of_one);
        }
        if (measure.SUMS)
            for (Rank rank : best) sum += measure.level(rank);
        else if (D != AVG)
            sum = measure.level(best_of_all);
        return measure.of(sum, size, other);
    }

  private:
    const Sets& sets;
    const Measure<Rank, D>& measure;
    std::vector<Rank> best;  // by element of the other set
};

// Return the distances of sets a[i] and b[i].
template <class Rank>
Output pairs(Matrix<const Rank> table, Vector<const int64_t> levels, Vector<const int64_t> starts,
             Vector<const int64_t> sizes, Vector<const int32_t> items, Vector<const int32_t> classes,
             Vector<const int64_t> a, Vector<const int64_t> b, int distance, int bits) {
    const int64_t number = a.size(), width = table.shape(1);
    auto* distances = new std::vector<double>(number);
    Output output = owned(distances);
    const Sets sets(starts, sizes, items, classes);
    const Rank* ranks = table.data();
    nb::gil_scoped_release release;
    with_measure<Rank>(distance, levels, bits, [&](const auto& measure) {
        Comparison comparison(sets, measure);
        for (int64_t i = 0; i < number; ++i) {
            check_interrupt(i);
            const int32_t* own = sets.begin(a.data()[i]);
            const auto row = [&](int64_t j) { return ranks + sets.classes[own[j]] * width; };
            (*distances)[i] = comparison.distance(own, sets.size(a.data()[i]), row, b.data()[i]);
        }
    });
    return output;
}

// --- one set against many ----------------------------------------------------------------------------------------

// Eight ranks that are compared together.
template <class Rank> struct Pack {
    Rank ranks[8];

    void load(const Rank* from) { std::memcpy(ranks, from, sizeof(ranks)); }
    void store(Rank* to) const { std::memcpy(to, ranks, sizeof(ranks)); }
    template <bool Least> void compare(const Rank* others) {
        for (int i = 0; i < 8; ++i) ranks[i] = Least ? std::min(ranks[i], others[i]) : std::max(ranks[i], others[i]);
    }
};

#ifdef ALLONYM_SSE2
template <> struct Pack<int16_t> {
    __m128i ranks;

    void load(const int16_t* from) { ranks = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); }
    void store(int16_t* to) const { _mm_storeu_si128(reinterpret_cast<__m128i*>(to), ranks); }
    template <bool Least> void compare(const int16_t* others) {
        const __m128i loaded = _mm_loadu_si128(reinterpret_cast<const __m128i*>(others));
        ranks = Least ? _mm_min_epi16(ranks, loaded) : _mm_max_epi16(ranks, loaded);
    }
};
#endif

// For each of 8 · Packs elements of one set, the best (least or largest) rank over the elements of another.
template <int Packs, bool Least, class Rank>
void best_of_packs(const Rank* first, int64_t stride, const int32_t* begin, const int32_t* end, Rank* best) {
    Pack<Rank> held[Packs];
    for (int i = 0; i < Packs; ++i) held[i].load(first + *begin * stride + 8 * i);
    for (const int32_t* item = begin + 1; item != end; ++item) {
        const Rank* row = first + *item * stride;
        for (int i = 0; i < Packs; ++i) held[i].template compare<Least>(row + 8 * i);
    }
    for (int i = 0; i < Packs; ++i) held[i].store(best + 8 * i);
}

// One set against many: what it needs of every element is laid out, so that a comparison reads the other set alone.
template <class Rank, Distance D> class One {
  public:
    One(const Rank* rows, int64_t width, const int32_t* own, int64_t size, const Sets& sets,
        const Measure<Rank, D>& measure)
        : sets(sets), measure(measure), size(size), stride((size + 7) / 8 * 8), best(stride) {
        if (!size) return;
        if (measure.SUMS) by_element.assign(sets.elements * stride, 0);
        totals.resize(sets.elements);
        std::vector<int64_t> place(sets.elements, -1);
        for (int64_t j = 0; j < size; ++j) place[own[j]] = j;
        for (int64_t element = 0; element < sets.elements; ++element) lay_out(element, rows, width, place[element]);
    }

    double distance(int64_t set) {
        const int32_t *begin = sets.begin(set), *end = sets.end(set);
        const int64_t other = end - begin;
        if (!size || !other) return size == other ? 0.0 : 1.0;
        int64_t sum = totals[*begin];
        for (const int32_t* item = begin + 1; item != end; ++item)
            sum = D == MIN || D == MAX ? measure.better(sum, totals[*item]) : sum + totals[*item];
        if (measure.SUMS) {
            fill_best(begin, end);
            for (int64_t j = 0; j < size; ++j) sum += measure.level(best[j]);
        }
        return measure.of(sum, size, other);
    }

  private:
    const Sets& sets;
    const Measure<Rank, D>& measure;
    int64_t size, stride;
    std::vector<Rank> by_element;  // elements × stride: the rank of each element and each of the set's own
    std::vector<int64_t> totals;   // by element: the best distance over the set's own; for avg, the sum of all
    std::vector<Rank> best;        // by own element: the best rank over the other set

    void lay_out(int64_t element, const Rank* rows, int64_t width, int64_t itself) {
        const Rank* column = rows + sets.classes[element];
        Rank best_of_all = 0;
        int64_t sum = 0;
        for (int64_t j = 0; j < size; ++j) {
            const Rank rank = j == itself ? Rank(0) : column[j * width];
            best_of_all = j ? measure.better(best_of_all, rank) : rank;
            if (D == AVG) sum += measure.level(rank);
            if (measure.SUMS) by_element[element * stride + j] = rank;
        }
        totals[element] = D == AVG ? sum : measure.level(best_of_all);
    }

    void fill_best(const int32_t* begin, const int32_t* end) {
        const Rank* ranks = by_element.data();
        int64_t lane = 0;
        for (; lane + 32 <= stride; lane += 32)
            best_of_packs<4, Measure<Rank, D>::LEAST>(ranks + lane, stride, begin, end, best.data() + lane);
        for (; lane + 16 <= stride; lane += 16)
            best_of_packs<2, Measure<Rank, D>::LEAST>(ranks + lane, stride, begin, end, best.data() + lane);
        if (lane < stride) best_of_packs<1, Measure<Rank, D>::LEAST>(ranks + lane, stride, begin, end, best.data() + lane);
    }
};

// Return the distances of a set of elements, whose rows of the table are given, to other sets.
template <class Rank>
Output one_to_many(Matrix<const Rank> rows, Vector<const int32_t> own, Vector<const int64_t> levels,
                   Vector<const int64_t> starts, Vector<const int64_t> sizes, Vector<const int32_t> items,
                   Vector<const int32_t> classes, Vector<const int64_t> targets, int distance, int bits) {
    const int64_t number = targets.size(), size = own.size(), width = rows.shape(1);
    auto* distances = new std::vector<double>(number);
    Output output = owned(distances);
    const Sets sets(starts, sizes, items, classes);
    const Rank* ranks = rows.data();
    nb::gil_scoped_release release;
    int64_t compared = 0;  // elements of other sets
    for (int64_t i = 0; i < number && compared < sets.elements; ++i) compared += sets.size(targets.data()[i]);
    with_measure<Rank>(distance, levels, bits, [&](const auto& measure) {
        if (compared * 4 < sets.elements) {  // laying out would take longer
            Comparison comparison(sets, measure);
            const auto row = [&](int64_t j) { return ranks + j * width; };
            for (int64_t i = 0; i < number; ++i)
                (*distances)[i] = comparison.distance(own.data(), size, row, targets.data()[i]);
            return;
        }
        One one(ranks, width, own.data(), size, sets, measure);
        for (int64_t i = 0; i < number; ++i) {
            check_interrupt(i);
            (*distances)[i] = one.distance(targets.data()[i]);
        }
    });
    return output;
}

// --- tables of classes -------------------------------------------------------------------------------------------

// Numbers different distances in the order in which they come.
class Numbering {
  public:
    // Number rows `low` … of a symmetric table, from column `low` on; return whether the numbers fit into the table.
    template <class Rank> bool add(Matrix<const double> block, Matrix<Rank> table, int64_t low) {
        const int64_t height = block.shape(0), width = block.shape(1), size = table.shape(1);
        if (low < 0 || low + width != size || height > width || table.shape(0) != table.shape(1))
            throw std::invalid_argument("the block does not end in the last column of a square table");
        for (int64_t i = 0; i < height; ++i) {
            for (int64_t j = i; j < width; ++j) {
                const int64_t number = number_of(block.data()[i * width + j]);
                if (number > std::numeric_limits<Rank>::max()) return false;
                table.data()[(low + i) * size + low + j] = static_cast<Rank>(number);
                table.data()[(low + j) * size + low + i] = static_cast<Rank>(number);
            }
        }
        return true;
    }

    Output levels() const { return owned(new std::vector<double>(found)); }

  private:
    std::unordered_map<double, int64_t> numbers;
    std::vector<double> found;
    double latest = -1.0;
    int64_t latest_number = -1;

    int64_t number_of(double value) {
        if (value != latest) {
            const auto [place, is_new] = numbers.try_emplace(value, found.size());
            if (is_new) found.push_back(value);
            latest = value, latest_number = place->second;
        }
        return latest_number;
    }
};

template <class Rank> void bind_one_to_many(nb::module_& module) {
    module.def("set_one_to_many", &one_to_many<Rank>, nb::arg("rows").noconvert(), nb::arg("own"), nb::arg("levels"),
               nb::arg("starts"), nb::arg("sizes"), nb::arg("items"), nb::arg("classes"), nb::arg("targets"),
               nb::arg("distance"), nb::arg("bits"));
}

template <class Rank> void bind_ranks(nb::module_& module, nb::class_<Numbering>& numbering) {
    module.def("set_pairs", &pairs<Rank>, nb::arg("table").noconvert(), nb::arg("levels"), nb::arg("starts"),
               nb::arg("sizes"), nb::arg("items"), nb::arg("classes"), nb::arg("a"), nb::arg("b"), nb::arg("distance"),
               nb::arg("bits"));
    numbering.def("add", &Numbering::add<Rank>, nb::arg("block"), nb::arg("table").noconvert(), nb::arg("low"));
    bind_one_to_many<Rank>(module);
}

}  // namespace

void bind_sets(nb::module_& module) {
    nb::class_<Numbering> numbering(module, "Numbering");
    numbering.def(nb::init<>()).def("levels", &Numbering::levels);
    bind_ranks<int16_t>(module, numbering);
    bind_ranks<int32_t>(module, numbering);
    bind_one_to_many<int64_t>(module);  // without a table, rows have distances instead of ranks
}
