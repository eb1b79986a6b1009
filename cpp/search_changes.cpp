// The changes that the search considers for a piece.
#include "search.h"

namespace allonym {

const std::vector<int32_t>& Search::near(int32_t piece) {
  if (!known_[piece]) {
    known_[piece] = 1;
    auto point = space_.point(piece);
    near_.several(point, NEIGHBOURS, piece, found_);
    neighbours_[piece] = found_;
    if (frequent_.left()) {
      frequent_.several(point, NEIGHBOURS / 2, piece, found_);
      for (int32_t other : found_)
        if (std::find(neighbours_[piece].begin(), neighbours_[piece].end(), other) == neighbours_[piece].end())
          neighbours_[piece].push_back(other);
    }
  }
  return neighbours_[piece];
}

// The groups of the pieces next to one, except its own; the one whose values are nearest first.
std::vector<std::pair<double, int>> Search::others(int32_t piece) {
  std::vector<std::pair<double, int>> found;
  for (int32_t other : near(piece)) {
    int group = group_[other];
    bool seen = group == group_[piece] || group == SUPPRESSED;
    for (auto& entry : found) seen |= entry.second == group;
    if (!seen) found.emplace_back(0.0, group);
  }
  for (auto& entry : found) entry.first = far(piece, entry.second);
  std::sort(found.begin(), found.end());
  return found;
}

void Search::consider(Change&& change) {
  double gone = 0.0, left = 0.0;
  for (auto& [number, members] : change.groups)
    if (number != NEW && number != SUPPRESSED) gone += groups_[number].loss;
  gone += change.saved;
  for (auto& [number, members] : change.groups)
    if (!members.empty() && number != SUPPRESSED) {
      left += weigh(members);
      if (gone - left <= least_) return;
    }
  if (gone - left <= least_) return;
  for (auto& [number, members] : change.groups)
    if (!members.empty() && number != SUPPRESSED && !holds(members)) return;
  least_ = gone - left;
  best_ = std::move(change);
  any_ = true;
}

void Search::changes(int32_t piece) {
  int own = group_[piece];
  if (own == SUPPRESSED) {
    if (!logging_) released(piece);
    return;
  }
  const Members members = groups_[own].members;
  double lost = groups_[own].loss;
  if (lost == 0.0) return;
  if (budget_ > 0 && !logging_) suppressing(piece);
  if (!moving_) return;
  Members rest = without(members, piece);
  bool free = enough(rest), spared = free && weigh(rest) < lost;
  if (spared && enough({piece})) consider({{{own, rest}, {NEW, {piece}}}});
  auto targets = others(piece);
  for (size_t place = 0; place < targets.size(); ++place) {
    int other = targets[place].second;
    const Members& there = groups_[other].members;
    if (spared) {
      consider({{{own, rest}, {other, with(there, piece)}}});
    } else if (!free && there.size() > 1) {
      swaps(piece, rest, other);
    }
    if (place < MAX_JOINED) consider({{{own, {}}, {other, with(there, members)}}});
  }
  if (!free && piece == members[0]) dissolve(own);
  found_around(piece);
}

// Swaps of a piece with one of another group: those that are best by what stands for the groups now.
void Search::swaps(int32_t piece, const Members& rest, int other) {
  int own = group_[piece];
  const Members& there = groups_[other].members;
  std::vector<std::pair<double, int32_t>> order;
  for (int32_t back : there) order.emplace_back(far(back, own) - far(back, other), back);
  std::stable_sort(order.begin(), order.end(), [](auto& x, auto& y) { return x.first < y.first; });
  int tried = 0;
  for (auto& [cost, back] : order) {
    Members mine = with(rest, back), theirs = with(without(there, back), piece);
    if (!enough(mine) || !enough(theirs)) continue;
    consider({{{own, std::move(mine)}, {other, std::move(theirs)}}});
    if (++tried == MAX_SWAPS) return;
  }
}

// All members of a group go into others, each where it costs least; one may be suppressed.
void Search::dissolve(int group, int32_t suppressed) {
  Change change{{{group, {}}}};
  for (int32_t piece : groups_[group].members) {
    if (piece == suppressed) continue;
    auto targets = others(piece);
    double least = INFINITE;
    int target = NEW;
    Members joined;
    for (size_t place = 0; place < targets.size() && place < MAX_TARGETS; ++place) {
      int other = targets[place].second;
      Members* changed = change.find(other);
      double before = changed ? weigh(*changed) : groups_[other].loss;
      Members more = with(changed ? *changed : groups_[other].members, piece);
      double cost = weigh(more) - before;
      if (cost < least || (cost == least && other < target)) least = cost, target = other, joined = std::move(more);
    }
    if (target == NEW) return;
    if (Members* changed = change.find(target)) {
      *changed = std::move(joined);
    } else {
      change.groups.emplace_back(target, std::move(joined));
    }
  }
  if (suppressed >= 0) {
    change.groups.emplace_back(SUPPRESSED, with(suppressed_, suppressed));
    change.saved = -cost_of(suppressed);
  }
  consider(std::move(change));
}

// A piece and the nearest ones that can be spared found a group.
void Search::found_around(int32_t piece) {
  Change change;
  Members made;
  auto add = [&](int32_t one) {  // 1: enough, -1: the piece cannot be spared
    int own = group_[one];
    if (own == SUPPRESSED) return 0;
    Members* changed = change.find(own);
    Members rest = without(changed ? *changed : groups_[own].members, one);
    if (!rest.empty() && !enough(rest)) return one == piece ? -1 : 0;
    if (changed) {
      *changed = std::move(rest);
    } else {
      change.groups.emplace_back(own, std::move(rest));
    }
    made = with(made, one);
    return enough(made) ? 1 : 0;
  };
  int done = add(piece);
  if (!done)
    for (int32_t other : near(piece))
      if ((done = add(other))) break;
  if (done != 1) return;
  change.groups.emplace_back(NEW, std::move(made));
  consider(std::move(change));
}

}  // namespace allonym
