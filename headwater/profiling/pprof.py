"""Profiles in the format of pprof: each node is a sample, whose stack is the calls that made it."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, NamedTuple

from headwater.io.file_io import FileIO
from headwater.profiling.nodes import Call, ProfiledNode
from headwater.profiling.options import Options
from headwater.profiling.tree import Row
from headwater.protos.lazy import profile_pb2

_LABEL = "graph node:"


class _Values(NamedTuple):
    field: str
    unit: str
    about: str


_ATTRIBUTES = {
    "micros": _Values("exec_micros", "microseconds", "Time on accelerators and CPUs."),
    "accelerator_micros": _Values(
        "accelerator_exec_micros", "microseconds", "Time on accelerators."
    ),
    "cpu_micros": _Values("cpu_exec_micros", "microseconds", "Time on CPUs."),
    "bytes": _Values("requested_bytes", "bytes", "Memory that operations request."),
    "peak_bytes": _Values("peak_bytes", "bytes", "Largest memory that operations hold."),
    "residual_bytes": _Values("residual_bytes", "bytes", "Memory that operations keep."),
    "output_bytes": _Values("output_bytes", "bytes", "Memory of outputs."),
    "params": _Values("parameters", "count", "Parameters of variables."),
    "float_ops": _Values("float_ops", "count", "Floating-point operations."),
}


def is_asked_for(options: Options) -> bool:
    """Whether options ask for this format."""
    return bool(options["output"].split(":")[0] == "pprof")


def objection(view: str, options: Options) -> str | None:
    """Why a profile cannot be written in this format; None if it can.

    Args:
        view: the view.
        options: its options.
    """
    if view != "code":
        return "Only 'code' view supports pprof output now."
    if len(options["select"]) != 1:
        return "Can only select 1 attribute for pprof output."
    if options["select"][0] not in _ATTRIBUTES:
        return f"pprof doesn't support -select={options['select'][0]}"
    return None


def write(path: str, root: Row, options: Options) -> None:
    """Writes the shown rows of a code view.

    Args:
        path: the file, which is compressed.
        root: the uppermost row.
        options: the options of the view.

    Raises:
        OpError: of the class that fits, if the file cannot be written.
    """
    with FileIO(path, "wb") as file:
        # Without the time: the same profile is the same file.
        file.write(gzip.compress(_profile(root, options).SerializeToString(), mtime=0))


def _profile(root: Row, options: Options) -> Any:
    attribute = options["select"][0]
    values = _ATTRIBUTES[attribute]
    tables = _Tables(profile_pb2.Profile())
    proto = tables.proto
    proto.sample_type.add(type=tables.text("count"), unit=tables.text("count"))
    proto.sample_type.add(type=tables.text(attribute), unit=tables.text(values.unit))
    proto.comment.append(tables.text(values.about))
    label = tables.text(_LABEL)
    for stack, node in _samples(root, []):
        sample = proto.sample.add()
        sample.location_id.extend(tables.location(caller, row) for caller, row in reversed(stack))
        measures = node.measures(options["step"])
        sample.value.extend([1, getattr(measures, values.field)])
        sample.label.add(key=label, str=tables.text(node.name))
    return proto


_Stack = list[tuple[Call, Row]]


def _samples(row: Row, stack: _Stack) -> Iterator[tuple[_Stack, ProfiledNode]]:
    """The nodes below the shown rows that have no shown rows below them, with their stacks."""
    if not row.shown:
        yield from ((stack, node) for node in _nodes_below(row))
    for child in row.shown:
        calls = [*stack, (row.call, child)] if row.call else stack
        yield from _samples(child, calls)


def _nodes_below(row: Row) -> Iterator[ProfiledNode]:
    yield from row.ends
    for child in row.children:
        yield from _nodes_below(child)


class _Tables:
    """The strings, functions and locations of a profile.

    Args:
        proto: the Profile, which is filled in.
    """

    def __init__(self, proto: Any) -> None:
        self.proto = proto
        self._texts: dict[str, int] = {}
        self._functions: dict[tuple[str, str], int] = {}
        self._locations: dict[tuple[int, int], int] = {}
        self.text("")

    def text(self, text: str) -> int:
        """The number of a string."""
        if text not in self._texts:
            self._texts[text] = len(self._texts)
            self.proto.string_table.append(text)
        return self._texts[text]

    def location(self, caller: Call, row: Row) -> int:
        """The number of a location: a function, at the line that calls it.

        Args:
            caller: the call before.
            row: a row of the function.
        """
        function = self._function(row)
        key = (function, caller.line)
        if key not in self._locations:
            self._locations[key] = number = len(self._locations) + 1
            location = self.proto.location.add(id=number)
            location.line.add(function_id=function, line=caller.line)
        return self._locations[key]

    def _function(self, row: Row) -> int:
        call = row.call or Call("", 0, row.name)
        module = PurePath(call.file).stem
        name = f"{module}:{call.function}{row.suffix}"
        key = (name, call.file)
        if key not in self._functions:
            self._functions[key] = number = len(self._functions) + 1
            self.proto.function.add(
                id=number,
                name=self.text(name),
                filename=self.text(call.file),
                start_line=call.start,
            )
        return self._functions[key]
