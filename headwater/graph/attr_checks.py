"""Checks of the attrs of a NodeDef, and signatures of op types for error texts."""

from __future__ import annotations

from typing import Any

from headwater.base.dtypes import as_dtype, proto_name
from headwater.graph.registry import OpRecord
from headwater.graph.schema import REQUIRED, Arg, Attr

_FIELDS = {
    "s": "string", "i": "int", "f": "float", "b": "bool", "type": "type", "shape": "shape",
    "tensor": "tensor", "func": "func",
}  # fmt: skip


def check_attr(record: OpRecord, spec: Attr, proto: Any, name: str) -> None:
    """Checks that an AttrValue fits the schema of the op type.

    Args:
        record: the op type.
        spec: the attr in its schema.
        proto: the AttrValue.
        name: the name of the node, for errors.

    Raises:
        ValueError: if type, size or value do not fit.
    """
    text = _wrong_type(spec, proto) or _wrong_value(spec, proto)
    if text:
        raise ValueError(f"{text}\n\t; NodeDef: {{{{node {name}}}}}; {signature(record)}")


def _wrong_type(spec: Attr, proto: Any) -> str:
    field = proto.WhichOneof("value")
    if field == "placeholder":
        # Only in the body of a function may the name of an attr stand for its value.
        return f"AttrValue had value with unexpected type 'placeholder'\n\t for attr '{spec.name}'"
    is_empty = field is None or (field == "list" and not proto.list.ListFields())
    if is_empty and not spec.type.startswith("list("):
        return (
            f"AttrValue missing value with expected type '{spec.type}'\n\t for attr '{spec.name}'"
        )
    if field == "list":
        kinds = [f"list({_FIELDS[f.name]})" for f, _ in proto.list.ListFields()]
        found = kinds[0] if kinds else spec.type
    else:
        found = _FIELDS.get(field, "")
    if found == spec.type or not found:
        return ""
    return (
        f"AttrValue had value with type '{found}' when '{spec.type}' expected\n\t for attr "
        f"'{spec.name}'"
    )


def _wrong_value(spec: Attr, proto: Any) -> str:
    if spec.minimum is not None:
        if spec.type == "int" and proto.i < spec.minimum:
            return (
                f"Value for attr '{spec.name}' of {proto.i} must be at least minimum {spec.minimum}"
            )
        if spec.type.startswith("list("):
            length = max([0, *(len(values) for _, values in proto.list.ListFields())])
            if length < spec.minimum:
                return (
                    f"Length for attr '{spec.name}' of {length} must be at least minimum "
                    f"{spec.minimum}"
                )
    if spec.allowed is None:
        return ""
    is_list = spec.type.startswith("list(")
    source = proto.list if is_list else proto
    values: Any = source.type if "type" in spec.type else source.s
    for value in values if is_list else [values]:
        found = as_dtype(value) if "type" in spec.type else value.decode("utf-8", "replace")
        if found not in spec.allowed:
            return (
                f"Value for attr '{spec.name}' of {_listed(found)} is not in the list of allowed "
                f"values: {', '.join(_listed(a) for a in spec.allowed)}"
            )
    return ""


def _listed(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else proto_name(value)


def signature(record: OpRecord) -> str:
    """An op type as TensorFlow's messages write it."""
    schema = record.schema
    inputs = ", ".join(f"{a.name}:{_arg_type(a)}" for a in schema.inputs)
    outputs = ", ".join(f"{a.name}:{_arg_type(a)}" for a in schema.outputs)
    attrs = "".join(f"; attr={_attr_text(a)}" for a in schema.attrs)
    return f"Op<name={record.name}; signature={inputs} -> {outputs}{attrs}>"


def _attr_text(attr: Attr) -> str:
    text = f"{attr.name}:{attr.type}"
    if attr.default is not REQUIRED:
        text += f",default={_text(attr.default)}"
    if attr.minimum is not None:
        text += f",min={attr.minimum}"
    if attr.allowed is not None:
        listed = [
            _listed(a) if isinstance(a, str) else f"DT_{_listed(a).upper()}" for a in attr.allowed
        ]
        text += f",allowed=[{', '.join(listed)}]"
    return text


def _arg_type(arg: Arg) -> str:
    kind = proto_name(arg.dtype) if arg.dtype else str(arg.type_attr or arg.type_list_attr)
    kind = f"{arg.number_attr}*{kind}" if arg.number_attr else kind
    return f"Ref({kind})" if arg.is_ref else kind


def _text(value: Any) -> str:
    if value is None:
        return "<unknown>"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)
