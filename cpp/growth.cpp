// SA-MDAV (Martinez, Sanchez and Valls 2012, Algorithm 2): groups of k rows or more; tuples are never split.
#include "far_from_centre.h"

namespace allonym {

namespace {

constexpr double STEPS = 4;  // in which masses are distinguished, up to twice as much
constexpr int NOTHING = std::numeric_limits<int>::min();

// What every code counts among the tuples that are left, and the centroid of these.
class RunningCentroid {
 public:
  RunningCentroid(Space& space, const std::vector<double>& mass) : space_(space), mass_(mass) {
    totals_.assign(space.offsets.back(), 0.0);
    tuples_.assign(space.offsets.back(), 0);
    whole_ = true;
    double sum = 0.0;
    for (double x : mass) whole_ &= x == std::nearbyint(x) && x > 0, sum += x;
    whole_ &= sum < 9007199254740992.0;
    for (int one = 0; one < space.tuples(); ++one) change(one, 1);
  }

  void remove(int one) { change(one, -1); }

  // The centroid; sums of whole numbers are exact in any order, others are added up anew.
  std::vector<Point> value(const std::vector<uint8_t>& gone) {
    std::vector<Point> centroid(space_.width());
    if (!whole_) {
      std::fill(totals_.begin(), totals_.end(), 0.0);
      for (int one = 0; one < space_.tuples(); ++one)
        if (!gone[one])
          for (int a = 0; a < space_.width(); ++a) totals_[space_.offsets[a] + space_.tuple(one)[a]] += mass_[one];
    }
    for (int a = 0; a < space_.width(); ++a) {
      codes_.clear();
      weights_.clear();
      for (int code = 0; code < space_.attributes[a]->codes; ++code)
        if (tuples_[space_.offsets[a] + code]) {
          codes_.push_back(code);
          weights_.push_back(totals_[space_.offsets[a] + code]);
        }
      centroid[a] = space_.attributes[a]->centroid(codes_.data(), weights_.data(), static_cast<int>(codes_.size()));
    }
    return centroid;
  }

 private:
  void change(int one, int sign) {
    for (int a = 0; a < space_.width(); ++a) {
      int code = space_.offsets[a] + space_.tuple(one)[a];
      totals_[code] += sign * mass_[one];
      tuples_[code] += sign;
    }
  }

  Space& space_;
  const std::vector<double>& mass_;
  std::vector<double> totals_, weights_;
  std::vector<int32_t> tuples_, codes_;
  bool whole_;
};

// Tuples in the same order, but those that count most first: bounds of mass times distance are tight where all tuples
// of a block count about the same.
std::vector<int32_t> heaviest_first(std::vector<int32_t> order, const std::vector<double>& mass) {
  std::vector<int> size(mass.size());
  for (size_t one = 0; one < mass.size(); ++one)
    size[one] = mass[one] > 0 ? static_cast<int>(std::floor(STEPS * std::log2(mass[one]))) : NOTHING;
  std::stable_sort(order.begin(), order.end(), [&](int32_t x, int32_t y) { return size[x] > size[y]; });
  return order;
}

class Growth {
 public:
  Growth(Space& space, std::vector<double> mass, std::vector<int64_t> counts, std::vector<int32_t> near,
         std::vector<int32_t> far, int64_t k, bool weighted, bool fixed)
      : space_(space), mass_(std::move(mass)), counts_(std::move(counts)), k_(k), weighted_(weighted), fixed_(fixed),
        blocks_(space, mass_, std::move(near)), far_blocks_(space, mass_, heaviest_first(std::move(far), mass_)),
        running_(space, mass_), far_(space, mass_), group_(space.tuples(), -1), gone_(space.tuples(), 0) {
    for (int64_t rows : counts_) rows_ += rows;
  }

  std::vector<int64_t> run(Tick& tick) {
    int64_t total = rows_;
    int made = 0;
    while (rows_ >= k_) {
      int first = far_.farthest(running_.value(gone_), far_blocks_);
      auto start = space_.point(first);
      grow(first);
      if (rows_ >= k_) grow(far_blocks_.farthest(start, true));
      if (++made % 64 == 0) tick(total - rows_, total);
    }
    join();
    tick(total, total);
    return group_;
  }

 private:
  void grow(int one) {
    members_.clear();
    int64_t rows = take(one);
    auto point = space_.point(one);
    while (rows < k_) {
      one = blocks_.nearest(point, weighted_);
      rows += take(one);
      if (!fixed_) point = centroid();
    }
    centres_.push_back(fixed_ && members_.size() > 1 ? centroid() : point);
  }

  int64_t take(int one) {
    group_[one] = static_cast<int64_t>(centres_.size());
    gone_[one] = 1;
    blocks_.remove(one);
    far_blocks_.remove(one);
    running_.remove(one);
    members_.push_back(one);
    rows_ -= counts_[one];
    return counts_[one];
  }

  std::vector<Point> centroid() {
    std::vector<Point> point(space_.width());
    int number = static_cast<int>(members_.size());
    codes_.resize(number);
    weights_.resize(number);
    for (int i = 0; i < number; ++i) weights_[i] = mass_[members_[i]];
    for (int a = 0; a < space_.width(); ++a) {
      for (int i = 0; i < number; ++i) codes_[i] = space_.tuple(members_[i])[a];
      point[a] = space_.attributes[a]->centroid(codes_.data(), weights_.data(), number);
    }
    return point;
  }

  // Let the tuples that are left join the group with the nearest centroid; the first of equals.
  void join() {
    std::vector<int> left;
    for (int one = 0; one < space_.tuples(); ++one)
      if (!gone_[one]) left.push_back(one);
    if (left.empty()) return;
    std::vector<double> nearest(left.size(), INFINITE);
    for (size_t g = 0; g < centres_.size(); ++g)
      for (size_t i = 0; i < left.size(); ++i) {
        double value = rounded(space_.distance(centres_[g], left[i]));
        if (value < nearest[i]) nearest[i] = value, group_[left[i]] = static_cast<int64_t>(g);
      }
  }

  Space& space_;
  std::vector<double> mass_;
  std::vector<int64_t> counts_;
  int64_t k_, rows_ = 0;
  bool weighted_, fixed_;
  Blocks blocks_, far_blocks_;
  RunningCentroid running_;
  FarFromCentre far_;
  std::vector<int64_t> group_;
  std::vector<uint8_t> gone_;
  std::vector<int32_t> members_, codes_;
  std::vector<double> weights_;
  std::vector<std::vector<Point>> centres_;
};

nb::object sa_mdav(Space& space, Floats mass, Ints counts, Ints near, Ints far, int64_t k, bool weighted, bool fixed,
                   nb::object callback) {
  Growth growth(space, {mass.data(), mass.data() + mass.size()}, {counts.data(), counts.data() + counts.size()},
                {near.data(), near.data() + near.size()}, {far.data(), far.data() + far.size()}, k, weighted, fixed);
  Tick tick(std::move(callback));
  std::vector<int64_t> groups;
  {
    MaybeRelease release(!space.calls_python());
    groups = growth.run(tick);
  }
  return nb::cast(to_numpy(std::move(groups)));
}

}  // namespace

void bind_growth(nb::module_& m) {
  m.def("sa_mdav", &sa_mdav, nb::arg("space"), nb::arg("mass"), nb::arg("counts"), nb::arg("near"), nb::arg("far"),
        nb::arg("k"), nb::arg("weighted"), nb::arg("fixed"), nb::arg("tick"));
}

}  // namespace allonym
