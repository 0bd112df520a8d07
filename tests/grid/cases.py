"""Cases of the grid: their definition, and the pools of values that they are made of.

A case is one node of an op type: its inputs, its attrs and, where an op needs others beside it
(variables, tables, handles), the nodes around it. The same files run under every release of
TensorFlow from 1.0 on (Python 3.6, NumPy 1.16) and under Headwater, so the inputs are made of
integers and dyadic fractions only: they are the same bits everywhere.
"""

import gzip
import json
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent


class Case:
    """One node and its surroundings.

    `kind` names the class of inputs (ordinary, special, ...) for the report. `setup` are calls
    that run before, one session.run each; `before` are calls that the node waits for, and
    `after` are calls that wait for it and are fetched with it.
    """

    def __init__(self, op, *inputs, **options):
        self.op = op
        self.inputs = inputs
        self.kind = options.pop("kind", "ordinary")
        self.setup = options.pop("setup", ())
        self.before = options.pop("before", ())
        self.after = options.pop("after", ())
        self.unordered = options.pop("unordered", False)
        # Outputs whose values are not recorded (work space, names of temporary things).
        self.hidden = options.pop("hidden", ())
        # The form in which the gradients are recorded instead of the outputs.
        self.gradient = options.pop("gradient", None)
        self.attrs = options.pop("attrs", {})
        self.attrs.update(options)

    def dtypes(self):
        """The names of the dtypes of the inputs, in order and each once."""
        names = []
        for value in self.inputs:
            for item in value if isinstance(value, list) else [value]:
                name = item.dtype_name if hasattr(item, "dtype_name") else dtype_name(item)
                if name not in names:
                    names.append(name)
        return names


class Ref:
    """A reference variable; without a value it is not initialized."""

    def __init__(self, value, dtype=None, shape=None):
        self.value = None if value is None else np.asarray(value)
        self.dtype_name = dtype or dtype_name(self.value)
        self.shape = list(self.value.shape) if shape is None else shape


class Var(Ref):
    """A resource variable."""


class Cast:
    """A tensor of a type that NumPy does not have, given by the bits of another."""

    def __init__(self, bits, dtype):
        self.bits = np.asarray(bits)
        self.dtype_name = dtype


class Call:
    """A node beside the one under test; `call[i]` is one of its outputs."""

    def __init__(self, op, *inputs, **attrs):
        self.op = op
        self.inputs = inputs
        self.attrs = attrs

    def __getitem__(self, index):
        return Output(self, index)

    dtype_name = "node"


class Output:
    dtype_name = "node"

    def __init__(self, call, index):
        self.call = call
        self.index = index


def ops_of(item):
    """The op types of a case or a call, with those of the calls in it."""
    found = [item.op]
    parts = list(item.inputs)
    for name in ("setup", "before", "after"):
        parts.extend(getattr(item, name, ()))
    for part in parts:
        for value in part if isinstance(part, list) else [part]:
            value = getattr(value, "call", value)
            if isinstance(value, Call):
                found.extend(ops_of(value))
    return found


def dtype_name(value):
    """TensorFlow's name of the dtype of an array."""
    dtype = np.asarray(value).dtype
    return "string" if dtype.kind in "OSU" else dtype.name


_FAMILIES = {}


def family(name, ops):
    """Registers a generator of cases for op types; it is called with each of them."""

    def add(function):
        for op in ops.split():
            _FAMILIES.setdefault(name, {}).setdefault(op, []).append(function)
        return function

    return add


def families():
    """{family: {op type: cases}} as functions: call `cases_of(family, op)` for the cases."""
    return _FAMILIES


def cases_of(name, op):
    return [case for function in _FAMILIES[name][op] for case in function(op)]


# The tables of ops

_OPDEFS = {}


def opdefs():
    """The op definitions of release 1.15.5 by op type."""
    if not _OPDEFS:
        path = HERE.parent / "golden" / "opdefs-1.15.5.json.gz"
        for op in json.loads(gzip.decompress(path.read_bytes()).decode()):
            _OPDEFS[op["name"]] = op
    return _OPDEFS


# Classes of dtypes that the grid goes through, in the order of the report.
DTYPES = (
    "float16 float32 float64 int8 int16 int32 int64 uint8 uint16 bool complex64 complex128 string"
).split()
_PROTO_NAMES = {"float16": "DT_HALF", "float32": "DT_FLOAT", "float64": "DT_DOUBLE"}
FLOATS = ("float16", "float32", "float64")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16")
COMPLEX = ("complex64", "complex128")


def types_of(op, attr=None):
    """The dtypes of the grid that a type attr of an op allows, `T` or the first one if None."""
    attrs = [a for a in opdefs()[op]["attrs"] if a["type"] == "type"]
    if attr is None:
        attr = "T" if any(a["name"] == "T" for a in attrs) else attrs[0]["name"]
    allowed = [a for a in attrs if a["name"] == attr][0].get("allowed")
    proto = [_PROTO_NAMES.get(d, "DT_" + d.upper()) for d in DTYPES]
    return [d for d, p in zip(DTYPES, proto) if allowed is None or p in allowed]


# Values


def numbers(op, *shape, **options):
    """Seeded small numbers of a dtype: whole for integers, eighths for floats."""
    dtype = options.get("dtype", "float32")
    low, high = options.get("low", -4), options.get("high", 5)
    seed = options.get("seed", 0)
    text = (op + dtype + str(seed)).encode()
    state = np.random.RandomState(sum((i + 1) * b for i, b in enumerate(text)) % 2**31)
    if dtype == "bool":
        return np.asarray(state.randint(0, 2, shape)).astype(bool)
    if dtype == "string":
        words = np.array([b"a", b"bb", b"", b"Abc", b"x y", b"\xc3\xa9", b"7"], dtype=object)
        return np.array(words[state.randint(0, len(words), shape)], dtype=object)
    if dtype.startswith("uint"):
        low = max(low, 0)
    if dtype.startswith(("int", "uint")):
        return np.asarray(state.randint(low, high, shape)).astype(dtype)
    whole = np.asarray(state.randint(low * 8, high * 8, shape) / 8.0)
    if dtype.startswith("complex"):
        return (whole + 1j * state.randint(low * 8, high * 8, shape) / 8.0).astype(dtype)
    return whole.astype(dtype)


def special(dtype):
    """Infinities, NaN and zeros of both signs (complex: in each part)."""
    if dtype in COMPLEX:
        parts = [0.0, 1.0, np.inf, -np.inf, np.nan]
        values = np.empty(len(parts) ** 2, dtype)
        values.real = np.repeat(parts, len(parts))
        values.imag = np.tile(parts, len(parts))
        return values
    return np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0], dtype)


def extreme(dtype):
    """The largest and smallest numbers of a dtype and their neighbours."""
    if dtype == "bool":
        return np.array([True, False])
    if dtype in COMPLEX:
        part = "float32" if dtype == "complex64" else "float64"
        big = np.finfo(part).max
        return np.array([big, -big, 1j * big, np.finfo(part).tiny], dtype)
    if dtype in FLOATS:
        info = np.finfo(dtype)
        return np.array([info.max, -info.max, info.tiny, -info.tiny, 1e4, -1e4], dtype)
    info = np.iinfo(dtype)
    return np.array([info.min, info.min + 1, info.max - 1, info.max, 0, 1], dtype)


def denormal(dtype):
    """Numbers below the smallest normal one."""
    tiny = np.finfo(dtype).tiny
    return np.array([tiny / 2, -tiny / 2, tiny / 4, tiny], dtype)


def filled(value, dtype, *shape):
    if dtype == "string":
        return np.full(shape, str(value).encode(), object)
    return np.full(shape, value, dtype)


def i32(*values):
    return np.array(values[0] if len(values) == 1 else values, np.int32)


def i64(*values):
    return np.array(values[0] if len(values) == 1 else values, np.int64)


def f32(*values):
    return np.array(values[0] if len(values) == 1 else values, np.float32)


def strings(*values):
    flat = values[0] if len(values) == 1 else list(values)
    return np.array(flat, dtype=object)


# A generic builder: one or more inputs of the same type


def like_shapes(op, dtype, *shapes, **options):
    return [numbers(op, *s, dtype=dtype, seed=i, **options) for i, s in enumerate(shapes)]
