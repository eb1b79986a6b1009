// Arrays that go to Python without being copied.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <utility>
#include <vector>

namespace allonym {

// Return numbers as a NumPy array that owns them.
template <typename T>
nanobind::object as_array(std::vector<T>&& numbers) {
  auto* values = new std::vector<T>(std::move(numbers));
  nanobind::capsule owner(values, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  using Array = nanobind::ndarray<nanobind::numpy, T, nanobind::ndim<1>>;
  return nanobind::cast(Array(values->data(), {values->size()}, owner));
}

}  // namespace allonym
