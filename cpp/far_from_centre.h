// The tuple farthest from a point that stays the same for long, such as the centroid of all tuples that are left.
#pragma once

#include "blocks.h"

namespace allonym {

class FarFromCentre {
 public:
  FarFromCentre(const Space& space, const std::vector<double>& mass) : space_(space), mass_(mass) {}

  // The tuple with the largest mass times distance; the first of equals. A centre that was asked for several times has
  // its tuples in a heap.
  int farthest(const std::vector<Point>& centre, Blocks& blocks) {
    if (centre != point_) point_ = centre, asked_ = 0, heap_.clear();
    if (++asked_ < MIN_ASKED) return blocks.farthest(centre, true);
    if (heap_.empty()) {
      space_.line(centre, line_);
      for (int one = 0; one < space_.tuples(); ++one)
        if (blocks.has(one)) heap_.emplace_back(rounded(space_.distance(line_, one)) * mass_[one], -one);
      std::make_heap(heap_.begin(), heap_.end());
    }
    while (!blocks.has(-heap_.front().second)) {
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.pop_back();
    }
    return -heap_.front().second;
  }

 private:
  static constexpr int MIN_ASKED = 8;
  const Space& space_;
  const std::vector<double>& mass_;
  std::vector<Point> point_;
  int asked_ = 0;
  std::vector<double> line_;
  std::vector<std::pair<double, int>> heap_;
};

}  // namespace allonym
