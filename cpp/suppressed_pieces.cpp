// Pieces are suppressed while groups are being changed, if that saves more than it costs.
//
// src/allonym/methods/kernels/suppressed_pieces.py does the same in Python.
#include "search.h"

namespace allonym {

// Suppress pieces while that saves more than the price of their rows: `ratio` times what a row lost before.
void Search::suppress(int64_t budget, double ratio, int64_t work, Tick& tick) {
  int64_t rows = 0;
  for (int64_t x : pieces_.rows) rows += x;
  if (before_.group.empty()) before_ = {groups_, group_, suppressed_, loss()};
  price_ = ratio * before_.loss / static_cast<double>(rows);
  budget_ = budget;
  moving_ = false;
  descend(work, tick);
  moving_ = true;
  budget_ = 0;
}

// Suppress a class that meets every requirement, or, if that costs more than it saves, nothing.
void Search::complete_suppression(int64_t budget) {
  budget_ = budget;
  while (!suppressed_.empty() && !is_late() && !holds(suppressed_) && suppress_one_more()) {
  }
  double price = price_ * static_cast<double>(suppressed_rows_);
  if (suppressed_.empty() || !holds(suppressed_) || loss() + price >= before_.loss) {
    restore(before_);
  }
  budget_ = 0;
}

// A piece is suppressed, and what is left of its group stays or goes into others; or its whole group is suppressed.
void Search::suppressing(int32_t piece) {
  int own = group_[piece];
  const Members& members = groups_[own].members;
  Members rest = without(members, piece);
  if (suppressed_rows_ + pieces_.charged[piece] <= budget_ && (completing_ || cost_of(piece) < groups_[own].loss)) {
    if (rest.empty() || enough(rest)) {
      consider({{{own, rest}, {SUPPRESSED, with(suppressed_, piece)}}, -cost_of(piece)});
    } else {
      dissolve(own, piece);
    }
  }
  if (piece != members[0] || rest.empty()) return;
  int64_t rows = 0;
  double cost = 0.0;
  for (int32_t one : members) rows += pieces_.charged[one], cost += cost_of(one);
  if (suppressed_rows_ + rows <= budget_) consider({{{own, {}}, {SUPPRESSED, with(suppressed_, members)}}, -cost});
}

// A suppressed piece goes back into a group.
void Search::released(int32_t piece) {
  Members rest = without(suppressed_, piece);
  if (enough({piece})) consider({{{NEW, {piece}}, {SUPPRESSED, rest}}, cost_of(piece)});
  for (auto& [cost, other] : others(piece))
    consider({{{other, with(groups_[other].members, piece)}, {SUPPRESSED, rest}}, cost_of(piece)});
}

// Suppress the piece, or the group, that costs least; tell whether there is one.
bool Search::suppress_one_more() {
  least_ = -INFINITE;
  any_ = false;
  completing_ = true;
  for (int32_t piece : movable_pieces())
    if (group_[piece] != SUPPRESSED) suppressing(piece);
  completing_ = false;
  if (any_) apply(best_);
  return any_;
}

void Search::set_suppressed(const Members& members) {
  suppressed_ = members;
  suppressed_rows_ = 0;
  for (int32_t one : members) group_[one] = SUPPRESSED, suppressed_rows_ += pieces_.charged[one];
}

}  // namespace allonym
