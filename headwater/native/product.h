// Products of float32 matrices over oneDNN.
#pragma once

#include <cstdint>

#include "workers.h"

namespace headwater {

// A dense matrix of float32: its rows follow each other, or its columns if it is transposed.
struct Matrix {
  const float* data;
  int64_t rows, columns;
  bool is_transposed;

  // From one row to the next, or from one column to the next.
  int64_t stride() const { return is_transposed ? rows : columns; }
  const float* row(int64_t i) const { return data + (is_transposed ? i : i * columns); }
  const float* column(int64_t i) const { return data + (is_transposed ? i * rows : i); }
};

// Writes the product of two matrices, row by row. Throws std::exception.
void multiply(const Matrix& left, const Matrix& right, float* result, const Workers& workers);

}  // namespace headwater
