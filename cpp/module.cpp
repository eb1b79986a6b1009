// The extension module allonym._kernels: the inner loops of methods and measures.
//
// Each topic has a file <topic>.cpp with a function bind_<topic> that adds its functions to the module.
// Python loads the module through allonym.compiled only.

#include <nanobind/nanobind.h>

#include <algorithm>

#include "threads.h"

namespace nb = nanobind;

// Increase this number, and INTERFACE in src/allonym/compiled.py, whenever a function is added, removed or called in
// another way. An extension of another interface is not used.
constexpr int INTERFACE = 10;

void bind_delimited(nb::module_& module);
void bind_element_rows(nb::module_& module);
void bind_linkage(nb::module_& module);
void bind_set_costs(nb::module_& module);
void bind_sets(nb::module_& module);

namespace allonym {
void bind_space(nb::module_& module);
void bind_growth(nb::module_& module);
void bind_mdav(nb::module_& module);
void bind_fusion(nb::module_& module);
void bind_refine(nb::module_& module);
void bind_lower_bound(nb::module_& module);
}  // namespace allonym

NB_MODULE(_kernels, module) {
    module.attr("INTERFACE") = INTERFACE;
    module.def("set_threads", [](int number) { allonym::thread_limit = std::max(number, 1); }, nb::arg("number"));
    allonym::bind_space(module);
    allonym::bind_growth(module);
    allonym::bind_mdav(module);
    allonym::bind_fusion(module);
    allonym::bind_refine(module);
    allonym::bind_lower_bound(module);
    bind_delimited(module);
    bind_linkage(module);
    bind_set_costs(module);
    bind_element_rows(module);
    bind_sets(module);
}
