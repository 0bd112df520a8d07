// Rows of arrays on the host: picked, replaced, counted and added. The functions return None for
// arrays of a kind that they do not take and for values that are wrong: Python has other forms of
// the same, which raise the errors. What they return is equal to that bit for bit.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "arrays.h"
#include "indices.h"

namespace headwater {
namespace {

// Copies rows of so many bytes, a number that the compiler knows where it is small.
template <typename Function>
void with_row_bytes(int64_t bytes, Function function) {
  if (bytes == 4) {
    function([](char* to, const char* from) { std::memcpy(to, from, 4); });
  } else if (bytes == 8) {
    function([](char* to, const char* from) { std::memcpy(to, from, 8); });
  } else if (bytes == 32) {
    function([](char* to, const char* from) { std::memcpy(to, from, 32); });
  } else {
    function([bytes](char* to, const char* from) { std::memcpy(to, from, bytes); });
  }
}

// Calls a function with a null pointer to the type of floating-point numbers.
template <typename Function>
void with_type(const Dense& numbers, Function function) {
  if (numbers.item_bytes() == 4) {
    function(static_cast<float*>(nullptr));
  } else {
    function(static_cast<double*>(nullptr));
  }
}

// An array itself, with a new reference, or a new one like it; null after an error.
PyObject* changed_array(const Dense& array, bool overwrites) {
  PyObject* object = reinterpret_cast<PyObject*>(array.array());
  if (!overwrites) return new_array(PyArray_DESCR(array.array()), array.rank(), array.shape());
  Py_INCREF(object);
  return object;
}

// take(array, indices): the rows with these numbers.
PyObject* take(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  const Dense array(arguments[0]), indices(arguments[1]);
  if (!array.holds_numbers() || array.rank() < 1 || !indices.is_index()) {
    Py_RETURN_NONE;
  }
  const int64_t size = indices.size(), bytes = array.width() * array.item_bytes();
  const int rank = indices.rank() + array.rank() - 1;
  if (rank > 32) Py_RETURN_NONE;
  return indices.with_indices([&](auto numbers) -> PyObject* {
    if (!in_range(numbers, size, array.rows())) Py_RETURN_NONE;
    npy_intp shape[32];
    std::copy_n(indices.shape(), indices.rank(), shape);
    std::copy_n(array.shape() + 1, array.rank() - 1, shape + indices.rank());
    PyObject* result = new_array(PyArray_DESCR(array.array()), rank, shape);
    if (result == nullptr) return nullptr;
    const char* from = array.data<const char>();
    char* to = data_of<char>(result);
    const Unlocked unlocked(size * bytes);
    with_row_bytes(bytes, [&](auto copy) {
      for (int64_t i = 0; i < size; ++i) copy(to + i * bytes, from + numbers[i] * bytes);
    });
    return result;
  });
}

// put(array, indices, rows, overwrites): an array, or a copy of it, in which rows are replaced, the
// last one wins.
PyObject* put(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  const Dense array(arguments[0]), indices(arguments[1]), rows(arguments[2]);
  if (!array.holds_numbers() || array.rank() < 1 || !rows.holds_numbers() ||
      rows.rank() != array.rank() || !indices.is_index_vector() ||
      rows.rows() != indices.rows() || rows.width() != array.width() ||
      PyArray_TYPE(array.array()) != PyArray_TYPE(rows.array())) {
    Py_RETURN_NONE;
  }
  const bool overwrites = PyObject_IsTrue(arguments[3]) == 1;
  if (overwrites && !PyArray_ISWRITEABLE(array.array())) Py_RETURN_NONE;
  const int64_t size = indices.rows(), bytes = array.width() * array.item_bytes();
  return indices.with_indices([&](auto numbers) -> PyObject* {
    if (!in_range(numbers, size, array.rows())) Py_RETURN_NONE;
    PyObject* result = changed_array(array, overwrites);
    if (result == nullptr) return nullptr;
    char* to = data_of<char>(result);
    const char* from = rows.data<const char>();
    const Unlocked unlocked(overwrites ? rows.size() : array.size());
    if (!overwrites) std::memcpy(to, array.data<const char>(), array.size() * array.item_bytes());
    with_row_bytes(bytes, [&](auto copy) {
      for (int64_t i = 0; i < size; ++i) copy(to + numbers[i] * bytes, from + i * bytes);
    });
    return result;
  });
}

// add(array, indices, rows, sign, overwrites): an array of floating-point numbers, or a copy of it,
// to whose rows others are added, or from which they are subtracted if the sign is negative.
PyObject* add(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  const Dense array(arguments[0]), indices(arguments[1]), rows(arguments[2]);
  if (!array.is_floating() || array.rank() < 1 || !rows.is_floating() ||
      rows.rank() != array.rank() || !indices.is_index_vector() ||
      rows.rows() != indices.rows() || rows.width() != array.width() ||
      rows.item_bytes() != array.item_bytes()) {
    Py_RETURN_NONE;
  }
  const bool subtracts = PyLong_AsLong(arguments[3]) < 0;
  const bool overwrites = PyObject_IsTrue(arguments[4]) == 1;
  if (overwrites && !PyArray_ISWRITEABLE(array.array())) Py_RETURN_NONE;
  const int64_t size = indices.rows(), width = array.width();
  return indices.with_indices([&](auto numbers) -> PyObject* {
    if (!in_range(numbers, size, array.rows())) Py_RETURN_NONE;
    PyObject* result = changed_array(array, overwrites);
    if (result == nullptr) return nullptr;
    const Unlocked unlocked(overwrites ? rows.size() : array.size());
    with_type(array, [&](auto* type) {
      using Value = std::remove_pointer_t<decltype(type)>;
      Value* to = data_of<Value>(result);
      if (!overwrites) std::copy_n(array.data<const Value>(), array.size(), to);
      const Value* from = rows.data<const Value>();
      for (int64_t i = 0; i < size; ++i, from += width) {
        Value* __restrict row = to + numbers[i] * width;
        for (int64_t j = 0; j < width; ++j) row[j] += subtracts ? -from[j] : from[j];
      }
    });
    return result;
  });
}

// in_range(indices, count): whether they are in [0, count).
PyObject* all_in_range(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  const Dense indices(arguments[0]);
  const int64_t count = PyLong_AsLongLong(arguments[1]);
  if (count < 0 || !indices.is_index()) {
    PyErr_Clear();
    Py_RETURN_NONE;
  }
  return indices.with_indices(
      [&](auto numbers) { return PyBool_FromLong(in_range(numbers, indices.size(), count)); });
}

// are_distinct(indices, count): whether they are in [0, count) and none is repeated.
PyObject* distinct(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  const Dense indices(arguments[0]);
  const int64_t count = PyLong_AsLongLong(arguments[1]);
  if (count < 0 || !indices.is_index_vector()) {
    PyErr_Clear();
    Py_RETURN_NONE;
  }
  return indices.with_indices([&](auto numbers) {
    const int64_t size = indices.rows();
    return PyBool_FromLong(in_range(numbers, size, count) && are_distinct(numbers, size, count));
  });
}

// has_all_rows(indices, count): whether the first numbers of the rows of a matrix increase from 0
// to count - 1 and leave none out.
PyObject* has_all_rows(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  const Dense indices(arguments[0]);
  const int64_t count = PyLong_AsLongLong(arguments[1]);
  if (count < 0 || !indices.is('i', 8) || indices.rank() != 2) {
    PyErr_Clear();
    Py_RETURN_NONE;
  }
  const int64_t* numbers = indices.data<const int64_t>();
  int64_t row = -1;
  for (int64_t i = 0; i < indices.rows(); ++i) {
    const int64_t next = numbers[i * indices.shape()[1]];
    if (next != row && next != row + 1) Py_RETURN_FALSE;
    row = next;
  }
  return PyBool_FromLong(row == count - 1);
}

// The positions of the true elements of a mask, as rows of a matrix.
PyObject* positions(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  const Dense mask(arguments[0]);
  if (!mask.is('b', 1) || mask.rank() < 1) Py_RETURN_NONE;
  const uint8_t* flags = mask.data<const uint8_t>();
  const int64_t size = mask.size();
  const int rank = mask.rank();
  npy_intp shape[2] = {0, rank};
  for (int64_t i = 0; i < size; ++i) shape[0] += flags[i] != 0;
  PyObject* result = PyArray_SimpleNew(2, shape, NPY_INT64);
  if (result == nullptr) return nullptr;
  int64_t* to = data_of<int64_t>(result);
  const Unlocked unlocked(size);
  for (int64_t i = 0; i < size; ++i) {
    if (!flags[i]) continue;
    int64_t rest = i;
    for (int axis = rank - 1; axis > 0; --axis) {
      // Most masks of several axes are columns, and dividing takes long.
      const int64_t length = mask.shape()[axis];
      to[axis] = length == 1 ? 0 : rest % length;
      if (length != 1) rest /= length;
    }
    to[0] = rest;
    to += rank;
  }
  return result;
}

// Numbers values in the order in which they appear: those of a small range in a table, others by
// their hashes.
class Numbering {
 public:
  template <typename Value>
  Numbering(const Value* values, int64_t size) {
    const auto [low, high] = std::minmax_element(values, values + size);
    low_ = *low;
    const uint64_t range = static_cast<uint64_t>(*high) - static_cast<uint64_t>(low_);
    is_direct_ = range < static_cast<uint64_t>(kRange * size + 1024);
    int bits = 4;
    while ((int64_t{1} << bits) < 2 * size) ++bits;
    shift_ = 64 - bits;
    table_.assign(is_direct_ ? range + 1 : uint64_t{1} << bits, -1);
  }

  // The number of a value, of which `count` different ones were there before, `found`.
  template <typename Value>
  int32_t operator()(Value value, const Value* found, int32_t count) {
    uint64_t place = static_cast<uint64_t>(value) - static_cast<uint64_t>(low_);
    if (!is_direct_) {
      place = place * 0x9E3779B97F4A7C15u >> shift_;
      while (table_[place] >= 0 && found[table_[place]] != value) {
        place = (place + 1) % table_.size();
      }
    }
    if (table_[place] < 0) table_[place] = count;
    return table_[place];
  }

 private:
  static constexpr int64_t kRange = 16;
  int64_t low_;
  bool is_direct_;
  int shift_;
  std::vector<int32_t> table_;
};

template <typename Value>
int64_t number_all(const Value* values, int64_t size, Value* found, int32_t* numbers) {
  if (size == 0) return 0;
  Numbering number_of(values, size);
  int32_t count = 0;
  for (int64_t i = 0; i < size; ++i) {
    numbers[i] = number_of(values[i], found, count);
    if (numbers[i] == count) found[count++] = values[i];
  }
  return count;
}

// unique(values, bytes): the different integers of a vector in the order in which they appear, and
// for each element the number of its value, in integers of so many bytes.
PyObject* unique(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  const Dense values(arguments[0]);
  const int64_t bytes = PyLong_AsLongLong(arguments[1]);
  if (!values.is_index_vector() || values.rows() > INT32_MAX || (bytes != 4 && bytes != 8)) {
    PyErr_Clear();
    Py_RETURN_NONE;
  }
  npy_intp size = values.rows();
  std::vector<int32_t> numbers(size);
  std::vector<int64_t> found(size);
  npy_intp count = 0;
  {
    const Unlocked unlocked(size);
    if (values.item_bytes() == 4) {
      count = number_all(values.data<int32_t>(), size, reinterpret_cast<int32_t*>(found.data()),
                         numbers.data());
    } else {
      count = number_all(values.data<int64_t>(), size, found.data(), numbers.data());
    }
  }
  PyObject* first = new_array(PyArray_DESCR(values.array()), 1, &count);
  PyObject* second = PyArray_SimpleNew(1, &size, bytes == 4 ? NPY_INT32 : NPY_INT64);
  if (first == nullptr || second == nullptr) {
    Py_XDECREF(first);
    Py_XDECREF(second);
    return nullptr;
  }
  std::memcpy(data_of<char>(first), found.data(), count * values.item_bytes());
  if (bytes == 4) {
    std::copy(numbers.begin(), numbers.end(), data_of<int32_t>(second));
  } else {
    std::copy(numbers.begin(), numbers.end(), data_of<int64_t>(second));
  }
  return Py_BuildValue("(NN)", first, second);
}

// An array of zeros of the type of `like`, with `rows` rows of its width.
PyObject* zero_rows(const Dense& like, int64_t rows) {
  npy_intp shape[32] = {rows};
  if (like.rank() > 32) return nullptr;
  std::copy_n(like.shape() + 1, like.rank() - 1, shape + 1);
  PyArray_Descr* type = PyArray_DESCR(like.array());
  Py_INCREF(type);
  return PyArray_Zeros(like.rank(), shape, type, 0);
}

template <typename Value>
void add_row(Value* to, const Value* from, int64_t width) {
  for (int64_t i = 0; i < width; ++i) to[i] += from[i];
}

// sum(rows, ids, count): the sums of the rows of each segment; those of negative segments are left
// out.
PyObject* sum(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  const Dense rows(arguments[0]), ids(arguments[1]);
  const int64_t count = PyLong_AsLongLong(arguments[2]);
  if (count < 0 || !rows.is_floating() || rows.rank() < 1 || !ids.is_index_vector() ||
      ids.rows() != rows.rows()) {
    PyErr_Clear();
    Py_RETURN_NONE;
  }
  const int64_t size = ids.rows(), width = rows.width();
  return ids.with_indices([&](auto segments) -> PyObject* {
    if (is_range(segments, size, count)) return Py_NewRef(arguments[0]);
    for (int64_t i = 0; i < size; ++i) {
      if (segments[i] >= count) Py_RETURN_NONE;
    }
    PyObject* result = zero_rows(rows, count);
    if (result == nullptr) return nullptr;
    const Unlocked unlocked(rows.size());
    with_type(rows, [&](auto* type) {
      using Value = std::remove_pointer_t<decltype(type)>;
      const Value* from = rows.data<const Value>();
      Value* to = data_of<Value>(result);
      for (int64_t i = 0; i < size; ++i) {
        if (segments[i] >= 0) add_row(to + segments[i] * width, from + i * width, width);
      }
    });
    return result;
  });
}

enum Divisor { kNone = 0, kCount = 1, kRoot = 2 };

template <typename Value>
Value weight(int64_t count, int64_t divisor) {
  const double rows = static_cast<double>(std::max<int64_t>(count, 1));
  return static_cast<Value>(1 / (divisor == kRoot ? std::sqrt(rows) : rows));
}

// sum_picked(data, indices, ids, count, divisor): the rows of `data` with these numbers, added up
// by segments. The ids are sorted; `count` is one more than the last if it is negative. The
// divisors are 0 for 1, 1 for the rows of the segment, and 2 for the root of their number.
PyObject* sum_picked(PyObject* module, PyObject* const* arguments, Py_ssize_t) {
  const Dense data(arguments[0]), indices(arguments[1]), ids(arguments[2]);
  int64_t count = PyLong_AsLongLong(arguments[3]);
  const int64_t divisor = PyLong_AsLongLong(arguments[4]);
  if (PyErr_Occurred() || !data.is_floating() || data.rank() < 1 || !indices.is_index_vector() ||
      !ids.is('i', 4) || ids.rank() != 1 || ids.rows() != indices.rows()) {
    PyErr_Clear();
    Py_RETURN_NONE;
  }
  const int32_t* segments = ids.data<const int32_t>();
  const int64_t size = ids.rows(), width = data.width();
  const int64_t end = size == 0 ? 0 : int64_t{segments[size - 1]} + 1;
  if (count < 0) count = end;
  if (end > count || !is_sorted(segments, size) || (size != 0 && segments[0] < 0)) Py_RETURN_NONE;
  if (is_range(segments, size, count)) return take(module, arguments, 2);
  return indices.with_indices([&](auto numbers) -> PyObject* {
    if (!in_range(numbers, size, data.rows())) Py_RETURN_NONE;
    PyObject* result = zero_rows(data, count);
    if (result == nullptr) return nullptr;
    const Unlocked unlocked(size * width);
    with_type(data, [&](auto* type) {
      using Value = std::remove_pointer_t<decltype(type)>;
      const Value* from = data.data<const Value>();
      Value* to = data_of<Value>(result);
      for (int64_t first = 0, last; first < size; first = last) {
        Value* row = to + segments[first] * width;
        for (last = first; last < size && segments[last] == segments[first]; ++last) {
          add_row(row, from + numbers[last] * width, width);
        }
        if (divisor != kNone) {
          const Value factor = weight<Value>(last - first, divisor);
          for (int64_t i = 0; i < width; ++i) row[i] *= factor;
        }
      }
    });
    return result;
  });
}

// spread(grad, indices, ids, rows, divisor): the gradient of `sum_picked` with a divisor.
PyObject* spread(PyObject* module, PyObject* const* arguments, Py_ssize_t) {
  const Dense grad(arguments[0]), indices(arguments[1]), ids(arguments[2]);
  const int64_t rows = PyLong_AsLongLong(arguments[3]);
  const int64_t divisor = PyLong_AsLongLong(arguments[4]);
  if (PyErr_Occurred() || rows < 0 || !grad.is_floating() || grad.rank() < 1 ||
      !indices.is_index_vector() || !ids.is('i', 4) || ids.rank() != 1 ||
      ids.rows() != indices.rows()) {
    PyErr_Clear();
    Py_RETURN_NONE;
  }
  const int32_t* segments = ids.data<const int32_t>();
  const int64_t size = ids.rows(), width = grad.width(), count = grad.rows();
  if (!in_range(segments, size, count)) Py_RETURN_NONE;
  if (is_range(segments, size, count)) {
    PyObject* const given[] = {arguments[0], arguments[1], arguments[3]};
    return indices.with_indices([&](auto numbers) -> PyObject* {
      if (!in_range(numbers, size, rows)) Py_RETURN_NONE;
      return sum(module, given, 3);
    });
  }
  return indices.with_indices([&](auto numbers) -> PyObject* {
    if (!in_range(numbers, size, rows)) Py_RETURN_NONE;
    PyObject* result = zero_rows(grad, rows);
    if (result == nullptr) return nullptr;
    const Unlocked unlocked(size * width);
    const bool is_copied = is_range(numbers, size, rows);
    std::vector<int32_t> counts(count);
    for (int64_t i = 0; i < size; ++i) ++counts[segments[i]];
    with_type(grad, [&](auto* type) {
      using Value = std::remove_pointer_t<decltype(type)>;
      const Value* from = grad.data<const Value>();
      Value* to = data_of<Value>(result);
      for (int64_t i = 0; i < size; ++i) {
        const Value factor = weight<Value>(counts[segments[i]], divisor);
        const Value* source = from + segments[i] * width;
        Value* row = to + numbers[i] * width;
        for (int64_t j = 0; j < width; ++j) {
          const Value part = source[j] * factor;
          // Zero plus a negative zero would be zero.
          row[j] = is_copied ? part : row[j] + part;
        }
      }
    });
    return result;
  });
}

// accidental_hits(classes, sampled): where the classes of rows are among the sampled ones: the
// rows, and the places of the sampled ones, the last of equal ones.
PyObject* accidental_hits(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  const Dense classes(arguments[0]), sampled(arguments[1]);
  if (!classes.is('i', 8) || classes.rank() != 2 || !sampled.is('i', 8) || sampled.rank() != 1 ||
      sampled.rows() == 0 || sampled.rows() > INT32_MAX || classes.rows() > INT32_MAX) {
    Py_RETURN_NONE;
  }
  const int64_t* of_rows = classes.data<const int64_t>();
  const int64_t* candidates = sampled.data<const int64_t>();
  const int64_t columns = classes.shape()[1];
  std::unordered_map<int64_t, int64_t> places;
  places.reserve(sampled.rows());
  for (int64_t i = 0; i < sampled.rows(); ++i) places[candidates[i]] = i;
  std::vector<int32_t> rows;
  std::vector<int64_t> found;
  for (int64_t i = 0; i < classes.size(); ++i) {
    const auto place = places.find(of_rows[i]);
    if (place == places.end()) continue;
    rows.push_back(i / columns);
    found.push_back(place->second);
  }
  npy_intp size = rows.size();
  PyObject* first = PyArray_SimpleNew(1, &size, NPY_INT32);
  PyObject* second = PyArray_SimpleNew(1, &size, NPY_INT64);
  if (first == nullptr || second == nullptr) {
    Py_XDECREF(first);
    Py_XDECREF(second);
    return nullptr;
  }
  std::copy(rows.begin(), rows.end(), data_of<int32_t>(first));
  std::copy(found.begin(), found.end(), data_of<int64_t>(second));
  return Py_BuildValue("(NN)", first, second);
}

// The places in a dense array of index vectors, which are in range, and each after the last one if
// `are_ordered`; false otherwise.
template <typename Index>
bool find_places(const Index* indices, int64_t count, const std::vector<int64_t>& shape,
                 bool are_ordered, int64_t* places) {
  const int64_t rank = shape.size();
  for (int64_t i = 0; i < count; ++i) {
    int64_t place = 0;
    for (int64_t axis = 0; axis < rank; ++axis) {
      const int64_t index = indices[i * rank + axis];
      if (index < 0 || index >= shape[axis]) return false;
      place = place * shape[axis] + index;
    }
    if (are_ordered && i > 0 && place <= places[i - 1]) return false;
    places[i] = place;
  }
  return true;
}

constexpr double kMostElements = 1e12;

// to_dense(indices, shape, values, default, are_ordered): an array with values at index vectors.
PyObject* to_dense(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  const Dense indices(arguments[0]), shape(arguments[1]), values(arguments[2]), rest(arguments[3]);
  if (!indices.is_index() || indices.rank() != 2 || !shape.is_index_vector() ||
      shape.rows() != indices.shape()[1] || shape.rows() < 1 || shape.rows() > 8 ||
      !values.holds_numbers() || !rest.holds_numbers() || rest.rank() != 0 || values.rank() > 1 ||
      PyArray_TYPE(values.array()) != PyArray_TYPE(rest.array()) ||
      (values.rank() == 1 && values.rows() != indices.rows())) {
    Py_RETURN_NONE;
  }
  std::vector<int64_t> lengths(shape.rows());
  shape.with_indices([&](auto numbers) { std::copy_n(numbers, shape.rows(), lengths.begin()); });
  double elements = 1;
  for (int64_t length : lengths) {
    elements *= std::max<int64_t>(length, 1);
    if (length < 0 || elements > kMostElements) Py_RETURN_NONE;
  }
  const std::vector<npy_intp> dims(lengths.begin(), lengths.end());
  const int64_t count = indices.rows(), bytes = values.item_bytes();
  std::vector<int64_t> places(count);
  const bool are_ordered = PyObject_IsTrue(arguments[4]) == 1;
  if (!indices.with_indices([&](auto numbers) {
        return find_places(numbers, count, lengths, are_ordered, places.data());
      })) {
    Py_RETURN_NONE;
  }
  PyObject* result = new_array(PyArray_DESCR(values.array()), dims.size(), dims.data());
  if (result == nullptr || PyArray_FillWithScalar(reinterpret_cast<PyArrayObject*>(result),
                                                  arguments[3]) < 0) {
    Py_XDECREF(result);
    return nullptr;
  }
  char* to = data_of<char>(result);
  const char* from = values.data<const char>();
  const int64_t step = values.rank() == 1 ? bytes : 0;
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to + places[i] * bytes, from + i * step, bytes);
  }
  return result;
}

}  // namespace

PyMethodDef row_functions[] = {
    HEADWATER_FUNCTION("take", take),
    HEADWATER_FUNCTION("put", put),
    HEADWATER_FUNCTION("add", add),
    HEADWATER_FUNCTION("in_range", all_in_range),
    HEADWATER_FUNCTION("are_distinct", distinct),
    HEADWATER_FUNCTION("has_all_rows", has_all_rows),
    HEADWATER_FUNCTION("positions", positions),
    HEADWATER_FUNCTION("unique", unique),
    HEADWATER_FUNCTION("sum", sum),
    HEADWATER_FUNCTION("sum_picked", sum_picked),
    HEADWATER_FUNCTION("spread", spread),
    HEADWATER_FUNCTION("accidental_hits", accidental_hits),
    HEADWATER_FUNCTION("to_dense", to_dense),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace headwater
