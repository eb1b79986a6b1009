// Distances of classes of elements, row by row: of a table, or computed when they are needed and kept while memory lasts.

#pragma once

#include <algorithm>
#include <memory>
#include <mutex>

#include "sets.h"

namespace allonym::sets {

// A row has the rank of the distance to every class. Where ranks have 64 bits, they are the distances themselves, as
// whole numbers of units.
template <class Rank> class ElementRows {
  public:
    explicit ElementRows(int64_t classes) : classes_(classes) {}
    virtual ~ElementRows() = default;

    int64_t classes() const { return classes_; }

    // Return the rows of some classes, which stay where they are until the next call.
    const std::vector<const Rank*>& rows(const std::vector<int32_t>& some) {
        found_.clear();
        find(some, found_);
        return found_;
    }

    // The same for the classes of some elements.
    const std::vector<const Rank*>& of_elements(const int32_t* own, int64_t size, const int32_t* classes) {
        wanted_.resize(size);
        for (int64_t j = 0; j < size; ++j) wanted_[j] = classes[own[j]];
        return rows(wanted_);
    }

    // Call a function with every class and its row, some of which are computed together.
    template <class Function> void for_each(Function function) {
        std::vector<int32_t> some;
        for (int64_t low = 0; low < classes_; low += AT_A_TIME) {
            some.clear();
            for (int64_t x = low; x < std::min(classes_, low + AT_A_TIME); ++x) some.push_back(static_cast<int32_t>(x));
            const auto& found = rows(some);
            for (size_t i = 0; i < some.size(); ++i) function(some[i], found[i]);
        }
    }

    std::mutex used;  // by one thread at a time

  protected:
    static constexpr int64_t AT_A_TIME = 16;

    virtual void find(const std::vector<int32_t>& some, std::vector<const Rank*>& found) = 0;

  private:
    int64_t classes_;
    std::vector<const Rank*> found_;
    std::vector<int32_t> wanted_;
};

// Keeps other threads from using rows. The GIL is free while this waits, if the thread has it: those of a kernel do not.
class RowsInUse {
  public:
    template <class Rank> explicit RowsInUse(ElementRows<Rank>& rows) : lock_(rows.used, std::try_to_lock) {
        if (lock_.owns_lock()) return;
        if (!PyGILState_Check()) {
            lock_.lock();
            return;
        }
        nb::gil_scoped_release release;
        lock_.lock();
    }

  private:
    std::unique_lock<std::mutex> lock_;
};

// The rows of a table.
template <class Rank> class TableRows : public ElementRows<Rank> {
  public:
    explicit TableRows(Matrix<const Rank> table) : ElementRows<Rank>(table.shape(1)), table_(table) {}

  protected:
    void find(const std::vector<int32_t>& some, std::vector<const Rank*>& found) override {
        for (int32_t x : some) found.push_back(table_.data() + x * this->classes());
    }

  private:
    Matrix<const Rank> table_;
};

// Rows that are computed when they are needed. As many are kept as memory allows; then, one that was not asked for since
// the last search for such a row gives way.
template <class Rank> class ComputedRows : public ElementRows<Rank> {
  public:
    ComputedRows(int64_t classes, int64_t max_bytes)
        : ElementRows<Rank>(classes), max_rows_(max_bytes / std::max<int64_t>(1, classes * sizeof(Rank))),
          slots_(classes, -1) {}

  protected:
    virtual void compute(const std::vector<int32_t>& some, const std::vector<Rank*>& rows) = 0;

    void find(const std::vector<int32_t>& some, std::vector<const Rank*>& found) override {
        ++request_;
        missing_.clear();
        places_.clear();
        for (int32_t x : some)
            if (slots_[x] >= 0) kept_[slots_[x]].request = request_;
        for (int32_t x : some) {
            if (slots_[x] >= 0) continue;
            slots_[x] = free_slot();
            Kept& kept = kept_[slots_[x]];
            kept.owner = x, kept.request = request_;
            missing_.push_back(x);
            places_.push_back(kept.row.get());
        }
        if (!missing_.empty()) fill();
        for (int32_t x : some) {
            kept_[slots_[x]].recent = true;
            found.push_back(kept_[slots_[x]].row.get());
        }
    }

  private:
    struct Kept {
        std::unique_ptr<Rank[]> row;
        int32_t owner = -1;
        int64_t request = -1;  // the last in which it was asked for
        bool recent = false;   // asked for since the last search for a row to give way
    };

    // Rows that could not be computed are forgotten.
    void fill() {
        try {
            compute(missing_, places_);
        } catch (...) {
            for (int32_t x : missing_) kept_[slots_[x]].owner = -1, slots_[x] = -1;
            throw;
        }
    }

    int32_t free_slot() {
        if (static_cast<int64_t>(kept_.size()) >= max_rows_)
            for (size_t tried = 0; tried < 2 * kept_.size(); ++tried, hand_ = (hand_ + 1) % kept_.size()) {
                Kept& kept = kept_[hand_];
                if (kept.request == request_) continue;
                if (kept.recent && kept.owner >= 0) {
                    kept.recent = false;
                    continue;
                }
                if (kept.owner >= 0) slots_[kept.owner] = -1;
                return static_cast<int32_t>(hand_);
            }
        kept_.emplace_back();
        kept_.back().row.reset(new Rank[this->classes()]);
        return static_cast<int32_t>(kept_.size() - 1);
    }

    int64_t max_rows_, request_ = 0;
    size_t hand_ = 0;
    std::vector<int32_t> slots_;  // by class: where its row is kept; negative, if it is not
    std::vector<Kept> kept_;
    std::vector<int32_t> missing_;
    std::vector<Rank*> places_;
};

}  // namespace allonym::sets
