// Dense arrays of NumPy as the functions for the host see them.
#pragma once

#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL headwater_numpy
#ifndef HEADWATER_LOADS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <Python.h>
#include <numpy/arrayobject.h>

#include <cstdint>

namespace headwater {

// A contiguous array in the order of C; `is_dense` says whether an object is one.
class Dense {
 public:
  explicit Dense(PyObject* object) : array_(reinterpret_cast<PyArrayObject*>(object)) {
    is_dense_ = PyArray_CheckExact(object) && PyArray_ISCARRAY_RO(array_);
  }

  bool is_dense() const { return is_dense_; }
  bool is(char kind, int64_t bytes) const {
    return is_dense_ && PyArray_DESCR(array_)->kind == kind && item_bytes() == bytes;
  }
  bool is_index() const { return is('i', 4) || is('i', 8); }
  bool is_index_vector() const { return is_index() && rank() == 1; }
  bool is_floating() const { return is('f', 4) || is('f', 8); }
  bool holds_objects() const { return is_dense_ && PyArray_TYPE(array_) == NPY_OBJECT; }
  bool holds_numbers() const { return is_dense_ && PyTypeNum_ISNUMBER(PyArray_TYPE(array_)); }
  int rank() const { return PyArray_NDIM(array_); }
  const npy_intp* shape() const { return PyArray_DIMS(array_); }
  int64_t rows() const { return shape()[0]; }
  int64_t size() const { return PyArray_SIZE(array_); }
  int64_t item_bytes() const { return PyArray_ITEMSIZE(array_); }
  PyArrayObject* array() const { return array_; }

  // The elements of a row of an array of rank 1 or more.
  int64_t width() const {
    int64_t elements = 1;
    for (int axis = 1; axis < rank(); ++axis) elements *= shape()[axis];
    return elements;
  }

  template <typename T>
  T* data() const {
    return static_cast<T*>(PyArray_DATA(array_));
  }

  // Calls a function with the data of integers of 32 or 64 bits.
  template <typename Function>
  auto with_indices(Function function) const {
    return item_bytes() == 4 ? function(data<const int32_t>()) : function(data<const int64_t>());
  }

 private:
  PyArrayObject* array_;
  bool is_dense_;
};

// A new array of a given type; null after an error.
inline PyObject* new_array(PyArray_Descr* type, int rank, const npy_intp* shape) {
  Py_INCREF(type);
  return PyArray_NewFromDescr(&PyArray_Type, type, rank, const_cast<npy_intp*>(shape), nullptr,
                              nullptr, 0, nullptr);
}

template <typename T>
T* data_of(PyObject* array) {
  return static_cast<T*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array)));
}

// Lets other threads of Python run during long work.
class Unlocked {
 public:
  explicit Unlocked(int64_t elements) {
    if (elements > kLong) thread_ = PyEval_SaveThread();
  }
  ~Unlocked() {
    if (thread_ != nullptr) PyEval_RestoreThread(thread_);
  }

 private:
  static constexpr int64_t kLong = 1 << 15;
  PyThreadState* thread_ = nullptr;
};

// An entry of a list of functions that take their arguments as an array.
#define HEADWATER_FUNCTION(name, function) \
  {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)), METH_FASTCALL, ""}

// The functions of each file, as modules list them.
extern PyMethodDef row_functions[];
extern PyMethodDef word_functions[];
extern PyMethodDef optimizer_functions[];
extern PyMethodDef random_functions[];
extern PyMethodDef box_functions[];
extern PyMethodDef path_functions[];

}  // namespace headwater
