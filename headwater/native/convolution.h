// Two-dimensional convolutions and their gradients over oneDNN.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "workers.h"

namespace headwater {

enum class Direction : int64_t { kForward = 0, kInput = 1, kFilter = 2 };

// A window that slides along one axis; `dilation` is 1 for neighbouring elements.
struct Axis {
  int64_t size, window, stride, dilation, low, out;

  // The padding behind the axis, negative where the last windows end before it.
  int64_t high() const {
    return (out - 1) * stride + (window - 1) * dilation + 1 - low - size;
  }
};

// One convolution: images [batch, rows, columns, channels], filters [window..., channels / groups,
// outputs], results [batch, out..., outputs], all dense float32.
struct Problem {
  static constexpr size_t kNumbers = 17;
  using Numbers = std::array<int64_t, kNumbers>;

  explicit Problem(const Numbers& numbers);

  // What the direction takes and gives, in elements.
  int64_t first_elements() const;
  int64_t second_elements() const;
  int64_t result_elements() const;

  int64_t images() const { return batch * rows.size * columns.size * channels; }
  int64_t filters() const { return rows.window * columns.window * (channels / groups) * outputs; }
  int64_t results() const { return batch * rows.out * columns.out * outputs; }

  Numbers numbers;  // what the problem was made of; its key
  Direction direction;
  int64_t groups, batch, channels, outputs;
  Axis rows, columns;
};

// Whether oneDNN has generated code for the problem on this CPU, not only its plain loops.
bool is_fast(const Problem& problem);

// Computes the direction of the problem: (images, filters) -> results, (filters, results) ->
// images or (images, results) -> filters. Throws dnnl::error and std::exception.
void convolve(const Problem& problem, const float* first, const float* second, float* result,
              const Workers& workers);

}  // namespace headwater
