// Neighbouring groups are formed anew at random and improved; what loses less is kept.
//
// src/allonym/methods/kernels/regrouping.py does the same in Python.
#include "search.h"

namespace allonym {

// Form a few neighbouring groups anew, at random, and improve them; keep that if less is lost. Again and again.
void Search::regroup(int64_t work, uint64_t seed, Tick& tick) {
  double least = MIN_GAIN * loss();
  int64_t begun = work_, limit = work_ + work;
  std::vector<int32_t> all = movable_pieces();
  Random random(seed);
  for (int64_t tries = 0; work_ < limit && !is_late(); ++tries) {
    int32_t piece = all[random.below(static_cast<int>(all.size()))];
    ++work_;  // also if there is nothing to be formed anew
    if (group_[piece] == SUPPRESSED) continue;
    logging_ = true;
    size_t number = groups_.size();
    std::vector<int32_t> pool;
    bool formed = form_anew(piece, random, pool);
    if (formed) improve_around(pool, least);
    if (!formed || gained() < 0.0) roll_back(number);
    logging_ = false;
    log_.clear();
    if (tries % 64 == 0) tick(work_ - begun, work);
  }
}

// Form groups anew of the pieces of a few neighbouring groups, which are left in `pool`: around pieces in random
// order, of those nearest to each. Tell whether the groups meet every requirement.
bool Search::form_anew(int32_t piece, Random& random, std::vector<int32_t>& pool) {
  std::vector<int> chosen{group_[piece]};
  size_t number = 2 + random.below(MAX_REGROUPED - 1);
  for (int32_t other : near(piece)) {
    int group = group_[other];
    if (chosen.size() == number) break;
    if (group != SUPPRESSED && std::find(chosen.begin(), chosen.end(), group) == chosen.end()) chosen.push_back(group);
  }
  Change change;
  for (int group : chosen) {
    pool.insert(pool.end(), groups_[group].members.begin(), groups_[group].members.end());
    change.groups.emplace_back(group, Members{});
  }
  std::sort(pool.begin(), pool.end());
  std::vector<int32_t> left = pool;
  for (size_t i = left.size(); i > 1; --i) std::swap(left[i - 1], left[random.below(static_cast<int>(i))]);
  std::vector<Members> made = groups_around(std::move(left));
  if (made.empty()) return false;
  for (Members& group : made) {
    if (!holds(group)) return false;
    change.groups.emplace_back(NEW, std::move(group));
  }
  apply(change);
  return true;
}

// Groups of pieces: of the first one left and those nearest to it, again and again; the rest joins them.
std::vector<Members> Search::groups_around(std::vector<int32_t> left) {
  std::vector<Members> made;
  while (enough(left)) {
    sort_by_distance(space_.point(left[0]), left);
    Members group;
    size_t taken = 0;
    while (!enough(group)) group.push_back(left[taken++]);
    left.erase(left.begin(), left.begin() + taken);
    std::sort(group.begin(), group.end());
    made.push_back(std::move(group));
  }
  if (made.empty()) return made;
  for (int32_t one : left) {
    double least = INFINITE;
    size_t target = 0;
    for (size_t g = 0; g < made.size(); ++g) {
      double joined = loss_of(with(made[g], one));
      double cost = joined - loss_of(made[g]);
      if (cost < least) least = cost, target = g;
    }
    made[target] = with(made[target], one);
  }
  return made;
}

// Sort pieces by their distances to a point, except the first, which it is.
void Search::sort_by_distance(const std::vector<Point>& point, std::vector<int32_t>& pieces) const {
  std::vector<std::pair<double, int32_t>> keys;
  for (size_t i = 1; i < pieces.size(); ++i) keys.emplace_back(rounded(space_.distance(point, pieces[i])), pieces[i]);
  std::stable_sort(keys.begin(), keys.end(), [](auto& x, auto& y) { return x.first < y.first; });
  for (size_t i = 0; i < keys.size(); ++i) pieces[i + 1] = keys[i].second;
}

// Improve some pieces, and those next to what changes, until nothing is gained.
void Search::improve_around(const std::vector<int32_t>& pool, double least) {
  std::vector<int32_t> queue = pool;
  std::vector<uint8_t>& queued = queued_;
  queued.resize(group_.size(), 0);
  for (int32_t piece : queue) queued[piece] = 1;
  for (size_t i = 0; i < queue.size(); ++i) {
    queued[queue[i]] = 0;
    if (i > 20 * pool.size() || !improve(queue[i], least)) continue;
    for (int32_t piece : again_)
      if (!queued[piece]) queued[piece] = 1, queue.push_back(piece);
  }
}

// By how much less the groups lose that were changed since the log began.
double Search::gained() const {
  std::vector<std::pair<int, double>> lost;  // by each of these groups, before
  for (auto& [place, group] : log_) {
    bool known = false;
    for (auto& entry : lost) known |= entry.first == place;
    if (!known) lost.emplace_back(place, group.loss);
  }
  std::sort(lost.begin(), lost.end());
  double before = 0.0, after = 0.0;
  for (auto& [place, loss] : lost) before += loss, after += groups_[place].loss;
  return before - after;
}

void Search::roll_back(size_t number) {
  for (auto entry = log_.rbegin(); entry != log_.rend(); ++entry) groups_[entry->first] = std::move(entry->second);
  for (auto& [place, group] : log_)
    if (groups_[place].alive)
      for (int32_t one : groups_[place].members) {
        group_[one] = place;
        own_far_[one] = far(one, place);
      }
  groups_.resize(number);
}

}  // namespace allonym
