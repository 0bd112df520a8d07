// The Python module `headwater.native.host`: functions of arrays on the host.
#define HEADWATER_LOADS_NUMPY
#include <initializer_list>

#include "arrays.h"

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "headwater.native.host", nullptr, -1};

PyMODINIT_FUNC PyInit_host() {
  // Returns null with an error set if NumPy is older than what this was built for.
  import_array();
  PyObject* module = PyModule_Create(&definition);
  if (module == nullptr) return nullptr;
  for (PyMethodDef* functions :
       {headwater::row_functions, headwater::word_functions, headwater::optimizer_functions,
        headwater::random_functions, headwater::box_functions, headwater::path_functions}) {
    if (PyModule_AddFunctions(module, functions) != 0) {
      Py_DECREF(module);
      return nullptr;
    }
  }
  return module;
}
