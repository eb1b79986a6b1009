// Tuples of codes, and the distances between them and points, attribute by attribute.
//
// A point has one value in each attribute: a row of the attribute's table of distances, or a number. The values of a
// tuple are a point, too. Distances of records are the weighted sums of those of the attributes, added up in order, so
// that they equal those of NumPy to the last bit.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace allonym {

namespace nb = nanobind;

using Floats = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using Ints = nb::ndarray<const int64_t, nb::c_contig, nb::device::cpu>;
using Bits = nb::ndarray<const uint64_t, nb::c_contig, nb::device::cpu>;
using Flags = nb::ndarray<const uint8_t, nb::c_contig, nb::device::cpu>;

constexpr double INFINITE = std::numeric_limits<double>::infinity();
constexpr double DIGITS = 1e12;  // distances that agree to 12 decimals are ties

// The nearest whole number of a number below 10^15, the even one of two: adding a large number rounds.
inline double small_to_nearest(double number) {
  constexpr double LARGE = 6755399441055744.0;  // 1.5 * 2^52
  return (number + LARGE) - LARGE;
}

inline double rounded(double distance) {
  return distance < 1e3 ? small_to_nearest(distance * DIGITS) : std::nearbyint(distance * DIGITS);
}

// One value of an attribute: a row of its table, or, if `row` is negative, a number.
struct Point {
  int32_t row = -1;
  double number = 0.0;
  bool operator==(const Point& other) const {
    return row == other.row && (row >= 0 || number == other.number);
  }
};

// A set of concepts, one bit for each.
using BitSet = std::vector<uint64_t>;

struct BitSetHash {
  size_t operator()(const BitSet& set) const {
    uint64_t hash = 1469598103934665603ull;
    for (uint64_t word : set) hash = (hash ^ word) * 1099511628211ull, hash ^= hash >> 29;
    return static_cast<size_t>(hash);
  }
};

// A point whose distances to codes take long to compute; each thread has its own.
class CostlyPoint {
 public:
  virtual ~CostlyPoint() = default;
  // Bounds of the distances to some codes, from below or from above, times a factor; they take less time.
  virtual void bounds(const std::vector<int32_t>& codes, bool above, double factor, double* out) const = 0;
  virtual double distance(int code) = 0;
};

// How far the values of an attribute are from points, and which point represents several values.
class Attribute {
 public:
  explicit Attribute(double share) : share(share) {}
  virtual ~Attribute() = default;

  // The distance of a point to a code, without the weight of the attribute.
  virtual double distance(const Point& point, int code) const = 0;
  // The point with the least sum of distances to codes that count with some mass.
  virtual Point centroid(const int32_t* codes, const double* mass, int number) = 0;
  // Points that may represent some codes better than their centroid where several attributes are weighed together.
  virtual void candidates(const int32_t* codes, const double* mass, int number, std::vector<Point>& found) = 0;
  // Weighted distances of a point to all codes.
  virtual void line(const Point& point, double* out) const {
    for (int code = 0; code < codes; ++code) out[code] = share * distance(point, code);
  }
  // Distances of a point to all codes, without the weight of the attribute.
  virtual void row(const Point& point, double* out) const {
    for (int code = 0; code < codes; ++code) out[code] = distance(point, code);
  }
  // Where distances take long: what computes those of a point. It does not call Python for points that are codes.
  virtual std::unique_ptr<CostlyPoint> costly_point(const Point&) const { return nullptr; }
  virtual bool is_costly() const { return false; }
  // Sort codes as they lie in memory.
  virtual void sort(std::vector<int32_t>&) const {}
  // Bounds of the distances of a point to all codes from one to another, the last included.
  virtual double least(const Point&, int, int) const { return 0.0; }
  virtual double most(const Point&, int, int) const { return 1.0; }
  // How many points have a row of their own.
  virtual int rows() const { return codes; }
  virtual bool calls_python() const { return false; }

  double share;
  int codes = 0;

 protected:
  // Add up the mass of each code; the codes that occur are left in `present`, in ascending order.
  void add_up(const int32_t* some, const double* mass, int number);

  std::vector<double> total_;
  std::vector<int32_t> seen_, present_;
  int32_t stamp_ = 0;
  // The most frequent code of those that occur; the first of equals.
  int32_t mode(const std::vector<int32_t>& some) const;
};

std::unique_ptr<Attribute> make_attribute(nb::dict form, double share);

// The tuples of a table.
class Space {
 public:
  Space(nb::list forms, Floats shares, Ints codes);
  Space(const Space&) = delete;

  int tuples() const { return tuples_; }
  int width() const { return static_cast<int>(attributes.size()); }
  const int32_t* tuple(int one) const { return codes_.data() + static_cast<size_t>(one) * width(); }
  // The values of a tuple as a point.
  std::vector<Point> point(int one) const {
    std::vector<Point> values(width());
    for (int a = 0; a < width(); ++a) values[a].row = tuple(one)[a];
    return values;
  }
  // The weighted distances of a point to the codes of all attributes, one after the other.
  void line(const std::vector<Point>& point, std::vector<double>& out) const {
    out.resize(offsets.back());
    for (int a = 0; a < width(); ++a) attributes[a]->line(point[a], out.data() + offsets[a]);
  }
  double distance(const std::vector<double>& line, int one) const {
    double total = 0.0;
    const int32_t* codes = tuple(one);
    for (int a = 0; a < width(); ++a) total += line[offsets[a] + codes[a]];
    return total;
  }
  // The same distance, where a line would take longer: of a point to one tuple, or a few.
  double distance(const std::vector<Point>& point, int one) const {
    double total = 0.0;
    const int32_t* codes = tuple(one);
    for (int a = 0; a < width(); ++a) total += attributes[a]->share * attributes[a]->distance(point[a], codes[a]);
    return total;
  }
  bool calls_python() const {
    return std::any_of(attributes.begin(), attributes.end(), [](auto& x) { return x->calls_python(); });
  }
  bool is_costly() const {
    return std::any_of(attributes.begin(), attributes.end(), [](auto& x) { return x->is_costly(); });
  }
  // Whether searches from tuples call Python.
  bool searches_in_python() const {
    return std::any_of(attributes.begin(), attributes.end(), [](auto& x) { return x->calls_python() && !x->is_costly(); });
  }

  std::vector<std::unique_ptr<Attribute>> attributes;
  std::vector<int> offsets;  // where the codes of each attribute begin in a line, and where the last ones end

 private:
  int tuples_;
  std::vector<int32_t> codes_;
};

// Lets other threads run while a kernel runs, unless it calls Python.
class MaybeRelease {
 public:
  explicit MaybeRelease(bool release) {
    if (release) release_ = std::make_unique<nb::gil_scoped_release>();
  }

 private:
  std::unique_ptr<nb::gil_scoped_release> release_;
};

// Tells Python how far a kernel has come, and lets it stop: by Ctrl-C, or by an exception of the callback.
class Tick {
 public:
  explicit Tick(nb::object callback) : callback_(std::move(callback)) {}
  void operator()(int64_t done, int64_t total) {
    nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    callback_(done, total);
  }

 private:
  nb::object callback_;
};

template <typename T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T>&& values) {
  auto* data = new std::vector<T>(std::move(values));
  nb::capsule owner(data, [](void* x) noexcept { delete static_cast<std::vector<T>*>(x); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(data->data(), {data->size()}, owner);
}

}  // namespace allonym
