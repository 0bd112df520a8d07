"""The op language: what inputs, outputs and attrs an op type has.

The texts are those of TensorFlow's OpDef declarations, e.g. ``values: N * T`` or
``T: {float, double} = DT_FLOAT``, so that GraphDefs can be exchanged.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import DType

REQUIRED: Any = type("Required", (), {"__repr__": lambda self: "REQUIRED"})()

_REAL = "float double int32 uint8 int16 int8 int64 bfloat16 uint16 half uint32 uint64".split()
_TYPE_SETS = {
    "numbertype": (
        "float double int32 uint8 int16 int8 complex64 int64 qint8 quint8 qint32 bfloat16 uint16 "
        "complex128 half uint32 uint64"
    ).split(),
    "realnumbertype": _REAL,
    "quantizedtype": "qint8 quint8 qint32 qint16 quint16".split(),
}
_ARG = re.compile(r"^(\w+)\s*:\s*(?:(Ref)\(\s*)?(?:(\w+)\s*\*\s*)?(\w+)\s*\)?$")
_ATTR = re.compile(r"^(\w+)\s*:\s*(.+)$", re.DOTALL)
_ATTR_TYPES = ("type", "int", "float", "bool", "string", "shape", "tensor", "func")


@dataclass(frozen=True)
class Arg:
    """One input or output of an op type.

    Exactly one of ``dtype`` (fixed type), ``type_attr`` (type in an attr) and ``type_list_attr``
    (one tensor per type of an attr) is set; ``number_attr`` makes it a list of equal types.
    """

    name: str
    dtype: DType | None = None
    type_attr: str | None = None
    type_list_attr: str | None = None
    number_attr: str | None = None
    is_ref: bool = False

    @property
    def is_list(self) -> bool:
        return self.number_attr is not None or self.type_list_attr is not None

    def type_in(self, attrs: dict[str, Any]) -> Any:
        """The type of the elements, which may stand in an attr; not of lists of several types."""
        return attrs[self.type_attr] if self.type_attr is not None else self.dtype

    def length_in(self, attrs: dict[str, Any]) -> int:
        """How many tensors there are, which may follow from an attr."""
        if self.type_list_attr is not None:
            return len(attrs[self.type_list_attr])
        return 1 if self.number_attr is None else attrs[self.number_attr]


@dataclass(frozen=True)
class Attr:
    """One attr of an op type; ``type`` is as in an OpDef (``int``, ``list(type)``, ...)."""

    name: str
    type: str
    default: Any = REQUIRED
    allowed: tuple[Any, ...] | None = None
    minimum: int | None = None


@dataclass(frozen=True)
class Schema:
    """Name, inputs, outputs and attrs of an op type, in registered order."""

    name: str
    inputs: tuple[Arg, ...]
    outputs: tuple[Arg, ...]
    attrs: tuple[Attr, ...]

    @cached_property
    def attr(self) -> dict[str, Attr]:
        return {a.name: a for a in self.attrs}

    @cached_property
    def inferred_attrs(self) -> frozenset[str]:
        """The attrs whose values follow from the inputs."""
        names: set[str] = set()
        for arg in self.inputs:
            names.update(n for n in (arg.type_attr, arg.type_list_attr, arg.number_attr) if n)
        return frozenset(names)


def parse_schema(name: str, inputs: str, outputs: str, attrs: str) -> Schema:
    """Parses the texts of one op declaration.

    Args:
        name: the op type.
        inputs: comma-separated args, e.g. ``"ref: Ref(T), value: T"``.
        outputs: as `inputs`.
        attrs: comma-separated attrs, e.g. ``"N: int >= 1, T: {float, double} = DT_FLOAT"``.

    Returns:
        The Schema.

    Raises:
        ValueError: if a text does not follow the op language.
    """
    attr_specs = tuple(_parse_attr(text) for text in _split(attrs))
    types = {a.name: a.type for a in attr_specs}
    return Schema(
        name,
        tuple(_parse_arg(text, types) for text in _split(inputs)),
        tuple(_parse_arg(text, types) for text in _split(outputs)),
        attr_specs,
    )


def _split(text: str) -> list[str]:
    """Splits at the commas that stand outside brackets and quotes."""
    parts, depth, quote, start = [], 0, "", 0
    for i, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    parts.append(text[start:])
    return [part.strip() for part in parts if part.strip()]


def _parse_arg(text: str, attr_types: dict[str, str]) -> Arg:
    match = _ARG.match(text)
    if not match:
        raise ValueError(f"not an input or output of the op language: {text!r}")
    name, ref, number, kind = match.groups()
    fields: dict[str, Any] = {"number_attr": number, "is_ref": ref is not None}
    if attr_types.get(kind) == "list(type)":
        fields["type_list_attr"] = kind
    elif kind in attr_types:
        fields["type_attr"] = kind
    else:
        fields["dtype"] = _dtype(kind)
    return Arg(name, **fields)


def _parse_attr(text: str) -> Attr:
    match = _ATTR.match(text)
    if not match:
        raise ValueError(f"not an attr of the op language: {text!r}")
    name, rest = match.group(1), match.group(2).strip()
    default: Any = REQUIRED
    minimum = None
    split = re.search(r"(?<![<>=])=(?!=)", rest)
    default_text = None
    if split:
        rest, default_text = rest[: split.start()].strip(), rest[split.end() :].strip()
    if ">=" in rest:
        rest, minimum_text = (part.strip() for part in rest.split(">="))
        minimum = int(minimum_text)
    kind, allowed = _attr_kind(rest)
    if default_text is not None:
        default = _literal(kind, default_text)
    return Attr(name, kind, default, allowed, minimum)


def _attr_kind(text: str) -> tuple[str, tuple[Any, ...] | None]:
    if text.startswith("list(") and text.endswith(")"):
        kind, allowed = _attr_kind(text[5:-1].strip())
        return f"list({kind})", allowed
    if text.startswith("{"):
        words = _split(text[1:-1])
        if words and words[0][0] in "'\"":
            return "string", tuple(word[1:-1] for word in words)
        return "type", tuple(_dtype(word) for word in words)
    if text in _TYPE_SETS:
        return "type", tuple(_dtype(word) for word in _TYPE_SETS[text])
    if text not in _ATTR_TYPES:
        raise ValueError(f"not an attr type of the op language: {text!r}")
    return text, None


_WORDS = {"true": "True", "false": "False", "inf": "1e999", "-inf": "-1e999"}


def _literal(kind: str, text: str) -> Any:
    if kind == "list(type)":
        return [_dtype(word) for word in _split(text.strip("[]{}"))]
    if kind == "type":
        return _dtype(text)
    if kind == "shape" and text == "unknown":
        return None
    if kind == "tensor":
        # ``uint8 [255, 0]``: the dtype, then the elements.
        name, _, elements = text.partition(" ")
        return np.array(ast.literal_eval(elements), _dtype(name).numpy_dtype)
    if kind in ("list(tensor)", "list(shape)", "list(bool)"):
        inner = text[1:-1]
        return [_literal(kind[5:-1], item) for item in _split(inner)]
    value = ast.literal_eval(_WORDS.get(text, text))
    if kind == "float":
        return float(value)
    if kind == "list(float)":
        return [float(item) for item in value]
    if kind == "shape":
        return tuple(value)
    return value


def _dtype(word: str) -> DType:
    word = word.strip().removeprefix("DT_").lower()
    return dtypes.as_dtype(
        {"float": "float32", "double": "float64", "half": "float16"}.get(word, word)
    )
