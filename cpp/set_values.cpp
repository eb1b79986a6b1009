// Columns of sets as attributes of tuples: distances as in sets.cpp; a function in Python chooses centroids.

#include <map>

#include "element_rows.h"
#include "set_comparison.h"
#include "space.h"

namespace allonym {

namespace {

using namespace allonym::sets;

// The distance of two sets, if it was computed before.
struct Compared {
  uint64_t key = 0;
  double distance = 0.0;
  bool known = false;

  double keep(double found) {
    known = true;
    return distance = found;
  }
};

// Distances of sets that were compared, since a search compares the same few again and again. Of pairs with the same
// place, the last is kept.
class ComparedSets {
 public:
  explicit ComparedSets(int64_t sets) {
    while (bits_ < MAX_BITS && (int64_t{1} << bits_) < sets * sets) ++bits_;
  }

  // Where the distance of two sets is, or is to be kept. Distances are the same in both directions.
  Compared& at(int32_t one, int32_t other) {
    if (kept_.empty()) kept_.resize(size_t{1} << bits_);
    const auto [less, more] = std::minmax(one, other);
    const uint64_t key = static_cast<uint64_t>(less) << 32 | static_cast<uint32_t>(more);
    Compared& found = kept_[(key * 0x9E3779B97F4A7C15u) >> (64 - bits_)];
    if (found.key != key) found = Compared{key, 0.0, false};
    return found;
  }

 private:
  static constexpr int MAX_BITS = 21;
  int bits_ = 6;
  std::vector<Compared> kept_;
};

template <class Rank> class SetValues : public Attribute {
 public:
  SetValues(nb::dict form, double share)
      : Attribute(share), table_(nb::cast<ElementRows<Rank>&>(form["table"])), table_owner_(form["table"]),
        levels_(nb::cast<Vector<const int64_t>>(form["levels"])), starts_(nb::cast<Vector<const int64_t>>(form["starts"])),
        sizes_(nb::cast<Vector<const int64_t>>(form["sizes"])), items_(nb::cast<Vector<const int32_t>>(form["items"])),
        classes_(nb::cast<Vector<const int32_t>>(form["classes"])), null_(nb::cast<Flags>(form["null"])),
        distance_(nb::cast<int>(form["distance"])), bits_(nb::cast<int>(form["bits"])),
        sets_(starts_, sizes_, items_, classes_), compared_(sizes_.size()), centroid_(form["centroid"]), elements_(form["elements"]),
        number_(form["number"]) {
    codes = static_cast<int>(sizes_.size());
    if (!form["matrix"].is_none()) matrix_ = nb::cast<Matrix<const double>>(form["matrix"]);
    else find_extremes();
    if (form.contains("broader")) broader_ = nb::cast<Vector<const int32_t>>(form["broader"]);
  }

  bool calls_python() const override { return true; }
  bool is_costly() const override { return sizeof(Rank) < sizeof(int64_t); }  // else, Python computes rows of elements
  void sort(std::vector<int32_t>& some) const override {
    std::sort(some.begin(), some.end(), [&](int32_t x, int32_t y) { return starts_.data()[x] < starts_.data()[y]; });
  }

  double distance(const Point& point, int code) const override {
    if (matrix_.size() > 0 && point.row < codes) return between(point.row, code);
    Compared& compared = compared_.at(point.row, code);
    if (compared.known) return compared.distance;
    const Own own = own_of(point.row);
    double found = own.is_null && null_.data()[code] ? 0.0 : 1.0;
    if (!own.is_null && !null_.data()[code])
      with_measure<Rank>(distance_, levels_, bits_, [&](const auto& measure) {
        Comparison comparison(sets_, measure);
        RowsInUse in_use(table_);
        found = comparison.distance(own.begin, own.size, rows_of(own.begin, own.size), code);
      });
    return compared.keep(found);
  }

  void line(const Point& point, double* out) const override {
    auto costly = costly_point(point);
    for (int code = 0; code < codes; ++code) out[code] = share * costly->distance(code);
  }

  void row(const Point& point, double* out) const override {
    auto costly = costly_point(point);
    for (int code = 0; code < codes; ++code) out[code] = costly->distance(code);
  }

  std::unique_ptr<CostlyPoint> costly_point(const Point& point) const override {
    if (matrix_.size() > 0 && point.row < codes) return std::make_unique<KnownPoint>(*this, point.row);
    const Own own = own_of(point.row);
    if (own.is_null) return std::make_unique<NullPoint>(*this);
    std::unique_ptr<CostlyPoint> found;
    RowsInUse in_use(table_);
    with_measure<Rank>(distance_, levels_, bits_, [&](const auto& measure) {
      found = std::make_unique<SetPoint<std::decay_t<decltype(measure)>>>(*this, own, measure);
    });
    return found;
  }

  // The medoid, as allonym.kinds.set_metric computes it; Python does for large groups, and for those with null.
  Point centroid(const int32_t* some, const double* mass, int number) override {
    if (broader_.size() > 0 && (number <= MAX_SMALL_GROUP || matrix_.size() > 0)) {
      add_up(some, mass, number);
      bool any_null = std::any_of(present_.begin(), present_.end(), [&](int32_t code) { return null_.data()[code]; });
      if (!any_null)
        if (int32_t medoid = find_medoid(); medoid >= 0) return Point{true_of_all(medoid), 0.0};
    }
    std::vector<int64_t> own(some, some + number);
    std::vector<double> weights(mass, mass + number);
    return Point{nb::cast<int32_t>(centroid_(to_numpy(std::move(own)), to_numpy(std::move(weights)))), 0.0};
  }

  void candidates(const int32_t* some, const double* mass, int number, std::vector<Point>& found) override {
    add_up(some, mass, number);
    for (int32_t code : present_) found.push_back(Point{code, 0.0});
    found.push_back(centroid(some, mass, number));
  }

 private:
  static constexpr int MAX_SMALL_GROUP = 64;  // as in allonym.kinds.set_metric.metric
  static constexpr int COST_BITS = 40, SUM_BITS = 62, WEIGHT_BITS = 30;  // as in allonym.kinds.set_metric.medoids
  static constexpr double TIED = 1e-12;       // share of a sum by which two sums may differ in a tie

  // The distance of two codes, by the table of all distances.
  double between(int32_t one, int32_t other) const {
    const bool null = null_.data()[one], other_null = null_.data()[other];
    if (null || other_null) return null && other_null ? 0.0 : 1.0;
    return matrix_.data()[static_cast<size_t>(one) * codes + other];
  }

  // The first of the sets that occur with the least sum of distances to all; negative, if null has a smaller sum, or
  // Python is to find it.
  int32_t find_medoid() const {
    const bool large = present_.size() > MAX_SMALL_GROUP;
    std::vector<double> costs(present_.size(), 0.0);
    double weight = 0.0;
    for (int32_t code : present_) weight += total_[code];
    if (large ? !add_whole_costs(weight, costs) : !add_costs(costs)) return -1;
    const double least = *std::min_element(costs.begin(), costs.end());
    if (weight < least - TIED * least) return -1;
    const double limit = least + std::max(TIED * least, TIED * weight);
    for (size_t i = 0; i < present_.size(); ++i)
      if (costs[i] <= limit) return present_[i];
    return -1;
  }

  // Add up the distances of every set of a large group to all as whole numbers, as allonym.kinds.set_metric.medoids
  // does; not, if weights are no whole numbers.
  bool add_whole_costs(double weight, std::vector<double>& costs) const {
    if (!(weight < std::ldexp(1.0, WEIGHT_BITS))) return false;
    std::vector<int64_t> weights;
    for (int32_t code : present_) {
      weights.push_back(static_cast<int64_t>(total_[code]));
      if (static_cast<double>(weights.back()) != total_[code]) return false;
    }
    int bits = SUM_BITS;
    for (int64_t rest = static_cast<int64_t>(weight); rest; rest >>= 1) --bits;
    bits = std::min(bits, COST_BITS);
    const double scale = std::ldexp(1.0, bits);
    for (size_t i = 0; i < present_.size(); ++i) {
      const double* row = matrix_.data() + static_cast<size_t>(present_[i]) * codes;
      int64_t sum = 0;
      for (size_t j = 0; j < present_.size(); ++j)
        sum += static_cast<int64_t>(small_to_nearest(row[present_[j]] * scale)) * weights[j];
      costs[i] = static_cast<double>(sum) / scale;
    }
    return true;
  }

  // Add up the distances of every set that occurs to all.
  bool add_costs(std::vector<double>& costs) const {
    if (matrix_.size() > 0) {
      for (size_t i = 0; i < present_.size(); ++i)
        for (int32_t other : present_) costs[i] += between(present_[i], other) * total_[other];
      return true;
    }
    with_measure<Rank>(distance_, levels_, bits_, [&](const auto& measure) {
      Comparison comparison(sets_, measure);
      RowsInUse in_use(table_);
      for (size_t i = 0; i < present_.size(); ++i) {
        const int32_t* own = sets_.begin(present_[i]);
        const int64_t size = sets_.size(present_[i]);
        const Rank* const* rows = nullptr;
        for (int32_t other : present_) {
          Compared& compared = compared_.at(present_[i], other);
          if (!compared.known) {
            if (!rows) rows = rows_of(own, size);
            compared.keep(comparison.distance(own, size, rows, other));
          }
          costs[i] += compared.distance * total_[other];
        }
      }
    });
    return true;
  }

  // The point for a medoid in which leaves that not all sets have give way to their concepts.
  int32_t true_of_all(int32_t medoid) {
    std::vector<int32_t> elements(sets_.begin(medoid), sets_.end(medoid));
    bool changed = false;
    for (int32_t& element : elements) {
      const int32_t concept = broader_.data()[element];
      if (concept == element) continue;
      const bool common = std::all_of(present_.begin(), present_.end(), [&](int32_t code) {
        return std::binary_search(sets_.begin(code), sets_.end(code), element);
      });
      if (!common) element = concept, changed = true;
    }
    if (!changed) return medoid;
    std::sort(elements.begin(), elements.end());
    elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
    auto known = numbers_.find(elements);
    if (known == numbers_.end()) {
      auto own = elements;
      known = numbers_.emplace(std::move(elements), nb::cast<int32_t>(number_(to_numpy(std::move(own))))).first;
    }
    return known->second;
  }

  // The elements of a point.
  struct Own {
    const int32_t* begin;
    int64_t size;
    bool is_null;
  };

  // Null is 0 from itself and 1 from all else.
  class NullPoint : public CostlyPoint {
   public:
    explicit NullPoint(const SetValues& values) : values_(values) {}
    void bounds(const std::vector<int32_t>& codes, bool, double factor, double* out) const override {
      for (int32_t code : codes) out[code] = factor * (values_.null_.data()[code] ? 0.0 : 1.0);
    }
    double distance(int code) override { return values_.null_.data()[code] ? 0.0 : 1.0; }

   private:
    const SetValues& values_;
  };

  // A set whose distances to all are in a table.
  class KnownPoint : public CostlyPoint {
   public:
    KnownPoint(const SetValues& values, int32_t own) : values_(values), own_(own) {}
    void bounds(const std::vector<int32_t>& codes, bool, double factor, double* out) const override {
      for (int32_t code : codes) out[code] = factor * values_.between(own_, code);
    }
    double distance(int code) override { return values_.between(own_, code); }

   private:
    const SetValues& values_;
    int32_t own_;
  };

  // One set. Of min-sum and max-sum, half of the sum tells for most sets that the distance is too large, or too small:
  // elements b of another set add near(b, A); each element a of this one adds as much as the element of the whole
  // column that is nearest to it (or farthest from it), unless the other set has it.
  template <class M> class SetPoint : public CostlyPoint {
   public:
    SetPoint(const SetValues& values, const Own& own, const M& measure)
        : values_(values), measure_(measure), size_(own.size),
          one_(own.begin, own.size, values.rows_of(own.begin, own.size), values.sets_, measure_) {
      if (!M::SUMS || !size_ || values.nearest_.empty()) return;
      least_ = most_ = one_.distances_of_elements();
      for (int64_t j = 0; j < size_; ++j) {
        const int32_t element = own.begin[j];
        if (M::LEAST) least_[element] -= values.nearest_[element], least_of_own_ += values.nearest_[element];
        if (M::LEAST) most_[element] -= values.farthest_[element];
        most_of_own_ += values.farthest_[element];
      }
    }

    void bounds(const std::vector<int32_t>& codes, bool above, double factor, double* out) const override {
      const int64_t* of_elements = (above ? most_ : least_).data();
      const int64_t of_own = above ? most_of_own_ : least_of_own_;
      int64_t size = 0;
      double each = 0.0;  // of a unit of the sum, for sets of this size: those of one size follow one another
      for (int32_t code : codes) {
        const int64_t other = values_.sets_.size(code);
        if (!M::SUMS || !size_ || !other || least_.empty() || values_.null_.data()[code]) {
          out[code] = factor * exact(code);
          continue;
        }
        if (other != size) size = other, each = factor * measure_.of(1, size_, other);
        int64_t sum = of_own;
        for (const int32_t* item = values_.sets_.begin(code); item != values_.sets_.end(code); ++item) sum += of_elements[*item];
        out[code] = static_cast<double>(sum) * each;
      }
    }
    double distance(int code) override { return exact(code); }

   private:
    double exact(int code) const { return values_.null_.data()[code] ? 1.0 : one_.distance(code); }

    const SetValues& values_;
    M measure_;
    int64_t size_, least_of_own_ = 0, most_of_own_ = 0;
    std::vector<int64_t> least_, most_;  // by element of another set: what it adds, less what this set's own would
    mutable One<Rank, M::DISTANCE> one_;
  };

  // The rows of some elements, until others are asked for.
  const Rank* const* rows_of(const int32_t* own, int64_t size) const {
    return table_.of_elements(own, size, classes_.data()).data();
  }

  Own own_of(int32_t point) const {
    if (point < codes) return {sets_.begin(point), sets_.size(point), null_.data()[point] != 0};
    auto known = others_.find(point);
    if (known == others_.end()) {
      nb::object elements = elements_(point);
      std::pair<std::vector<int32_t>, bool> own{{}, elements.is_none()};
      if (!own.second) {
        auto array = nb::cast<Vector<const int32_t>>(elements);
        own.first.assign(array.data(), array.data() + array.size());
      }
      known = others_.emplace(point, std::move(own)).first;
    }
    const auto& [own, is_null] = known->second;
    return {own.data(), static_cast<int64_t>(own.size()), is_null};
  }

  // Find for each element the distances to the nearest and to the farthest of the others.
  void find_extremes() {
    const int64_t number = table_.classes();
    const Measure<Rank, MIN> measure(levels_, bits_);
    std::vector<int64_t> members(number, 0), nearest(number, 0), farthest(number, 0);
    for (int64_t i = 0; i < sets_.elements; ++i) ++members[classes_.data()[i]];
    RowsInUse in_use(table_);
    table_.for_each([&](int32_t x, const Rank* ranks) {
      Rank least = std::numeric_limits<Rank>::max(), most = 0;
      const auto add = [&](int64_t from, int64_t to) {
        for (int64_t y = from; y < to; ++y) least = std::min(least, ranks[y]), most = std::max(most, ranks[y]);
      };
      const bool alone = members[x] < 2;
      add(0, x);
      add(alone ? x + 1 : x, number);
      farthest[x] = measure.level(most);
      nearest[x] = number > 1 || !alone ? measure.level(least) : 0;
    });
    nearest_.resize(sets_.elements);
    farthest_.resize(sets_.elements);
    for (int64_t i = 0; i < sets_.elements; ++i)
      nearest_[i] = nearest[classes_.data()[i]], farthest_[i] = farthest[classes_.data()[i]];
  }

  ElementRows<Rank>& table_;
  nb::object table_owner_;
  Vector<const int64_t> levels_, starts_, sizes_;
  Vector<const int32_t> items_, classes_;
  Flags null_;
  Matrix<const double> matrix_;  // the distances of all sets to all; empty, if there are too many
  int distance_, bits_;
  Sets sets_;
  mutable ComparedSets compared_;
  nb::object centroid_, elements_, number_;
  Vector<const int32_t> broader_;  // by element: the concept of a leaf, or itself; empty, if Python chooses centroids
  std::map<std::vector<int32_t>, int32_t> numbers_;  // of sets of elements
  std::vector<int64_t> nearest_, farthest_;  // by element
  mutable std::map<int32_t, std::pair<std::vector<int32_t>, bool>> others_;  // sets that are not in the table
};

}  // namespace

std::unique_ptr<Attribute> make_set_values(nb::dict form, double share) {
  if (nb::isinstance<ElementRows<int16_t>>(form["table"])) return std::make_unique<SetValues<int16_t>>(form, share);
  if (nb::isinstance<ElementRows<int32_t>>(form["table"])) return std::make_unique<SetValues<int32_t>>(form, share);
  return std::make_unique<SetValues<int64_t>>(form, share);
}

}  // namespace allonym
