// What stands for a group while groups are being changed, and what the group loses by it.
#pragma once

#include <map>

#include "space.h"

namespace allonym {

// How the value that stands for a group is chosen in one attribute.
enum class Choice {
  CENTROID,  // the centroid of the values that may be written
  EQUAL,     // the value that all have, else null
  COMMON,    // a value that all have in common: the same for all groups with the same common ancestors
  RANGE,     // a value that covers all: the same for all groups with the same lowest and highest value
  PYTHON,    // a function in Python chooses
  MODE,      // the most frequent of the values that may be written
};

// What stands for a group in one attribute: a row of lost distances by code, or, without a row, a number, or a point
// whose distances are computed one by one.
struct Stand {
  const double* row = nullptr;
  double number = 0.0;
  int32_t point = NUMBER;  // which value this is: a point of the attribute, or one of those below

  static constexpr int32_t NUMBER = -1 /* as in Point */, IS_NULL = -2, FIRST_VALUE = -3;  // and further down: values that Python chose
};

class Column {
 public:
  Column(nb::dict form, Attribute& attribute)
      : attribute(attribute), choice_(static_cast<Choice>(nb::cast<int>(form["choice"]))),
        bound_(nb::cast<double>(form["bound"])), null_code_(nb::cast<int>(form["null_code"])),
        weighed_(nb::cast<bool>(form["weighed"])), value_(form["value"]), row_(form["row"]) {
    null_ = doubles(form["null"]);
    barred_ = flags(form["barred"]);
    unlinked_ = flags(form["unlinked"]);
    for (uint8_t x : barred_) any_barred_ |= x != 0;
    if (choice_ == Choice::COMMON) {
      auto above = nb::cast<Bits>(form["above"]);
      words_ = static_cast<int>(above.shape(1));
      above_.assign(above.data(), above.data() + above.size());
    }
    if (choice_ == Choice::RANGE) {
      low_ = doubles(form["low"]);
      high_ = doubles(form["high"]);
    }
  }

  // Choose what stands for some codes.
  Stand stand(const int32_t* codes, const double* mass, int number) {
    bool same = true;
    for (int i = 1; i < number && same; ++i) same = codes[i] == codes[0];
    if (choice_ == Choice::PYTHON) return called(codes, mass, number);
    if (choice_ == Choice::CENTROID || choice_ == Choice::MODE) return centroid(codes, mass, number, same);
    if (same) return at(codes[0]);
    for (int i = 0; i < number; ++i)
      if (unlinked_[codes[i]]) return null();
    if (choice_ == Choice::EQUAL) return null();
    Stand found = choice_ == Choice::COMMON ? common(codes, number) : range(codes, number);
    return within_bound(found, codes, number);
  }

  double lost(const Stand& stand, int code) const {
    return stand.row ? stand.row[code] : attribute.distance(Point{stand.point, stand.number}, code);
  }

  const double* null_row() const { return null_.data(); }
  Stand null() const { return {null_.data(), 0.0, Stand::IS_NULL}; }
  Stand at(int32_t point) { return {attribute.is_costly() ? nullptr : row_of(point), 0.0, point}; }
  bool calls_python() const { return choice_ == Choice::PYTHON || attribute.calls_python(); }
  bool is_weighed() const { return weighed_; }

  // The points that may stand for some codes, where several attributes are weighed together.
  void candidates(const int32_t* codes, const double* mass, int number, std::vector<Stand>& found) {
    points_.clear();
    keep(codes, mass, number);
    if (kept_.empty()) return;
    attribute.candidates(kept_.data(), kept_mass_.data(), static_cast<int>(kept_.size()), points_);
    for (const Point& point : points_) {
      Stand candidate = within_bound(stand_of(point), codes, number);
      if (candidate.row != null_.data()) found.push_back(candidate);
    }
  }

  Attribute& attribute;

  static std::vector<double> doubles(nb::handle array) {
    auto values = nb::cast<Floats>(array);
    return {values.data(), values.data() + values.size()};
  }
  static std::vector<uint8_t> flags(nb::handle array) {
    auto values = nb::cast<Flags>(array);
    return {values.data(), values.data() + values.size()};
  }

  // The distances of a point to every code; rows stay where they are.
  const double* row_of(int32_t point) {
    auto known = rows_.find(point);
    if (known == rows_.end()) {
      std::vector<double> row(attribute.codes);
      attribute.row(Point{point, 0.0}, row.data());
      known = rows_.emplace(point, std::move(row)).first;
    }
    return known->second.data();
  }

 private:
  Stand stand_of(const Point& point) {
    if (point.row < 0) return {nullptr, point.number, Stand::NUMBER};
    return point.row == null_code_ ? null() : at(point.row);
  }

  // The most frequent of the codes that are kept; the first of equals.
  int32_t mode() const {
    std::map<int32_t, double> total;
    for (size_t i = 0; i < kept_.size(); ++i) total[kept_[i]] += kept_mass_[i];
    auto best = total.begin();
    for (auto entry = total.begin(); entry != total.end(); ++entry)
      if (entry->second > best->second) best = entry;
    return best->first;
  }

  void keep(const int32_t* codes, const double* mass, int number) {
    kept_.clear();
    kept_mass_.clear();
    for (int i = 0; i < number; ++i)
      if (!any_barred_ || !barred_[codes[i]]) kept_.push_back(codes[i]), kept_mass_.push_back(mass[i]);
  }

  Stand centroid(const int32_t* codes, const double* mass, int number, bool same) {
    keep(codes, mass, number);
    if (kept_.empty()) return null();
    int size = static_cast<int>(kept_.size());
    Stand found = choice_ == Choice::MODE ? at(mode())
                                          : stand_of(attribute.centroid(kept_.data(), kept_mass_.data(), size));
    return same ? found : within_bound(found, codes, number);
  }

  Stand within_bound(const Stand& found, const int32_t* codes, int number) const {
    if (found.row == null_.data() || !(bound_ < INFINITE)) return found;
    for (int i = 0; i < number; ++i)
      if (lost(found, codes[i]) > bound_) return null();
    return found;
  }

  Stand common(const int32_t* codes, int number) {
    BitSet bits(words_, ~0ull);
    for (int i = 0; i < number; ++i)
      for (int w = 0; w < words_; ++w) bits[w] &= above_[static_cast<size_t>(codes[i]) * words_ + w];
    auto known = by_ancestors_.find(bits);
    if (known == by_ancestors_.end()) known = by_ancestors_.emplace(bits, asked(codes, number)).first;
    return known->second;
  }

  Stand range(const int32_t* codes, int number) {
    int32_t low = codes[0], high = codes[0];
    for (int i = 1; i < number; ++i) {
      if (low_[codes[i]] < low_[low]) low = codes[i];
      if (high_[codes[i]] > high_[high]) high = codes[i];
    }
    std::pair<double, double> ends{low_[low], high_[high]};
    auto known = by_ends_.find(ends);
    if (known == by_ends_.end()) {
      int32_t outermost[2] = {low, high};
      known = by_ends_.emplace(ends, asked(outermost, 2)).first;
    }
    return known->second;
  }

  // Ask Python which value is true of some codes, whatever they count.
  Stand asked(const int32_t* codes, int number) {
    std::vector<double> ones(number, 1.0);
    return called(codes, ones.data(), number);
  }

  Stand called(const int32_t* codes, const double* mass, int number) {
    nb::gil_scoped_acquire held;
    std::vector<int64_t> own(codes, codes + number);
    std::vector<double> weights(mass, mass + number);
    int32_t value = nb::cast<int32_t>(value_(to_numpy(std::move(own)), to_numpy(std::move(weights))));
    if (value < 0) return null();
    auto known = values_.find(value);
    if (known == values_.end()) known = values_.emplace(value, doubles(row_(value))).first;
    return {known->second.data(), 0.0, Stand::FIRST_VALUE - value};
  }

  Choice choice_;
  double bound_;   // how far what stands may be from each value
  int null_code_;  // the code of null; negative: there is none
  bool weighed_;   // whether another value than the centroid may stand for a group
  nb::object value_, row_;
  std::vector<double> null_, low_, high_;
  std::vector<uint8_t> barred_, unlinked_;
  bool any_barred_ = false;
  std::vector<uint64_t> above_;
  int words_ = 0;
  std::unordered_map<BitSet, Stand, BitSetHash> by_ancestors_;
  std::map<std::pair<double, double>, Stand> by_ends_;
  std::unordered_map<int32_t, std::vector<double>> rows_, values_;
  std::vector<int32_t> kept_;
  std::vector<double> kept_mass_;
  std::vector<Point> points_;
};

}  // namespace allonym
