// Sets of elements, whose distances are made of those between elements; for allonym.kinds.set_metric.
//
// Elements that have the same distances to all others are one class. A table has the distances of classes, as the rank
// of each among all distances that occur: ranks take two bytes and compare as the distances do. An element is 0 from
// itself, whatever the table says of its class, and rank 0 is the distance 0. `levels` has the distances by rank, as
// whole numbers of units 2^-bits, so that sums are exact in any order.

#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace allonym::sets {

namespace nb = nanobind;

enum Distance { MIN, MAX, AVG, MIN_SUM, MAX_SUM };  // numbered as in allonym.kinds.set_metric.distances

template <class T> using Vector = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T> using Matrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Output = nb::ndarray<nb::numpy, double, nb::ndim<1>>;

constexpr int64_t SETS_PER_CHECK = 1 << 16;  // sets that are compared between two looks for Ctrl-C

inline Output owned(std::vector<double>* values) {
    nb::capsule owner(values, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
    return Output(values->data(), {values->size()}, owner);
}

// Raise what Ctrl-C asks for; the GIL is taken for that alone.
inline void check_interrupt() {
    nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

// The same, now and then.
inline void check_interrupt(int64_t done) {
    if (done % SETS_PER_CHECK == SETS_PER_CHECK - 1) check_interrupt();
}

// Set i has sizes[i] elements, from items[starts[i]] on; classes has the class of every element.
struct Sets {
    const int64_t* starts;
    const int64_t* sizes;
    const int32_t* items;
    const int32_t* classes;
    int64_t elements;

    Sets(const Vector<const int64_t>& starts, const Vector<const int64_t>& sizes, const Vector<const int32_t>& items,
         const Vector<const int32_t>& classes)
        : starts(starts.data()), sizes(sizes.data()), items(items.data()), classes(classes.data()),
          elements(classes.size()) {}

    int64_t size(int64_t set) const { return sizes[set]; }
    const int32_t* begin(int64_t set) const { return items + starts[set]; }
    const int32_t* end(int64_t set) const { return items + starts[set] + sizes[set]; }
};

// A distance of sets, and the distance of every rank.
template <class Rank, Distance D> struct Measure {
    static constexpr Distance DISTANCE = D;
    static constexpr bool SUMS = D == MIN_SUM || D == MAX_SUM, LEAST = D == MIN || D == MIN_SUM;
    const int64_t* levels;
    double unit;

    Measure(const Vector<const int64_t>& levels, int bits) : levels(levels.data()), unit(std::ldexp(1.0, -bits)) {}

    int64_t level(Rank rank) const {
        if constexpr (sizeof(Rank) == sizeof(int64_t)) return rank;  // a distance itself
        else return levels[rank];
    }

    template <class T> static T better(T x, T y) { return LEAST ? (y < x ? y : x) : (x < y ? y : x); }

    // The distance, of a sum over the elements of two sets; for min and max, of the best distance of elements.
    double of(int64_t sum, int64_t size_a, int64_t size_b) const {
        const int64_t terms = SUMS ? size_a + size_b : D == AVG ? size_a * size_b : 1;
        return static_cast<double>(sum) / static_cast<double>(terms) * unit;
    }
};

// Call a function with the measure of a distance that is given by number.
template <class Rank, class Function>
void with_measure(int distance, const Vector<const int64_t>& levels, int bits, Function function) {
    if (distance == MIN) function(Measure<Rank, MIN>(levels, bits));
    if (distance == MAX) function(Measure<Rank, MAX>(levels, bits));
    if (distance == AVG) function(Measure<Rank, AVG>(levels, bits));
    if (distance == MIN_SUM) function(Measure<Rank, MIN_SUM>(levels, bits));
    if (distance == MAX_SUM) function(Measure<Rank, MAX_SUM>(levels, bits));
}

}  // namespace allonym::sets
