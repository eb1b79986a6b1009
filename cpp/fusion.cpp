// Record fusion (Martinez 2010, section 4): groups of equal records take the values of the group most like them.
#include <map>

#include "blocks.h"
#include "threads.h"

namespace allonym {

namespace {

constexpr int64_t GONE = std::numeric_limits<int64_t>::max();  // more rows than any group has

// Some sizes, of which those that are the smallest can be found by their places: a tree of minima.
class Smallest {
 public:
  explicit Smallest(const std::vector<int64_t>& sizes) {
    while (leaves_ < sizes.size()) leaves_ *= 2;
    nodes_.assign(2 * leaves_, Node{GONE, 0});
    for (size_t place = 0; place < sizes.size(); ++place) nodes_[leaves_ + place] = Node{sizes[place], 1};
    for (size_t node = leaves_ - 1; node > 0; --node) join(node);
  }

  int64_t size() const { return nodes_[1].size; }
  // How many have the smallest size.
  int number() const { return nodes_[1].number; }
  // The place of the nth of these.
  int place(int nth) const {
    size_t node = 1;
    while (node < leaves_) {
      node *= 2;
      int before = nodes_[node].size == size() ? nodes_[node].number : 0;
      if (nth >= before) nth -= before, ++node;
    }
    return static_cast<int>(node - leaves_);
  }

  void set(int place, int64_t size) {
    size_t node = leaves_ + place;
    if (nodes_[node].size == size) return;
    nodes_[node].size = size;
    while (node /= 2) join(node);
  }

 private:
  struct Node {
    int64_t size;
    int number;
  };

  void join(size_t node) {
    const Node &one = nodes_[2 * node], &other = nodes_[2 * node + 1];
    nodes_[node].size = std::min(one.size, other.size);
    nodes_[node].number = (one.size <= other.size ? one.number : 0) + (other.size <= one.size ? other.number : 0);
  }

  size_t leaves_ = 1;
  std::vector<Node> nodes_;
};

// Draws a number below another in Python.
class Draw {
 public:
  explicit Draw(nb::object callback) : callback_(std::move(callback)) {}
  int operator()(int number) {
    if (number == 1) return 0;
    nb::gil_scoped_acquire held;
    return nb::cast<int>(callback_(number));
  }

 private:
  nb::object callback_;
};

class Fusing {
 public:
  // Which groups are fused first: any of the smallest, those with the nearest target (H2), of these those that give
  // the smallest group (H3).
  enum Heuristics { TARGET, H2, H3 };

  Fusing(Space& space, std::vector<int64_t> counts, std::vector<int32_t> order, int64_t k, Heuristics heuristics,
         Draw& draw, Tick& tick)
      : sizes_(std::move(counts)), k_(k), heuristics_(heuristics), equal_(space.tuples(), 1.0),
        blocks_(space, equal_, std::move(order)), draw_(draw), tick_(tick), searches_(space.searches_in_python() ? 1 : thread_limit.load()),
        left_(space.tuples()), into_(left_),
        targets_(left_), first_(left_, -1), place_(left_, -1) {
    for (int group = 0; group < left_; ++group) into_[group] = group, small_ += sizes_[group] < k_;
    total_ = small_;
  }

  // Fuse groups, the smallest first, until none is smaller than k; return whose values each has.
  std::vector<int64_t> run() {
    if (heuristics_ == TARGET) {
      fuse_any();
    } else {
      for (int64_t size; left_ > 1 && (size = *std::min_element(sizes_.begin(), sizes_.end())) < k_;) level(size);
    }
    tick_(total_, total_);
    for (int64_t& into : into_)
      while (into != into_[into]) into = into_[into];
    return std::move(into_);
  }

 private:
  void fuse_any() {
    Smallest smallest(sizes_);
    while (left_ > 1 && smallest.size() < k_) {
      int one = smallest.place(draw_(smallest.number()));
      blocks_.tied(one, targets_[0]);
      int other = target(targets_[0]);
      fuse(one, other);
      smallest.set(one, GONE);
      smallest.set(other, sizes_[other]);
    }
  }

  // Fuse all groups of the smallest size: those with the nearest target first.
  void level(int64_t smallest) {
    std::vector<int32_t> groups;
    for (int group = 0; group < static_cast<int>(sizes_.size()); ++group)
      if (sizes_[group] == smallest) groups.push_back(group);
    wait(groups);
    while (!waiting_.empty() && left_ > 1) {
      auto groups = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      std::sort(groups.begin(), groups.end());
      fuse_tied(groups, smallest);
      groups.erase(std::remove_if(groups.begin(), groups.end(), [&](int32_t group) { return sizes_[group] != smallest; }),
                   groups.end());
      if (left_ > 1) wait(groups);
    }
    waiting_.clear();
  }

  // Let groups wait with their targets. Several threads find these, if there are many groups.
  void wait(const std::vector<int32_t>& groups) {
    bool many = groups.size() >= MIN_THREADED && searches_.size() > 1;
    if (many) blocks_.keep_bounds();
    std::vector<double> distances(groups.size());
    for (size_t begin = 0; begin < groups.size(); begin += GROUPS_PER_REPORT) {
      size_t end = std::min(groups.size(), begin + GROUPS_PER_REPORT);
      in_parallel(end - begin, PART, many ? static_cast<int>(searches_.size()) : 1, [&](int thread, size_t low, size_t high) {
        for (size_t i = begin + low; i < begin + high; ++i)
          distances[i] = blocks_.tied(searches_[thread], groups[i], targets_[groups[i]]);
      });
      report(static_cast<int64_t>(end - begin));
    }
    for (size_t i = 0; i < groups.size(); ++i) waiting_[distances[i]].push_back(groups[i]);
  }

  // Fuse groups whose targets are equally far, while they have any.
  void fuse_tied(const std::vector<int32_t>& groups, int64_t smallest) {
    std::vector<int64_t> results(groups.size());
    entries_.clear();
    for (int i = 0; i < static_cast<int>(groups.size()); ++i) {
      place_[groups[i]] = i;
      results[i] = sizes_[groups[i]] == smallest ? result(groups[i]) : GONE;
      for (int32_t target : targets_[groups[i]]) {
        entries_.push_back({target, i, first_[target]});
        first_[target] = static_cast<int>(entries_.size()) - 1;
      }
    }
    Smallest ready(results);
    while (left_ > 1 && ready.size() < GONE) {
      int one = groups[ready.place(draw_(ready.number()))];
      int other = target(targets_[one]);
      fuse(one, other);
      for (int32_t changed : {one, other}) {
        if (place_[changed] >= 0) ready.set(place_[changed], GONE);
        for (int entry = first_[changed]; entry >= 0; entry = entries_[entry].next) {
          int32_t owner = groups[entries_[entry].owner];
          if (sizes_[owner] == smallest) ready.set(entries_[entry].owner, result(owner));
        }
      }
    }
    for (int32_t group : groups) place_[group] = -1;
    for (auto& entry : entries_) first_[entry.target] = -1;
  }

  // How large the smallest target of a group is, where that matters; GONE, if it has none any more.
  int64_t result(int group) const {
    int64_t least = GONE;
    for (int32_t target : targets_[group]) least = std::min(least, sizes_[target]);
    return heuristics_ == H3 || least == GONE ? least : 0;
  }

  // The smallest of some groups; the first of equals.
  int target(const std::vector<int32_t>& groups) const {
    int best = groups[0];
    for (int32_t group : groups)
      if (sizes_[group] < sizes_[best]) best = group;
    return best;
  }

  void fuse(int one, int other) {
    small_ -= (sizes_[one] < k_) + (sizes_[other] < k_ && sizes_[other] + sizes_[one] >= k_);
    sizes_[other] += sizes_[one];
    sizes_[one] = GONE;
    into_[one] = other;
    --left_;
    blocks_.remove(one);
    report();
  }

  void report(int64_t steps = 1) {
    int64_t before = steps_ / STEPS_PER_TICK;
    if ((steps_ += steps) / STEPS_PER_TICK > before) tick_(total_ - small_, total_);
  }

  // A group that has another one as a target, and the next one that has it.
  struct Entry {
    int32_t target;
    int owner, next;
  };

  static constexpr int64_t STEPS_PER_TICK = 256;
  static constexpr size_t MIN_THREADED = 256;        // groups for which threads are worth their start
  static constexpr size_t GROUPS_PER_REPORT = 4096;
  static constexpr size_t PART = 32;                 // groups that a thread takes at a time

  std::vector<int64_t> sizes_;  // GONE, once a group is gone
  int64_t k_;
  Heuristics heuristics_;
  std::vector<double> equal_;
  Blocks blocks_;
  Draw& draw_;
  Tick& tick_;
  std::vector<BlockSearch> searches_;  // of each thread
  int left_;
  int64_t small_ = 0, total_ = 0, steps_ = 0;  // groups of fewer than k rows, now and at first
  std::vector<int64_t> into_;
  std::map<double, std::vector<int32_t>> waiting_;  // groups, by how far their targets are
  std::vector<std::vector<int32_t>> targets_;
  std::vector<int> first_, place_;  // of the entries of a target; of a group among those that are tied
  std::vector<Entry> entries_;
};

Fusing::Heuristics heuristics_named(const std::string& name) {
  if (name == "h1+target") return Fusing::TARGET;
  if (name == "h1+h2") return Fusing::H2;
  if (name == "h1+h2+h3") return Fusing::H3;
  throw nb::value_error("unknown heuristics");
}

nb::object fusion(Space& space, Ints counts, Ints order, int64_t k, const std::string& heuristics, nb::object draw,
                  nb::object tick) {
  Draw drawing(std::move(draw));
  Tick ticking(std::move(tick));
  Fusing fusing(space, {counts.data(), counts.data() + counts.size()}, {order.data(), order.data() + order.size()}, k,
                heuristics_named(heuristics), drawing, ticking);
  std::vector<int64_t> into;
  {
    MaybeRelease release(!space.calls_python());
    into = fusing.run();
  }
  return nb::cast(to_numpy(std::move(into)));
}

}  // namespace

void bind_fusion(nb::module_& m) {
  m.def("fusion", &fusion, nb::arg("space"), nb::arg("counts"), nb::arg("order"), nb::arg("k"), nb::arg("heuristics"),
        nb::arg("draw"), nb::arg("tick"));
}

}  // namespace allonym
