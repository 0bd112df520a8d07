"""Which ops depend on which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from headwater.graph import Tensor


def reachable(tensors: Sequence[Any]) -> set[Any]:
    """The ops that depend on tensors."""
    reached: set[Any] = set()
    stack = [c for t in tensors if isinstance(t, Tensor) for c in t.consumers()]
    while stack:
        op = stack.pop()
        if op not in reached:
            reached.add(op)
            stack.extend(c for t in op.outputs for c in t.consumers())
    return reached


def depends_on_placeholder(op: Any) -> bool:
    """Whether an op depends on what is fed."""
    return any(source.type.startswith("Placeholder") for source in _sources(op))


def _sources(op: Any) -> Iterator[Any]:
    seen: set[Any] = set()
    stack = [op]
    while stack:
        op = stack.pop()
        if op not in seen:
            seen.add(op)
            yield op
            stack.extend(t.op for t in op.inputs)
