// Improves groups by a local search: pieces of tuples move, are swapped, leave or found groups while less is lost.
//
// src/allonym/methods/kernels/search.py has the same search in Python; both give the same groups.
#pragma once

#include <chrono>
#include <tuple>

#include "group_loss.h"
#include "known_losses.h"
#include "neighbours.h"

namespace allonym {

constexpr int NEW = -1;            // a group that a change would found
constexpr int SUPPRESSED = -2;     // the class of suppressed pieces
constexpr size_t LOOKED_UP = 4096; // pieces whose neighbours are found together
constexpr int MAX_TARGETS = 8;     // groups that a piece may join
constexpr int MAX_SWAPS = 6;       // swaps that are tried for a piece
constexpr int MAX_REPLACED = 2;    // groups that a piece may join while another one takes its place
constexpr int MAX_REFILLS = 4;     // pieces that may take its place
constexpr int MAX_JOINED = 1;      // groups that a group may join
constexpr int AGAIN = 3;           // neighbours of a changed piece that are looked at again
constexpr int HITS = 8;            // known losses that are looked up in the time of weighing a group
constexpr int LARGE_GROUP = 100;   // members, for which a group counts once more
constexpr int CALL = 20;           // groups that could be weighed in the time of a call of Python
constexpr int MAX_CUTS = 16;       // groups that are weighed for each piece of a walk
constexpr int MAX_REGROUPED = 6;   // groups that are formed anew together
constexpr double MIN_GAIN = 1e-9;  // of the whole loss: less is no gain

constexpr int32_t NONE = -1;       // no piece

struct Group {
  Members members;
  SetKey key;
  int64_t rows = 0;
  double loss = 0.0;
  std::vector<Stand> stands;
  bool alive = false;
};

// Random numbers (Steele, Lea and Flood 2014, SplitMix64), the same as in Python.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  int below(int number) { return static_cast<int>(next() % static_cast<uint64_t>(number)); }
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
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

// A group that one piece leaves, or another one joins, or both.
struct Altered {
  int group;
  int32_t out, in;
};

inline Members with(const Members& members, const Members& more) {
  Members joined(members.size() + more.size());
  std::merge(members.begin(), members.end(), more.begin(), more.end(), joined.begin());
  return joined;
}

inline Members with(const Members& members, int32_t piece) { return with(members, Members{piece}); }

inline Members without(const Members& members, int32_t piece) {
  Members rest;
  rest.reserve(members.size());
  for (int32_t x : members)
    if (x != piece) rest.push_back(x);
  return rest;
}

// Pieces of tuples that are in groups, and what a group of them must hold (`Pieces` in Python).
struct Pieces {
  std::vector<double> mass;
  std::vector<int64_t> rows, charged;  // of each piece; and those that count for the budget of suppression
  std::vector<uint8_t> movable;
  int64_t k;
  std::vector<int64_t> unit_starts, units;  // the persons of each piece, where rows are about persons
  nb::object holds;
};

class Search {
 public:
  Search(Space& space, GroupLoss& group_loss, Pieces pieces, Ints groups, Ints order, Ints alone);

  // Change groups, what loses most first, until nothing is gained any more, or the work is done.
  void descend(int64_t work, Tick& tick);
  // Form a few neighbouring groups anew, at random, and improve them; keep that if less is lost. Again and again.
  void regroup(int64_t work, uint64_t seed, Tick& tick);
  // Start anew with groups along a walk; the groups before can be chosen again.
  void walk(const std::vector<int32_t>& order, Tick& tick);
  // Continue with the start that loses least; a later one must lose less than so many percent of the best before it.
  void choose_start(int64_t percent);
  // Suppress pieces while that saves more than the price of their rows: `ratio` times what a row lost before.
  void suppress(int64_t budget, double ratio, int64_t work, Tick& tick);
  // Suppress a class that meets every requirement, or, if that costs more than it saves, nothing.
  void complete_suppression(int64_t budget);

  // End after so many seconds; 0: there is no limit.
  void set_deadline(double seconds);
  double loss() const;
  std::vector<int64_t> result() const { return {group_.begin(), group_.end()}; }
  // What stands for each group: by group and attribute a point, or, for Stand::NUMBER, a number.
  std::pair<std::vector<int64_t>, std::vector<double>> stands() const;

 private:
  // --- what a group loses, and what it must hold (search.cpp) ---
  double weigh(const Members& members, std::vector<Stand>* stands);
  double loss_of(const Members& members);
  double loss_after(const Altered& altered);
  Members members_after(const Altered& altered) const;
  SetKey key_of(const Members& members) const;
  void set_members(Group& group, const Members& members);
  double far(int32_t piece, int group) const { return group_loss_.far(piece, groups_[group].stands); }
  bool enough(const Members& members);
  bool enough_after(const Altered& altered);
  bool holds(const Members& members);
  bool is_late() const { return limited_ && std::chrono::steady_clock::now() >= deadline_; }
  std::vector<int32_t> movable_pieces() const;
  void sort_by_loss(std::vector<int32_t>& order) const;
  bool improve(int32_t piece, double least);
  std::vector<int32_t> apply(const Change& change);

  // --- what may be changed (search_changes.cpp) ---
  const std::vector<int32_t>& near(int32_t piece) { return neighbours_.of(piece); }
  void look_up_neighbours(const std::vector<int32_t>& order, size_t place);
  const std::vector<std::pair<double, int>>& others(int32_t piece);
  void consider(Change&& change);
  void consider_altered(std::initializer_list<Altered> altered);
  void changes(int32_t piece);
  void swaps(int32_t piece, const std::vector<std::pair<double, int>>& targets);
  void replacements(int32_t piece, const std::vector<std::pair<double, int>>& targets);
  const std::vector<std::pair<double, int32_t>>& refills(int32_t piece);
  void dissolve(int group, int32_t suppressed = NONE);
  void found_around(int32_t piece);

  // --- starts (walk.cpp) ---
  struct State {
    std::vector<Group> groups;
    std::vector<int> group;
    Members suppressed;
    double loss = 0.0;
  };
  void best_cut(const std::vector<int32_t>& order, int end, std::vector<double>& least, std::vector<int>& begin);
  void restore(const State& state);

  // --- groups that are formed anew (regrouping.cpp) ---
  bool form_anew(int32_t piece, Random& random, std::vector<int32_t>& pool);
  std::vector<Members> groups_around(std::vector<int32_t> left);
  void sort_by_distance(const std::vector<Point>& point, std::vector<int32_t>& pieces) const;
  void improve_around(const std::vector<int32_t>& pool, double least);
  double gained() const;
  void roll_back(size_t number);

  // --- the class of suppressed pieces (suppressed_pieces.cpp) ---
  void suppressing(int32_t piece);
  void released(int32_t piece);
  bool suppress_one_more();
  double cost_of(int32_t piece) const {
    return null_losses_[piece] + price_ * static_cast<double>(pieces_.charged[piece]);
  }
  void set_suppressed(const Members& members);

  Space& space_;
  GroupLoss& group_loss_;
  Pieces pieces_;
  std::vector<int> group_;
  std::vector<Group> groups_;
  int64_t work_ = 0, hits_ = 0, stamp_ = 0, refill_stamp_ = 0;
  std::vector<SetKey> keys_;  // of the pieces
  KnownLosses known_losses_;
  std::vector<double> own_far_;  // by piece: what it loses in its group
  std::vector<int64_t> seen_;  // persons
  Neighbours neighbours_;
  std::vector<uint8_t> queued_;
  std::vector<int32_t> again_;
  std::vector<std::pair<double, int>> targets_;
  std::vector<std::tuple<double, int, int32_t>> ranked_;
  std::vector<std::pair<double, int32_t>> refills_;
  std::vector<int64_t> refill_seen_;  // by piece: when it was looked at
  Change best_;
  double least_ = 0.0;
  bool any_ = false;

  Members suppressed_;
  State before_;               // before anything was suppressed
  std::vector<State> starts_;  // to choose from
  bool moving_ = true, completing_ = false;
  int64_t budget_ = 0, suppressed_rows_ = 0;
  double price_ = 0.0;
  std::vector<double> null_losses_;

  bool logging_ = false;
  std::vector<std::pair<int, Group>> log_;  // groups as they were, for rolling back
  bool limited_ = false;
  std::chrono::steady_clock::time_point deadline_;
};

}  // namespace allonym
