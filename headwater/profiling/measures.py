"""What is counted of a node or of a group of nodes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass
class Measures:
    """Sums over nodes; the fields have the names they have in GraphNodeProto.

    Times are in microseconds, sizes in bytes.
    """

    exec_micros: int = 0
    accelerator_exec_micros: int = 0
    cpu_exec_micros: int = 0
    requested_bytes: int = 0
    peak_bytes: int = 0
    residual_bytes: int = 0
    output_bytes: int = 0
    parameters: int = 0
    float_ops: int = 0
    run_count: int = 0
    definition_count: int = 0

    def __add__(self, other: Measures) -> Measures:
        return total([self, other])

    def __floordiv__(self, count: int) -> Measures:
        return Measures(*(value // count for value in dataclasses.astuple(self)))


FIELDS = tuple(field.name for field in dataclasses.fields(Measures))


def total(measures: Iterable[Measures]) -> Measures:
    """The sum of some measures."""
    rows = [tuple(getattr(each, name) for name in FIELDS) for each in measures]
    return Measures(*(sum(column) for column in zip(*rows)))
