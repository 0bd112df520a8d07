// The formula of headwater/train/optimizers/adam.py, with the roundings of NumPy's.
#include "adam.h"

#include <cmath>

namespace headwater {
namespace {

// The compiler makes one version for each set of instructions; none contracts products and sums.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define FOR_EACH_PROCESSOR __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FOR_EACH_PROCESSOR
#endif

FOR_EACH_PROCESSOR
void step(float rate, float keep1, float add1, float add2, float epsilon, bool nesterov,
          const AdamArrays& a) {
  const float *variable = a.variable, *mean = a.mean, *square = a.square, *gradient = a.gradient;
  float *new_variable = a.new_variable, *new_mean = a.new_mean, *new_square = a.new_square;
  const int64_t elements = a.elements;
  // The new arrays are the old ones, or share no memory with them.
#pragma GCC ivdep
  for (int64_t i = 0; i < elements; ++i) {
    const float grad = gradient[i];
    const float m = mean[i] + (grad - mean[i]) * add1;
    const float v = square[i] + (grad * grad - square[i]) * add2;
    const float moved = nesterov ? m * keep1 + add1 * grad : m;
    new_variable[i] = variable[i] - (moved * rate) / (std::sqrt(v) + epsilon);
    new_mean[i] = m;
    new_square[i] = v;
  }
}

}  // namespace

void adam_step(const AdamNumbers& n, const AdamArrays& arrays) {
  const float rate = n.rate * std::sqrt(1 - n.beta2_power) / (1 - n.beta1_power);
  step(rate, n.beta1, 1 - n.beta1, 1 - n.beta2, n.epsilon, n.nesterov, arrays);
}

}  // namespace headwater
