// A step of Adam for one variable.
#pragma once

#include <cstdint>

namespace headwater {

struct AdamNumbers {
  float beta1_power, beta2_power, rate, beta1, beta2, epsilon;
  bool nesterov;
};

// What the step reads, and where it writes the new values: to the same arrays, or to others.
struct AdamArrays {
  const float *variable, *mean, *square, *gradient;
  float *new_variable, *new_mean, *new_square;
  int64_t elements;
};

void adam_step(const AdamNumbers& numbers, const AdamArrays& arrays);

}  // namespace headwater
