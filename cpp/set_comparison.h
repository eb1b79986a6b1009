// How two sets are compared, and one set with many.

#pragma once

#include <algorithm>
#include <cstring>

#include "sets.h"

#if defined(__SSE2__) || defined(_M_X64)
#define ALLONYM_SSE2
#include <emmintrin.h>
#endif

namespace allonym::sets {

// Compares two sets element by element.
template <class Rank, Distance D> class Comparison {
  public:
    Comparison(const Sets& sets, const Measure<Rank, D>& measure) : sets(sets), measure(measure) {}

    // Return the distance of a set of elements, of which rows[j] has the ranks by class, to another set.
    double distance(const int32_t* own, int64_t size, const Rank* const* rows, int64_t set) {
        const int64_t other = sets.size(set);
        if (!size || !other) return size == other ? 0.0 : 1.0;
        best.assign(other, Rank(0));
        Rank best_of_all = 0;
        int64_t sum = 0;
        for (int64_t j = 0; j < size; ++j) {
            const Rank* ranks = rows[j];
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
    // rows[j] has the ranks of the set's jth element by class; they are not needed afterwards.
    One(const int32_t* own, int64_t size, const Rank* const* rows, const Sets& sets, const Measure<Rank, D>& measure)
        : sets(sets), measure(measure), size(size), stride((size + 7) / 8 * 8), best(stride) {
        if (!size) return;
        if (measure.SUMS) by_element.assign(sets.elements * stride, 0);
        totals.resize(sets.elements);
        for (int64_t low = 0; low < sets.elements; low += BLOCK) lay_out(low, own, rows);
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

    // By element: the best distance over the set's own; for avg, the sum of all.
    const std::vector<int64_t>& distances_of_elements() const { return totals; }

  private:
    static constexpr int64_t BLOCK = 64;  // elements that are laid out together

    const Sets& sets;
    const Measure<Rank, D>& measure;
    int64_t size, stride;
    std::vector<Rank> by_element;  // elements × stride: the rank of each element and each of the set's own
    std::vector<int64_t> totals;   // by element: the best distance over the set's own; for avg, the sum of all
    std::vector<Rank> best;        // by own element: the best rank over the other set

    // Lay out some elements, beginning with one. Loops are over elements, which lie side by side in rows.
    void lay_out(int64_t low, const int32_t* own, const Rank* const* rows) {
        const int64_t number = std::min(BLOCK, sets.elements - low);
        Rank ranks[BLOCK], best_of_all[BLOCK];
        int64_t sums[BLOCK] = {};
        for (int64_t j = 0; j < size; ++j) {
            const Rank* row = rows[j];
            for (int64_t i = 0; i < number; ++i) ranks[i] = row[sets.classes[low + i]];
            if (own[j] >= low && own[j] < low + number) ranks[own[j] - low] = 0;
            if (D == AVG)
                for (int64_t i = 0; i < number; ++i) sums[i] += measure.level(ranks[i]);
            else if (!j)
                std::copy_n(ranks, number, best_of_all);
            else
                for (int64_t i = 0; i < number; ++i) best_of_all[i] = measure.better(best_of_all[i], ranks[i]);
            if (measure.SUMS)
                for (int64_t i = 0; i < number; ++i) by_element[(low + i) * stride + j] = ranks[i];
        }
        for (int64_t i = 0; i < number; ++i) totals[low + i] = D == AVG ? sums[i] : measure.level(best_of_all[i]);
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

}  // namespace allonym::sets
