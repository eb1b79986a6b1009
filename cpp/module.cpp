// The extension module allonym._kernels: the inner loops of methods and measures.
//
// Each topic has a file <topic>.cpp with a function bind_<topic> that adds its functions to the module.
// Python loads the module through allonym.compiled only.

#include <nanobind/nanobind.h>

namespace nb = nanobind;

// Increase this number, and INTERFACE in src/allonym/compiled.py, whenever a function is added, removed or called in
// another way. An extension of another interface is not used.
constexpr int INTERFACE = 2;

void bind_set_costs(nb::module_& module);
void bind_sets(nb::module_& module);

NB_MODULE(_kernels, module) {
    module.attr("INTERFACE") = INTERFACE;
    bind_set_costs(module);
    bind_sets(module);
}
