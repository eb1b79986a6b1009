// Finds the tuples nearest to a point, or farthest from it, without comparing all of them.
//
// Tuples that are alike form blocks, and blocks that are alike form regions. A block is looked at only if a tuple in it
// may be as near, or as far, as the best one found so far: by the bounds of its distances, and, in a tie, by the place
// of its first tuple.
#pragma once

#include "bounds.h"

namespace allonym {

// The tuples of a block, or of a region, that are left.
struct Extent {
  double heaviest = 0.0, lightest = INFINITE;
  int32_t first = std::numeric_limits<int32_t>::max();  // the first tuple; larger than any, if there are none

  bool empty() const { return first == std::numeric_limits<int32_t>::max(); }
  void add(const Extent& other) {
    heaviest = std::max(heaviest, other.heaviest);
    lightest = std::min(lightest, other.lightest);
    first = std::min(first, other.first);
  }
};

// A search looks for a goal. The goal sorts what is looked at first (`order`), tells whether a bound makes something
// worth a look (`may_have`) or nothing after it (`is_over`), and takes tuples with their rounded distances (`add`).

// The tuple with the least distance, or mass times distance; the first of equals.
template <bool Weighted> struct Nearest {
  static constexpr Bounds::Side SIDE = Bounds::LOWER;
  double value = INFINITE;
  int tuple = std::numeric_limits<int>::max();

  double order(double bound, const Extent& extent) const { return Weighted ? bound * extent.lightest : bound; }
  bool is_over(double order) const { return order > value; }
  bool may_have(double order, const Extent& extent) const {
    return order < value || (order == value && extent.first < tuple);
  }
  void add(double distance, double mass, int one) {
    if (Weighted) distance *= mass;
    if (distance < value || (distance == value && one < tuple)) value = distance, tuple = one;
  }
};

// The tuple with the largest distance, or mass times distance; the first of equals.
template <bool Weighted> struct Farthest {
  static constexpr Bounds::Side SIDE = Bounds::UPPER;
  double value = -1.0;
  int tuple = std::numeric_limits<int>::max();

  double order(double bound, const Extent& extent) const { return -(Weighted ? bound * extent.heaviest : bound); }
  bool is_over(double order) const { return -order < value; }
  bool may_have(double order, const Extent& extent) const {
    return -order > value || (-order == value && extent.first < tuple);
  }
  void add(double distance, double mass, int one) {
    if (Weighted) distance *= mass;
    if (distance > value || (distance == value && one < tuple)) value = distance, tuple = one;
  }
};

// So many tuples with the least distances; of equals, the first. One tuple is left out.
struct Several {
  static constexpr Bounds::Side SIDE = Bounds::LOWER;
  size_t number;
  int without;
  std::vector<std::pair<double, int32_t>> heap = {};

  double order(double bound, const Extent&) const { return bound; }
  bool is_over(double order) const { return heap.size() == number && order > heap.front().first; }
  bool may_have(double order, const Extent& extent) const {
    return heap.size() < number || order < heap.front().first ||
           (order == heap.front().first && extent.first < heap.front().second);
  }
  void add(double distance, double, int32_t one) {
    if (is_over(distance) || one == without) return;
    std::pair<double, int32_t> entry{distance, one};
    if (heap.size() == number) {
      if (!(entry < heap.front())) return;
      std::pop_heap(heap.begin(), heap.end());
      heap.pop_back();
    }
    heap.push_back(entry);
    std::push_heap(heap.begin(), heap.end());
  }
};

// All tuples with the least distance; one tuple is left out.
struct Tied {
  static constexpr Bounds::Side SIDE = Bounds::LOWER;
  int without;
  std::vector<int32_t>& found;
  double least = INFINITE;

  double order(double bound, const Extent&) const { return bound; }
  bool is_over(double order) const { return order > least; }
  bool may_have(double order, const Extent&) const { return order <= least; }
  void add(double distance, double, int32_t one) {
    if (one == without || distance > least) return;
    if (distance < least) least = distance, found.clear();
    found.push_back(one);
  }
};

// What a search needs for itself; each thread has its own.
struct BlockSearch {
  int version = 0;  // of the blocks for which bounds were computed
  Bounds::Side side = Bounds::LOWER;
  PointBounds bounds;
  std::vector<std::pair<double, int>> regions, unsorted;  // that may be worth a look, and in which order

  // Sort regions by their order, roughly: those of one bucket stay as they are.
  void sort_regions() {
    if (regions.size() < 2) return;
    auto [low, high] = std::minmax_element(regions.begin(), regions.end());
    if (low->first == high->first) return;
    const double least = low->first, scale = (BUCKETS - 1) / (high->first - least);
    auto bucket = [&](const std::pair<double, int>& region) { return static_cast<int>((region.first - least) * scale); };
    int starts[BUCKETS + 1] = {};
    for (auto& region : regions) ++starts[bucket(region) + 1];
    for (int i = 0; i < BUCKETS; ++i) starts[i + 1] += starts[i];
    unsorted.swap(regions);
    regions.resize(unsorted.size());
    for (auto& region : unsorted) regions[starts[bucket(region)]++] = region;
  }

 private:
  static constexpr int BUCKETS = 256;
};

class Blocks {
 public:
  // `order`: tuples in an order in which those that follow each other are alike; all that are not in it are gone.
  Blocks(const Space& space, const std::vector<double>& mass, std::vector<int32_t> order)
      : space_(space), mass_(mass), place_(space.tuples(), -1), bounds_(space) {
    lay(order);
  }

  int left() const { return left_; }
  bool has(int one) const { return place_[one] >= 0; }

  void remove(int one) {
    int place = place_[one];
    place_[one] = -1;
    members_[place] = -1;
    --left_;
    if (laid_ > 1024 && left_ < 0.75 * laid_) {
      std::vector<int32_t> order;
      for (int32_t member : members_)
        if (member >= 0) order.push_back(member);
      lay(order);
      return;
    }
    const Extent& extent = extents_[place / BLOCK];
    if (mass_[one] == extent.heaviest || mass_[one] == extent.lightest || one == extent.first) {
      measure_block(place / BLOCK);
      measure_region(place / (BLOCK * REGION));
    }
  }

  // The tuple nearest to a point, by distance, or by mass times distance; the first of equals.
  int nearest(const std::vector<Point>& point, bool weighted) {
    return weighted ? found(Nearest<true>(), point) : found(Nearest<false>(), point);
  }

  // The tuple with the largest mass times distance, or distance alone; the first of equals.
  int farthest(const std::vector<Point>& point, bool weighted) {
    return weighted ? found(Farthest<true>(), point) : found(Farthest<false>(), point);
  }

  // The tuples nearest to a point, so many of them, the nearest first; of equals, the first. `without` is left out.
  void several(const std::vector<Point>& point, int number, int without, std::vector<int32_t>& found) {
    several(search_, point, number, without, found);
  }

  // The same for one of several threads, each with a search of its own, after `keep_bounds`.
  void several(BlockSearch& search, const std::vector<Point>& point, int number, int without,
               std::vector<int32_t>& found) const {
    Several goal{static_cast<size_t>(number), without};
    run(search, goal, point, without);
    std::sort_heap(goal.heap.begin(), goal.heap.end());
    found.clear();
    for (auto& entry : goal.heap) found.push_back(entry.second);
  }

  // How far the tuples nearest to one of them are, rounded, and all that are as near, in their order.
  double tied(int one, std::vector<int32_t>& found) { return tied(search_, one, found); }

  // The same for one of several threads, each with a search of its own, after `keep_bounds`.
  double tied(BlockSearch& search, int one, std::vector<int32_t>& found) const {
    found.clear();
    Tied goal{one, found};
    run(search, goal, space_.point(one), one);
    std::sort(found.begin(), found.end());
    return goal.least;
  }

  // Compute what all searches from tuples share, so that several threads may search at the same time.
  void keep_bounds() { bounds_.keep_all(); }

 private:
  void lay(const std::vector<int32_t>& order) {
    ++version_;
    left_ = laid_ = static_cast<int>(order.size());
    bounds_.lay(order);
    members_.assign(static_cast<size_t>(bounds_.regions()) * REGION * BLOCK, -1);
    for (int i = 0; i < left_; ++i) members_[i] = order[i], place_[order[i]] = i;
    extents_.assign(static_cast<size_t>(bounds_.regions()) * REGION, Extent());
    regions_.assign(bounds_.regions(), Extent());
    for (size_t b = 0; b < extents_.size(); ++b) measure_block(static_cast<int>(b));
    for (size_t r = 0; r < regions_.size(); ++r) measure_region(static_cast<int>(r));
  }

  void measure_block(int block) {
    Extent extent;
    for (int j = 0; j < BLOCK; ++j)
      if (int32_t one = members_[block * BLOCK + j]; one >= 0) extent.add({mass_[one], mass_[one], one});
    extents_[block] = extent;
  }

  void measure_region(int region) {
    Extent extent;
    for (int b = 0; b < REGION; ++b) extent.add(extents_[region * REGION + b]);
    regions_[region] = extent;
  }

  template <class Goal> int found(Goal goal, const std::vector<Point>& point) {
    run(search_, goal, point, -1);
    return goal.tuple;
  }

  // Look at all blocks that may have what a goal looks for: first at the region of a tuple, if it is given, then at
  // others, the most promising first.
  template <class Goal> void run(BlockSearch& search, Goal& goal, const std::vector<Point>& point, int near) const {
    if (search.version != version_ || search.bounds.point != point || search.side != Goal::SIDE) {
      bounds_.prepare(search.bounds, point, Goal::SIDE);
      search.version = version_;
      search.side = Goal::SIDE;
    }
    int own = near >= 0 && has(near) ? place_[near] / (BLOCK * REGION) : -1;
    if (own >= 0) visit(search, goal, own);
    search.regions.clear();
    for (int r = 0; r < bounds_.regions(); ++r) {
      if (r == own || regions_[r].empty()) continue;
      double order = order_of(goal, search.bounds.regions[r], regions_[r]);
      if (!goal.is_over(order)) search.regions.emplace_back(order, r);
    }
    search.sort_regions();
    for (auto [order, region] : search.regions)
      if (goal.may_have(order, regions_[region])) visit(search, goal, region);
  }

  template <class Goal> double order_of(const Goal& goal, uint16_t bound, const Extent& extent) const {
    if (extent.empty()) return INFINITE;
    return goal.order(Goal::SIDE == Bounds::LOWER ? bounds_.least(bound) : bounds_.most(bound), extent);
  }

  // Look at the blocks of a region, the most promising one first.
  template <class Goal> void visit(const BlockSearch& search, Goal& goal, int region) const {
    uint16_t bounds[REGION];
    bounds_.of_blocks(search.bounds, region, Goal::SIDE, bounds);
    const Extent* extents = extents_.data() + region * REGION;
    double orders[REGION];
    for (int b = 0; b < REGION; ++b) orders[b] = order_of(goal, bounds[b], extents[b]);
    int first = static_cast<int>(std::min_element(orders, orders + REGION) - orders);
    if (goal.may_have(orders[first], extents[first])) look(search, goal, region * REGION + first);
    for (int b = 0; b < REGION; ++b)
      if (b != first && goal.may_have(orders[b], extents[b])) look(search, goal, region * REGION + b);
  }

  template <class Goal> void look(const BlockSearch& search, Goal& goal, int block) const {
    double values[BLOCK];
    bounds_.distances(search.bounds, block, values);
    const int32_t* members = members_.data() + block * BLOCK;
    for (int j = 0; j < BLOCK; ++j) {
      int32_t one = members[j];
      if (one < 0) continue;
      if (bounds_.is_costly()) {
        Extent extent{mass_[one], mass_[one], one};
        double bound = Goal::SIDE == Bounds::LOWER ? Bounds::least(values[j]) : Bounds::most(values[j]);
        if (!goal.may_have(goal.order(bound, extent), extent)) continue;
        values[j] = bounds_.exact(search.bounds, one);
      }
      goal.add(rounded(values[j]), mass_[one], one);
    }
  }

  const Space& space_;
  const std::vector<double>& mass_;
  int left_ = 0, laid_ = 0, version_ = 0;
  std::vector<int32_t> place_, members_;
  Bounds bounds_;
  std::vector<Extent> extents_, regions_;  // of blocks, and of regions
  BlockSearch search_;
};

}  // namespace allonym
