// Distances between sets: one set against many, pairs of sets, and the table of distances of classes.

#include "element_rows.h"
#include "set_comparison.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <unordered_map>

#include "threads.h"

using namespace allonym::sets;

namespace {

constexpr int64_t MIN_THREADED = 8192;  // sets for which threads are worth their start

// Return the distances of sets a[i] and b[i].
template <class Rank>
Output pairs(ElementRows<Rank>& table, Vector<const int64_t> levels, Vector<const int64_t> starts,
             Vector<const int64_t> sizes, Vector<const int32_t> items, Vector<const int32_t> classes,
             Vector<const int64_t> a, Vector<const int64_t> b, int distance, int bits) {
    const int64_t number = a.size();
    auto* distances = new std::vector<double>(number);
    Output output = owned(distances);
    const Sets sets(starts, sizes, items, classes);
    RowsInUse in_use(table);
    nb::gil_scoped_release release;
    with_measure<Rank>(distance, levels, bits, [&](const auto& measure) {
        Comparison comparison(sets, measure);
        const std::vector<const Rank*>* rows = nullptr;
        for (int64_t i = 0; i < number; ++i) {
            check_interrupt(i);
            const int64_t one = a.data()[i], size = sets.size(one);
            if (!i || one != a.data()[i - 1]) rows = &table.of_elements(sets.begin(one), size, sets.classes);
            (*distances)[i] = comparison.distance(sets.begin(one), size, rows->data(), b.data()[i]);
        }
    });
    return output;
}

// Fill a table with the distances of all sets to all: each is laid out once.
template <class Rank>
void fill_set_matrix(ElementRows<Rank>& table, Vector<const int64_t> levels, Vector<const int64_t> starts,
                     Vector<const int64_t> sizes, Vector<const int32_t> items, Vector<const int32_t> classes,
                     Matrix<double> matrix, int distance, int bits) {
    const int64_t number = sizes.size();
    if (static_cast<int64_t>(matrix.shape(0)) != number || static_cast<int64_t>(matrix.shape(1)) != number)
        throw std::invalid_argument("the table has another number of sets");
    const Sets sets(starts, sizes, items, classes);
    double* distances = matrix.data();
    RowsInUse in_use(table);
    nb::gil_scoped_release release;
    with_measure<Rank>(distance, levels, bits, [&](const auto& measure) {
        for (int64_t a = 0; a < number; ++a) {
            const int32_t* own = sets.begin(a);
            const auto& rows = table.of_elements(own, sets.size(a), sets.classes);
            One one(own, sets.size(a), rows.data(), sets, measure);
            for (int64_t b = a; b < number; ++b)
                distances[a * number + b] = distances[b * number + a] = one.distance(b);
            check_interrupt();
        }
    });
}

// Return the distances of a set of elements to other sets.
template <class Rank>
Output one_to_many(ElementRows<Rank>& table, Vector<const int32_t> own, Vector<const int64_t> levels,
                   Vector<const int64_t> starts, Vector<const int64_t> sizes, Vector<const int32_t> items,
                   Vector<const int32_t> classes, Vector<const int64_t> targets, int distance, int bits) {
    const int64_t number = targets.size(), size = own.size();
    auto* distances = new std::vector<double>(number);
    Output output = owned(distances);
    const Sets sets(starts, sizes, items, classes);
    RowsInUse in_use(table);
    nb::gil_scoped_release release;
    const Rank* const* rows = table.of_elements(own.data(), size, sets.classes).data();
    int64_t compared = 0;  // elements of other sets
    for (int64_t i = 0; i < number && compared < sets.elements; ++i) compared += sets.size(targets.data()[i]);
    with_measure<Rank>(distance, levels, bits, [&](const auto& measure) {
        if (compared * 4 < sets.elements) {  // laying out would take longer
            Comparison comparison(sets, measure);
            for (int64_t i = 0; i < number; ++i)
                (*distances)[i] = comparison.distance(own.data(), size, rows, targets.data()[i]);
            return;
        }
        const One one(own.data(), size, rows, sets, measure);
        const int threads = number < MIN_THREADED ? 1 : allonym::thread_limit.load();
        std::vector<std::decay_t<decltype(one)>> each(threads, one);
        for (int64_t done = 0; done < number; done += SETS_PER_CHECK) {
            const int64_t end = std::min(number, done + SETS_PER_CHECK);
            allonym::in_parallel(end - done, MIN_THREADED / 4, threads, [&](int thread, size_t low, size_t high) {
                for (size_t i = done + low; i < done + high; ++i)
                    (*distances)[i] = each[thread].distance(targets.data()[i]);
            });
            check_interrupt();
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

template <class Rank> void bind_distances(nb::module_& module) {
    module.def("set_one_to_many", &one_to_many<Rank>, nb::arg("table"), nb::arg("own"), nb::arg("levels"),
               nb::arg("starts"), nb::arg("sizes"), nb::arg("items"), nb::arg("classes"), nb::arg("targets"),
               nb::arg("distance"), nb::arg("bits"));
    module.def("set_pairs", &pairs<Rank>, nb::arg("table"), nb::arg("levels"), nb::arg("starts"), nb::arg("sizes"),
               nb::arg("items"), nb::arg("classes"), nb::arg("a"), nb::arg("b"), nb::arg("distance"), nb::arg("bits"));
    module.def("fill_set_matrix", &fill_set_matrix<Rank>, nb::arg("table"), nb::arg("levels"), nb::arg("starts"),
               nb::arg("sizes"), nb::arg("items"), nb::arg("classes"), nb::arg("matrix").noconvert(), nb::arg("distance"),
               nb::arg("bits"));
}

}  // namespace

void bind_sets(nb::module_& module) {
    nb::class_<Numbering> numbering(module, "Numbering");
    numbering.def(nb::init<>()).def("levels", &Numbering::levels);
    numbering.def("add", &Numbering::add<int16_t>, nb::arg("block"), nb::arg("table").noconvert(), nb::arg("low"));
    numbering.def("add", &Numbering::add<int32_t>, nb::arg("block"), nb::arg("table").noconvert(), nb::arg("low"));
    bind_distances<int16_t>(module);
    bind_distances<int32_t>(module);
    bind_distances<int64_t>(module);
}
