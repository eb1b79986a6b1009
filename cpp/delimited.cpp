// Cells of delimited text: their distinct texts, and a file in which some of them are replaced.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "arrays.h"

namespace nb = nanobind;
using allonym::as_array;

namespace {

using Places = nb::ndarray<const int64_t, nb::ndim<1>, nb::device::cpu>;  // of any stride: a column of a table
using Vector = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Ints = std::vector<int64_t>;

// Return bytes that are still to be filled in.
nb::bytes empty_bytes(size_t size, char *&data) {
  PyObject* bytes = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size));
  if (bytes == nullptr) throw nb::python_error();
  data = PyBytes_AS_STRING(bytes);
  return nb::steal<nb::bytes>(bytes);
}

uint64_t hash_of(const char* text, size_t size) {
  uint64_t hash = 0x9E3779B97F4A7C15ULL ^ size;
  for (; size >= 8; text += 8, size -= 8) {
    uint64_t word;
    std::memcpy(&word, text, 8);
    hash = (hash ^ word) * 0xFF51AFD7ED558CCDULL;
    hash ^= hash >> 32;
  }
  uint64_t word = 0;
  std::memcpy(&word, text, size);
  hash = (hash ^ word) * 0xC4CEB9FE1A85EC53ULL;
  return hash ^ (hash >> 29);
}

// The distinct cells of a column, numbered in the order in which they appear.
class CellDictionary {
 public:
  explicit CellDictionary(nb::bytes text) : content(std::move(text)), slots(64, 0) {}

  // Return the number of each cell, given by its first byte and the one after its last.
  nb::object add(Places starts, Places ends) {
    Ints codes(starts.shape(0));
    {
      nb::gil_scoped_release release;
      const char* text = content.c_str();
      for (size_t i = 0; i < codes.size(); ++i) {
        int64_t start = starts.data()[static_cast<int64_t>(i) * starts.stride(0)];
        int64_t end = ends.data()[static_cast<int64_t>(i) * ends.stride(0)];
        codes[i] = number(text, start, static_cast<size_t>(end - start));
      }
    }
    return as_array(std::move(codes));
  }

  nb::list values() const {
    nb::list texts;
    for (const Cell& cell : cells) texts.append(nb::bytes(content.c_str() + cell.start, cell.size));
    return texts;
  }

 private:
  struct Cell {
    int64_t start;
    size_t size;
    uint64_t hash;
  };

  int64_t number(const char* text, int64_t start, size_t size) {
    uint64_t hash = hash_of(text + start, size);
    size_t slot = hash & (slots.size() - 1);
    for (; slots[slot] != 0; slot = (slot + 1) & (slots.size() - 1)) {
      const Cell& cell = cells[slots[slot] - 1];
      if (cell.hash == hash && cell.size == size && std::memcmp(text + cell.start, text + start, size) == 0)
        return static_cast<int64_t>(slots[slot]) - 1;
    }
    cells.push_back({start, size, hash});
    slots[slot] = cells.size();
    if (2 * cells.size() > slots.size()) enlarge();
    return static_cast<int64_t>(cells.size()) - 1;
  }

  void enlarge() {
    slots.assign(2 * slots.size(), 0);
    for (size_t i = 0; i < cells.size(); ++i) {
      size_t slot = cells[i].hash & (slots.size() - 1);
      while (slots[slot] != 0) slot = (slot + 1) & (slots.size() - 1);
      slots[slot] = i + 1;
    }
  }

  nb::bytes content;
  std::vector<Cell> cells;
  std::vector<size_t> slots;  // 0: empty; else the number of a cell, from 1
};

// Return a part of a text in which spans are replaced, and where each row of spans ends in it. Row i of `bounds` has
// the begin and end of each span, row i of `chosen` the number of the text that replaces it.
nb::tuple spliced(nb::bytes text, int64_t begin, int64_t end, Matrix bounds, Matrix chosen, nb::bytes texts,
          Vector text_starts) {
  const char *content = text.c_str(), *table = texts.c_str();
  size_t rows = chosen.shape(0), columns = chosen.shape(1);
  const int64_t *edges = bounds.data(), *numbers = chosen.data(), *starts = text_starts.data();
  int64_t size = end - begin;
  for (size_t i = 0; i < rows * columns; ++i)
    size += starts[numbers[i] + 1] - starts[numbers[i]] - (edges[2 * i + 1] - edges[2 * i]);
  char* data = nullptr;
  nb::bytes result = empty_bytes(static_cast<size_t>(size), data);
  Ints row_ends(rows);
  {
    nb::gil_scoped_release release;
    char* at = data;
    int64_t from = begin;
    auto copy = [&at](const char *source, int64_t length) {
      std::memcpy(at, source, static_cast<size_t>(length));
      at += length;
    };
    for (size_t row = 0; row < rows; ++row) {
      for (size_t i = row * columns; i < (row + 1) * columns; ++i) {
        copy(content + from, edges[2 * i] - from);
        copy(table + starts[numbers[i]], starts[numbers[i] + 1] - starts[numbers[i]]);
        from = edges[2 * i + 1];
      }
      row_ends[row] = at - data;
    }
    copy(content + from, end - from);
  }
  return nb::make_tuple(result, as_array(std::move(row_ends)));
}

// Return some rows of a text one after the other; row i of the text is from `row_starts[i]` to `row_starts[i + 1]`.
nb::bytes rows_of(nb::bytes text, Vector row_starts, Vector rows) {
  const char* content = text.c_str();
  const int64_t* starts = row_starts.data();
  int64_t size = 0;
  for (size_t i = 0; i < rows.shape(0); ++i) size += starts[rows.data()[i] + 1] - starts[rows.data()[i]];
  char* data = nullptr;
  nb::bytes result = empty_bytes(static_cast<size_t>(size), data);
  nb::gil_scoped_release release;
  for (size_t i = 0; i < rows.shape(0); ++i) {
    int64_t row = rows.data()[i], length = starts[row + 1] - starts[row];
    std::memcpy(data, content + starts[row], static_cast<size_t>(length));
    data += length;
  }
  return result;
}

}  // namespace

void bind_delimited(nb::module_& module) {
  nb::class_<CellDictionary>(module, "CellDictionary")
    .def(nb::init<nb::bytes>())
    .def("add", &CellDictionary::add)
    .def("values", &CellDictionary::values);
  module.def("spliced", &spliced);
  module.def("rows_of", &rows_of);
}
