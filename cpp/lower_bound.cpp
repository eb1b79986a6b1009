// The pricing problem of the lower bound on the loss of any grouping (src/allonym/methods/lower_bound).
//
// Every tuple t has a price u_t. A representative is a candidate value for each attribute; its best group has the least
// sum of costs minus prices among the groups with at least k rows. The search goes through the attributes one after the
// other and leaves out partial representatives that cannot have a group with a negative sum.
// src/allonym/methods/lower_bound/pricing.py has the same in Python; both give the same sums.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "arrays.h"

namespace nb = nanobind;

namespace allonym {

namespace {

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Codes = nb::ndarray<const int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Integers = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

constexpr int64_t MAX_COVER = 200;  // rows that are filled up exactly; more, as if tuples could be divided
constexpr double INFINITE = std::numeric_limits<double>::infinity();

// Tuples that a partial representative may replace, and their distances to it over the attributes so far.
struct Partial {
  std::vector<int32_t> tuples, codes;  // codes: in the next attribute
  std::vector<double> distances, mass, prices;

  size_t size() const { return tuples.size(); }
  void clear() { tuples.clear(), codes.clear(), distances.clear(), mass.clear(), prices.clear(); }
};

struct Item {
  int32_t tuple;
  double reduced;  // what the tuple costs if the representative replaces it, minus its price
};

class Pricing {
 public:
  Pricing(nb::list columns, Codes codes, Doubles mass, Integers rows, int64_t k)
      : tuples_(codes.shape(0)), width_(codes.shape(1)), mass_(mass.data(), mass.data() + mass.size()),
        rows_(rows.data(), rows.data() + rows.size()), k_(k) {
    codes_.assign(codes.data(), codes.data() + tuples_ * width_);
    for (nb::handle column : columns) {
      auto matrix = nb::cast<Matrix>(column);
      candidates_.push_back(static_cast<int>(matrix.shape(0)));
      values_.push_back(static_cast<int>(matrix.shape(1)));
      distances_.emplace_back(matrix.data(), matrix.data() + matrix.size());
    }
    partials_.resize(width_ + 1);
  }

  // Adds up the sums of the best groups of all representatives, where negative. Returns that, in how many of these groups
  // each tuple is, the representatives of these groups (a candidate of each attribute), and the work; the sum is NaN if
  // the work exceeds a limit.
  nb::tuple price(Doubles prices, int64_t max_work) {
    if (prices.size() != static_cast<size_t>(tuples_)) throw std::invalid_argument("one price for each tuple");
    prices_.assign(prices.data(), prices.data() + prices.size());
    chosen_.assign(tuples_, 0);
    representatives_.clear();
    path_.assign(width_, 0);
    sum_ = 0.0;
    work_ = 0;
    max_work_ = max_work;
    Partial& all = partials_[0];
    all.clear();
    for (int32_t t = 0; t < tuples_; ++t) add(all, 0, t, 0.0);
    {
      nb::gil_scoped_release release;
      descend(0);
    }
    double sum = work_ > max_work_ ? std::numeric_limits<double>::quiet_NaN() : sum_;
    std::vector<int64_t> chosen(chosen_.begin(), chosen_.end());
    std::vector<int32_t> found = representatives_;
    return nb::make_tuple(sum, as_array(std::move(chosen)), as_array(std::move(found)), work_);
  }

 private:
  void add(Partial& partial, int level, int32_t tuple, double distance) const {
    partial.tuples.push_back(tuple);
    partial.distances.push_back(distance);
    partial.mass.push_back(mass_[tuple]);
    partial.prices.push_back(prices_[tuple]);
    if (level < width_) partial.codes.push_back(codes_[static_cast<size_t>(tuple) * width_ + level]);
  }

  // Give the next attribute each of its candidates, unless no group with a negative sum can follow.
  void descend(int level) {
    const Partial& partial = partials_[level];
    Partial& next = partials_[level + 1];
    size_t number = partial.size();
    for (int c = 0; c < candidates_[level] && work_ <= max_work_; ++c) {
      work_ += static_cast<int64_t>(number);
      const double* row = distances_[level].data() + static_cast<size_t>(c) * values_[level];
      double gain = 0.0;  // by all tuples whose costs are below their prices
      for (size_t i = 0; i < number; ++i) {
        double distance = partial.distances[i] + row[partial.codes[i]];
        double reduced = partial.mass[i] * (distance * distance) - partial.prices[i];
        gain += reduced < 0 ? -reduced : 0.0;
      }
      if (!(gain > 0)) continue;
      next.clear();
      items_.clear();
      for (size_t i = 0; i < number; ++i) {  // a tuple that costs more than all others gain is in no such group
        double distance = partial.distances[i] + row[partial.codes[i]];
        double reduced = partial.mass[i] * (distance * distance) - partial.prices[i];
        if (distance == INFINITE || reduced >= gain) continue;
        items_.push_back({partial.tuples[i], reduced});
        if (level + 1 < width_) add(next, level + 1, partial.tuples[i], distance);
      }
      if (!may_gain(gain)) continue;
      path_[level] = c;
      if (level + 1 < width_) {
        descend(level + 1);
      } else {
        best_group(items_);
      }
    }
  }

  // Whether a group with a negative sum may be left: tuples that fill a group up to k rows may be divided.
  bool may_gain(double gain) {
    int64_t rows = 0, missing = k_;
    for (const Item& item : items_) {
      rows += rows_[item.tuple];
      if (item.reduced < 0) missing -= rows_[item.tuple];
    }
    if (rows < k_ || missing <= 0) return missing <= 0;
    return divided_cover(items_, missing) < gain;
  }

  // The least cost of so many rows, where tuples may be divided.
  double divided_cover(const std::vector<Item>& items, int64_t missing) {
    order_.clear();
    for (const Item& item : items)
      if (item.reduced >= 0) order_.emplace_back(item.reduced / static_cast<double>(rows_[item.tuple]), item.tuple);
    std::sort(order_.begin(), order_.end());
    double cost = 0.0;
    more_.clear();
    for (const auto& [each, tuple] : order_) {
      int64_t taken = std::min(rows_[tuple], missing);
      cost += each * static_cast<double>(taken);
      more_.push_back(tuple);
      if (!(missing -= taken)) return cost;
    }
    return INFINITE;
  }

  // Add the best group of a representative, if its sum is negative: all tuples that gain, and, if these have fewer
  // than k rows, the others that cost least (a covering knapsack).
  void best_group(const std::vector<Item>& items) {
    double sum = 0.0;
    int64_t rows = 0;
    for (const Item& item : items)
      if (item.reduced < 0) sum += item.reduced, rows += rows_[item.tuple];
    if (!(sum < 0)) return;
    more_.clear();
    if (rows < k_) {
      double cost = k_ - rows > MAX_COVER ? divided_cover(items, k_ - rows) : cover(items, static_cast<int>(k_ - rows));
      if (!(sum + cost < 0)) return;
      sum += cost;
    }
    sum_ += sum;
    representatives_.insert(representatives_.end(), path_.begin(), path_.end());
    for (const Item& item : items)
      if (item.reduced < 0) ++chosen_[item.tuple];
    for (int32_t t : more_) ++chosen_[t];
  }

  // The least cost of tuples with so many rows or more; these are left in `more_`.
  double cover(const std::vector<Item>& items, int missing) {
    extra_.clear();
    more_.clear();
    for (const Item& item : items)
      if (item.reduced >= 0) extra_.push_back(item);
    work_ += static_cast<int64_t>(extra_.size()) * missing / 4;
    least_.assign(missing + 1, INFINITE);
    least_[0] = 0.0;
    taken_.assign(extra_.size() * (missing + 1), 0);
    for (size_t i = 0; i < extra_.size(); ++i) {
      int own = static_cast<int>(std::min<int64_t>(rows_[extra_[i].tuple], missing));
      for (int j = missing; j > 0; --j) {
        double cost = least_[std::max(j - own, 0)] + extra_[i].reduced;
        if (cost < least_[j]) least_[j] = cost, taken_[i * (missing + 1) + j] = 1;
      }
    }
    if (least_[missing] == INFINITE) return INFINITE;
    int j = missing;
    for (size_t i = extra_.size(); i-- > 0 && j > 0;)
      if (taken_[i * (missing + 1) + j]) {
        more_.push_back(extra_[i].tuple);
        j = std::max(j - static_cast<int>(std::min<int64_t>(rows_[extra_[i].tuple], missing)), 0);
      }
    return least_[missing];
  }

  int64_t tuples_, width_;
  std::vector<double> mass_;
  std::vector<int64_t> rows_;
  int64_t k_;
  std::vector<int32_t> codes_;
  std::vector<int> candidates_, values_;
  std::vector<std::vector<double>> distances_;
  std::vector<double> prices_, least_;
  std::vector<int32_t> chosen_, more_, path_, representatives_;
  std::vector<Partial> partials_;
  std::vector<Item> items_, extra_;
  std::vector<uint8_t> taken_;
  std::vector<std::pair<double, int32_t>> order_;
  double sum_ = 0.0;
  int64_t work_ = 0, max_work_ = 0;
};

}  // namespace

void bind_lower_bound(nb::module_& m) {
  nb::class_<Pricing>(m, "Pricing")
      .def(nb::init<nb::list, Codes, Doubles, Integers, int64_t>(), nb::arg("columns"), nb::arg("codes"), nb::arg("mass"),
           nb::arg("rows"), nb::arg("k"))
      .def("price", &Pricing::price, nb::arg("prices"), nb::arg("max_work"));
}

}  // namespace allonym
