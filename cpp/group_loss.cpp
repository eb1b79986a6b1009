// Chooses the values of a group and adds up what it loses; `Standing` of
// src/allonym/methods/kernels/standing.py does the same in NumPy.
#include "group_loss.h"

namespace allonym {

namespace {

constexpr int MAX_STANDING = 64;  // members that are tried as the one whose values a group has
constexpr int MAX_SWEEPS = 4;     // over the attributes, where these are weighed together
constexpr double TIED = 1e-12;

}  // namespace

GroupLoss::GroupLoss(Space& space, nb::list columns, Together together, Flags may_stand, Floats mass)
    : space_(space), together_(together), may_stand_(may_stand.data(), may_stand.data() + may_stand.size()),
      mass_(mass.data(), mass.data() + mass.size()) {
  for (size_t a = 0; a < nb::len(columns); ++a)
    columns_.push_back(std::make_unique<Column>(nb::cast<nb::dict>(columns[a]), *space.attributes[a]));
  for (auto& column : columns_) calls_ += column->calls_python();
}

double GroupLoss::weigh(const Members& members, std::vector<Stand>* stands) {
  int number = static_cast<int>(members.size()), width = space_.width();
  codes_.resize(static_cast<size_t>(width) * number);
  weights_.resize(number);
  for (int i = 0; i < number; ++i) {
    const int32_t* tuple = space_.tuple(members[i]);
    weights_[i] = mass_[members[i]];
    for (int a = 0; a < width; ++a) codes_[static_cast<size_t>(a) * number + i] = tuple[a];
  }
  stands_.resize(width);
  double loss = INFINITE;
  if (together_ == Together::MEMBER) {
    loss = choose_member(members, number);
  } else {
    for (int a = 0; a < width; ++a)
      stands_[a] = columns_[a]->stand(codes_.data() + static_cast<size_t>(a) * number, weights_.data(), number);
    if (together_ == Together::SQUARES) choose_together(number);
    loss = lost_with(stands_, number);
  }
  if (stands) *stands = stands_;
  return loss;
}

double GroupLoss::far(int32_t piece, const std::vector<Stand>& stands) const {
  const int32_t* codes = space_.tuple(piece);
  double distance = 0.0;
  for (int a = 0; a < space_.width(); ++a)
    distance += columns_[a]->attribute.share * columns_[a]->lost(stands[a], codes[a]);
  return mass_[piece] * (distance * distance);
}

double GroupLoss::lost_by_null(int32_t piece) const {
  const int32_t* codes = space_.tuple(piece);
  double distance = 0.0;
  for (int a = 0; a < space_.width(); ++a)
    distance += columns_[a]->attribute.share * columns_[a]->null_row()[codes[a]];
  return mass_[piece] * (distance * distance);
}

double GroupLoss::lost_with(const std::vector<Stand>& stands, int number) const {
  double loss = 0.0;
  for (int i = 0; i < number; ++i) {
    double distance = 0.0;
    for (int a = 0; a < space_.width(); ++a)
      distance += columns_[a]->attribute.share * columns_[a]->lost(stands[a], codes_[static_cast<size_t>(a) * number + i]);
    loss += weights_[i] * (distance * distance);
  }
  return loss;
}

// Choose the member with which least is lost, of those that may stand for others; the first of equals.
double GroupLoss::choose_member(const Members& members, int number) {
  double least = INFINITE;
  int tried = 0;
  std::vector<Stand> stands(space_.width());
  for (int i = 0; i < number && tried < MAX_STANDING; ++i) {
    if (!may_stand_[members[i]]) continue;
    ++tried;
    for (int a = 0; a < space_.width(); ++a)
      stands[a] = columns_[a]->at(codes_[static_cast<size_t>(a) * number + i]);
    double lost = lost_with(stands, number);
    if (lost < least) least = lost, stands_ = stands;
  }
  if (tried) return least;
  for (int a = 0; a < space_.width(); ++a) stands_[a] = columns_[a]->null();
  return lost_with(stands_, number);
}

// Choose the values of a group together, by the squared distances of records: one attribute after the other, while
// less is lost.
void GroupLoss::choose_together(int number) {
  int width = space_.width();
  parts_.resize(static_cast<size_t>(width) * number);
  for (int a = 0; a < width; ++a) fill_part(a, stands_[a], number, parts_.data() + static_cast<size_t>(a) * number);
  rest_.resize(number);
  trial_.resize(number);
  for (int sweep = 0; sweep < MAX_SWEEPS; ++sweep) {
    bool changed = false;
    for (int a = 0; a < width; ++a)
      if (columns_[a]->is_weighed() && stands_[a].row != columns_[a]->null_row()) changed |= choose_attribute(a, number);
    if (!changed) break;
  }
}

// Choose the value of one attribute, those of the others being given; tell whether it is another one.
bool GroupLoss::choose_attribute(int a, int number) {
  for (int i = 0; i < number; ++i) {
    rest_[i] = 0.0;
    for (int b = 0; b < space_.width(); ++b)
      if (b != a) rest_[i] += parts_[static_cast<size_t>(b) * number + i];
  }
  bool changed = false;
  double* own = parts_.data() + static_cast<size_t>(a) * number;
  double least = squares(own, number);
  candidates_.clear();
  columns_[a]->candidates(codes_.data() + static_cast<size_t>(a) * number, weights_.data(), number, candidates_);
  for (const Stand& candidate : candidates_) {
    fill_part(a, candidate, number, trial_.data());
    double lost = squares(trial_.data(), number);
    if (lost < least - TIED * least) {
      least = lost;
      stands_[a] = candidate;
      std::copy(trial_.begin(), trial_.end(), own);
      changed = true;
    }
  }
  return changed;
}

void GroupLoss::fill_part(int a, const Stand& stand, int number, double* out) const {
  const Column& column = *columns_[a];
  for (int i = 0; i < number; ++i)
    out[i] = column.attribute.share * column.lost(stand, codes_[static_cast<size_t>(a) * number + i]);
}

double GroupLoss::squares(const double* part, int number) const {
  double total = 0.0;
  for (int i = 0; i < number; ++i) {
    double distance = rest_[i] + part[i];
    total += weights_[i] * (distance * distance);
  }
  return total;
}

}  // namespace allonym
