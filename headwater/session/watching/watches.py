"""The DebugOptions of a run: which tensors are watched, by which debug ops, and for which URLs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from headwater.base import errors
from headwater.base.dtypes import DType
from headwater.graph import lookup

WILDCARD = "*"
FILE_SCHEME = "file://"
GRPC_SCHEME = "grpc://"

_SPECIFICATION = re.compile(r"([^()]+)(?:\((.*)\))?$", re.DOTALL)
# Attrs that the runtime sets.
_OWN_ATTRS = frozenset(("T", "device_name", "tensor_name", "debug_urls"))
_NO_NUMBERS = frozenset(("string", "resource", "variant"))
_OPS = ("DebugIdentity", "DebugNanCount", "DebugNumericSummary")


@dataclass
class DebugOp:
    """One debug op of a watched tensor.

    Attributes:
        text: what the watch says, such as ``DebugNumericSummary(lower_bound=-1)``.
        type: its op type.
        attrs: the values of its attrs, by name.
        urls: where its output goes.
    """

    text: str
    type: str
    attrs: dict[str, Any] = field(default_factory=dict)
    urls: list[str] = field(default_factory=list)

    @property
    def is_gated(self) -> bool:
        """Whether a debug server would have to enable it first."""
        return bool(self.attrs.get("gated_grpc"))


class Watches:
    """The watches of a run.

    Args:
        options: the DebugOptions proto.

    Raises:
        FailedPreconditionError: if a watch is not valid.
        UnimplementedError: if a URL is not one of a file or a debug server.
    """

    def __init__(self, options: Any) -> None:
        self._watches: dict[str, list[Any]] = {}
        self.urls: list[str] = []
        for watch in options.debug_tensor_watch_opts:
            _check(watch)
            key = watch.node_name
            if key != WILDCARD:
                key = f"{key}:{watch.output_slot}"
            self._watches.setdefault(key, []).append(watch)
            self.urls.extend(url for url in watch.debug_urls if url not in self.urls)
        self._found: dict[str, list[DebugOp]] = {}

    def of(self, node_name: str, slot: int, dtype: DType) -> list[DebugOp]:
        """The debug ops of a tensor; none if it is not watched.

        Raises:
            FailedPreconditionError: if one of them does not exist or does not fit the tensor.
        """
        tensor_name = f"{node_name}:{slot}"
        if tensor_name not in self._found:
            watches = self._watches.get(tensor_name) or self._watches.get(WILDCARD, [])
            ops: dict[str, DebugOp] = {}
            for watch in watches:
                for text in watch.debug_ops:
                    op = ops.get(text) or _debug_op(watch, text, tensor_name, dtype)
                    if op is not None:
                        ops[text] = op
                        op.urls.extend(url for url in watch.debug_urls if url not in op.urls)
            self._found[tensor_name] = list(ops.values())
        return self._found[tensor_name]


def _check(watch: Any) -> None:
    if watch.node_name == WILDCARD and watch.output_slot != -1:
        raise errors.FailedPreconditionError(
            None,
            None,
            'output_slot is expected to be -1 for wildcard node name ("*"), but got '
            f"{watch.output_slot}",
        )
    if watch.node_name != WILDCARD and watch.output_slot < 0:
        raise errors.FailedPreconditionError(
            None,
            None,
            "A negative output_slot in DebugTensorWatch is valid only for the wildcard node name "
            f'("*"), but got node name {watch.node_name}',
        )
    for url in watch.debug_urls:
        if url.startswith((FILE_SCHEME, GRPC_SCHEME)):
            continue
        hint = "Dump to a folder with a URL that begins with file://, and read it with DebugDumpDir"
        text = f"Debug URL {url} has no scheme that is supported"
        raise errors.UnimplementedError(None, None, text, hint=f"{hint}.")


def _debug_op(watch: Any, text: str, tensor_name: str, dtype: DType) -> DebugOp | None:
    """One debug op of a watch; None if it does not fit and the watch tolerates that."""
    try:
        return _parsed(text, tensor_name, dtype)
    except ValueError as error:
        if watch.tolerate_debug_op_creation_failures:
            return None
        raise errors.FailedPreconditionError(
            None,
            None,
            f"Failed to create debug node {text} for tensor {tensor_name}, due to: {error}",
        ) from None


def _parsed(text: str, tensor_name: str, dtype: DType) -> DebugOp:
    found = _SPECIFICATION.match(text)
    kind = found[1] if found else text
    if kind not in _OPS:
        raise ValueError(
            f"Failed to create node definition for debug op {kind} on watched tensor {tensor_name}"
        )
    if dtype.base_dtype.name in _NO_NUMBERS and kind != "DebugIdentity":
        raise ValueError(
            f"Failed to find kernel definition for debug op {kind} on watched tensor {tensor_name}"
        )
    given = {}
    for pair in filter(None, ((found and found[2]) or "").split(";")):
        name, _, value = pair.partition("=")
        given[name.strip()] = value.strip()
    attrs: dict[str, Any] = {}
    for attr in lookup(kind).schema.attrs:
        if attr.name in _OWN_ATTRS:
            continue
        attrs[attr.name] = attr.default
        if attr.name in given:
            attrs[attr.name] = _value(given.pop(attr.name), attr.default)
    if given:
        raise ValueError(
            f"{len(given)} attribute key(s) were not valid for debug node "
            f"__dbg_{tensor_name}_0_{kind}: {', '.join(sorted(given))}"
        )
    return DebugOp(text, kind, attrs)


def _value(text: str, default: Any) -> Any:
    """The value of an attr as a watch writes it."""
    if isinstance(default, bool):
        if text.lower() in ("true", "t", "yes", "y", "1"):
            return True
        if text.lower() in ("false", "f", "no", "n", "0"):
            return False
        raise ValueError(f"Invalid string value for bool attribute: {text}")
    return float(text)
