// Boxes in images on the host: those that overlap little, as headwater/ops/image/
// non_max_suppression.py chooses them.
#include <algorithm>
#include <cmath>
#include <queue>
#include <vector>

#include "arrays.h"

namespace headwater {
namespace {

struct Box {
  float top, left, bottom, right, area;

  explicit Box(const float* corners)
      : top(std::min(corners[0], corners[2])),
        left(std::min(corners[1], corners[3])),
        bottom(std::max(corners[0], corners[2])),
        right(std::max(corners[1], corners[3])),
        area((bottom - top) * (right - left)) {}

  // Intersection over union.
  float overlap(const Box& other) const {
    if (!(area > 0) || !(other.area > 0)) return 0;
    const float height = std::min(bottom, other.bottom) - std::max(top, other.top);
    const float width = std::min(right, other.right) - std::max(left, other.left);
    const float both = std::max(height, 0.0f) * std::max(width, 0.0f);
    return both / (area + other.area - both);
  }
};

struct Candidate {
  float score;
  int32_t index;
  bool operator<(const Candidate& other) const { return score < other.score; }
};

// suppressed(boxes, scores, count, threshold, least): the numbers of up to so many boxes by falling
// score, above the least one, without those that overlap one before by more than the threshold.
PyObject* suppressed(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  const Dense boxes(arguments[0]), scores(arguments[1]);
  const int64_t count = PyLong_AsLongLong(arguments[2]);
  const float threshold = static_cast<float>(PyFloat_AsDouble(arguments[3]));
  const double least = PyFloat_AsDouble(arguments[4]);
  if (PyErr_Occurred() || !boxes.is('f', 4) || boxes.rank() != 2 || boxes.width() != 4 ||
      !scores.is('f', 4) || scores.rank() != 1 || scores.rows() != boxes.rows() ||
      boxes.rows() > INT32_MAX) {
    PyErr_Clear();
    Py_RETURN_NONE;
  }
  const float* corners = boxes.data<const float>();
  for (int64_t i = 0; i < boxes.size(); ++i) {
    if (!std::isfinite(corners[i])) Py_RETURN_NONE;
  }
  std::vector<Box> chosen;
  std::vector<int32_t> numbers;
  {
    const Unlocked unlocked(boxes.size());
    std::priority_queue<Candidate> queue;
    const float* score = scores.data<const float>();
    for (int32_t i = 0; i < boxes.rows(); ++i) {
      if (score[i] > least) queue.push({score[i], i});
    }
    while (static_cast<int64_t>(numbers.size()) < count && !queue.empty()) {
      const int32_t index = queue.top().index;
      queue.pop();
      const Box box(corners + 4 * index);
      const auto covers = [&](const Box& other) { return box.overlap(other) > threshold; };
      if (std::none_of(chosen.rbegin(), chosen.rend(), covers)) {
        chosen.push_back(box);
        numbers.push_back(index);
      }
    }
  }
  const npy_intp size = numbers.size();
  PyObject* result = PyArray_SimpleNew(1, const_cast<npy_intp*>(&size), NPY_INT32);
  if (result != nullptr) std::copy(numbers.begin(), numbers.end(), data_of<int32_t>(result));
  return result;
}

}  // namespace

PyMethodDef box_functions[] = {
    HEADWATER_FUNCTION("suppressed", suppressed),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace headwater
