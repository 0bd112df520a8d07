"""Runs cases of TensorFlow 1.x code and returns what they print or raise.

A case file is a Python file cut into cases by lines ``# case: title``; code before the first one
belongs to each. Each case runs in a fresh
default graph with `tf`, `np` and `show` (prints graph elements and arrays in one form). What it
prints is its outcome; an exception ends it with a line ``raises Class: first line of the text``.
The file works in every Python from 3.6 on, so that a real TensorFlow can run the same cases.
"""

import contextlib
import io
import re

import numpy as np


def cases_of(text):
    """The cases of a file as {title: code}, in order; what stands before the first is in each."""
    start, *parts = re.split(r"^# case: (.+)\n", text, flags=re.MULTILINE)
    return {title: start + code for title, code in zip(parts[::2], parts[1::2])}


def shown(value):
    """A string for a value, independent of the release of NumPy and Python."""
    if value is None or isinstance(value, (bool, np.bool_)):
        return str(value)
    if isinstance(value, (str, bytes)):
        return repr(value)
    if isinstance(value, dict):
        return "{%s}" % ", ".join("%s: %s" % (k, shown(v)) for k, v in value.items())
    if isinstance(value, (list, tuple)):
        name = type(value).__name__ if hasattr(value, "_fields") else ""
        brackets = "[%s]" if isinstance(value, list) else "(%s)"
        return name + brackets % ", ".join(shown(v) for v in value)
    if hasattr(value, "get_shape") and hasattr(value, "op") and hasattr(value, "dtype"):
        return "<%s %s %s %s>" % (value.op.type, value.name, value.dtype.name, value.get_shape())
    if hasattr(value, "node_def") and hasattr(value, "control_inputs"):
        inputs = [t.name for t in value.inputs] + sorted("^" + c.name for c in value.control_inputs)
        return "%s = %s(%s)" % (value.name, value.type, ", ".join(inputs))
    if isinstance(value, (np.ndarray, np.generic)):
        return "%s%s %s" % (value.dtype.name, list(value.shape), numbers(value))
    if isinstance(value, float):
        return "%.6g" % value
    return str(value)


def numbers(array):
    """The elements of an array, rounded to what releases and tiers agree on."""
    if array.dtype.kind in "OSU":
        return str(array.tolist())
    if array.dtype.kind == "c":
        flat = ["%.5g%+.5gj" % (v.real, v.imag) for v in np.ravel(array).tolist()]
    elif array.dtype.kind == "f":
        flat = ["%.5g" % (v + 0.0) for v in np.ravel(array).tolist()]
    else:
        flat = [str(v) for v in np.ravel(array).tolist()]
    return "[%s]" % " ".join(flat)


def outcome(tf, code, title):
    """What a case prints and raises."""
    printed = io.StringIO()

    def show(*values):
        print(*[shown(v) for v in values])

    def nodes(graph=None, start=0):
        for op in (graph or tf.get_default_graph()).get_operations()[start:]:
            print(shown(op))

    tf.reset_default_graph()
    names = {"tf": tf, "np": np, "show": show, "nodes": nodes, "__name__": "case"}
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(code, "<case %s>" % title, "exec"), names)
        except Exception as error:
            lines = str(error).strip().splitlines() or [""]
            print("raises %s: %s" % (type(error).__name__, plain(lines[0])))
    return printed.getvalue()


def plain(line):
    """An error text without addresses and module paths, which differ between installations."""
    line = re.sub(r"0x[0-9a-f]+", "0x", line)
    return re.sub(r"\b(?:tensorflow|tensorflow_core|headwater)\.[\w.]+\.(\w+)", r"\1", line)
