// Finds the tuples nearest to a point, or farthest from it, without comparing all of them.
//
// Tuples that are alike form blocks. For each attribute and point, the least and the largest distance of a block bound
// those of its tuples. Bounds are whole numbers, rounded down or up, so that no tuple is missed.
#pragma once

#include <algorithm>

#include "space.h"

namespace allonym {

class Blocks {
 public:
  static constexpr int SIZE = 16;
  static constexpr double SCALE = 60000.0;  // the bound of the distance 1

  // `order`: tuples in an order in which those that follow each other are alike; all that are not in it are gone.
  Blocks(const Space& space, const std::vector<double>& mass, std::vector<int32_t> order)
      : space_(space), mass_(mass), place_(space.tuples(), -1) {
    lay(std::move(order));
  }

  int left() const { return left_; }
  bool has(int one) const { return place_[one] >= 0; }

  void remove(int one) {
    int place = place_[one], block = place / SIZE;
    place_[one] = -1;
    members_[place] = -1;
    --left_;
    if (laid_ > 1024 && left_ < 0.75 * laid_) {
      std::vector<int32_t> order;
      for (int32_t member : members_)
        if (member >= 0) order.push_back(member);
      lay(std::move(order));
    } else if (mass_[one] == heaviest_[block] || mass_[one] == lightest_[block]) {
      weigh(block);
    }
  }

  // The tuple nearest to a point, by distance, or by mass times distance; the first of equals.
  int nearest(const std::vector<Point>& point, bool weighted) {
    prepare(point, LOWER);
    if (weighted) return nearest_weighted();
    int first = -1;
    uint32_t lowest = UINT32_MAX;
    for (int b = 0; b < blocks_; ++b)
      if (bound_[b] < lowest && filled_[b]) lowest = bound_[b], first = b;
    Best best{INFINITE, -1};
    look(first, best, false);
    uint32_t limit = limit_of(best.value);
    for (int b = 0; b < blocks_; ++b)
      if (bound_[b] <= limit && b != first && filled_[b]) {
        look(b, best, false);
        limit = limit_of(best.value);
      }
    return best.tuple;
  }

  // The tuple with the largest mass times distance, or distance alone; the first of equals.
  int farthest(const std::vector<Point>& point, bool weighted) {
    prepare(point, UPPER);
    int first = -1;
    double most = -1.0;
    for (int b = 0; b < blocks_; ++b) {
      if (!filled_[b]) continue;
      double bound = bound_[b] * (weighted ? heaviest_[b] : 1.0);
      if (bound > most) most = bound, first = b;
    }
    Best best{-1.0, -1};
    look_far(first, best, weighted);
    for (int b = 0; b < blocks_; ++b) {
      if (!filled_[b] || b == first) continue;
      double bound = (bound_[b] + 1) * (weighted ? heaviest_[b] : 1.0) * (DIGITS / SCALE);
      if (bound * (1 + 1e-9) >= best.value) look_far(b, best, weighted);
    }
    return best.tuple;
  }

  // The tuples nearest to a point, so many of them, the nearest first; of equals, the first. `without` is left out.
  void several(const std::vector<Point>& point, int number, int without, std::vector<int32_t>& found) {
    prepare(point, LOWER);
    heap_.clear();
    int own = without >= 0 && has(without) ? place_[without] / SIZE : -1;  // tuples like it are in its block
    if (own >= 0) look_several(own, number, without);
    uint32_t limit = limit_of(farthest_of(number));
    by_bound_.clear();
    for (int b = 0; b < blocks_; ++b)
      if (bound_[b] <= limit && filled_[b] && b != own) by_bound_.emplace_back(bound_[b], b);
    auto later = [](const std::pair<uint32_t, int>& x, const std::pair<uint32_t, int>& y) { return x > y; };
    std::make_heap(by_bound_.begin(), by_bound_.end(), later);
    while (!by_bound_.empty()) {
      auto [bound, b] = by_bound_.front();
      if (bound > limit_of(farthest_of(number))) break;
      std::pop_heap(by_bound_.begin(), by_bound_.end(), later);
      by_bound_.pop_back();
      look_several(b, number, without);
    }
    std::sort(heap_.begin(), heap_.end());
    found.clear();
    for (auto& entry : heap_) found.push_back(entry.second);
  }

  // How far the tuples nearest to one of them are, rounded, and all that are as near, in their order.
  double tied(int one, std::vector<int32_t>& found) {
    prepare(space_.point(one), LOWER);
    found.clear();
    double least = INFINITE;
    int first = place_[one] / SIZE;
    look_tied(first, one, least, found);
    uint32_t limit = limit_of(least);
    for (int b = 0; b < blocks_; ++b)
      if (bound_[b] <= limit && b != first && filled_[b]) {
        look_tied(b, one, least, found);
        limit = limit_of(least);
      }
    std::sort(found.begin(), found.end());
    return least;
  }

  // The weighted distances of the latest point that was asked about.
  const std::vector<double>& line() const { return line_; }

 private:
  enum Side { LOWER, UPPER };
  struct Best {
    double value;
    int tuple;
  };
  static constexpr size_t MAX_CACHED = 48'000'000;  // bounds

  void lay(std::vector<int32_t> order) {
    left_ = laid_ = static_cast<int>(order.size());
    blocks_ = (left_ + SIZE - 1) / SIZE;
    int width = space_.width();
    members_.assign(static_cast<size_t>(blocks_) * SIZE, -1);
    codes_.resize(static_cast<size_t>(blocks_) * SIZE * width);
    for (int i = 0; i < blocks_ * SIZE; ++i) {
      int32_t one = order[std::min(i, left_ - 1)];
      if (i < left_) members_[i] = one, place_[one] = i;
      const int32_t* codes = space_.tuple(one);
      for (int a = 0; a < width; ++a)
        codes_[(static_cast<size_t>(i / SIZE) * width + a) * SIZE + i % SIZE] = space_.offsets[a] + codes[a];
    }
    heaviest_.assign(blocks_, 0.0);
    lightest_.assign(blocks_, 0.0);
    filled_.assign(blocks_, 0);
    for (int b = 0; b < blocks_; ++b) weigh(b);
    for (auto& cache : cache_) cache.clear();
    cache_.resize(2 * width);
    cached_ = 0;
  }

  void weigh(int block) {
    double most = 0.0, least = INFINITE;
    bool any = false;
    for (int j = 0; j < SIZE; ++j) {
      int32_t one = members_[block * SIZE + j];
      if (one < 0) continue;
      any = true;
      most = std::max(most, mass_[one]);
      least = std::min(least, mass_[one]);
    }
    heaviest_[block] = most;
    lightest_[block] = least;
    filled_[block] = any;
  }

  void prepare(const std::vector<Point>& point, Side side) {
    space_.line(point, line_);
    bound_.assign(blocks_, 0);
    for (int a = 0; a < space_.width(); ++a) {
      const uint16_t* row = bounds(a, point[a], side);
      uint16_t* total = bound_.data();
      for (int b = 0; b < blocks_; ++b) total[b] = static_cast<uint16_t>(total[b] + row[b]);
    }
  }

  const uint16_t* bounds(int a, const Point& point, Side side) {
    bool kept = point.row >= 0;
    auto& cache = cache_[2 * a + side];
    std::vector<uint16_t>* row = &scratch_;
    if (kept) {
      auto known = cache.find(point.row);
      if (known != cache.end()) return known->second.data();
      if (cached_ > MAX_CACHED) {
        for (auto& other : cache_) other.clear();
        cached_ = 0;
      }
      cached_ += blocks_;
      row = &cache[point.row];
    }
    row->resize(blocks_);
    for (int b = 0; b < blocks_; ++b) {
      const int32_t* codes = codes_.data() + (static_cast<size_t>(b) * space_.width() + a) * SIZE;
      double value = line_[codes[0]];
      if (side == LOWER) {
        for (int j = 1; j < SIZE; ++j) value = std::min(value, line_[codes[j]]);
        (*row)[b] = static_cast<uint16_t>(std::floor(value * SCALE));
      } else {
        for (int j = 1; j < SIZE; ++j) value = std::max(value, line_[codes[j]]);
        (*row)[b] = static_cast<uint16_t>(std::ceil(value * SCALE));
      }
    }
    return row->data();
  }

  static uint32_t limit_of(double value) {
    if (!(value < INFINITE)) return UINT32_MAX;
    return static_cast<uint32_t>(std::floor(value / DIGITS * SCALE)) + 1;
  }

  void distances(int block, double* values) const {
    int width = space_.width();
    const int32_t* codes = codes_.data() + static_cast<size_t>(block) * width * SIZE;
    for (int j = 0; j < SIZE; ++j) values[j] = 0.0;
    for (int a = 0; a < width; ++a, codes += SIZE)
      for (int j = 0; j < SIZE; ++j) values[j] += line_[codes[j]];
  }

  void look(int block, Best& best, bool weighted) const {
    double values[SIZE];
    distances(block, values);
    for (int j = 0; j < SIZE; ++j) {
      int32_t one = members_[block * SIZE + j];
      if (one < 0 || (values[j] * DIGITS - 1) * (weighted ? mass_[one] : 1.0) > best.value) continue;
      double value = rounded(values[j]);
      if (weighted) value *= mass_[one];
      if (value < best.value || (value == best.value && one < best.tuple)) best = {value, one};
    }
  }

  void look_far(int block, Best& best, bool weighted) const {
    double values[SIZE];
    distances(block, values);
    for (int j = 0; j < SIZE; ++j) {
      int32_t one = members_[block * SIZE + j];
      if (one < 0 || (values[j] * DIGITS + 1) * (weighted ? mass_[one] : 1.0) < best.value) continue;
      double value = rounded(values[j]);
      if (weighted) value *= mass_[one];
      if (value > best.value || (value == best.value && one < best.tuple)) best = {value, one};
    }
  }

  // How far the last of the nearest tuples is; there is room for all, until there are so many.
  double farthest_of(int number) const {
    return static_cast<int>(heap_.size()) < number ? INFINITE : heap_.front().first;
  }

  void look_several(int block, int number, int without) {
    double values[SIZE];
    distances(block, values);
    for (int j = 0; j < SIZE; ++j) {
      int32_t one = members_[block * SIZE + j];
      if (one < 0 || one == without || values[j] * DIGITS - 1 > farthest_of(number)) continue;
      std::pair<double, int32_t> entry{rounded(values[j]), one};
      if (static_cast<int>(heap_.size()) == number) {
        if (!(entry < heap_.front())) continue;
        std::pop_heap(heap_.begin(), heap_.end());
        heap_.pop_back();
      }
      heap_.push_back(entry);
      std::push_heap(heap_.begin(), heap_.end());
    }
  }

  void look_tied(int block, int without, double& least, std::vector<int32_t>& found) const {
    double values[SIZE];
    distances(block, values);
    for (int j = 0; j < SIZE; ++j) {
      int32_t one = members_[block * SIZE + j];
      if (one < 0 || one == without || values[j] * DIGITS - 1 > least) continue;
      double value = rounded(values[j]);
      if (value > least) continue;
      if (value < least) least = value, found.clear();
      found.push_back(one);
    }
  }

  int nearest_weighted() {
    int first = -1;
    double least = INFINITE;
    for (int b = 0; b < blocks_; ++b)
      if (filled_[b] && bound_[b] * lightest_[b] < least) least = bound_[b] * lightest_[b], first = b;
    Best best{INFINITE, -1};
    look(first, best, true);
    for (int b = 0; b < blocks_; ++b) {
      if (!filled_[b] || b == first) continue;
      double bound = std::max(0.0, bound_[b] - 1.0) * lightest_[b] * (DIGITS / SCALE);
      if (bound * (1 - 1e-9) <= best.value) look(b, best, true);
    }
    return best.tuple;
  }

  const Space& space_;
  const std::vector<double>& mass_;
  int blocks_ = 0, left_ = 0, laid_ = 0;
  std::vector<int32_t> place_, members_, codes_;
  std::vector<double> heaviest_, lightest_, line_;
  std::vector<uint8_t> filled_;
  std::vector<uint16_t> bound_, scratch_;
  std::vector<std::unordered_map<int32_t, std::vector<uint16_t>>> cache_;
  size_t cached_ = 0;
  std::vector<std::pair<uint32_t, int>> by_bound_;
  std::vector<std::pair<double, int32_t>> heap_;
};

}  // namespace allonym
