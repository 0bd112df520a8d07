#include "product.h"

#include <algorithm>
#include <oneapi/dnnl/dnnl.hpp>
#include <stdexcept>

#include "one_thread.h"

namespace headwater {
namespace {

// Products of fewer multiplications run in one thread.
constexpr double kFewMultiplications = 1 << 24;

char layout(const Matrix& matrix) { return matrix.is_transposed ? 'T' : 'N'; }

}  // namespace

void multiply(const Matrix& left, const Matrix& right, float* result, const Workers& workers) {
  const int64_t rows = left.rows, inner = left.columns, columns = right.columns;
  if (inner != right.rows) throw std::invalid_argument("the matrices do not fit together");
  const bool splits_rows = rows >= columns;
  const int64_t length = splits_rows ? rows : columns;
  const bool is_little = static_cast<double>(rows) * inner * columns < kFewMultiplications;
  const int64_t parts = is_little ? 1 : std::clamp<int64_t>(workers.threads, 1, length);
  for_each_part(parts, workers, [&](int64_t part) {
    OneThread one_thread;
    const int64_t start = length * part / parts, end = length * (part + 1) / parts;
    const float* a = splits_rows ? left.row(start) : left.data;
    const float* b = splits_rows ? right.data : right.column(start);
    float* c = result + (splits_rows ? start * columns : start);
    const dnnl::status status =
        dnnl::sgemm(layout(left), layout(right), splits_rows ? end - start : rows,
                    splits_rows ? columns : end - start, inner, 1.0f, a, left.stride(), b,
                    right.stride(), 0.0f, c, columns);
    if (status != dnnl::status::success) throw std::runtime_error("oneDNN cannot multiply them");
  });
}

}  // namespace headwater
