// Rows of variables updated by the formulas of optimizers. The functions return copies of the
// variables, or these themselves if they are to be overwritten, equal to those of the kernels in
// headwater/train/optimizers bit for bit, or None where rows are repeated, out of range or of a kind
// that they do not take. Then nothing has been changed.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "arrays.h"
#include "indices.h"

namespace headwater {
namespace {

// Variables of one shape, and the gradient of some of their rows.
template <size_t kVariables>
class Update {
 public:
  Update(const std::array<PyObject*, kVariables>& variables, PyObject* indices, PyObject* gradient,
         PyObject* overwrites)
      : indices_(indices), gradient_(gradient), overwrites_(PyObject_IsTrue(overwrites) == 1) {
    fits_ = gradient_.is_floating() && gradient_.rank() >= 1 && indices_.is_index_vector() &&
            indices_.rows() == gradient_.rows();
    for (size_t i = 0; i < kVariables && fits_; ++i) {
      const Dense variable(variables[i]);
      fits_ = is_like_gradient(variable) && variable.rank() == gradient_.rank() &&
              variable.width() == gradient_.width() &&
              (i == 0 || variable.rows() == first().rows()) &&
              (!overwrites_ || PyArray_ISWRITEABLE(variable.array()));
      variables_[i] = variable.array();
    }
    fits_ = fits_ && indices_.with_indices([&](auto numbers) {
      const int64_t size = indices_.rows(), count = first().rows();
      return in_range(numbers, size, count) && are_distinct(numbers, size, count);
    });
  }

  // Takes a scalar of the type of the gradient.
  bool take(PyObject* object, double* number) {
    const Dense scalar(object);
    fits_ = fits_ && is_like_gradient(scalar) && scalar.rank() == 0;
    if (fits_) {
      *number = scalar.item_bytes() == 4 ? *scalar.data<float>() : *scalar.data<double>();
    }
    return fits_;
  }

  bool fits() const { return fits_; }

  // Returns a tuple of the variables or of copies, in which `rule(rows, gradient, width)` has
  // changed each of the rows.
  template <typename Rule>
  PyObject* run(Rule rule) const {
    std::array<char*, kVariables> to;
    PyObject* results = PyTuple_New(kVariables);
    if (results == nullptr) return nullptr;
    for (size_t i = 0; i < kVariables; ++i) {
      const Dense variable(reinterpret_cast<PyObject*>(variables_[i]));
      PyObject* changed = reinterpret_cast<PyObject*>(variables_[i]);
      if (overwrites_) {
        Py_INCREF(changed);
      } else {
        changed = new_array(PyArray_DESCR(variables_[i]), variable.rank(), variable.shape());
      }
      if (changed == nullptr) {
        Py_DECREF(results);
        return nullptr;
      }
      PyTuple_SET_ITEM(results, i, changed);
      to[i] = data_of<char>(changed);
    }
    const Unlocked unlocked(overwrites_ ? gradient_.size() : first().size());
    for (size_t i = 0; i < kVariables && !overwrites_; ++i) {
      std::memcpy(to[i], PyArray_DATA(variables_[i]), PyArray_NBYTES(variables_[i]));
    }
    indices_.with_indices([&](auto numbers) {
      if (gradient_.item_bytes() == 4) {
        change<float>(to, numbers, rule);
      } else {
        change<double>(to, numbers, rule);
      }
    });
    return results;
  }

 private:
  Dense first() const { return Dense(reinterpret_cast<PyObject*>(variables_[0])); }

  bool is_like_gradient(const Dense& array) const {
    return array.is_floating() && array.item_bytes() == gradient_.item_bytes();
  }

  template <typename Value, typename Index, typename Rule>
  void change(const std::array<char*, kVariables>& to, const Index* numbers, Rule rule) const {
    const int64_t width = gradient_.width();
    const Value* gradient = gradient_.data<const Value>();
    for (int64_t i = 0; i < indices_.rows(); ++i) {
      std::array<Value*, kVariables> rows;
      for (size_t j = 0; j < kVariables; ++j) {
        rows[j] = reinterpret_cast<Value*>(to[j]) + numbers[i] * width;
      }
      rule(rows, gradient + i * width, width);
    }
  }

  std::array<PyArrayObject*, kVariables> variables_;
  Dense indices_;
  Dense gradient_;
  bool overwrites_;
  bool fits_;
};

// adagrad(var, accum, lr, grad, indices, update_slots, overwrites)
PyObject* adagrad(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  Update<2> update({arguments[0], arguments[1]}, arguments[4], arguments[3], arguments[6]);
  double rate;
  if (!update.take(arguments[2], &rate)) Py_RETURN_NONE;
  const bool adds = PyObject_IsTrue(arguments[5]) == 1;
  return update.run([=](auto rows, auto* gradient, int64_t width) {
    using Value = std::remove_pointer_t<typename decltype(rows)::value_type>;
    Value* __restrict var = rows[0];
    Value* __restrict accum = rows[1];
    const Value lr = static_cast<Value>(rate);
    for (int64_t i = 0; i < width; ++i) {
      const Value grad = gradient[i];
      if (adds) accum[i] += grad * grad;
      var[i] -= lr * grad / std::sqrt(accum[i]);
    }
  });
}

// ftrl(var, accum, linear, grad, indices, lr, l1, l2, lr_power, overwrites), where the power is
// -0.5.
PyObject* ftrl(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  Update<3> update({arguments[0], arguments[1], arguments[2]}, arguments[4], arguments[3],
                   arguments[9]);
  double rate, first, second, power;
  if (!update.take(arguments[5], &rate) || !update.take(arguments[6], &first) ||
      !update.take(arguments[7], &second) || !update.take(arguments[8], &power) || power != -0.5) {
    Py_RETURN_NONE;
  }
  return update.run([=](auto rows, auto* gradient, int64_t width) {
    using Value = std::remove_pointer_t<typename decltype(rows)::value_type>;
    Value* __restrict var = rows[0];
    Value* __restrict accum = rows[1];
    Value* __restrict linear = rows[2];
    const Value lr = static_cast<Value>(rate), l1 = static_cast<Value>(first);
    const Value twice = 2 * static_cast<Value>(second);
    for (int64_t i = 0; i < width; ++i) {
      const Value grad = gradient[i], sum = accum[i] + grad * grad;
      const Value root = std::sqrt(sum);
      const Value pull = linear[i] + grad - (root - std::sqrt(accum[i])) / lr * var[i];
      const Value sign = static_cast<Value>(pull > 0) - static_cast<Value>(pull < 0);
      const Value moved = (sign * l1 - pull) / (root / lr + twice);
      var[i] = std::abs(pull) > l1 ? moved : 0;
      accum[i] = sum;
      linear[i] = pull;
    }
  });
}

}  // namespace

PyMethodDef optimizer_functions[] = {
    HEADWATER_FUNCTION("adagrad", adagrad),
    HEADWATER_FUNCTION("ftrl", ftrl),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace headwater
