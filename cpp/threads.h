// Runs independent pieces of work on several threads. Each piece writes its own result, so that the number of threads
// changes the time that a kernel takes, never its result. The work must not call Python.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace allonym {

// How many threads a kernel may use; allonym.compiled sets it.
inline std::atomic<int> thread_limit{1};

// Call work(thread, begin, end) for parts of 0 … number - 1, each of so many pieces. Threads are numbered from 0, so that
// each may use memory of its own. Returns when all is done; the first exception of a thread is raised again.
template <class Work> void in_parallel(size_t number, size_t part, int threads, Work work) {
  std::atomic<size_t> next{0};
  std::exception_ptr failure;
  std::mutex failing;
  auto run = [&](int thread) {
    try {
      for (size_t begin; (begin = next.fetch_add(part)) < number;) work(thread, begin, std::min(begin + part, number));
    } catch (...) {
      std::lock_guard<std::mutex> held(failing);
      if (!failure) failure = std::current_exception();
      next = number;
    }
  };
  std::vector<std::thread> others;
  try {
    for (int thread = 1; thread < threads && thread * part < number; ++thread) others.emplace_back(run, thread);
  } catch (const std::system_error&) {
    // the system has no more threads: those that run do all the work
  }
  run(0);
  for (std::thread& other : others) other.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace allonym
