"""Dtypes, shapes and nested structures answer as TensorFlow 1.15 does."""

from __future__ import annotations

import collections
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from headwater.base import dtypes, nest
from headwater.base import tensor_shape as ts

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "base.json").read_text())


class A:
    """Looks to nest like an attrs class with the fields x and y."""

    __attrs_attrs__ = (SimpleNamespace(name="x"), SimpleNamespace(name="y"))

    def __init__(self, x: Any, y: Any) -> None:
        self.x, self.y = x, y

    def __repr__(self) -> str:
        return f"A({self.x!r}, {self.y!r})"


NAMES = {
    "A": A,
    "D": ts.Dimension,
    "DType": dtypes.DType,
    "O": collections.OrderedDict,
    "P": collections.namedtuple("P", "a b"),
    "P2": collections.namedtuple("P", "a b"),
    "Q": collections.namedtuple("Q", "a b"),
    "QUANTIZED_DTYPES": dtypes.QUANTIZED_DTYPES,
    "S": ts.TensorShape,
    "as_dtype": dtypes.as_dtype,
    "collections": collections,
    "nest": nest,
    "np": np,
    "ts": ts,
}


def evaluate(expression: str, names: dict[str, Any]) -> list[str]:
    try:
        return ["value", repr(eval(expression, names))]
    except KeyError:
        return ["KeyError", ""]
    except Exception as error:
        return [type(error).__name__, str(error)]


@pytest.mark.parametrize(
    ("expression", "kind", "text"),
    [
        pytest.param(*case, id=f"{subject}: {case[0]}")
        for subject in ("dtype", "dimension", "shape", "nest")
        for case in GOLDEN[subject]
    ],
)
def test_the_answer_is_that_of_tensorflow(expression: str, kind: str, text: str) -> None:
    assert evaluate(expression, NAMES) == [kind, text]


@pytest.mark.parametrize(("enum", "properties"), GOLDEN["dtype_properties"])
def test_a_dtype_has_the_properties_of_tensorflows(enum: int, properties: dict[str, Any]) -> None:
    dtype = dtypes.as_dtype(enum)
    assert {name: evaluate(f"dtype.{name}", {"dtype": dtype}) for name in properties} == properties
