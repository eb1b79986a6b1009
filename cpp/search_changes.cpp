// The changes that the search considers for a piece.
#include "search.h"

namespace allonym {

// Find the neighbours of the pieces that come next, if they will be asked for.
void Search::look_up_neighbours(const std::vector<int32_t>& order, size_t place) {
  if (!moving_ || !neighbours_.has_threads()) return;
  std::vector<int32_t> wanted;
  for (size_t i = place; i < std::min(order.size(), place + LOOKED_UP); ++i) {
    int group = group_[order[i]];
    if (!neighbours_.knows(order[i]) && group != SUPPRESSED && groups_[group].loss != 0.0) wanted.push_back(order[i]);
  }
  neighbours_.find_all(wanted);
}

// The groups of the pieces next to one, except its own: those whose values are nearest, the nearest first.
const std::vector<std::pair<double, int>>& Search::others(int32_t piece) {
  targets_.clear();
  for (int32_t other : near(piece)) {
    int group = group_[other];
    bool seen = group == group_[piece] || group == SUPPRESSED;
    for (auto& entry : targets_) seen |= entry.second == group;
    if (!seen) targets_.emplace_back(0.0, group);
  }
  for (auto& entry : targets_) entry.first = far(piece, entry.second);
  size_t number = std::min<size_t>(targets_.size(), MAX_TARGETS);
  std::partial_sort(targets_.begin(), targets_.begin() + number, targets_.end());
  targets_.resize(number);
  return targets_;
}

void Search::consider(Change&& change) {
  double gone = 0.0, left = 0.0;
  for (auto& [number, members] : change.groups)
    if (number != NEW && number != SUPPRESSED) gone += groups_[number].loss;
  gone += change.saved;
  for (auto& [number, members] : change.groups)
    if (!members.empty() && number != SUPPRESSED) {
      left += loss_of(members);
      if (gone - left <= least_) return;
    }
  if (gone - left <= least_) return;
  for (auto& [number, members] : change.groups)
    if (!members.empty() && number != SUPPRESSED && !holds(members)) return;
  least_ = gone - left;
  best_ = std::move(change);
  any_ = true;
}

// The same for a change after which a piece or two have other groups, without copying these.
void Search::consider_altered(std::initializer_list<Altered> altered) {
  double gone = 0.0, left = 0.0;
  for (const Altered& one : altered) gone += groups_[one.group].loss;
  for (const Altered& one : altered) {
    if (one.in == NONE && groups_[one.group].members.size() == 1) continue;
    left += loss_after(one);
    if (gone - left <= least_) return;
  }
  Change change;
  for (const Altered& one : altered) {
    change.groups.emplace_back(one.group, members_after(one));
    const Members& members = change.groups.back().second;
    if (!members.empty() && !holds(members)) return;
  }
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
  Altered rest{own, piece, NONE};
  bool free = enough_after(rest), spared = free && loss_after(rest) < lost;
  if (spared && enough({piece})) consider({{{own, without(members, piece)}, {NEW, {piece}}}});
  const auto targets = others(piece);
  if (spared)
    for (auto& [cost, other] : targets) consider_altered({rest, {other, NONE, piece}});
  if (!free) {
    swaps(piece, targets);
    replacements(piece, targets);
  }
  for (size_t place = 0; place < targets.size() && place < MAX_JOINED; ++place)
    consider({{{own, {}}, {targets[place].second, with(groups_[targets[place].second].members, members)}}});
  if (!free && piece == members[0]) dissolve(own);
  found_around(piece);
}

// Swaps of a piece with one of another group: those that are best by the values that the groups have now.
void Search::swaps(int32_t piece, const std::vector<std::pair<double, int>>& targets) {
  int own = group_[piece];
  ranked_.clear();
  for (auto& [cost, other] : targets) {
    if (groups_[other].members.size() < 2) continue;
    for (int32_t back : groups_[other].members)
      if (enough_after({own, piece, back}) && enough_after({other, back, piece}))
        ranked_.emplace_back(cost + far(back, own) - own_far_[back], other, back);
  }
  size_t number = std::min<size_t>(ranked_.size(), MAX_SWAPS);
  std::partial_sort(ranked_.begin(), ranked_.begin() + number, ranked_.end());
  for (size_t i = 0; i < number; ++i) {
    auto [cost, other, back] = ranked_[i];
    consider_altered({{own, piece, back}, {other, back, piece}});
  }
}

// A piece joins another group, and one of a third group takes its place.
void Search::replacements(int32_t piece, const std::vector<std::pair<double, int>>& targets) {
  int own = group_[piece];
  const auto& found = refills(piece);
  for (size_t place = 0; place < targets.size() && place < MAX_REPLACED; ++place) {
    int other = targets[place].second, tried = 0;
    for (size_t i = 0; i < found.size() && tried < MAX_REFILLS; ++i) {
      int32_t back = found[i].second;
      if (group_[back] == other) continue;
      ++tried;
      consider_altered({{own, piece, back}, {other, NONE, piece}, {group_[back], back, NONE}});
    }
  }
}

// The neighbours of a group that can leave theirs and take the place of one of its pieces; the best first, by the
// values that the groups have now.
const std::vector<std::pair<double, int32_t>>& Search::refills(int32_t piece) {
  int own = group_[piece];
  refills_.clear();
  ++refill_stamp_;
  for (int32_t one : groups_[own].members)
    for (int32_t back : near(one)) {
      int third = group_[back];
      if (third == own || third == SUPPRESSED || refill_seen_[back] == refill_stamp_) continue;
      refill_seen_[back] = refill_stamp_;
      bool can_leave = groups_[third].members.size() == 1 || enough_after({third, back, NONE});
      if (can_leave && enough_after({own, piece, back})) refills_.emplace_back(far(back, own) - own_far_[back], back);
    }
  std::sort(refills_.begin(), refills_.end());
  return refills_;
}

// All members of a group go into others, each where it costs least; one may be suppressed.
void Search::dissolve(int group, int32_t suppressed) {
  Change change{{{group, {}}}};
  double gone = groups_[group].loss - (suppressed == NONE ? 0.0 : cost_of(suppressed)), spent = 0.0;
  for (int32_t piece : groups_[group].members) {
    if (piece == suppressed) continue;
    double least = INFINITE;
    int target = NEW;
    Members joined;
    for (auto& [distance, other] : others(piece)) {
      Members* changed = change.find(other);
      double before = changed ? loss_of(*changed) : groups_[other].loss;
      Members more = with(changed ? *changed : groups_[other].members, piece);
      double cost = loss_of(more) - before;
      if (cost < least || (cost == least && other < target)) least = cost, target = other, joined = std::move(more);
    }
    if (target == NEW) return;
    spent += least;
    if (gone - spent <= least_) return;
    if (Members* changed = change.find(target)) {
      *changed = std::move(joined);
    } else {
      change.groups.emplace_back(target, std::move(joined));
    }
  }
  if (suppressed != NONE) {
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
