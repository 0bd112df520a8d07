// Arrays of byte strings on the host: encoded, compared, hashed, looked up and
// split. The functions return
// None for what they do not take; Python has other forms of the same.
#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "arrays.h"

namespace headwater {
namespace {

PyObject** objects_of(const Dense& array) { return array.data<PyObject*>(); }

std::string_view bytes_of(PyObject* word) {
  return {PyBytes_AS_STRING(word), static_cast<size_t>(PyBytes_GET_SIZE(word))};
}

// encode(texts): an array of the texts as UTF-8.
PyObject* encode(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  const Dense texts(arguments[0]);
  if (!texts.holds_objects()) Py_RETURN_NONE;
  PyObject** from = objects_of(texts);
  const int64_t size = texts.size();
  for (int64_t i = 0; i < size; ++i) {
    if (from[i] == nullptr || !PyUnicode_CheckExact(from[i])) Py_RETURN_NONE;
  }
  PyObject* result = PyArray_SimpleNew(texts.rank(), texts.shape(), NPY_OBJECT);
  if (result == nullptr) return nullptr;
  PyObject** to = data_of<PyObject*>(result);
  for (int64_t i = 0; i < size; ++i) {
    PyObject* encoded = PyUnicode_AsUTF8String(from[i]);
    if (encoded == nullptr) {
      Py_DECREF(result);
      return nullptr;
    }
    Py_XDECREF(std::exchange(to[i], encoded));
  }
  return result;
}

// differs(words, word): for each word whether it is not this one.
PyObject* differs(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  const Dense words(arguments[0]);
  if (!words.holds_objects() || !PyBytes_CheckExact(arguments[1])) Py_RETURN_NONE;
  const std::string_view other = bytes_of(arguments[1]);
  PyObject** from = objects_of(words);
  PyObject* result = PyArray_SimpleNew(words.rank(), words.shape(), NPY_BOOL);
  if (result == nullptr) return nullptr;
  uint8_t* to = data_of<uint8_t>(result);
  for (int64_t i = 0; i < words.size(); ++i) {
    if (from[i] == nullptr || !PyBytes_CheckExact(from[i])) {
      Py_DECREF(result);
      Py_RETURN_NONE;
    }
    to[i] = bytes_of(from[i]) != other;
  }
  return result;
}

template <typename Value>
bool find_all(PyObject* table, PyObject** keys, int64_t size, Value missing, Value* values) {
  for (int64_t i = 0; i < size; ++i) {
    if (keys[i] == nullptr || !PyBytes_CheckExact(keys[i])) return false;
    PyObject* found = PyDict_GetItemWithError(table, keys[i]);
    if (found != nullptr && !PyLong_CheckExact(found)) return false;
    values[i] = found == nullptr ? missing : static_cast<Value>(PyLong_AsLongLong(found));
    if (PyErr_Occurred()) return false;
  }
  return true;
}

// find(table, words, missing, bytes): the integers that a dictionary has for words, as integers of
// so many bytes.
PyObject* find(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  const Dense words(arguments[1]);
  const int64_t missing = PyLong_AsLongLong(arguments[2]);
  const int64_t bytes = PyLong_AsLongLong(arguments[3]);
  if (PyErr_Occurred() || !PyDict_Check(arguments[0]) || !words.holds_objects() ||
      (bytes != 4 && bytes != 8)) {
    PyErr_Clear();
    Py_RETURN_NONE;
  }
  const int type = bytes == 4 ? NPY_INT32 : NPY_INT64;
  PyObject* result = PyArray_SimpleNew(words.rank(), words.shape(), type);
  if (result == nullptr) return nullptr;
  PyObject** keys = objects_of(words);
  const int64_t size = words.size();
  const bool done = bytes == 4 ? find_all<int32_t>(arguments[0], keys, size, missing,
                                                   data_of<int32_t>(result))
                               : find_all<int64_t>(arguments[0], keys, size, missing,
                                                   data_of<int64_t>(result));
  if (done) return result;
  PyErr_Clear();
  Py_DECREF(result);
  Py_RETURN_NONE;
}

// FarmHash's fingerprint of up to 64 bytes; headwater/ops/strings/hashes.py has the source.
constexpr uint64_t kPrime0 = 0xC3A5C85C97CB3127u, kPrime1 = 0xB492B66FBE98F273u,
                   kPrime2 = 0x9AE16A3B2F90404Fu;
constexpr size_t kLongestWord = 64;

template <typename Word>
uint64_t word_at(const char* at) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

uint64_t long_at(const char* at) { return word_at<uint64_t>(at); }
uint64_t rotated(uint64_t value, int bits) { return value >> bits | value << (64 - bits); }
uint64_t mixed(uint64_t value) { return value ^ value >> 47; }

uint64_t hash_pair(uint64_t u, uint64_t v, uint64_t factor) {
  const uint64_t a = mixed((u ^ v) * factor);
  return mixed((v ^ a) * factor) * factor;
}

uint64_t hash_to_16(const char* data, size_t size, uint64_t factor) {
  if (size >= 8) {
    const uint64_t a = long_at(data) + kPrime2, b = long_at(data + size - 8);
    const uint64_t c = rotated(b, 37) * factor + a;
    return hash_pair(c, (rotated(a, 25) + b) * factor, factor);
  }
  if (size >= 4) {
    const uint64_t first = word_at<uint32_t>(data), last = word_at<uint32_t>(data + size - 4);
    return hash_pair(size + (first << 3), last, factor);
  }
  if (size == 0) return kPrime2;
  const auto byte = [data](size_t at) { return static_cast<uint8_t>(data[at]); };
  const uint64_t y = byte(0) + (uint64_t{byte(size >> 1)} << 8);
  const uint64_t z = size + (uint64_t{byte(size - 1)} << 2);
  return mixed(y * kPrime2 ^ z * kPrime0) * kPrime2;
}

uint64_t fingerprint(std::string_view word) {
  const char* data = word.data();
  const size_t size = word.size();
  const uint64_t factor = kPrime2 + 2 * size;
  if (size <= 16) return hash_to_16(data, size, factor);
  const uint64_t a = long_at(data) * (size <= 32 ? kPrime1 : kPrime2), b = long_at(data + 8);
  const uint64_t c = long_at(data + size - 8) * factor, d = long_at(data + size - 16) * kPrime2;
  const uint64_t y = rotated(a + b, 43) + rotated(c, 30) + d;
  const uint64_t last = a + rotated(b + kPrime2, 18) + c;
  if (size <= 32) return hash_pair(y, last, factor);
  const uint64_t z = hash_pair(y, last, factor);
  const uint64_t e = long_at(data + 16) * factor, f = long_at(data + 24);
  const uint64_t g = (y + long_at(data + size - 32)) * factor;
  const uint64_t h = (z + long_at(data + size - 24)) * factor;
  return hash_pair(rotated(e + f, 43) + rotated(g, 30) + h, e + rotated(f + a, 18) + g, factor);
}

// buckets(words, count): the remainders of the fingerprints of words.
PyObject* buckets(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  const Dense words(arguments[0]);
  const int64_t count = PyLong_AsLongLong(arguments[1]);
  if (count <= 0 || !words.holds_objects()) {
    PyErr_Clear();
    Py_RETURN_NONE;
  }
  PyObject* result = PyArray_SimpleNew(words.rank(), words.shape(), NPY_INT64);
  if (result == nullptr) return nullptr;
  PyObject** from = objects_of(words);
  int64_t* to = data_of<int64_t>(result);
  for (int64_t i = 0; i < words.size(); ++i) {
    if (from[i] == nullptr || !PyBytes_CheckExact(from[i]) ||
        bytes_of(from[i]).size() > kLongestWord) {
      Py_DECREF(result);
      Py_RETURN_NONE;
    }
    to[i] = fingerprint(bytes_of(from[i])) % static_cast<uint64_t>(count);
  }
  return result;
}

// The parts of a word between bytes that are marks.
template <typename Function>
void for_parts(std::string_view word, const bool* is_mark, bool skips_empty, Function function) {
  if (word.empty()) return;
  size_t start = 0;
  for (size_t i = 0; i <= word.size(); ++i) {
    if (i < word.size() && !is_mark[static_cast<uint8_t>(word[i])]) continue;
    if (i > start || !skips_empty) function(word.substr(start, i - start));
    start = i + 1;
  }
}

// split(words, marks, skips_empty): the parts of words between marks, which are bytes, as the index
// vectors, the values and the shape of a sparse tensor. A word of no bytes has no parts.
PyObject* split(PyObject*, PyObject* const* arguments, Py_ssize_t) {
  const Dense words(arguments[0]);
  if (!words.holds_objects() || words.rank() != 1 || !PyBytes_CheckExact(arguments[1])) {
    Py_RETURN_NONE;
  }
  bool is_mark[256] = {};
  for (const char mark : bytes_of(arguments[1])) is_mark[static_cast<uint8_t>(mark)] = true;
  const bool skips_empty = PyObject_IsTrue(arguments[2]) == 1;
  PyObject** from = objects_of(words);
  const int64_t rows = words.rows();
  npy_intp size = 0, most = 0;
  for (int64_t row = 0; row < rows; ++row) {
    if (from[row] == nullptr || !PyBytes_CheckExact(from[row])) Py_RETURN_NONE;
    npy_intp parts = 0;
    for_parts(bytes_of(from[row]), is_mark, skips_empty, [&](std::string_view) { ++parts; });
    size += parts;
    most = std::max(most, parts);
  }
  npy_intp two = 2, sizes[] = {size, 2};
  PyObject* indices = PyArray_SimpleNew(2, sizes, NPY_INT64);
  PyObject* values = PyArray_SimpleNew(1, &size, NPY_OBJECT);
  PyObject* shape = PyArray_SimpleNew(1, &two, NPY_INT64);
  bool done = indices != nullptr && values != nullptr && shape != nullptr;
  if (done) {
    int64_t* index = data_of<int64_t>(indices);
    PyObject** value = data_of<PyObject*>(values);
    data_of<int64_t>(shape)[0] = rows;
    data_of<int64_t>(shape)[1] = most;
    for (int64_t row = 0; row < rows; ++row) {
      int64_t column = 0;
      for_parts(bytes_of(from[row]), is_mark, skips_empty, [&](std::string_view part) {
        *index++ = row;
        *index++ = column++;
        PyObject* bytes = PyBytes_FromStringAndSize(part.data(), part.size());
        done = done && bytes != nullptr;
        Py_XDECREF(std::exchange(*value++, bytes));
      });
    }
  }
  if (done) return Py_BuildValue("(NNN)", indices, values, shape);
  Py_XDECREF(indices);
  Py_XDECREF(values);
  Py_XDECREF(shape);
  return PyErr_NoMemory();
}

}  // namespace

PyMethodDef word_functions[] = {
    HEADWATER_FUNCTION("encode", encode),
    HEADWATER_FUNCTION("differs", differs),
    HEADWATER_FUNCTION("find", find),
    HEADWATER_FUNCTION("buckets", buckets),
    HEADWATER_FUNCTION("split", split),
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace headwater
