"""Records the parameters of the public functions of a real TensorFlow.

ORACLE/bin/python tests/golden/make_argument_specs.py, with release 1.15.5. The test of the argument
specs imports `text_of`, which makes the same text of a function on either side.
"""

import enum
import gzip
import importlib
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
# Their functions are the same objects as those without this part of the name.
SAME_ELSEWHERE = ("tf.compat.v1.", "tf.compat.v2.raw_ops.", "tf.compat.v2.compat.")
TARGET = HERE / "argument_specs-1.15.5.tsv.gz"


def text_of(spec):
    """The text of a FullArgSpec, as in "x, axis=None, *, name=None"."""
    defaults = dict(zip(spec.args[::-1], (spec.defaults or ())[::-1]))
    parts = []
    for name in spec.args:
        parts.append(f"{name}={shown(defaults[name])}" if name in defaults else name)
    if spec.varargs or spec.kwonlyargs:
        parts.append("*" + (spec.varargs or ""))
    for name in spec.kwonlyargs:
        given = spec.kwonlydefaults or {}
        parts.append(f"{name}={shown(given[name])}" if name in given else name)
    if spec.varkw:
        parts.append("**" + spec.varkw)
    return ", ".join(parts)


def shown(value):
    """The text of a default: numbers and strings in full, of other objects what they are."""
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, (tuple, list)):
        inner = ", ".join(map(shown, value))
        if isinstance(value, list):
            return f"[{inner}]"
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return repr(value)
    if type(value).__name__ == "DType":
        return value.name
    if hasattr(value, "__name__"):
        return f"<{value.__name__}>"
    return "<{}>".format(type(value).__name__.lstrip("_"))


def found(tf, name):
    """What stands under a public name, or None."""
    value = tf
    for part in name.split(".")[1:]:
        if not hasattr(value, part):
            try:
                importlib.import_module(f"{value.__name__}.{part}")
            except (AttributeError, ImportError):
                return None
        value = getattr(value, part)
    return value


def main():
    import tensorflow as tf
    from tensorflow.python.util import tf_inspect

    with gzip.open(str(HERE / "api-1.15.5.tsv.gz")) as file:
        rows = [line.split("\t") for line in file.read().decode().splitlines()]
    lines = []
    for name, kind in rows:
        if kind != "function" or name.startswith(SAME_ELSEWHERE):
            continue
        value = found(tf, name)
        try:
            spec = tf_inspect.getfullargspec(value)
        except TypeError:  # not a Python function, or no longer under this name
            continue
        lines.append(f"{name}\t{text_of(spec)}\n")
    with gzip.GzipFile(str(TARGET), "wb", mtime=0) as file:
        file.write("".join(lines).encode())


if __name__ == "__main__":
    main()
