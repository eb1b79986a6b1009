// MDAV (Martinez, Sanchez and Valls 2012, Algorithm 1): groups of k rows; a tuple is split when a group is full.
#include "far_from_centre.h"

namespace allonym {

namespace {

// How many rows of every tuple are left, and the centroid of these.
class RowsLeft {
 public:
  RowsLeft(Space& space, std::vector<double> each, std::vector<int64_t> counts)
      : space_(space), each_(std::move(each)), left_(std::move(counts)) {
    totals_.assign(space.offsets.back(), 0.0);
    tuples_.assign(space.offsets.back(), 0);
    double sum = 0.0;
    for (int one = 0; one < space.tuples(); ++one) {
      whole_ &= each_[one] == std::nearbyint(each_[one]) && each_[one] > 0;
      sum += each_[one] * left_[one];
      add(one, left_[one]);
      for (int a = 0; a < space.width(); ++a) ++tuples_[space.offsets[a] + space.tuple(one)[a]];
    }
    whole_ &= sum < 9007199254740992.0;
  }

  int64_t operator[](int one) const { return left_[one]; }

  void remove(int one, int64_t rows) {
    left_[one] -= rows;
    add(one, -rows);
    if (left_[one] > 0) return;
    for (int a = 0; a < space_.width(); ++a) --tuples_[space_.offsets[a] + space_.tuple(one)[a]];
  }

  std::vector<Point> centroid() {
    std::vector<Point> point(space_.width());
    for (int a = 0; a < space_.width(); ++a) {
      codes_.clear();
      mass_.clear();
      if (whole_) {
        by_code(a);
      } else {
        by_tuple(a);
      }
      point[a] = space_.attributes[a]->centroid(codes_.data(), mass_.data(), static_cast<int>(codes_.size()));
    }
    return point;
  }

  // The centroid if so many more rows of two tuples were gone, but not all of them.
  std::vector<Point> centroid_without(int one, int other, int64_t rows) {
    remove(one, rows);
    remove(other, rows);
    auto point = centroid();
    remove(one, -rows);
    remove(other, -rows);
    return point;
  }

 private:
  void add(int one, int64_t rows) {
    for (int a = 0; a < space_.width(); ++a)
      totals_[space_.offsets[a] + space_.tuple(one)[a]] += each_[one] * static_cast<double>(rows);
  }

  // What each code counts: sums of whole numbers are exact in any order.
  void by_code(int a) {
    for (int code = 0; code < space_.attributes[a]->codes; ++code)
      if (tuples_[space_.offsets[a] + code]) {
        codes_.push_back(code);
        mass_.push_back(totals_[space_.offsets[a] + code]);
      }
  }

  // What each tuple counts: other sums depend on the order.
  void by_tuple(int a) {
    for (int one = 0; one < space_.tuples(); ++one)
      if (left_[one] > 0) {
        codes_.push_back(space_.tuple(one)[a]);
        mass_.push_back(static_cast<double>(left_[one]) * each_[one]);
      }
  }

  Space& space_;
  std::vector<double> each_;  // what one row of a tuple counts
  std::vector<int64_t> left_;
  std::vector<double> totals_, mass_;  // by code of every attribute
  std::vector<int32_t> tuples_, codes_;
  bool whole_ = true;
};

class Mdav {
 public:
  // Tuples come in the order in which ties are broken.
  Mdav(Space& space, std::vector<double> each, std::vector<int64_t> counts, std::vector<int32_t> near,
       std::vector<int32_t> far, int64_t k)
      : space_(space), equal_(space.tuples(), 1.0), k_(k), blocks_(space, equal_, std::move(near)),
        far_blocks_(space, equal_, std::move(far)), far_(space, equal_) {
    for (int64_t rows : counts) rows_ += rows;
    left_ = std::make_unique<RowsLeft>(space, std::move(each), std::move(counts));
  }

  // Return pieces, one after the other: a tuple, how many rows of it, and their group.
  std::vector<int64_t> run(Tick& tick) {
    int64_t total = rows_;
    int rounds = 0;
    while (rows_ >= 3 * k_ && blocks_.left() > 1) {  // of one tuple alone all groups are the same
      round();
      if (++rounds % 64 == 0) tick(total - rows_, total);
    }
    if (rows_ >= 2 * k_ && blocks_.left() > 1) around(far_.farthest(left_->centroid(), far_blocks_));
    if (rows_ > 0) take_rest();
    tick(total, total);
    return std::move(pieces_);
  }

 private:
  // Make a group around the tuple r farthest from the centroid, and one around the tuple farthest from r.
  void round() {
    auto middle = left_->centroid();
    int r = far_.farthest(middle, far_blocks_);
    auto start = space_.point(r);
    if ((*left_)[r] >= k_) {
      int s = far_blocks_.farthest(start, false);
      if (s != r && (*left_)[s] >= k_) {
        int64_t alike = repeats(r, s, middle);
        take_group(r, alike * k_);
        take_group(s, alike * k_);
        return;
      }
    }
    around(r);
    around(far_blocks_.farthest(start, false));
  }

  // How many rounds would take whole groups out of r and s around the same centroid.
  //
  // Each such round leaves every tuple in place and only counts change, linearly. The centroid then has the same value
  // in between if it has it at both ends, so bisection finds the last round.
  int64_t repeats(int r, int s, const std::vector<Point>& middle) {
    int64_t most = std::min({(*left_)[r] / k_, (*left_)[s] / k_, (rows_ - 3 * k_) / (2 * k_) + 1});
    int64_t low = 1, high = most;
    while (low < high) {
      int64_t rounds = high == most ? high : (low + high + 1) / 2;  // mostly all of them are alike
      if (left_->centroid_without(r, s, (rounds - 1) * k_) == middle) {
        low = rounds;
      } else {
        high = rounds - 1;
      }
    }
    return low;
  }

  // Make a group of a tuple and those nearest to it; the last may be split.
  void around(int one) {
    int64_t wanted = k_ - (*left_)[one];
    if (wanted <= 0) return take_group(one, k_);
    blocks_.several(space_.point(one), static_cast<int>(wanted), one, near_);
    take(one, (*left_)[one]);
    for (int32_t other : near_) {
      int64_t rows = std::min((*left_)[other], wanted);
      take(other, rows);
      wanted -= rows;
      if (wanted == 0) break;
    }
    ++group_;
  }

  void take_group(int one, int64_t rows) {
    take(one, rows);
    ++group_;
  }

  void take_rest() {
    for (int one = 0; one < space_.tuples(); ++one)
      if ((*left_)[one] > 0) take(one, (*left_)[one]);
  }

  void take(int one, int64_t rows) {
    pieces_.insert(pieces_.end(), {one, rows, group_});
    left_->remove(one, rows);
    rows_ -= rows;
    if ((*left_)[one] > 0) return;
    blocks_.remove(one);
    far_blocks_.remove(one);
  }

  Space& space_;
  std::vector<double> equal_;  // tuples are far by distance alone, whatever they count
  int64_t k_, rows_ = 0, group_ = 0;
  Blocks blocks_, far_blocks_;
  FarFromCentre far_;
  std::unique_ptr<RowsLeft> left_;
  std::vector<int32_t> near_;
  std::vector<int64_t> pieces_;
};

nb::object mdav(Space& space, Floats each, Ints counts, Ints near, Ints far, int64_t k, nb::object callback) {
  Mdav algorithm(space, {each.data(), each.data() + each.size()}, {counts.data(), counts.data() + counts.size()},
                 {near.data(), near.data() + near.size()}, {far.data(), far.data() + far.size()}, k);
  Tick tick(std::move(callback));
  std::vector<int64_t> pieces;
  {
    MaybeRelease release(!space.calls_python());
    pieces = algorithm.run(tick);
  }
  return nb::cast(to_numpy(std::move(pieces)));
}

}  // namespace

void bind_mdav(nb::module_& m) {
  m.def("mdav", &mdav, nb::arg("space"), nb::arg("each"), nb::arg("counts"), nb::arg("near"), nb::arg("far"),
        nb::arg("k"), nb::arg("tick"));
}

}  // namespace allonym
