// The tuples next to a tuple: the nearest of all, and the nearest of those that may form a group alone.
#pragma once

#include "blocks.h"
#include "threads.h"

namespace allonym {

class Neighbours {
 public:
  // `order` and `alone`: all tuples, and those that may form a group alone, in orders in which those that follow each
  // other are alike.
  Neighbours(const Space& space, const std::vector<double>& mass, std::vector<int32_t> order, std::vector<int32_t> alone)
      : space_(space), every_(space, mass, std::move(order)), alone_(space, mass, std::move(alone)),
        found_(space.tuples()), known_(space.tuples(), 0),
        searches_(space.searches_in_python() ? 1 : static_cast<size_t>(thread_limit.load())) {}

  // The neighbours of a tuple, the nearest first, then those that may form a group alone.
  const std::vector<int32_t>& of(int32_t one) {
    if (!known_[one]) find(one, searches_[0]);
    return found_[one];
  }

  bool knows(int32_t one) const { return known_[one]; }
  bool has_threads() const { return searches_.size() > 1; }

  // Find the neighbours of some tuples, which will be asked for, on several threads.
  void find_all(const std::vector<int32_t>& some) {
    if (!has_threads() || some.size() <= PART) return;
    every_.keep_bounds();
    alone_.keep_bounds();
    in_parallel(some.size(), PART, static_cast<int>(searches_.size()), [&](int thread, size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i)
        if (!known_[some[i]]) find(some[i], searches_[thread]);
    });
  }

 private:
  static constexpr int NUMBER = 16, NUMBER_ALONE = 8;  // as in allonym.methods.kernels.search
  static constexpr size_t PART = 32;                   // tuples that a thread takes at a time

  // What a thread needs for itself.
  struct Searches {
    BlockSearch every, alone;
    std::vector<int32_t> found;
  };

  void find(int32_t one, Searches& searches) {
    auto point = space_.point(one);
    std::vector<int32_t>& found = found_[one];
    every_.several(searches.every, point, NUMBER, one, found);
    if (alone_.left()) {
      alone_.several(searches.alone, point, NUMBER_ALONE, one, searches.found);
      for (int32_t other : searches.found)
        if (std::find(found.begin(), found.end(), other) == found.end()) found.push_back(other);
    }
    known_[one] = 1;
  }

  const Space& space_;
  Blocks every_, alone_;
  std::vector<std::vector<int32_t>> found_;
  std::vector<uint8_t> known_;
  std::vector<Searches> searches_;  // of each thread
};

}  // namespace allonym
