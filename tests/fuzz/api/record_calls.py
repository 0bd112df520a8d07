"""Records valid calls of public functions while tests run; they are what the fuzzer mutates.

    python tests/fuzz/api/record_calls.py [test folder ...]

writes `calls.tsv`: the name of a function, class or method, and a call of it as source text, which
runs under TensorFlow 1.15.5 too. Functions that no test calls get arguments by their names.
"""

from __future__ import annotations

import ast
import collections
import inspect
import math
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import headwater as tf
from headwater.base import namespace
from headwater.base.export import EXPORTS, LazyExport
from headwater.graph.registry import Sample, records

HERE = Path(__file__).parent
TESTS = HERE.parent.parent
TARGET = HERE / "calls.tsv"
FOLDERS = ["differential", "test_docstring_examples.py", "model", "contrib", "train", "graph"]

# Calls of one function that differ.
_MOST_CALLS = 2
_LONGEST = 300
_MOST_ELEMENTS = 12
_MOST_OBJECTS = 5000
# They end the process, wait for a user, or change what other calls of the process see.
LEFT_OUT = re.compile(
    r"(app|flags|logging|test|resource_loader|sysconfig|contrib\.learn\.datasets|contrib\.staging"
    r"|debugging\.(enable|disable)_|config)\.|raw_ops\.Abort$"
    r"|.*(disable|enable)_(v2|eager|resource|tensor_eq|control_flow|mixed)|install$|.*load_op_lib"
)


# What is not made by calling its class.
_MADE_OTHERWISE = {tf.DType, tf.Graph, tf.Operation, tf.Tensor, tf.TensorShape}


class CannotRender(Exception):
    """A value that source text cannot describe."""


class Recorder:
    """A plugin of pytest that notes calls of public functions.

    Attributes:
        calls: the calls of each public name, as source text.
    """

    def __init__(self) -> None:
        self.calls: dict[str, list[str]] = collections.defaultdict(list)
        self._objects: dict[int, tuple[Any, str]] = {}
        self._functions: dict[Any, list[str]] = collections.defaultdict(list)
        self._methods: dict[Any, str] = {}
        self._classes: dict[type, str] = {}
        self._names: dict[int, str] = {}
        for name, value in public_objects():
            if isinstance(value, type):
                if value not in _MADE_OTHERWISE:
                    self._classes.setdefault(value, name)
                    self._add_methods(value)
            elif hasattr(inspect.unwrap(value), "__code__"):
                self._functions[inspect.unwrap(value).__code__].append(name)
                self._names[id(value)] = name

    def _add_methods(self, kind: type) -> None:
        for name, value in vars(kind).items():
            inner = inspect.unwrap(value) if callable(value) else None
            if hasattr(inner, "__code__") and (not name.startswith("_") or name == "__init__"):
                self._methods[inner.__code__] = name

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self) -> Iterator[None]:
        self._objects.clear()
        sys.setprofile(self._profile)
        try:
            yield
        finally:
            sys.setprofile(None)

    def _profile(self, frame: Any, event: str, argument: Any) -> None:
        if event != "call":
            return
        code = frame.f_code
        names = self._functions.get(code)
        method = self._methods.get(code)
        if names is None and method is None:
            return
        sys.setprofile(None)
        try:
            if names is not None:
                self._note_function(names, frame)
            else:
                self._note_method(method, frame)
        except (CannotRender, RecursionError):
            pass
        finally:
            sys.setprofile(self._profile)

    def _note_function(self, names: list[str], frame: Any) -> None:
        names = [n for n in names if len(self.calls[n]) < _MOST_CALLS]
        if names:
            text = self._arguments(frame, ())
            for name in names:
                self._note(name, f"tf.{name}({text})")

    def _note_method(self, method: Any, frame: Any) -> None:
        self_name = frame.f_code.co_varnames[0] if frame.f_code.co_argcount else ""
        owner = frame.f_locals.get(self_name)
        kind = self._classes.get(type(owner))
        if kind is None or not hasattr(type(owner), method):
            return
        if method != "__init__" and id(owner) not in self._objects:
            return
        text = self._arguments(frame, (self_name,))
        if method == "__init__":
            source = f"tf.{kind}({text})"
            if id(owner) not in self._objects:
                if len(self._objects) > _MOST_OBJECTS:
                    self._objects.clear()
                self._objects[id(owner)] = owner, source
                self._note(kind, source)
        else:
            self._note(f"{kind}.{method}", f"{self._objects[id(owner)][1]}.{method}({text})")

    def _note(self, name: str, source: str) -> None:
        calls = self.calls[name]
        # Files of one test do not exist in another process.
        is_short = len(source) <= _LONGEST and "/tmp" not in source
        if is_short and len(calls) < _MOST_CALLS and source not in calls:
            calls.append(source)

    def _arguments(self, frame: Any, without: tuple[str, ...]) -> str:
        """The arguments of a call, without those that have their defaults."""
        found = inspect.getargvalues(frame)
        parts = []
        for name in found.args:
            if name not in without:
                parts.append(f"{name}={self.source(found.locals[name])}")
        if found.varargs and found.locals[found.varargs]:
            values = [self.source(v) for v in found.locals[found.varargs]]
            parts = [p.partition("=")[2] for p in parts] + values
        code = frame.f_code
        start = code.co_argcount
        for name in code.co_varnames[start : start + code.co_kwonlyargcount]:
            parts.append(f"{name}={self.source(found.locals[name])}")
        if found.keywords:
            for name, value in found.locals[found.keywords].items():
                parts.append(f"{name}={self.source(value)}")
        return ", ".join(p for p in parts if not p.endswith("=None"))

    def source(self, value: Any) -> str:
        """Source text of an expression with an equal value.

        Raises:
            CannotRender: if there is none.
        """
        if id(value) in self._objects:
            return self._objects[id(value)][1]
        if id(value) in self._names:
            return f"tf.{self._names[id(value)]}"
        if isinstance(value, np.ndarray):
            return _array_source(value)
        if isinstance(value, np.generic):
            return f"np.{value.dtype.name}({_scalar_source(value.item())})"
        if isinstance(value, (bool, int, float, complex, str, bytes, type(None), slice)):
            return _scalar_source(value)
        if type(value) in (list, tuple, set):
            inner = ", ".join(map(self.source, value))
            if isinstance(value, tuple):
                return f"({inner},)" if value else "()"
            return f"[{inner}]" if isinstance(value, list) else f"set([{inner}])"
        if type(value) is dict:
            pairs = (f"{self.source(k)}: {self.source(v)}" for k, v in value.items())
            return "{" + ", ".join(pairs) + "}"
        return self._graph_source(value)

    def _graph_source(self, value: Any) -> str:
        if isinstance(value, tf.Tensor) and not value.dtype._is_ref_dtype:
            array = tf.get_static_value(value)
            if array is not None and array.size <= _MOST_ELEMENTS and array.dtype != object:
                return f"tf.constant({_array_source(np.asarray(array))})"
            shape = None if value.shape.ndims is None else value.shape.as_list()
            return f"tensor({value.dtype.name!r}, {shape})"
        if isinstance(value, tf.Variable) and value.shape.is_fully_defined():
            return f"variable({value.dtype.base_dtype.name!r}, {value.shape.as_list()})"
        if isinstance(value, tf.DType):
            return f"tf.{value.name}"
        if isinstance(value, tf.TensorShape):
            return f"tf.TensorShape({None if value.ndims is None else value.as_list()})"
        if isinstance(value, tf.Dimension):
            return f"tf.Dimension({value.value})"
        if isinstance(value, tf.Operation):
            return "tf.no_op()"
        if isinstance(value, tf.Graph):
            return "tf.get_default_graph()"
        if isinstance(value, tf.Session):
            return "tf.Session()"
        if inspect.isfunction(value) or inspect.ismethod(value):
            count = sum(p.default is p.empty for p in inspect.signature(value).parameters.values())
            return f"function({count})"
        raise CannotRender(type(value))


def _array_source(array: np.ndarray) -> str:
    if array.dtype.kind in "biufc" and array.dtype.isnative:
        kind = f"np.{array.dtype.name}"
        if array.size > _MOST_ELEMENTS:
            return f"np.ones({array.shape}, {kind})"
        if array.size == 0:
            return f"np.zeros({array.shape}, {kind})"
        return f"np.array({_scalar_source(array.tolist())}, {kind})"
    is_text = array.dtype.kind in "OSU" and array.size <= _MOST_ELEMENTS
    if is_text and all(isinstance(v, (str, bytes)) for v in array.ravel().tolist()):
        return f"np.array({array.tolist()!r}, object)"
    raise CannotRender(array.dtype)


def _scalar_source(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(map(_scalar_source, value)) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return f"float('{value}')"
    if isinstance(value, complex) and not (math.isfinite(value.real) and math.isfinite(value.imag)):
        return f"complex('{value}')"
    return repr(value)


def public_objects() -> Iterator[tuple[str, Any]]:
    """The public functions and classes, each under the shortest of its names."""
    namespace.import_everything()
    seen = set()
    for name in sorted(EXPORTS, key=lambda n: (len(n), n)):
        value = EXPORTS[name]
        if isinstance(value, LazyExport):
            value = value.resolve()
        ours = str(getattr(value, "__module__", "")).startswith("headwater")
        if ours and callable(value) and id(value) not in seen and not LEFT_OUT.match(name):
            seen.add(id(value))
            yield name, value


def calls_of_ops(recorder: Recorder) -> None:
    """Adds calls of tf.raw_ops made from the samples of the ops."""
    for record in records():
        name = f"raw_ops.{record.name}"
        if record.samples is None or LEFT_OUT.match(name):
            continue
        for sample in record.samples():
            try:
                recorder._note(name, f"tf.{name}({_sample_arguments(recorder, record, sample)})")
            except CannotRender:
                continue


def _sample_arguments(recorder: Recorder, record: Any, sample: Sample) -> str:
    names = [arg.name for arg in record.schema.inputs]
    parts = [f"{n}={recorder.source(v)}" for n, v in zip(names, sample.inputs)]
    parts += [f"{n}={recorder.source(v)}" for n, v in sample.attrs.items()]
    return ", ".join(parts)


def calls_by_parameter_names(recorder: Recorder) -> None:
    """Adds calls of functions without one, with what other calls pass under the same names."""
    usual: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    for sources in list(recorder.calls.values()):
        for source in sources:
            for name, value in keywords_of(source):
                usual[name][value] += 1
    for name, value in public_objects():
        if recorder.calls.get(name) or name.startswith("raw_ops."):
            continue
        arguments = _usual_arguments(value, usual)
        if arguments is not None:
            recorder.calls[name] = [f"tf.{name}({arguments})"]


def keywords_of(source: str) -> Iterator[tuple[str, str]]:
    """The keyword arguments of a call that is source text."""
    call = ast.parse(source, mode="eval").body
    assert isinstance(call, ast.Call)
    for keyword in call.keywords:
        if keyword.arg is not None:
            yield keyword.arg, ast.unparse(keyword.value)


def _usual_arguments(function: Callable[..., Any], usual: Any) -> str | None:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    parts = []
    for p in parameters:
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            continue
        if p.default is p.empty:
            found = usual.get(p.name)
            value = found.most_common(1)[0][0] if found else "tf.constant([1.0, 2.0])"
            parts.append(value if p.kind is p.POSITIONAL_ONLY else f"{p.name}={value}")
    return ", ".join(parts)


def main() -> None:
    """Runs the tests and writes the list."""
    recorder = Recorder()
    folders = [str(TESTS / f) for f in sys.argv[1:] or FOLDERS]
    options = ["-n", "0", "-q", "-x", "--maxfail=1000", "-p", "no:cacheprovider", "--timeout=600"]
    pytest.main([*options, *folders], plugins=[recorder])
    calls_of_ops(recorder)
    calls_by_parameter_names(recorder)
    rows = sorted((n, s) for n, sources in recorder.calls.items() for s in sources)
    TARGET.write_text("".join(f"{n}\t{s}\n" for n, s in rows if "\n" not in s), encoding="utf-8")
    sys.stdout.write(f"{len(rows)} calls of {len(recorder.calls)} names\n")


if __name__ == "__main__":
    main()
