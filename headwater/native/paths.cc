// Paths of connectionist temporal classification on the host, in log space: equal to what
// headwater/ops/nn/ctc_paths.py computes up to rounding.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "arrays.h"

namespace headwater {
namespace {

template <typename Value>
Value log_sum(Value a, Value b, Value c) {
  constexpr Value never = -std::numeric_limits<Value>::infinity();
  if (a < b) std::swap(a, b);
  if (a < c) std::swap(a, c);
  if (b == never && c == never) return a;
  Value rest = 0;
  if (b != never) rest += std::exp(b - a);
  if (c != never) rest += std::exp(c - a);
  return a + std::log(1 + rest);
}

// One row of a batch: its labels with a blank before, between and after them are the states.
template <typename Value>
class Row {
 public:
  Row(const int32_t* labels, int64_t count, int64_t times, int32_t blank, bool merges)
      : states_(2 * count + 1, blank), times_(times), stays_(states_.size()),
        skips_(states_.size()), forward_(times * states_.size()), backward_(states_.size()) {
    for (int64_t i = 0; i < count; ++i) states_[2 * i + 1] = labels[i];
    for (size_t s = 0; s < states_.size(); ++s) {
      const bool is_blank = states_[s] == blank;
      stays_[s] = is_blank || merges ? 0 : kNever;
      const bool is_barred = is_blank || s < 2 || (merges && states_[s] == states_[s - 2]);
      skips_[s] = is_barred ? kNever : 0;
    }
  }

  // Adds the expected uses of classes to `uses`, and returns the log probability of the labels.
  // Probabilities and uses of following times are `stride` apart.
  Value run(const Value* probabilities, Value* uses, int64_t stride) {
    if (times_ == 0) return kNever;
    std::vector<Value> found(states_.size()), following(states_.size()), ahead(states_.size());
    reach_forward(probabilities, stride, &found);
    const int64_t size = states_.size();
    for (int64_t s = 0; s < size; ++s) backward_[s] = s >= size - 2 ? 0 : kNever;
    // The probability is the same at all times; that of the last one is known first.
    const Value total = total_of(forward_.data() + (times_ - 1) * size);
    for (int64_t time = times_ - 1; total != kNever; --time) {
      const Value* reached = forward_.data() + time * size;
      for (int64_t s = 0; s < size; ++s) {
        const Value both = reached[s] + backward_[s];
        if (both != kNever) uses[time * stride + states_[s]] += std::exp(both - total);
      }
      if (time == 0) break;
      take_logs(probabilities + time * stride, &following);
      for (int64_t s = 0; s < size; ++s) ahead[s] = backward_[s] + following[s];
      for (int64_t s = 0; s < size; ++s) {
        backward_[s] = log_sum(ahead[s] + stays_[s], s + 1 < size ? ahead[s + 1] : kNever,
                               s + 2 < size ? ahead[s + 2] + skips_[s + 2] : kNever);
      }
    }
    return total;
  }

 private:
  static constexpr Value kNever = -std::numeric_limits<Value>::infinity();

  void take_logs(const Value* probabilities, std::vector<Value>* logs) const {
    // All blanks are one class.
    const Value blank = std::log(probabilities[states_[0]]);
    for (size_t s = 0; s < states_.size(); ++s) {
      (*logs)[s] = s % 2 ? std::log(probabilities[states_[s]]) : blank;
    }
  }

  void reach_forward(const Value* probabilities, int64_t stride, std::vector<Value>* found) {
    const int64_t size = states_.size();
    for (int64_t time = 0; time < times_; ++time) {
      take_logs(probabilities + time * stride, found);
      Value* now = forward_.data() + time * size;
      const Value* before = now - size;
      for (int64_t s = 0; s < size; ++s) {
        if (time == 0) {
          now[s] = s < 2 ? (*found)[s] : kNever;
        } else {
          now[s] = (*found)[s] + log_sum(before[s] + stays_[s], s >= 1 ? before[s - 1] : kNever,
                                         s >= 2 ? before[s - 2] + skips_[s] : kNever);
        }
      }
    }
  }

  Value total_of(const Value* reached) const {
    const int64_t size = states_.size();
    return log_sum(reached[size - 1], size > 1 ? reached[size - 2] : kNever, kNever);
  }

  std::vector<int32_t> states_;
  int64_t times_;
  std::vector<Value> stays_, skips_, forward_, backward_;
};

template <typename Value>
void run_rows(const Dense& probabilities, const Dense& labels, const Dense& lengths,
              const Dense& times, bool merges, PyObject* known, PyObject* uses) {
  const int64_t rows = labels.rows(), most = labels.width();
  const int64_t classes = probabilities.shape()[2], stride = rows * classes;
  std::fill_n(data_of<Value>(uses), probabilities.size(), Value{0});
  for (int64_t row = 0; row < rows; ++row) {
    Row<Value> one(labels.data<const int32_t>() + row * most, lengths.data<const int32_t>()[row],
                   times.data<const int32_t>()[row], classes - 1, merges);
    const int64_t first = row * classes;
    data_of<Value>(known)[row] = one.run(probabilities.data<const Value>() + first,
                                         data_of<Value>(uses) + first, stride);
  }
}

// label_paths(probabilities, labels, lengths, times, merges): the log probabilities of the labels of
// rows, and the expected uses of classes; see `label_probabilities` in ctc_paths.py.
PyObject* label_paths(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  const Dense probabilities(arguments[0]), labels(arguments[1]), lengths(arguments[2]),
      times(arguments[3]);
  if (!probabilities.is_floating() || probabilities.rank() != 3 || !labels.is('i', 4) ||
      labels.rank() != 2 || !lengths.is('i', 4) || lengths.rank() != 1 || !times.is('i', 4) ||
      times.rank() != 1 || probabilities.shape()[1] != labels.rows() ||
      lengths.rows() != labels.rows() || times.rows() != labels.rows()) {
    Py_RETURN_NONE;
  }
  const int64_t classes = probabilities.shape()[2];
  for (int64_t row = 0; row < labels.rows(); ++row) {
    const int32_t length = lengths.data<const int32_t>()[row];
    const int32_t count = times.data<const int32_t>()[row];
    if (length < 0 || length > labels.width() || count < 0 || count > probabilities.rows()) {
      Py_RETURN_NONE;
    }
  }
  for (int64_t i = 0; i < probabilities.size(); ++i) {
    const bool is_number = probabilities.item_bytes() == 4
                               ? std::isfinite(probabilities.data<const float>()[i])
                               : std::isfinite(probabilities.data<const double>()[i]);
    if (!is_number) Py_RETURN_NONE;
  }
  const int32_t* label = labels.data<const int32_t>();
  const auto is_class = [classes](int32_t value) { return value >= 0 && value < classes; };
  if (classes == 0 || !std::all_of(label, label + labels.size(), is_class)) Py_RETURN_NONE;
  PyArray_Descr* type = PyArray_DESCR(probabilities.array());
  PyObject* known = new_array(type, 1, labels.shape());
  PyObject* uses = new_array(type, 3, probabilities.shape());
  if (known == nullptr || uses == nullptr) {
    Py_XDECREF(known);
    Py_XDECREF(uses);
    return nullptr;
  }
  const bool merges = PyObject_IsTrue(arguments[4]) == 1;
  {
    const Unlocked unlocked(probabilities.rows() * labels.size());
    if (probabilities.item_bytes() == 4) {
      run_rows<float>(probabilities, labels, lengths, times, merges, known, uses);
    } else {
      run_rows<double>(probabilities, labels, lengths, times, merges, known, uses);
    }
  }
  return Py_BuildValue("(NN)", known, uses);
}

}  // namespace

PyMethodDef path_functions[] = {
    HEADWATER_FUNCTION("label_paths", label_paths),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace headwater
