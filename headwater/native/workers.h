// Work shared among threads without waiting for one that has not begun.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace headwater {

// Where the parts of one call may run besides the calling thread.
struct Workers {
  int64_t threads = 1;  // the calling thread included
  std::function<void(std::function<void()>)> schedule;
};

// Calls body(0) ... body(parts - 1), each once, and returns when all have ended.
//
// Every thread takes the next part until none is left. The caller waits only for parts that others
// have taken: a pool whose threads all wait like this cannot lock up.
inline void for_each_part(int64_t parts, const Workers& workers,
                          std::function<void(int64_t)> body) {
  struct State {
    std::function<void(int64_t)> body;
    int64_t parts;
    std::atomic<int64_t> next{0};
    std::mutex mutex;
    std::condition_variable changed;
    int64_t ended = 0;
    std::exception_ptr error;

    void take_parts() {
      for (int64_t part; (part = next.fetch_add(1)) < parts;) {
        std::exception_ptr caught;
        try {
          body(part);
        } catch (...) {
          caught = std::current_exception();
        }
        std::lock_guard<std::mutex> lock(mutex);
        if (caught) error = caught;
        if (++ended == parts) changed.notify_all();
      }
    }
  };
  auto state = std::make_shared<State>();
  state->body = std::move(body);
  state->parts = parts;
  try {
    for (int64_t i = 1; i < std::min(parts, workers.threads); ++i) {
      workers.schedule([state] { state->take_parts(); });
    }
  } catch (const std::exception&) {
    // No more threads: those that there are take all parts.
  }
  state->take_parts();
  std::unique_lock<std::mutex> lock(state->mutex);
  state->changed.wait(lock, [&] { return state->ended == parts; });
  if (state->error) std::rethrow_exception(state->error);
}

}  // namespace headwater
