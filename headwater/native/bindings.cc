// What Python reaches: handlers for XLA's foreign function interface, and functions for ctypes.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "adam.h"
#include "convolution.h"
#include "product.h"
#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

namespace {

using headwater::Problem;
using headwater::Workers;
using Floats = ffi::Buffer<ffi::F32>;

Problem problem_of(const int64_t* numbers, size_t count) {
  if (count != Problem::kNumbers) throw std::invalid_argument("a convolution has 17 numbers");
  Problem::Numbers copied;
  std::copy_n(numbers, count, copied.begin());
  return Problem(copied);
}

struct Operand {
  const float* data;
  int64_t elements;
};

void run(const Problem& problem, Operand first, Operand second, float* result, int64_t elements,
         const Workers& workers) {
  if (first.elements != problem.first_elements() || second.elements != problem.second_elements() ||
      elements != problem.result_elements()) {
    throw std::invalid_argument("a convolution's arrays do not have its sizes");
  }
  headwater::convolve(problem, first.data, second.data, result, workers);
}

Operand operand(const Floats& floats) {
  return {floats.typed_data(), static_cast<int64_t>(floats.element_count())};
}

// Threads that end when there is nothing left to take. The caller does not wait for them to begin.
Workers new_threads(int64_t threads) {
  return {threads, [](std::function<void()> work) { std::thread(std::move(work)).detach(); }};
}

ffi::Error run_convolution(ffi::ThreadPool pool, Floats first, Floats second,
                           ffi::Span<const int64_t> numbers, ffi::Result<Floats> result) {
  try {
    Workers workers;
    workers.threads = std::max<int64_t>(1, pool.num_threads());
    workers.schedule = [&pool](std::function<void()> work) { pool.Schedule(std::move(work)); };
    run(problem_of(numbers.begin(), numbers.size()), operand(first), operand(second),
        result->typed_data(), result->element_count(), workers);
    return ffi::Error::Success();
  } catch (const std::invalid_argument& error) {
    return ffi::Error::InvalidArgument(error.what());
  } catch (const std::exception& error) {
    return ffi::Error::Internal(std::string("oneDNN: ") + error.what());
  }
}

ffi::Error run_adam(Floats variable, Floats mean, Floats square, Floats beta1_power,
                    Floats beta2_power, Floats rate, Floats beta1, Floats beta2, Floats epsilon,
                    Floats gradient, bool nesterov, ffi::Result<Floats> new_variable,
                    ffi::Result<Floats> new_mean, ffi::Result<Floats> new_square) {
  const size_t elements = variable.element_count();
  for (const Floats& other : {mean, square, gradient, *new_variable, *new_mean, *new_square}) {
    if (other.element_count() != elements) {
      return ffi::Error::InvalidArgument("the arrays of Adam have different sizes");
    }
  }
  for (const Floats& number : {beta1_power, beta2_power, rate, beta1, beta2, epsilon}) {
    if (number.element_count() != 1) {
      return ffi::Error::InvalidArgument("the numbers of Adam are scalars");
    }
  }
  headwater::adam_step(
      {*beta1_power.typed_data(), *beta2_power.typed_data(), *rate.typed_data(),
       *beta1.typed_data(), *beta2.typed_data(), *epsilon.typed_data(), nesterov},
      {variable.typed_data(), mean.typed_data(), square.typed_data(), gradient.typed_data(),
       new_variable->typed_data(), new_mean->typed_data(), new_square->typed_data(),
       static_cast<int64_t>(elements)});
  return ffi::Error::Success();
}

}  // namespace

#pragma GCC visibility push(default)

XLA_FFI_DEFINE_HANDLER_SYMBOL(headwater_convolution_handler, run_convolution,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::ThreadPool>()
                                  .Arg<Floats>()
                                  .Arg<Floats>()
                                  .Attr<ffi::Span<const int64_t>>("problem")
                                  .Ret<Floats>());

XLA_FFI_DEFINE_HANDLER_SYMBOL(headwater_adam_handler, run_adam,
                              ffi::Ffi::Bind()
                                  .Arg<Floats>()
                                  .Arg<Floats>()
                                  .Arg<Floats>()
                                  .Arg<Floats>()
                                  .Arg<Floats>()
                                  .Arg<Floats>()
                                  .Arg<Floats>()
                                  .Arg<Floats>()
                                  .Arg<Floats>()
                                  .Arg<Floats>()
                                  .Attr<bool>("nesterov")
                                  .Ret<Floats>()
                                  .Ret<Floats>()
                                  .Ret<Floats>());

extern "C" {

// Returns 1 if the problem has generated code, 0 if not or if it is invalid.
int headwater_convolution_is_fast(const int64_t* numbers) {
  try {
    return headwater::is_fast(problem_of(numbers, Problem::kNumbers));
  } catch (const std::exception&) {
    return 0;
  }
}

// Computes a problem with up to `threads` threads; returns 0, or 1 after an error. `elements` are
// those of the two operands and of the result.
int headwater_convolution(const int64_t* numbers, const float* first, const float* second,
                          float* result, const int64_t* elements, int64_t threads) {
  try {
    run(problem_of(numbers, Problem::kNumbers), {first, elements[0]}, {second, elements[1]}, result,
        elements[2], new_threads(threads));
    return 0;
  } catch (const std::exception&) {
    return 1;
  }
}

// Multiplies matrices with up to `threads` threads; returns 0, or 1 after an error. `sizes` are the
// rows of the left matrix, its columns, and the columns of the right one.
int headwater_matmul(const int64_t* sizes, const float* left, const float* right, float* result,
                     int left_is_transposed, int right_is_transposed, int64_t threads) {
  try {
    const headwater::Matrix a = {left, sizes[0], sizes[1], left_is_transposed != 0};
    const headwater::Matrix b = {right, sizes[1], sizes[2], right_is_transposed != 0};
    headwater::multiply(a, b, result, new_threads(threads));
    return 0;
  } catch (const std::exception&) {
    return 1;
  }
}

}  // extern "C"

#pragma GCC visibility pop
