"""The times of single nodes and of several."""

from __future__ import annotations

from typing import Any


class ProfileDatum:
    """The times of one execution of a node.

    Args:
        device_name: where it ran.
        node_exec_stats: the NodeExecStats proto.
        file_path: the file whose line made the node.
        line_number: the line.
        func_name: the function.
        op_type: the op type of the node.
    """

    def __init__(
        self,
        device_name: str,
        node_exec_stats: Any,
        file_path: str,
        line_number: int,
        func_name: str,
        op_type: str,
    ) -> None:
        self.device_name = device_name
        self.node_exec_stats = node_exec_stats
        self.file_path = file_path
        self.line_number = line_number
        self.func_name = func_name
        if self.file_path:
            self.file_line_func = f"{file_path}:{line_number}({func_name})"
        else:
            self.file_line_func = ""
        self.op_type = op_type
        self.start_time = node_exec_stats.all_start_micros
        self.op_time = node_exec_stats.op_end_rel_micros - node_exec_stats.op_start_rel_micros

    @property
    def exec_time(self) -> int:
        """The time of the node in microseconds, scheduling included."""
        return int(self.node_exec_stats.all_end_rel_micros)


class AggregateProfile:
    """The sums of several times.

    Args:
        profile_datum: the first.
    """

    def __init__(self, profile_datum: ProfileDatum) -> None:
        self.total_op_time = 0
        self.total_exec_time = 0
        self._executions: dict[tuple[str, str], int] = {}
        self.add(profile_datum)

    def add(self, profile_datum: ProfileDatum) -> None:
        """Adds one."""
        self.total_op_time += profile_datum.op_time
        self.total_exec_time += profile_datum.exec_time
        key = profile_datum.device_name, profile_datum.node_exec_stats.node_name
        self._executions[key] = self._executions.get(key, 0) + 1

    @property
    def node_count(self) -> int:
        """How many nodes there are."""
        return len(self._executions)

    @property
    def node_exec_count(self) -> int:
        """How many executions of nodes there are."""
        return sum(self._executions.values())
