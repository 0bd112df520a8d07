"""Every registered op has the schema and the gradient registration of TensorFlow 1.15.5."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

import headwater as tf
from headwater.graph import NOT_DIFFERENTIABLE, records
from headwater.graph.registry import gradient_of
from headwater.graph.schema import REQUIRED, Arg, Attr

GOLDEN = Path(__file__).parent.parent / "golden"
REFERENCE = {
    row["name"]: row
    for row in json.loads(gzip.decompress((GOLDEN / "opdefs-1.15.5.json.gz").read_bytes()))
}
# Ops of our own: derivatives of kernels, parts of functions of rows, and ops that tests register.
OWN_PREFIXES = ("VjpOf", "Test", "_RemoteTarget", "_SerializeSparseRows")
RECORDS = [r for r in records() if not r.name.startswith(OWN_PREFIXES)]


def _type_name(dtype: tf.DType) -> str:
    short = {"float32": "FLOAT", "float64": "DOUBLE", "float16": "HALF"}
    return "DT_" + short.get(dtype.name, dtype.name.upper())


def _arg(arg: Arg) -> dict:
    row = {"name": arg.name}
    if arg.dtype is not None:
        row["type"] = _type_name(arg.dtype)
    for key in ("type_attr", "type_list_attr", "number_attr"):
        if getattr(arg, key):
            row[key] = getattr(arg, key)
    if arg.is_ref:
        row["is_ref"] = True
    return row


def _value(kind: str, value: object) -> object:
    if kind == "list(tensor)":
        return []  # the reference does not have these values
    if kind.startswith("list("):
        return [_value(kind[5:-1], item) for item in value]
    if kind == "type":
        return _type_name(value)
    if kind == "shape":
        return {"shape": None if value is None else list(value)}
    if kind == "tensor":
        return {"tensor": {"dtype": _type_name(tf.as_dtype(value.dtype)), "shape": [*value.shape]}}
    return value


def _attr(attr: Attr) -> dict:
    row = {"name": attr.name, "type": attr.type}
    if attr.default is not REQUIRED:
        row["default"] = _value(attr.type, attr.default)
    if attr.allowed is not None:
        kind = "string" if "string" in attr.type else "type"
        row["allowed"] = sorted(_value(kind, item) for item in attr.allowed)
    if attr.minimum is not None:
        row["minimum"] = attr.minimum
    return row


def _expected_attr(row: dict) -> dict:
    row = dict(row)
    if row["type"] == "float" and "default" in row:
        row["default"] = float(row["default"])  # JSON has infinities as text
    if "allowed" in row:
        row["allowed"] = sorted(row["allowed"])
    return row


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.name)
def test_schema_equals_the_original(record):
    expected = REFERENCE[record.name]
    schema = record.schema
    assert [_arg(a) for a in schema.inputs] == expected["inputs"]
    assert [_arg(a) for a in schema.outputs] == expected["outputs"]
    assert [_attr(a) for a in schema.attrs] == [_expected_attr(a) for a in expected["attrs"]]
    for flag in ("stateful", "commutative", "aggregate"):
        assert getattr(record, flag) == expected.get(f"is_{flag}", False), flag
    if any(arg.is_ref for arg in schema.inputs):
        # An OpDef has no flag for handles of uninitialized variables.
        allowed = expected.get("allows_uninitialized_input", False)
        assert record.allows_uninitialized == allowed


GRADIENTS = json.loads((GOLDEN / "gradients-1.15.5.json").read_text())
# Functional loops are differentiated as the nodes that they become when a run is planned.
NOT_AS_NODES = {"Case", "StatelessWhile", "While"}
# tf.linalg.expm can be differentiated in TensorFlow too, where it consists of many nodes.
# The debugger registers two when it is loaded.
MORE = {"MatrixExponential", "DebugGradientIdentity", "DebugGradientRefIdentity"}


def test_gradients_are_registered_for_the_same_op_types():
    # Its gradients are registered when it is loaded.
    assert tf.contrib.image.rotate is not None
    wanted = {name: kind for kind, names in GRADIENTS.items() for name in names}
    different = {}
    for record in RECORDS:
        function = gradient_of(record.name)
        kind = "gradient" if function else None
        if function is NOT_DIFFERENTIABLE:
            kind = "not_differentiable"
        if record.name in REFERENCE and kind != wanted.get(record.name):
            different[record.name] = (kind, wanted.get(record.name))
    assert different.keys() <= NOT_AS_NODES | MORE, different
