// oneDNN within one thread: the parts of a call are the parallelism.
#pragma once

#include <omp.h>

namespace headwater {

// While it exists, oneDNN computes in this thread alone.
class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(before_); }

 private:
  int before_;
};

}  // namespace headwater
