// The losses of groups that were weighed before, so that none is weighed twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace allonym {

// Identifies a set of pieces: the sums of two random numbers of each piece, 128 bits together.
struct SetKey {
  uint64_t one = 0, two = 0;
  SetKey operator+(const SetKey& other) const { return {one + other.one, two + other.two}; }
  SetKey operator-(const SetKey& other) const { return {one - other.one, two - other.two}; }
  bool operator==(const SetKey& other) const { return one == other.one && two == other.two; }
  bool is_empty() const { return one == 0 && two == 0; }
};

class KnownLosses {
 public:
  static constexpr size_t MAX = 1 << 18;  // losses; all are forgotten then

  KnownLosses() : slots_(1 << 12) {}

  // The loss of a set of pieces; null, if it is not known.
  const double* find(const SetKey& key) const {
    const Slot& slot = slots_[place_of(key)];
    return slot.key.is_empty() ? nullptr : &slot.loss;
  }

  void add(const SetKey& key, double loss) {
    if (number_ == MAX) {
      slots_.assign(slots_.size(), Slot());
      number_ = 0;
    }
    if (2 * ++number_ > slots_.size()) {
      std::vector<Slot> old(2 * slots_.size());
      old.swap(slots_);
      for (const Slot& slot : old)
        if (!slot.key.is_empty()) slots_[place_of(slot.key)] = slot;
    }
    slots_[place_of(key)] = {key, loss};
  }

 private:
  struct Slot {
    SetKey key;
    double loss = 0.0;
  };

  // Where a key is, or would be.
  size_t place_of(const SetKey& key) const {
    size_t mask = slots_.size() - 1, place = key.one & mask;
    while (!slots_[place].key.is_empty() && !(slots_[place].key == key)) place = (place + 1) & mask;
    return place;
  }

  std::vector<Slot> slots_;
  size_t number_ = 0;
};

}  // namespace allonym
