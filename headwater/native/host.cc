// The Python module `headwater.native.host`: functions of arrays on the host.
#define HEADWATER_LOADS_NUMPY
#include "arrays.h"

static PyModuleDef definition = {PyModuleDef_HEAD_INIT, "headwater.native.host", nullptr, -1};

PyMODINIT_FUNC PyInit_host() {
  // Returns null with an error set if NumPy is older than what this was built for.
  import_array();
  PyObject* module = PyModule_Create(&definition);
  if (module == nullptr) return nullptr;
  if (PyModule_AddFunctions(module, headwater::row_functions) == 0 &&
      PyModule_AddFunctions(module, headwater::word_functions) == 0 &&
      PyModule_AddFunctions(module, headwater::optimizer_functions) == 0) {
    return module;
  }
  Py_DECREF(module);
  return nullptr;
}
