// Distances of classes of elements that are computed when they are needed: of ancestors, or by a function in Python.

#include "arrays.h"
#include "element_rows.h"

#include <stdexcept>

using namespace allonym::sets;

namespace {

constexpr int LANES = 16;  // rows that are computed together

// Ancestor overlap, (|T(a) ∪ T(b)| - |T(a) ∩ T(b)|) / |T(a) ∪ T(b)|: of two numbers of ancestors and of those that both
// have, `ranks` has the rank. Count must hold the largest number of ancestors.
template <class Rank, class Count> class OverlapRows : public ComputedRows<Rank> {
  public:
    OverlapRows(Vector<const int64_t> starts, Vector<const int32_t> ancestors, Vector<const int32_t> sizes,
                Matrix<const Rank> ranks, int64_t concepts, int64_t max_bytes)
        : ComputedRows<Rank>(sizes.size(), max_bytes), starts_(starts), ancestors_(ancestors), sizes_(sizes),
          ranks_(ranks), has_(concepts * LANES, 0) {}

  protected:
    void compute(const std::vector<int32_t>& some, const std::vector<Rank*>& rows) override {
        for (size_t low = 0; low < some.size(); low += LANES)
            compute_lanes(some.data() + low, rows.data() + low, std::min<size_t>(LANES, some.size() - low));
    }

  private:
    Vector<const int64_t> starts_;
    Vector<const int32_t> ancestors_, sizes_;
    Matrix<const Rank> ranks_;
    std::vector<Count> has_;  // concepts × LANES: 1, where a class of a lane has the concept among its ancestors

    void mark(const int32_t* some, size_t number, Count value) {
        for (size_t lane = 0; lane < number; ++lane)
            for (int64_t i = starts_.data()[some[lane]]; i < starts_.data()[some[lane] + 1]; ++i)
                has_[ancestors_.data()[i] * LANES + lane] = value;
    }

    void compute_lanes(const int32_t* some, Rank* const* rows, size_t number) {
        mark(some, number, 1);
        const int64_t width = ranks_.shape(1);
        int64_t offsets[LANES] = {};
        for (size_t lane = 0; lane < number; ++lane) offsets[lane] = sizes_.data()[some[lane]] * width;
        for (int64_t y = 0; y < this->classes(); ++y) {
            Count common[LANES] = {};
            for (int64_t i = starts_.data()[y]; i < starts_.data()[y + 1]; ++i) {
                const Count* has = has_.data() + ancestors_.data()[i] * LANES;
                for (int lane = 0; lane < LANES; ++lane) common[lane] = static_cast<Count>(common[lane] + has[lane]);
            }
            const Rank* ranks = ranks_.data() + sizes_.data()[y] * width;
            for (size_t lane = 0; lane < number; ++lane) rows[lane][y] = ranks[offsets[lane] + common[lane]];
        }
        mark(some, number, 0);
    }
};

// Distances by a function in Python, as whole numbers of units: of some classes to all.
class CalledRows : public ComputedRows<int64_t> {
  public:
    CalledRows(nb::object function, int64_t classes, int64_t max_bytes)
        : ComputedRows<int64_t>(classes, max_bytes), function_(std::move(function)) {}

  protected:
    void compute(const std::vector<int32_t>& some, const std::vector<int64_t*>& rows) override {
        nb::gil_scoped_acquire gil;
        std::vector<int64_t> own(some.begin(), some.end());
        auto found = nb::cast<Matrix<const int64_t>>(function_(allonym::as_array(std::move(own))));
        if (found.shape(0) != some.size() || static_cast<int64_t>(found.shape(1)) != classes())
            throw std::invalid_argument("the function returned another number of distances");
        for (size_t i = 0; i < some.size(); ++i)
            std::copy_n(found.data() + i * classes(), classes(), rows[i]);
    }

  private:
    nb::object function_;
};

template <class Rank>
ElementRows<Rank>* overlap_rows(Vector<const int64_t> starts, Vector<const int32_t> ancestors,
                                Vector<const int32_t> sizes, Matrix<const Rank> ranks, int64_t concepts,
                                int64_t max_bytes) {
    const int64_t number = sizes.size(), largest = number ? *std::max_element(sizes.data(), sizes.data() + number) : 0;
    if (static_cast<int64_t>(starts.size()) != number + 1 || static_cast<int64_t>(ranks.shape(0)) <= 2 * largest ||
        static_cast<int64_t>(ranks.shape(1)) <= largest)
        throw std::invalid_argument("there are not ranks for all numbers of ancestors");
    if (largest < 256) return new OverlapRows<Rank, uint8_t>(starts, ancestors, sizes, ranks, concepts, max_bytes);
    return new OverlapRows<Rank, int32_t>(starts, ancestors, sizes, ranks, concepts, max_bytes);
}

// Return the ranks of one class and some others.
template <class Rank> nb::object between(ElementRows<Rank>& rows, int32_t one, Vector<const int32_t> others) {
    RowsInUse in_use(rows);
    const Rank* row = rows.rows({one})[0];
    std::vector<int64_t> ranks(others.size());
    for (size_t i = 0; i < ranks.size(); ++i) ranks[i] = row[others.data()[i]];
    return allonym::as_array(std::move(ranks));
}

template <class Rank> nb::class_<ElementRows<Rank>> bind_rows(nb::module_& module, const char* name) {
    return nb::class_<ElementRows<Rank>>(module, name).def("between", &between<Rank>, nb::arg("one"), nb::arg("others"));
}

template <class Rank> void bind_ranks(nb::module_& module, const char* name) {
    bind_rows<Rank>(module, name);
    module.def("table_rows", [](Matrix<const Rank> table) -> ElementRows<Rank>* { return new TableRows<Rank>(table); },
               nb::arg("table").noconvert(), nb::rv_policy::take_ownership);
    module.def("overlap_rows", &overlap_rows<Rank>, nb::arg("starts"), nb::arg("ancestors"), nb::arg("sizes"),
               nb::arg("ranks").noconvert(), nb::arg("concepts"), nb::arg("max_bytes"), nb::rv_policy::take_ownership);
}

}  // namespace

void bind_element_rows(nb::module_& module) {
    bind_ranks<int16_t>(module, "ElementRows16");
    bind_ranks<int32_t>(module, "ElementRows32");
    bind_rows<int64_t>(module, "ElementRows64");
    module.def("called_rows", [](nb::object function, int64_t classes, int64_t max_bytes) -> ElementRows<int64_t>* {
        return new CalledRows(std::move(function), classes, max_bytes);
    }, nb::arg("function"), nb::arg("classes"), nb::arg("max_bytes"), nb::rv_policy::take_ownership);
}
