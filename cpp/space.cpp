#include "space.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace allonym {

namespace {

constexpr double TIED = 1e-12;  // share of a sum by which two sums may differ in a tie

std::vector<double> doubles(nb::handle array) {
  auto values = nb::cast<Floats>(array);
  return std::vector<double>(values.data(), values.data() + values.size());
}

std::vector<uint8_t> flags(nb::handle array) {
  auto values = nb::cast<Flags>(array);
  return std::vector<uint8_t>(values.data(), values.data() + values.size());
}

std::vector<int32_t> ints(nb::handle array) {
  auto values = nb::cast<Ints>(array);
  return std::vector<int32_t>(values.data(), values.data() + values.size());
}

// Rounds as Python's round() does: the decimal digits are those of the exact number, ties go to even digits.
double python_round(double number, int decimals) {
  if (decimals == 0) return std::nearbyint(number) + 0.0;
  if (decimals < 0) {
    nb::gil_scoped_acquire held;
    return nb::cast<double>(nb::module_::import_("builtins").attr("round")(number, decimals)) + 0.0;
  }
  static constexpr double POWERS[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
  if (decimals <= 6 && std::fabs(number) < 1e6) {  // scaled, the number has an error far below 1e-3
    double scale = POWERS[decimals], scaled = number * scale, whole = std::nearbyint(scaled);
    if (std::fabs(scaled - whole) < 0.499) return whole / scale + 0.0;  // no tie, nor nearly one
  }
  char text[512];
  std::snprintf(text, sizeof text, "%.*f", decimals, number);
  return std::strtod(text, nullptr) + 0.0;
}

Point of_row(int32_t row) { return Point{row, 0.0}; }

bool all_equal(const int32_t* codes, int number) {
  for (int i = 1; i < number; ++i)
    if (codes[i] != codes[0]) return false;
  return true;
}

// Equal or not; the mode represents several values.
class Equality : public Attribute {
 public:
  Equality(nb::dict form, double share) : Attribute(share) { codes = nb::cast<int>(form["codes"]); }
  double distance(const Point& point, int code) const override { return point.row == code ? 0.0 : 1.0; }
  double least(const Point& point, int low, int high) const override {
    return low <= point.row && point.row <= high ? 0.0 : 1.0;
  }
  Point centroid(const int32_t* some, const double* mass, int number) override {
    if (all_equal(some, number)) return of_row(some[0]);
    add_up(some, mass, number);
    return of_row(mode(present_));
  }
  void candidates(const int32_t* some, const double* mass, int number, std::vector<Point>& found) override {
    add_up(some, mass, number);
    for (int32_t code : present_) found.push_back(of_row(code));
  }
};

// Numbers: the mean of the linked ones represents several, unless most are not linked.
class Numbers : public Attribute {
 public:
  Numbers(nb::dict form, double share)
      : Attribute(share), numbers_(doubles(form["numbers"])), span_(nb::cast<double>(form["span"])),
        decimals_(nb::cast<int>(form["decimals"])) {
    codes = static_cast<int>(numbers_.size());
    for (double x : numbers_) any_unlinked_ |= std::isnan(x);
    for (int code = 1; code < codes; ++code) ordered_ &= !(numbers_[code - 1] > numbers_[code]);
    for (int code = 1; code + 1 < codes; ++code) ordered_ &= !std::isnan(numbers_[code]);
  }
  double distance(const Point& point, int code) const override {
    double number = point.number;
    if (point.row >= 0) {
      if (point.row == code) return 0.0;
      number = numbers_[point.row];
    }
    if (std::isnan(number) || std::isnan(numbers_[code])) return 1.0;
    if (span_ <= 0) return number == numbers_[code] ? 0.0 : 1.0;
    return std::min(std::fabs(number - numbers_[code]) / span_, 1.0);
  }
  // Numbers in ascending order are the nearer, the closer their codes are to the place of a number.
  double least(const Point& point, int low, int high) const override {
    double number = point.row >= 0 ? numbers_[point.row] : point.number;
    if (!ordered_ || std::isnan(number)) return 0.0;
    if (number < numbers_[low]) return distance(point, low);
    return number > numbers_[high] ? distance(point, high) : 0.0;
  }
  double most(const Point& point, int low, int high) const override {
    double number = point.row >= 0 ? numbers_[point.row] : point.number;
    if (!ordered_ || std::isnan(number)) return 1.0;
    return std::max(distance(point, low), distance(point, high));
  }
  Point centroid(const int32_t* some, const double* mass, int number) override {
    add_up(some, mass, number);
    if (any_unlinked_) {
      double all = 0.0, linked = 0.0;
      std::vector<int32_t> kept, others;
      for (int32_t code : present_) {
        bool unlinked = std::isnan(numbers_[code]);
        all += total_[code];
        if (!unlinked) linked += total_[code];
        (unlinked ? others : kept).push_back(code);
      }
      if (linked * 2 < all || kept.empty()) return of_row(mode(others));
      present_ = kept;
    }
    double weight = 0.0, sum = 0.0;
    for (int32_t code : present_)
      if (total_[code] != 0.0) sum += numbers_[code] * total_[code], weight += total_[code];
    if (weight > 0) return Point{-1, python_round(sum / weight, decimals_)};
    int items = 0;
    for (int i = 0; i < number; ++i)
      if (!std::isnan(numbers_[some[i]])) sum += numbers_[some[i]], ++items;
    return Point{-1, python_round(sum / items, decimals_)};
  }
  void candidates(const int32_t* some, const double* mass, int number, std::vector<Point>& found) override {
    Point mean = centroid(some, mass, number);
    for (int32_t code : present_) found.push_back(of_row(code));
    found.push_back(mean);
  }

 private:
  std::vector<double> numbers_;
  double span_;
  int decimals_;
  bool any_unlinked_ = false;
  bool ordered_ = true;  // whether codes are in the order of numbers; unlinked ones only come first or last
};

// Values with a table of distances. The lower median of their ranks represents several.
class Ranks : public Attribute {
 public:
  Ranks(nb::dict form, double share) : Attribute(share), table_(doubles(form["table"])), ranks_(ints(form["ranks"])) {
    codes = static_cast<int>(ranks_.size());
  }
  double distance(const Point& point, int code) const override {
    return table_[static_cast<size_t>(point.row) * codes + code];
  }
  Point centroid(const int32_t* some, const double* mass, int number) override {
    if (all_equal(some, number)) return of_row(some[0]);
    add_up(some, mass, number);
    double all = 0.0, linked = 0.0;
    std::vector<int32_t> kept, others;
    for (int32_t code : present_) {
      all += total_[code];
      if (ranks_[code] >= 0) linked += total_[code];
      (ranks_[code] < 0 ? others : kept).push_back(code);
    }
    if (!others.empty() && (linked * 2 < all || kept.empty())) return of_row(mode(others));
    std::stable_sort(kept.begin(), kept.end(), [&](int32_t a, int32_t b) { return ranks_[a] < ranks_[b]; });
    double below = 0.0;
    for (int32_t code : kept) {
      below += total_[code];
      if (below >= linked / 2) return of_row(code);
    }
    return of_row(kept.back());
  }
  void candidates(const int32_t* some, const double* mass, int number, std::vector<Point>& found) override {
    add_up(some, mass, number);
    for (int32_t code : present_) found.push_back(of_row(code));
  }

 private:
  std::vector<double> table_;
  std::vector<int32_t> ranks_;  // negative: not linked
};

// Concepts of an ontology, as Martinez, Sanchez and Valls (2012, section 3.3) represent them: the concept on a path
// from a value up to a minimal common subsumer with the least sum of distances.
class Concepts : public Attribute {
 public:
  Concepts(nb::dict form, double share)
      : Attribute(share), table_(doubles(form["table"])), place_(ints(form["place"])), leaf_(flags(form["leaf"])) {
    codes = static_cast<int>(place_.size());
    auto above = nb::cast<Bits>(form["above"]);
    concepts_ = static_cast<int>(above.shape(0));
    words_ = static_cast<int>(above.shape(1));
    above_.assign(above.data(), above.data() + above.size());
    auto allowed = nb::cast<Bits>(form["allowed"]);
    allowed_.assign(allowed.data(), allowed.data() + allowed.size());
  }
  double distance(const Point& point, int code) const override { return row(point.row)[code]; }
  void line(const Point& point, double* out) const override {
    const double* own = row(point.row);
    for (int code = 0; code < codes; ++code) out[code] = share * own[code];
  }
  int rows() const override { return codes + concepts_; }
  Point centroid(const int32_t* some, const double* mass, int number) override {
    if (all_equal(some, number)) return of_row(some[0]);
    add_up(some, mass, number);
    split();
    if (linked_.empty()) return of_row(mode(present_));
    Point best = of_row(linked_[0]);
    double lost = 0.0, least = 0.0, all = 0.0;
    for (int32_t code : unlinked_) lost += total_[code];
    if (linked_.size() > 1 || (!unlinked_.empty() && leaf_[linked_[0]])) {
      find_candidates();
      costs_.clear();
      least = INFINITE;
      for (int32_t concept : found_) {
        const double* own = row(codes + concept);
        double cost = 0.0;
        for (int32_t code : linked_) cost += total_[code] * own[code];
        costs_.push_back(cost);
        least = std::min(least, cost);
      }
      for (size_t i = 0; i < found_.size(); ++i)
        if (costs_[i] <= least + TIED * least) {
          best = of_row(codes + found_[i]);
          break;
        }
    }
    if (!unlinked_.empty()) {
      for (int32_t code : present_) all += total_[code];
      int32_t most = mode(unlinked_);
      if (all - total_[most] < least + lost - TIED * (least + lost)) return of_row(most);
    }
    return best;
  }
  void candidates(const int32_t* some, const double* mass, int number, std::vector<Point>& found) override {
    add_up(some, mass, number);
    split();
    if (linked_.size() == 1) found.push_back(of_row(linked_[0]));
    if (linked_.size() > 1 || (!unlinked_.empty() && linked_.size() == 1 && leaf_[linked_[0]])) {
      find_candidates();
      for (int32_t concept : found_) found.push_back(of_row(codes + concept));
    }
    for (int32_t code : unlinked_) found.push_back(of_row(code));
  }

 private:
  const double* row(int32_t point) const { return table_.data() + static_cast<size_t>(point) * codes; }

  void split() {
    linked_.clear();
    unlinked_.clear();
    for (int32_t code : present_) (place_[code] < 0 ? unlinked_ : linked_).push_back(code);
  }

  // Find the concepts on any path from a linked value up to a minimal common subsumer of all of them.
  void find_candidates() {
    BitSet &own = own_, &all = all_, &common = common_;
    own.assign(words_, 0), all.assign(words_, 0), common.assign(words_, ~0ull);
    for (int32_t code : linked_) {
      int32_t place = place_[code];
      const uint64_t* above = above_.data() + static_cast<size_t>(place) * words_;
      own[place / 64] |= 1ull << (place % 64);
      for (int w = 0; w < words_; ++w) all[w] |= above[w], common[w] &= above[w];
    }
    const BitSet& under = under_lowest(common);
    found_.clear();
    for (int w = 0; w < words_; ++w) {
      uint64_t bits = (all[w] & under[w] & allowed_[w]) | own[w];
      for (; bits; bits &= bits - 1) found_.push_back(w * 64 + lowest_bit(bits));
    }
  }

  static int lowest_bit(uint64_t bits) {
    int place = 0;
    while (!(bits & 0xff)) bits >>= 8, place += 8;
    while (!(bits & 1)) bits >>= 1, ++place;
    return place;
  }

  // All concepts under one of the lowest of some common subsumers.
  const BitSet& under_lowest(const BitSet& common) {
    auto known = under_.find(common);
    if (known != under_.end()) return known->second;
    BitSet higher(words_, 0), under(words_, 0);
    for (int c = 0; c < concepts_; ++c)
      if (common[c / 64] >> (c % 64) & 1)
        for (int w = 0; w < words_; ++w)
          higher[w] |= above_[static_cast<size_t>(c) * words_ + w] & ~(w == c / 64 ? 1ull << (c % 64) : 0ull);
    for (int c = 0; c < concepts_; ++c) {
      bool below = false;
      for (int w = 0; w < words_; ++w) below |= (above_[static_cast<size_t>(c) * words_ + w] & common[w] & ~higher[w]) != 0;
      if (below) under[c / 64] |= 1ull << (c % 64);
    }
    return under_.emplace(common, std::move(under)).first->second;
  }

  std::vector<double> table_;  // a row for every code, then for every concept
  std::vector<int32_t> place_;  // of the concept of every code; negative: not linked
  std::vector<uint8_t> leaf_;   // whether a code is a leaf below its concept
  std::vector<uint64_t> above_, allowed_;
  int concepts_, words_;
  std::unordered_map<BitSet, BitSet, BitSetHash> under_;
  BitSet own_, all_, common_;  // of the values whose candidates were found last
  std::vector<int32_t> linked_, unlinked_, found_;
  std::vector<double> costs_;
};

// Values whose metric is written in Python.
class Foreign : public Attribute {
 public:
  Foreign(nb::dict form, double share)
      : Attribute(share), centroid_(form["centroid"]), row_(form["row"]) { codes = nb::cast<int>(form["codes"]); }
  bool calls_python() const override { return true; }
  double distance(const Point& point, int code) const override { return row(point.row)[code]; }
  Point centroid(const int32_t* some, const double* mass, int number) override {
    std::vector<int64_t> own(some, some + number);
    std::vector<double> weights(mass, mass + number);
    return of_row(nb::cast<int32_t>(centroid_(to_numpy(std::move(own)), to_numpy(std::move(weights)))));
  }
  void candidates(const int32_t* some, const double* mass, int number, std::vector<Point>& found) override {
    add_up(some, mass, number);
    for (int32_t code : present_) found.push_back(of_row(code));
    found.push_back(centroid(some, mass, number));
  }

 private:
  const double* row(int32_t point) const {
    auto known = rows_.find(point);
    if (known != rows_.end()) return known->second.data();
    if (rows_.size() * static_cast<size_t>(codes) > MAX_CACHED) rows_.clear();
    return rows_.emplace(point, doubles(row_(point))).first->second.data();
  }
  static constexpr size_t MAX_CACHED = 16'000'000;
  nb::object centroid_, row_;
  mutable std::unordered_map<int32_t, std::vector<double>> rows_;
};

}  // namespace

void Attribute::add_up(const int32_t* some, const double* mass, int number) {
  if (total_.empty()) total_.assign(codes, 0.0), seen_.assign(codes, 0);
  ++stamp_;
  present_.clear();
  for (int i = 0; i < number; ++i) {
    int32_t code = some[i];
    if (seen_[code] != stamp_) seen_[code] = stamp_, total_[code] = 0.0, present_.push_back(code);
    total_[code] += mass[i];
  }
  std::sort(present_.begin(), present_.end());
}

int32_t Attribute::mode(const std::vector<int32_t>& some) const {
  int32_t best = some[0];
  for (int32_t code : some)
    if (total_[code] > total_[best]) best = code;
  return best;
}

std::unique_ptr<Attribute> make_set_values(nb::dict form, double share);  // in set_values.cpp

std::unique_ptr<Attribute> make_attribute(nb::dict form, double share) {
  auto name = nb::cast<std::string>(form["form"]);
  if (name == "equality") return std::make_unique<Equality>(form, share);
  if (name == "numbers") return std::make_unique<Numbers>(form, share);
  if (name == "ranks") return std::make_unique<Ranks>(form, share);
  if (name == "sets") return make_set_values(form, share);
  if (name == "concepts") return std::make_unique<Concepts>(form, share);
  return std::make_unique<Foreign>(form, share);
}

Space::Space(nb::list forms, Floats shares, Ints codes) : tuples_(static_cast<int>(codes.shape(0))) {
  offsets.push_back(0);
  for (size_t a = 0; a < nb::len(forms); ++a) {
    attributes.push_back(make_attribute(nb::cast<nb::dict>(forms[a]), shares.data()[a]));
    offsets.push_back(offsets.back() + attributes.back()->codes);
  }
  codes_.assign(codes.data(), codes.data() + codes.size());
}

void bind_space(nb::module_& m) {
  nb::class_<Space>(m, "Space").def(nb::init<nb::list, Floats, Ints>(), nb::arg("forms"), nb::arg("shares"), nb::arg("codes"));
}

}  // namespace allonym
