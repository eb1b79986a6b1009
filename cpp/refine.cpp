// Improves groups by a local search: pieces of tuples move, are swapped, leave or found groups while less is lost.
//
// src/allonym/methods/kernels/search.py has the same search in Python; both give the same groups.
#include <chrono>

#include "neighbours.h"
#include "standing.h"

namespace allonym {

namespace {

using Members = std::vector<int32_t>;  // in ascending order

constexpr int NEW = -1;             // a group that a change would found
constexpr int SUPPRESSED = -2;      // the class of suppressed pieces
constexpr size_t LOOKED_UP = 4096;  // pieces whose neighbours are found together
constexpr int MAX_TARGETS = 8;      // groups that a piece of a dissolved group may join
constexpr int MAX_SWAPS = 3;        // swaps that are tried with a group
constexpr int MAX_JOINED = 4;       // groups that a group may join
constexpr int LARGE_GROUP = 100;    // members, for which a group counts once more
constexpr int CALL = 20;            // groups that could be weighed in the time of a call of Python
constexpr int MAX_STANDING = 64;   // members that are tried as the one whose values a group has
constexpr int MAX_REGROUPED = 6;    // groups that are formed anew together
constexpr int MAX_SWEEPS = 4;       // over the attributes, where these are weighed together
constexpr double MIN_GAIN = 1e-9;   // of the whole loss: less is no gain
constexpr double TIED = 1e-12;

// How the values of a group are chosen over all attributes.
enum class Together {
  ALONE,    // each attribute for itself
  SQUARES,  // all together, by the squared distances of records
  MEMBER,   // the values of one member
};

struct Group {
  Members members;
  double loss = 0.0;
  std::vector<Stand> stands;
  bool alive = false;
};

// Random numbers (Steele, Lea and Flood 2014, SplitMix64), the same as in Python.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  int below(int number) {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return static_cast<int>((z ^ (z >> 31)) % static_cast<uint64_t>(number));
  }

 private:
  uint64_t state_;
};

// A change: groups by number, and the members that they would have.
struct Change {
  std::vector<std::pair<int, Members>> groups;
  double saved = 0.0;  // by the suppressed pieces: negative, if more are suppressed

  Members* find(int group) {
    for (auto& [number, members] : groups)
      if (number == group) return &members;
    return nullptr;
  }
};

Members with(const Members& members, const Members& more) {
  Members joined(members.size() + more.size());
  std::merge(members.begin(), members.end(), more.begin(), more.end(), joined.begin());
  return joined;
}

Members with(const Members& members, int32_t piece) { return with(members, Members{piece}); }

Members without(const Members& members, int32_t piece) {
  Members rest;
  rest.reserve(members.size());
  for (int32_t x : members)
    if (x != piece) rest.push_back(x);
  return rest;
}

class Refining {
 public:
  Refining(Space& space, nb::list columns, Together together, Flags may_stand, Floats mass, Ints rows, Ints charged, Ints groups,
           Flags movable, Ints order, Ints alone, int64_t k, Ints unit_starts, Ints units, nb::object holds)
      : space_(space), together_(together), may_stand_(may_stand.data(), may_stand.data() + may_stand.size()), mass_(mass.data(), mass.data() + mass.size()),
        rows_(rows.data(), rows.data() + rows.size()), charged_(charged.data(), charged.data() + charged.size()), group_(groups.data(), groups.data() + groups.size()),
        movable_(movable.data(), movable.data() + movable.size()), k_(k),
        unit_starts_(unit_starts.data(), unit_starts.data() + unit_starts.size()),
        units_(units.data(), units.data() + units.size()), holds_(std::move(holds)),
        neighbours_(space, mass_, {order.data(), order.data() + order.size()},
                    {alone.data(), alone.data() + alone.size()}) {
    for (size_t a = 0; a < nb::len(columns); ++a)
      columns_.push_back(std::make_unique<Column>(nb::cast<nb::dict>(columns[a]), *space.attributes[a]));
    for (auto& column : columns_) calls_ += column->calls_python();
    int64_t last = -1;
    for (int64_t unit : units_) last = std::max(last, unit);
    seen_.assign(last + 1, 0);
    int number = 0;
    for (int g : group_) number = std::max(number, g + 1);
    groups_.resize(number);
    for (size_t piece = 0; piece < group_.size(); ++piece)
      if (movable_[piece]) groups_[group_[piece]].members.push_back(static_cast<int32_t>(piece));
    null_losses_.resize(group_.size());
    for (size_t piece = 0; piece < group_.size(); ++piece) {
      const int32_t* codes = space_.tuple(static_cast<int>(piece));
      double distance = 0.0;
      for (int a = 0; a < space_.width(); ++a)
        distance += columns_[a]->attribute.share * columns_[a]->null_row()[codes[a]];
      null_losses_[piece] = mass_[piece] * (distance * distance);
    }
    for (Group& group : groups_)
      if (!group.members.empty()) {
        group.alive = true;
        group.loss = weigh(group.members, &group.stands);
      }
  }

  // Change groups, what loses most first, until nothing is gained any more, or the work is done.
  void descend(int64_t work, Tick& tick) {
    double least = MIN_GAIN * loss();
    int64_t limit = work_ + work;
    std::vector<int32_t> all = movable_pieces();
    std::vector<uint8_t> waiting(group_.size(), 0);
    std::vector<int32_t> order = all;
    bool changed = true;
    while (changed && work_ < limit && !is_late()) {
      changed = order.size() < all.size();
      sort_by_loss(order);
      std::fill(waiting.begin(), waiting.end(), 0);
      for (size_t place = 0; place < order.size() && work_ < limit && !is_late(); ++place) {
        if (place % LOOKED_UP == 0) look_up_neighbours(order, place);
        if (improve(order[place], least)) {
          changed = true;
          for (int32_t piece : again_) waiting[piece] = 1;
        }
        if (place % 256 == 0) tick(std::min(work_, limit), limit);
      }
      order.clear();
      for (size_t piece = 0; piece < waiting.size(); ++piece)
        if (waiting[piece]) order.push_back(static_cast<int32_t>(piece));
      if (order.empty()) order = all;  // once more, whether nothing is left to be gained
    }
  }

  // Form a few neighbouring groups anew, at random, and improve them; keep that if less is lost. Again and again.
  void regroup(int64_t work, uint64_t seed, Tick& tick) {
    double least = MIN_GAIN * loss();
    int64_t begun = work_, limit = work_ + work;
    std::vector<int32_t> all = movable_pieces();
    Random random(seed);
    for (int64_t tries = 0; work_ < limit && !is_late(); ++tries) {
      int32_t piece = all[random.below(static_cast<int>(all.size()))];
      ++work_;  // also if there is nothing to be formed anew
      if (group_[piece] == SUPPRESSED) continue;
      logging_ = true;
      double before = loss();
      size_t number = groups_.size();
      std::vector<int32_t> pool;
      bool formed = form_anew(piece, random, pool);
      if (formed) improve_around(pool, least);
      if (!formed || loss() > before) roll_back(number);
      logging_ = false;
      log_.clear();
      if (tries % 64 == 0) tick(work_ - begun, work);
    }
  }

  // Suppress pieces while that saves more than the price of their rows: `ratio` times what a row lost before.
  void suppress(int64_t budget, double ratio, int64_t work, Tick& tick) {
    int64_t rows = 0;
    for (int64_t x : rows_) rows += x;
    if (before_.group.empty()) before_ = {groups_, group_, suppressed_, loss()};
    price_ = ratio * before_.loss / static_cast<double>(rows);
    budget_ = budget;
    moving_ = false;
    descend(work, tick);
    moving_ = true;
    budget_ = 0;
  }

  // Suppress a class that meets every requirement, or, if that costs more than it saves, nothing.
  void complete_suppression(int64_t budget) {
    budget_ = budget;
    while (!suppressed_.empty() && !holds(suppressed_) && suppress_one_more()) {
    }
    double price = price_ * static_cast<double>(suppressed_rows_);
    if (suppressed_.empty() || !holds(suppressed_) || loss() + price >= before_.loss) {
      groups_ = before_.groups;
      group_ = before_.group;
      set_suppressed(before_.suppressed);
    }
    budget_ = 0;
  }

  std::vector<int64_t> result() const { return {group_.begin(), group_.end()}; }
  void set_deadline(double seconds) {
    limited_ = seconds > 0;
    deadline_ = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                       std::chrono::duration<double>(seconds));
  }

  double loss() const {
    double total = 0.0;
    for (const Group& group : groups_)
      if (group.alive) total += group.loss;
    for (int32_t piece : suppressed_) total += null_losses_[piece];
    return total;
  }
  int64_t work() const { return work_; }

  // What stands for each group: by group and attribute a point, or, for Stand::NUMBER, a number.
  std::pair<std::vector<int64_t>, std::vector<double>> stands() const {
    std::pair<std::vector<int64_t>, std::vector<double>> found;
    for (const Group& group : groups_)
      for (int a = 0; a < space_.width(); ++a) {
        found.first.push_back(group.alive ? group.stands[a].point : Stand::IS_NULL);
        found.second.push_back(group.alive ? group.stands[a].number : 0.0);
      }
    return found;
  }

 private:
  // --- what a group loses ---------------------------------------------------------------------------------------

  double weigh(const Members& members, std::vector<Stand>* stands = nullptr) {
    int number = static_cast<int>(members.size());
    work_ += 1 + number / LARGE_GROUP + calls_ * CALL;
    int width = space_.width();
    codes_.resize(static_cast<size_t>(width) * number);
    weights_.resize(number);
    for (int i = 0; i < number; ++i) {
      const int32_t* tuple = space_.tuple(members[i]);
      weights_[i] = mass_[members[i]];
      for (int a = 0; a < width; ++a) codes_[static_cast<size_t>(a) * number + i] = tuple[a];
    }
    stands_.resize(width);
    double loss = INFINITE;
    if (together_ == Together::MEMBER) {
      loss = choose_member(members, number);
    } else {
      for (int a = 0; a < width; ++a)
        stands_[a] = columns_[a]->stand(codes_.data() + static_cast<size_t>(a) * number, weights_.data(), number);
      if (together_ == Together::SQUARES) choose_together(number);
      loss = lost_with(stands_, number);
    }
    if (stands) *stands = stands_;
    return loss;
  }

  double lost_with(const std::vector<Stand>& stands, int number) const {
    double loss = 0.0;
    for (int i = 0; i < number; ++i) {
      double distance = 0.0;
      for (int a = 0; a < space_.width(); ++a)
        distance += columns_[a]->attribute.share * columns_[a]->lost(stands[a], codes_[static_cast<size_t>(a) * number + i]);
      loss += weights_[i] * (distance * distance);
    }
    return loss;
  }

  // Choose the member with which least is lost, of those that may stand for others; the first of equals.
  double choose_member(const Members& members, int number) {
    double least = INFINITE;
    int tried = 0;
    std::vector<Stand> stands(space_.width());
    for (int i = 0; i < number && tried < MAX_STANDING; ++i) {
      if (!may_stand_[members[i]]) continue;
      ++tried;
      for (int a = 0; a < space_.width(); ++a)
        stands[a] = columns_[a]->at(codes_[static_cast<size_t>(a) * number + i]);
      double lost = lost_with(stands, number);
      if (lost < least) least = lost, stands_ = stands;
    }
    if (tried) return least;
    for (int a = 0; a < space_.width(); ++a) stands_[a] = columns_[a]->null();
    return lost_with(stands_, number);
  }

  // Choose the values of a group together, by the squared distances of records: one attribute after the other, while
  // less is lost.
  void choose_together(int number) {
    int width = space_.width();
    parts_.resize(static_cast<size_t>(width) * number);
    for (int a = 0; a < width; ++a) fill_part(a, stands_[a], number, parts_.data() + static_cast<size_t>(a) * number);
    rest_.resize(number);
    trial_.resize(number);
    for (int sweep = 0; sweep < MAX_SWEEPS; ++sweep) {
      bool changed = false;
      for (int a = 0; a < width; ++a) {
        if (!columns_[a]->is_weighed() || stands_[a].row == columns_[a]->null_row()) continue;
        for (int i = 0; i < number; ++i) {
          rest_[i] = 0.0;
          for (int b = 0; b < width; ++b)
            if (b != a) rest_[i] += parts_[static_cast<size_t>(b) * number + i];
        }
        double* own = parts_.data() + static_cast<size_t>(a) * number;
        double least = squares(own, number);
        candidates_.clear();
        columns_[a]->candidates(codes_.data() + static_cast<size_t>(a) * number, weights_.data(), number, candidates_);
        for (const Stand& candidate : candidates_) {
          fill_part(a, candidate, number, trial_.data());
          double lost = squares(trial_.data(), number);
          if (lost < least - TIED * least) {
            least = lost;
            stands_[a] = candidate;
            std::copy(trial_.begin(), trial_.end(), own);
            changed = true;
          }
        }
      }
      if (!changed) break;
    }
  }

  void fill_part(int a, const Stand& stand, int number, double* out) const {
    const Column& column = *columns_[a];
    for (int i = 0; i < number; ++i)
      out[i] = column.attribute.share * column.lost(stand, codes_[static_cast<size_t>(a) * number + i]);
  }

  double squares(const double* part, int number) const {
    double total = 0.0;
    for (int i = 0; i < number; ++i) {
      double distance = rest_[i] + part[i];
      total += weights_[i] * (distance * distance);
    }
    return total;
  }

  // What a piece loses, or would lose, by what stands for a group now.
  double far(int32_t piece, int group) const {
    const int32_t* codes = space_.tuple(piece);
    double distance = 0.0;
    for (int a = 0; a < space_.width(); ++a)
      distance += columns_[a]->attribute.share * columns_[a]->lost(groups_[group].stands[a], codes[a]);
    return mass_[piece] * (distance * distance);
  }

  // Whether some pieces have k rows, and, where rows are about persons, k persons.
  bool enough(const Members& members) {
    int64_t rows = 0;
    for (int32_t piece : members) rows += rows_[piece];
    if (rows < k_ || unit_starts_.empty()) return rows >= k_;
    ++stamp_;
    int64_t units = 0;
    for (int32_t piece : members)
      for (int64_t i = unit_starts_[piece]; i < unit_starts_[piece + 1]; ++i) {
        if (seen_[units_[i]] != stamp_) seen_[units_[i]] = stamp_, ++units;
        if (units >= k_) return true;
      }
    return false;
  }

  // Whether some pieces would be a group that meets every requirement.
  bool holds(const Members& members) {
    if (!enough(members)) return false;
    if (holds_.is_none()) return true;
    work_ += CALL;
    nb::gil_scoped_acquire held;
    std::vector<int64_t> own(members.begin(), members.end());
    return nb::cast<bool>(holds_(to_numpy(std::move(own))));
  }

  // --- what may be changed --------------------------------------------------------------------------------------

  // The pieces next to one, whose groups it may join.
  const std::vector<int32_t>& near(int32_t piece) { return neighbours_.of(piece); }

  // Find the neighbours of the pieces that come next, if they will be asked for.
  void look_up_neighbours(const std::vector<int32_t>& order, size_t place) {
    if (!moving_ || !neighbours_.has_threads()) return;
    std::vector<int32_t> wanted;
    for (size_t i = place; i < std::min(order.size(), place + LOOKED_UP); ++i) {
      int group = group_[order[i]];
      if (!neighbours_.knows(order[i]) && group != SUPPRESSED && groups_[group].loss != 0.0) wanted.push_back(order[i]);
    }
    neighbours_.find_all(wanted);
  }

  // The groups of the pieces next to one, except its own; the one whose values are nearest first.
  std::vector<std::pair<double, int>> others(int32_t piece) {
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

  void consider(Change&& change) {
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

  void changes(int32_t piece) {
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

  // A piece is suppressed, and what is left of its group stays or goes into others; or its whole group is suppressed.
  void suppressing(int32_t piece) {
    int own = group_[piece];
    const Members& members = groups_[own].members;
    Members rest = without(members, piece);
    if (suppressed_rows_ + charged_[piece] <= budget_ && (completing_ || cost_of(piece) < groups_[own].loss)) {
      if (rest.empty() || enough(rest)) {
        consider({{{own, rest}, {SUPPRESSED, with(suppressed_, piece)}}, -cost_of(piece)});
      } else {
        dissolve(own, piece);
      }
    }
    if (piece != members[0] || rest.empty()) return;
    int64_t rows = 0;
    double cost = 0.0;
    for (int32_t one : members) rows += charged_[one], cost += cost_of(one);
    if (suppressed_rows_ + rows <= budget_) consider({{{own, {}}, {SUPPRESSED, with(suppressed_, members)}}, -cost});
  }

  double cost_of(int32_t piece) const { return null_losses_[piece] + price_ * static_cast<double>(charged_[piece]); }

  // A suppressed piece goes back into a group.
  void released(int32_t piece) {
    Members rest = without(suppressed_, piece);
    if (enough({piece})) consider({{{NEW, {piece}}, {SUPPRESSED, rest}}, cost_of(piece)});
    for (auto& [cost, other] : others(piece))
      consider({{{other, with(groups_[other].members, piece)}, {SUPPRESSED, rest}}, cost_of(piece)});
  }

  // Suppress the piece, or the group, that costs least; tell whether there is one.
  bool suppress_one_more() {
    least_ = -INFINITE;
    any_ = false;
    completing_ = true;
    for (int32_t piece : movable_pieces())
      if (group_[piece] != SUPPRESSED) suppressing(piece);
    completing_ = false;
    if (any_) apply(best_);
    return any_;
  }

  // Swaps of a piece with one of another group: those that are best by what stands for the groups now.
  void swaps(int32_t piece, const Members& rest, int other) {
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
  void dissolve(int group, int32_t suppressed = -1) {
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
  void found_around(int32_t piece) {
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

  // Make the best change about a piece; the pieces to look at again are left in `again_`.
  bool improve(int32_t piece, double least) {
    least_ = least;
    any_ = false;
    changes(piece);
    again_.clear();
    if (!any_) return false;
    std::vector<int32_t> touched = apply(best_);
    for (int32_t one : touched) {
      again_.push_back(one);
      const auto& next = near(one);
      for (size_t i = 0; i < next.size() && i < MAX_SWAPS; ++i) again_.push_back(next[i]);
    }
    return true;
  }

  // Make a change; return the members of the groups that it changes.
  std::vector<int32_t> apply(const Change& change) {
    std::vector<int32_t> touched;
    for (auto& [number, members] : change.groups) {
      if (number == SUPPRESSED) {
        set_suppressed(members);
        continue;
      }
      int place = number;
      if (number == NEW) place = static_cast<int>(groups_.size()), groups_.emplace_back();
      if (logging_) log_.emplace_back(place, groups_[place]);
      Group& group = groups_[place];
      group.alive = !members.empty();
      group.members = members;
      group.loss = 0.0;
      if (group.alive) group.loss = weigh(members, &group.stands);
      for (int32_t one : members) group_[one] = place, touched.push_back(one);
    }
    return touched;
  }

  void set_suppressed(const Members& members) {
    suppressed_ = members;
    suppressed_rows_ = 0;
    for (int32_t one : members) group_[one] = SUPPRESSED, suppressed_rows_ += charged_[one];
  }

  // --- groups that are formed anew --------------------------------------------------------------------------------

  // Form groups anew of the pieces of a few neighbouring groups, which are left in `pool`: around pieces in random
  // order, of those nearest to each. Tell whether the groups meet every requirement.
  bool form_anew(int32_t piece, Random& random, std::vector<int32_t>& pool) {
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
    if (made.empty()) return false;
    for (int32_t one : left) {
      double least = INFINITE;
      size_t target = 0;
      for (size_t g = 0; g < made.size(); ++g) {
        double cost = weigh(with(made[g], one)) - weigh(made[g]);
        if (cost < least) least = cost, target = g;
      }
      made[target] = with(made[target], one);
    }
    for (Members& group : made) {
      if (!holds(group)) return false;
      change.groups.emplace_back(NEW, std::move(group));
    }
    apply(change);
    return true;
  }

  // Sort pieces by their distances to a point, except the first, which it is.
  void sort_by_distance(const std::vector<Point>& point, std::vector<int32_t>& pieces) const {
    std::vector<std::pair<double, int32_t>> keys;
    for (size_t i = 1; i < pieces.size(); ++i) keys.emplace_back(rounded(space_.distance(point, pieces[i])), pieces[i]);
    std::stable_sort(keys.begin(), keys.end(), [](auto& x, auto& y) { return x.first < y.first; });
    for (size_t i = 0; i < keys.size(); ++i) pieces[i + 1] = keys[i].second;
  }

  // Improve some pieces, and those next to what changes, until nothing is gained.
  void improve_around(const std::vector<int32_t>& pool, double least) {
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

  void roll_back(size_t number) {
    for (auto entry = log_.rbegin(); entry != log_.rend(); ++entry) groups_[entry->first] = std::move(entry->second);
    for (auto& [place, group] : log_)
      if (groups_[place].alive)
        for (int32_t one : groups_[place].members) group_[one] = place;
    groups_.resize(number);
  }

  bool is_late() const { return limited_ && std::chrono::steady_clock::now() >= deadline_; }

  std::vector<int32_t> movable_pieces() const {
    std::vector<int32_t> all;
    for (size_t piece = 0; piece < group_.size(); ++piece)
      if (movable_[piece]) all.push_back(static_cast<int32_t>(piece));
    return all;
  }

  void sort_by_loss(std::vector<int32_t>& order) const {
    std::vector<std::pair<double, int32_t>> keys;
    for (int32_t piece : order)
      keys.emplace_back(group_[piece] == SUPPRESSED ? -null_losses_[piece] : -far(piece, group_[piece]), piece);
    std::sort(keys.begin(), keys.end());
    for (size_t i = 0; i < order.size(); ++i) order[i] = keys[i].second;
  }

  Space& space_;
  Together together_;
  std::vector<uint8_t> may_stand_;
  std::vector<double> mass_;
  std::vector<int64_t> rows_, charged_;  // of each piece; and those that count for the budget of suppression
  std::vector<int> group_;
  std::vector<uint8_t> movable_;
  int64_t k_, work_ = 0, calls_ = 0, stamp_ = 0;
  std::vector<int64_t> unit_starts_, units_, seen_;  // the persons of each piece, where rows are about persons
  nb::object holds_;
  Neighbours neighbours_;
  std::vector<std::unique_ptr<Column>> columns_;
  std::vector<Group> groups_;
  std::vector<int32_t> codes_;
  std::vector<double> weights_, parts_, rest_, trial_;
  std::vector<Stand> stands_, candidates_;
  Change best_;
  double least_ = 0.0;
  bool any_ = false;
  std::vector<int32_t> again_;
  Members suppressed_;
  struct State {
    std::vector<Group> groups;
    std::vector<int> group;
    Members suppressed;
    double loss = 0.0;
  } before_;  // before anything was suppressed
  bool moving_ = true, completing_ = false;
  int64_t budget_ = 0, suppressed_rows_ = 0;
  double price_ = 0.0;
  std::vector<double> null_losses_;
  bool logging_ = false;
  std::vector<std::pair<int, Group>> log_;
  std::vector<uint8_t> queued_;
  bool limited_ = false;
  std::chrono::steady_clock::time_point deadline_;
};

// The groups of pieces after a search. `steps` are what the search does, one after the other: ("descend", work),
// ("regroup", work, seed), ("suppress", budget, ratio, work) or ("complete", budget). Returns the group of each piece, -2 for those
// that are suppressed, the loss before and after each step, and what stands for each group.
nb::tuple refine(Space& space, nb::list columns, int together, Flags may_stand, Floats mass, Ints rows, Ints charged,
                 Ints groups, Flags movable, Ints order, Ints alone, int64_t k, Ints unit_starts,
                 Ints units, nb::object holds, nb::list steps, double seconds,
                 nb::object callback) {
  bool calls = space.calls_python() || !holds.is_none();
  Refining refining(space, columns, static_cast<Together>(together), may_stand, mass, rows, charged, groups, movable, order,
                    alone, k, unit_starts, units, std::move(holds));
  refining.set_deadline(seconds);
  Tick tick(std::move(callback));
  std::vector<double> losses{refining.loss()};
  for (nb::handle item : steps) {
    nb::tuple step = nb::cast<nb::tuple>(item);
    auto name = nb::cast<std::string>(step[0]);
    auto number = nb::cast<int64_t>(step[1]);
    double ratio = name == "suppress" ? nb::cast<double>(step[2]) : 0.0;
    int64_t work = name == "suppress" ? nb::cast<int64_t>(step[3]) : 0;
    uint64_t seed = name == "regroup" ? nb::cast<uint64_t>(step[2]) : 0;
    MaybeRelease release(!calls);
    if (name == "descend") refining.descend(number, tick);
    if (name == "regroup") refining.regroup(number, seed, tick);
    if (name == "suppress") refining.suppress(number, ratio, work, tick);
    if (name == "complete") refining.complete_suppression(number);
    losses.push_back(refining.loss());
  }
  auto [points, numbers] = refining.stands();
  return nb::make_tuple(to_numpy(refining.result()), to_numpy(std::move(losses)), to_numpy(std::move(points)),
                        to_numpy(std::move(numbers)));
}

}  // namespace

void bind_refine(nb::module_& m) {
  m.def("refine", &refine, nb::arg("space"), nb::arg("columns"), nb::arg("together"), nb::arg("may_stand"),
        nb::arg("mass"), nb::arg("rows"), nb::arg("charged"), nb::arg("groups"), nb::arg("movable"), nb::arg("order"), nb::arg("alone"),
        nb::arg("k"), nb::arg("unit_starts"), nb::arg("units"), nb::arg("holds").none(), nb::arg("steps"), nb::arg("seconds"), nb::arg("tick"));
}

}  // namespace allonym
