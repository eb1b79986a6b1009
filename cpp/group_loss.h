// What groups of pieces lose, Σ ω·d², with the values that are chosen for them.
#pragma once

#include "standing.h"

namespace allonym {

using Members = std::vector<int32_t>;  // pieces, in ascending order

// How the values of a group are chosen over all attributes.
enum class Together {
  ALONE,    // each attribute for itself
  SQUARES,  // all together, by the squared distances of records
  MEMBER,   // the values of one member
};

class GroupLoss {
 public:
  GroupLoss(Space& space, nb::list columns, Together together, Flags may_stand, Floats mass);

  // What a group loses; the values that are chosen for it are left in `stands`.
  double weigh(const Members& members, std::vector<Stand>* stands = nullptr);
  // What a piece loses, or would lose, with some values.
  double far(int32_t piece, const std::vector<Stand>& stands) const;
  // What a piece loses if it is suppressed.
  double lost_by_null(int32_t piece) const;
  // How often Python is called for each group.
  int64_t calls() const { return calls_; }

 private:
  double lost_with(const std::vector<Stand>& stands, int number) const;
  double choose_member(const Members& members, int number);
  void choose_together(int number);
  bool choose_attribute(int a, int number);
  void fill_part(int a, const Stand& stand, int number, double* out) const;
  double squares(const double* part, int number) const;

  Space& space_;
  Together together_;
  std::vector<uint8_t> may_stand_;
  std::vector<double> mass_;
  std::vector<std::unique_ptr<Column>> columns_;
  int64_t calls_ = 0;
  std::vector<int32_t> codes_;  // of the members, attribute by attribute
  std::vector<double> weights_, parts_, rest_, trial_;
  std::vector<Stand> stands_, candidates_;
};

}  // namespace allonym
