// Groups along a walk: of pieces that follow each other, cut where least is lost.
//
// src/allonym/methods/kernels/walks.py does the same in Python.
#include "search.h"

namespace allonym {

// Start anew with groups along a walk, by dynamic programming; the groups before can be chosen again. Where there are
// none of k rows, groups stay as they are.
void Search::walk(const std::vector<int32_t>& order, Tick& tick) {
  starts_.push_back({groups_, group_, suppressed_, loss()});
  int number = static_cast<int>(order.size());
  std::vector<double> least(number + 1, INFINITE);  // what the first pieces lose at least
  std::vector<int> begin(number + 1, 0);            // where the last of their groups begins
  least[0] = 0.0;
  for (int end = 1; end <= number; ++end) {
    best_cut(order, end, least, begin);
    if (is_late()) return;
    if (end % 256 == 0) tick(end, number);
  }
  if (!(least[number] < INFINITE)) return;
  std::vector<Members> made;
  for (int end = number; end > 0; end = begin[end]) {
    made.emplace_back(order.begin() + begin[end], order.begin() + end);
    std::sort(made.back().begin(), made.back().end());
  }
  for (Group& group : groups_) set_members(group, Members());
  Change change;
  for (size_t i = made.size(); i > 0; --i) change.groups.emplace_back(NEW, std::move(made[i - 1]));
  apply(change);
}

// Find the best last group of the first pieces of a walk: it has k rows, and is not so large that it could be cut.
void Search::best_cut(const std::vector<int32_t>& order, int end, std::vector<double>& least, std::vector<int>& begin) {
  Members members;
  int64_t rows = 0, most = 0;
  int tried = 0;
  for (int first = end - 1; first >= 0 && tried < MAX_CUTS; --first) {
    members.insert(std::upper_bound(members.begin(), members.end(), order[first]), order[first]);
    rows += pieces_.rows[order[first]];
    most = std::max(most, pieces_.rows[order[first]]);
    if (rows < pieces_.k) continue;
    ++tried;
    if (least[first] < INFINITE) {
      double lost = least[first] + weigh(members, nullptr);
      if (lost < least[end]) least[end] = lost, begin[end] = first;
    }
    if (rows - most >= 2 * pieces_.k) return;
  }
}

// Continue with the start that loses least; a later one must lose less than so many percent of the best before it.
void Search::choose_start(int64_t percent) {
  starts_.push_back({groups_, group_, suppressed_, loss()});
  size_t best = 0;
  for (size_t i = 1; i < starts_.size(); ++i)
    if (starts_[i].loss < starts_[best].loss * (static_cast<double>(percent) / 100.0)) best = i;
  restore(starts_[best]);
  starts_.clear();
}

void Search::restore(const State& state) {
  groups_ = state.groups;
  group_ = state.group;
  set_suppressed(state.suppressed);
  for (size_t piece = 0; piece < group_.size(); ++piece)
    if (pieces_.movable[piece] && group_[piece] != SUPPRESSED)
      own_far_[piece] = far(static_cast<int32_t>(piece), group_[piece]);
}

}  // namespace allonym
