// Improves groups by the local search of search.h.
#include "search.h"

namespace allonym {

namespace {

template <typename Array>
auto vector_of(const Array& array) {
  return std::vector<std::decay_t<decltype(*array.data())>>(array.data(), array.data() + array.size());
}

// Do one step of a search.
void run(Search& search, nb::tuple step, bool calls_python, Tick& tick) {
  auto name = nb::cast<std::string>(step[0]);
  if (name == "walk") {
    auto order = nb::cast<Ints>(step[1]);
    std::vector<int32_t> pieces(order.data(), order.data() + order.size());
    MaybeRelease release(!calls_python);
    search.walk(pieces, tick);
    return;
  }
  auto number = nb::cast<int64_t>(step[1]);
  double ratio = name == "suppress" ? nb::cast<double>(step[2]) : 0.0;
  int64_t work = name == "suppress" ? nb::cast<int64_t>(step[3]) : 0;
  uint64_t seed = name == "regroup" ? nb::cast<uint64_t>(step[2]) : 0;
  MaybeRelease release(!calls_python);
  if (name == "choose") search.choose_start(number);
  if (name == "descend") search.descend(number, tick);
  if (name == "regroup") search.regroup(number, seed, tick);
  if (name == "suppress") search.suppress(number, ratio, work, tick);
  if (name == "complete") search.complete_suppression(number);
}

// The groups of pieces after a search. `steps` are what the search does, one after the other: ("walk", order), ("choose",
// percent), ("descend", work), ("regroup", work, seed), ("suppress", budget, ratio, work) or ("complete", budget).
// Returns the group of each piece, -2 for those that are suppressed; the loss before and after each step; and the
// values of each group.
nb::tuple refine(Space& space, nb::list columns, int together, Flags may_stand, Floats mass, Ints rows, Ints charged,
                 Ints groups, Flags movable, Ints order, Ints alone, int64_t k, Ints unit_starts, Ints units,
                 nb::object holds, nb::list steps, double seconds, nb::object callback) {
  bool calls_python = space.calls_python() || !holds.is_none();
  GroupLoss group_loss(space, columns, static_cast<Together>(together), may_stand, mass);
  Pieces pieces{vector_of(mass), vector_of(rows), vector_of(charged), vector_of(movable), k,
                vector_of(unit_starts), vector_of(units), std::move(holds)};
  Search search(space, group_loss, std::move(pieces), groups, order, alone);
  search.set_deadline(seconds);
  Tick tick(std::move(callback));
  std::vector<double> losses{search.loss()};
  for (nb::handle step : steps) {
    run(search, nb::cast<nb::tuple>(step), calls_python, tick);
    losses.push_back(search.loss());
  }
  auto [points, numbers] = search.stands();
  return nb::make_tuple(to_numpy(search.result()), to_numpy(std::move(losses)), to_numpy(std::move(points)),
                        to_numpy(std::move(numbers)));
}

}  // namespace

void bind_refine(nb::module_& m) {
  m.def("refine", &refine, nb::arg("space"), nb::arg("columns"), nb::arg("together"), nb::arg("may_stand"),
        nb::arg("mass"), nb::arg("rows"), nb::arg("charged"), nb::arg("groups"), nb::arg("movable"), nb::arg("order"), nb::arg("alone"),
        nb::arg("k"), nb::arg("unit_starts"), nb::arg("units"), nb::arg("holds").none(), nb::arg("steps"), nb::arg("seconds"), nb::arg("tick"));
}

}  // namespace allonym
