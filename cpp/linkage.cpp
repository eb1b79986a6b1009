// The search of an attacker who links records by meaning: for each original tuple, the nearest tuples of a release.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "arrays.h"
#include "threads.h"

namespace nb = nanobind;
using allonym::as_array;

namespace {

using Codes = nb::ndarray<const int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Places = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Ints = std::vector<int64_t>;
using Rows = std::vector<const double *>;  // of each column: the distances of one value to all released values

constexpr double ROUNDING = 1e-12;        // sums of the same distances in different orders differ by less
constexpr size_t TUPLES_PER_PART = 16;    // that a thread searches for at a time
constexpr size_t PARTS_PER_CHECK = 64;    // between checks for Ctrl-C

// Tuples sorted by their codes in an order of columns. Those with a common prefix follow one another, so that all of
// them are skipped where the prefix is too far away.
struct SortedTuples {
  std::vector<size_t> order;      // of columns
  std::vector<size_t> tuples;     // in their order
  std::vector<int32_t> codes;     // of each tuple and column, in these orders
  std::vector<uint32_t> common;   // of each tuple: columns in common with the one before
  std::vector<uint32_t> after;    // of each tuple and column: the next tuple with another prefix up to this column

  SortedTuples(const int32_t* released, size_t number, std::vector<size_t> column_order)
    : order(std::move(column_order)), tuples(number), codes(number * order.size()), common(number),
      after(number * order.size()) {
    size_t columns = order.size();
    std::iota(tuples.begin(), tuples.end(), size_t{0});
    std::sort(tuples.begin(), tuples.end(), [&](size_t x, size_t y) {
      for (size_t column : order) {
        int32_t one = released[x * columns + column], other = released[y * columns + column];
        if (one != other) return one < other;
      }
      return x < y;
    });
    for (size_t i = 0; i < number; ++i)
      for (size_t c = 0; c < columns; ++c) codes[i * columns + c] = released[tuples[i] * columns + order[c]];
    for (size_t i = 1; i < number; ++i)
      while (common[i] < columns && codes[i * columns + common[i]] == codes[(i - 1) * columns + common[i]])
        ++common[i];
    for (size_t i = number; i-- > 0;)
      for (size_t c = 0; c < columns; ++c)
        after[i * columns + c] = i + 1 < number && common[i + 1] > c ? after[(i + 1) * columns + c] : i + 1;
  }
};

// An index of the tuples of a release. Its columns form parts. The part of a tuple that contributes least to its
// distance contributes at most an equal share: so the tuples are sorted once for each part, whose columns come first,
// and the search follows a prefix within this part only up to an equal share of the limit.
class NearestTuples {
 public:
  NearestTuples(Codes codes, std::vector<std::vector<size_t>> parts)
    : owner(codes), released(codes.data()), number(codes.shape(0)), columns(codes.shape(1)) {
    for (size_t part = 0; part < parts.size(); ++part) {
      std::vector<size_t> order;
      for (size_t i = 0; i < parts.size(); ++i) {
        const auto& own = parts[(part + i) % parts.size()];
        order.insert(order.end(), own.begin(), own.end());
      }
      widths.push_back(parts[part].size());
      sorted.emplace_back(released, number, std::move(order));
    }
  }

  // Return for each wanted tuple the released ones that are at most `tie` farther than the nearest, in CSR form. The
  // distance is the sum of one number of each table, chosen by the codes of both; a guess is a tuple that is near.
  nb::tuple search(Codes wanted, std::vector<Table> tables, Places guesses, double tie) const {
    size_t total = wanted.shape(0);
    std::vector<Part> parts((total + TUPLES_PER_PART - 1) / TUPLES_PER_PART);
    int threads = allonym::thread_limit;
    std::vector<Search> searches(threads, Search{std::vector<double>(columns + 1, 0.0), {}, tie, 0.0});
    std::vector<Rows> rows(threads, Rows(columns));
    {
      nb::gil_scoped_release release;
      for (size_t first = 0; first < parts.size(); first += PARTS_PER_CHECK) {
        allonym::in_parallel(std::min(parts.size() - first, PARTS_PER_CHECK), 1, threads, [&](int thread, size_t i, size_t) {
          Part& part = parts[first + i];
          size_t begin = (first + i) * TUPLES_PER_PART, end = std::min(begin + TUPLES_PER_PART, total);
          for (size_t t = begin; t < end; ++t) {
            for (size_t c = 0; c < columns; ++c)
              rows[thread][c] = tables[c].data() + wanted.data()[t * columns + c] * tables[c].shape(1);
            find(searches[thread], rows[thread], static_cast<size_t>(guesses.data()[t]), part.places);
            part.ends.push_back(static_cast<int64_t>(part.places.size()));
          }
        });
        nb::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
      }
    }
    return joined(parts);
  }

 private:
  // What was found for tuples that follow one another.
  struct Part {
    Ints places, ends;  // of all of them; and where those of each end
  };

  static nb::tuple joined(const std::vector<Part>& parts) {
    Ints starts{0}, places;
    for (const Part& part : parts) {
      int64_t before = static_cast<int64_t>(places.size());
      for (int64_t end : part.ends) starts.push_back(before + end);
      places.insert(places.end(), part.places.begin(), part.places.end());
    }
    return nb::make_tuple(as_array(std::move(starts)), as_array(std::move(places)));
  }

  struct Search {
    std::vector<double> sums;                    // of the first columns, in the order of the search
    std::vector<std::pair<size_t, double>> near;  // tuples, with their distances
    double tie, nearest;
  };

  // Return the distance of a tuple, summed in the order of columns, so that every version has the same result.
  double distance(const Rows& rows, size_t tuple) const {
    double sum = 0.0;
    for (size_t c = 0; c < columns; ++c) sum += rows[c][released[tuple * columns + c]];
    return sum;
  }

  // Append the places of the nearest tuples.
  void find(Search& state, const Rows& rows, size_t guess, Ints& places) const {
    state.near.clear();
    state.nearest = distance(rows, guess);
    for (size_t part = 0; part < sorted.size(); ++part) walk(state, rows, sorted[part], widths[part]);
    std::sort(state.near.begin(), state.near.end());
    state.near.erase(std::unique(state.near.begin(), state.near.end()), state.near.end());
    for (const auto &[tuple, far] : state.near)
      if (far <= state.nearest + state.tie) places.push_back(static_cast<int64_t>(tuple));
  }

  // Collect tuples that may be among the nearest, of which the first `width` columns contribute at most their share.
  void walk(Search& state, const Rows& rows, const SortedTuples& tuples, size_t width) const {
    for (size_t i = 0; i < number;) {
      size_t c = tuples.common[i];
      double sum = state.sums[c], limit = state.nearest + state.tie + ROUNDING;
      double share = limit / static_cast<double>(sorted.size());
      const int32_t *codes = tuples.codes.data() + i * columns;
      for (; c < columns; ++c) {
        sum += rows[tuples.order[c]][codes[c]];
        if (sum > (c < width ? share : limit)) break;
        state.sums[c + 1] = sum;
      }
      if (c < columns) {
        i = tuples.after[i * columns + c];
        continue;
      }
      double far = distance(rows, tuples.tuples[i]);
      state.nearest = std::min(state.nearest, far);
      if (far <= state.nearest + state.tie) state.near.emplace_back(tuples.tuples[i], far);
      ++i;
    }
  }

  Codes owner;  // keeps the codes alive
  const int32_t* released;
  size_t number, columns;
  std::vector<size_t> widths;         // columns of each part
  std::vector<SortedTuples> sorted;   // for each part
};

}  // namespace

void bind_linkage(nb::module_& module) {
  nb::class_<NearestTuples>(module, "NearestTuples")
    .def(nb::init<Codes, std::vector<std::vector<size_t>>>())
    .def("search", &NearestTuples::search);
}
