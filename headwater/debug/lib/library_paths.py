"""Which source files are of the library."""

from __future__ import annotations

import os

import headwater.base

COMPILED_SOURCE_SUFFIXES = (".pyc", ".pyo")
UNCOMPILED_SOURCE_SUFFIXES = ".py"

_LIBRARY = os.path.dirname(os.path.dirname(os.path.abspath(headwater.base.__file__)))


def norm_abs_path(file_path: str) -> str:
    """The absolute path of a file, without detours."""
    return os.path.normpath(os.path.abspath(file_path))


def is_extension_uncompiled_python_source(file_path: str) -> bool:
    """Whether a file is named as Python source."""
    return os.path.splitext(file_path)[1].lower() == UNCOMPILED_SOURCE_SUFFIXES


def is_extension_compiled_python_source(file_path: str) -> bool:
    """Whether a file is named as compiled Python."""
    return os.path.splitext(file_path)[1].lower() in COMPILED_SOURCE_SUFFIXES


def guess_is_tensorflow_py_library(py_file_path: str) -> bool:
    """Whether a file is one of the library and not of its user.

    Args:
        py_file_path: the path of a Python file; tests of the library are of a user.

    """
    if not is_extension_uncompiled_python_source(
        py_file_path
    ) and not is_extension_compiled_python_source(py_file_path):
        return False
    path = norm_abs_path(py_file_path)
    name = os.path.basename(path)
    return path.startswith(_LIBRARY + os.sep) and not name.endswith(("_test.py", "_test.pyc"))
