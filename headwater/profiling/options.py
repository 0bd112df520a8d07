"""Options of profiles: what is counted, what is shown, in which order, and where to."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from headwater.base.export import export

Options = dict[str, Any]

_DEFAULTS: Options = {
    "max_depth": 100,
    "min_bytes": 0,
    "min_micros": 0,
    "min_params": 0,
    "min_float_ops": 0,
    "min_occurrence": 0,
    "order_by": "name",
    "account_type_regexes": [".*"],
    "start_name_regexes": [".*"],
    "trim_name_regexes": [],
    "show_name_regexes": [".*"],
    "hide_name_regexes": [],
    "account_displayed_op_only": False,
    "select": ["micros"],
    "step": -1,
    "output": "stdout",
}
# Minima that an option dict may leave out.
OPTIONAL_MINIMA = (
    "min_peak_bytes",
    "min_residual_bytes",
    "min_output_bytes",
    "min_accelerator_micros",
    "min_cpu_micros",
)
# Printed in this order.
_SHOWN = (
    "max_depth",
    "min_bytes",
    "min_peak_bytes",
    "min_residual_bytes",
    "min_output_bytes",
    "min_micros",
    "min_accelerator_micros",
    "min_cpu_micros",
    "min_params",
    "min_float_ops",
    "min_occurrence",
    "step",
    "order_by",
    "account_type_regexes",
    "start_name_regexes",
    "trim_name_regexes",
    "show_name_regexes",
    "hide_name_regexes",
    "account_displayed_op_only",
    "select",
    "output",
)


def complete(options: Options) -> Options:
    """Returns options with a value for each one."""
    whole = {**copy.deepcopy(_DEFAULTS), **dict.fromkeys(OPTIONAL_MINIMA, 0), **options}
    if whole.get("dump_to_file"):
        whole["output"] = f"file:outfile={whole['dump_to_file']}"
    whole["select"] = sorted(set(whole["select"]))
    return whole


def options_text(options: Options) -> str:
    """The options as the head of a report lists them."""
    lines = []
    for name in _SHOWN:
        value = options[name]
        if isinstance(value, bool):
            value = str(value).lower()
        elif isinstance(value, (list, tuple)):
            value = ",".join(str(item) for item in value)
        elif name == "output" and ":" not in value:
            value = f"{value}:"
        lines.append(f"-{name:<26} {value}\n")
    return "".join(lines)


@export("profiler.ProfileOptionBuilder")
class ProfileOptionBuilder:
    """Builds the options of `tf.profiler.profile`; each method returns the builder.

    Args:
        options: a dict of options to begin with; None for the defaults.
    """

    def __init__(self, options: Options | None = None) -> None:
        self._options = copy.deepcopy(_DEFAULTS if options is None else options)

    @staticmethod
    def trainable_variables_parameter() -> Options:
        """Options that count the parameters of trainable variables.

        Returns:
            A dict of options.
        """
        return {
            **copy.deepcopy(_DEFAULTS),
            "max_depth": 10000,
            "account_type_regexes": ["_trainable_variables"],
            "account_displayed_op_only": True,
            "select": ["params"],
        }

    @staticmethod
    def float_operation() -> Options:
        """Options that count floating-point operations.

        Returns:
            A dict of options.
        """
        return {
            **copy.deepcopy(_DEFAULTS),
            "max_depth": 10000,
            "min_float_ops": 1,
            "order_by": "float_ops",
            "account_displayed_op_only": True,
            "select": ["float_ops"],
        }

    @staticmethod
    def time_and_memory(
        min_micros: int = 1,
        min_bytes: int = 1,
        min_accelerator_micros: int = 0,
        min_cpu_micros: int = 0,
        min_peak_bytes: int = 0,
        min_residual_bytes: int = 0,
        min_output_bytes: int = 0,
    ) -> Options:
        """Options that show times and memory of a traced run.

        Args:
            min_micros: show nodes that take at least so many microseconds.
            min_bytes: show nodes that request at least so many bytes.
            min_accelerator_micros: the same for the time on accelerators.
            min_cpu_micros: the same for the time on CPUs.
            min_peak_bytes: the same for the largest memory.
            min_residual_bytes: the same for memory not freed at the end.
            min_output_bytes: the same for the size of outputs.

        Returns:
            A dict of options.
        """
        return {
            **copy.deepcopy(_DEFAULTS),
            "max_depth": 10000,
            "min_micros": min_micros,
            "min_bytes": min_bytes,
            "min_accelerator_micros": min_accelerator_micros,
            "min_cpu_micros": min_cpu_micros,
            "min_peak_bytes": min_peak_bytes,
            "min_residual_bytes": min_residual_bytes,
            "min_output_bytes": min_output_bytes,
            "order_by": "micros",
            "account_displayed_op_only": True,
            "select": ["micros", "bytes"],
        }

    def build(self) -> Options:
        """Returns the options.

        Returns:
            A dict of options, a copy.
        """
        return copy.deepcopy(self._options)

    def _set(self, **options: Any) -> ProfileOptionBuilder:
        self._options.update(options)
        return self

    def with_max_depth(self, max_depth: int) -> ProfileOptionBuilder:
        """Shows nodes down to a depth.

        Args:
            max_depth: the depth; the root has depth 1.

        Returns:
            The builder.
        """
        return self._set(max_depth=max_depth)

    def with_min_memory(
        self,
        min_bytes: int = 0,
        min_peak_bytes: int = 0,
        min_residual_bytes: int = 0,
        min_output_bytes: int = 0,
    ) -> ProfileOptionBuilder:
        """Shows nodes that use at least so much memory.

        Args:
            min_bytes: the bytes that they request.
            min_peak_bytes: the bytes that they hold at most.
            min_residual_bytes: the bytes that are not freed when they end.
            min_output_bytes: the bytes of their outputs.

        Returns:
            The builder.
        """
        return self._set(
            min_bytes=min_bytes,
            min_peak_bytes=min_peak_bytes,
            min_residual_bytes=min_residual_bytes,
            min_output_bytes=min_output_bytes,
        )

    def with_min_execution_time(
        self, min_micros: int = 0, min_accelerator_micros: int = 0, min_cpu_micros: int = 0
    ) -> ProfileOptionBuilder:
        """Shows nodes that take at least so long.

        Args:
            min_micros: microseconds in all.
            min_accelerator_micros: microseconds on accelerators.
            min_cpu_micros: microseconds on CPUs.

        Returns:
            The builder.
        """
        return self._set(
            min_micros=min_micros,
            min_accelerator_micros=min_accelerator_micros,
            min_cpu_micros=min_cpu_micros,
        )

    def with_min_parameters(self, min_params: int) -> ProfileOptionBuilder:
        """Shows nodes that hold at least so many parameters.

        Args:
            min_params: the number.

        Returns:
            The builder.
        """
        return self._set(min_params=min_params)

    def with_min_occurrence(self, min_occurrence: int) -> ProfileOptionBuilder:
        """Shows what occurs at least so often.

        Args:
            min_occurrence: the number of runs; for op types, of nodes.

        Returns:
            The builder.
        """
        return self._set(min_occurrence=min_occurrence)

    def with_min_float_operations(self, min_float_ops: int) -> ProfileOptionBuilder:
        """Shows nodes with at least so many floating-point operations.

        Args:
            min_float_ops: the number.

        Returns:
            The builder.
        """
        return self._set(min_float_ops=min_float_ops)

    def with_accounted_types(self, account_type_regexes: Sequence[str]) -> ProfileOptionBuilder:
        """Counts only nodes of some types.

        Args:
            account_type_regexes: regular expressions of op types, devices, or types that an
                OpLogProto gives, such as "_trainable_variables".

        Returns:
            The builder.
        """
        return self._set(account_type_regexes=list(account_type_regexes))

    def with_node_names(
        self,
        start_name_regexes: Sequence[str] | None = None,
        show_name_regexes: Sequence[str] | None = None,
        hide_name_regexes: Sequence[str] | None = None,
        trim_name_regexes: Sequence[str] | None = None,
    ) -> ProfileOptionBuilder:
        """Chooses nodes by regular expressions of their names.

        Args:
            start_name_regexes: where to start.
            show_name_regexes: what to show.
            hide_name_regexes: what not to show.
            trim_name_regexes: below what nothing is shown.

        Returns:
            The builder.
        """
        given = {
            "start_name_regexes": start_name_regexes,
            "show_name_regexes": show_name_regexes,
            "hide_name_regexes": hide_name_regexes,
            "trim_name_regexes": trim_name_regexes,
        }
        return self._set(**{key: list(value) for key, value in given.items() if value is not None})

    def account_displayed_op_only(self, is_true: bool) -> ProfileOptionBuilder:
        """Chooses whether totals count only the nodes that are shown.

        Args:
            is_true: whether they do.

        Returns:
            The builder.
        """
        return self._set(account_displayed_op_only=is_true)

    def with_empty_output(self) -> ProfileOptionBuilder:
        """Prints no report.

        Returns:
            The builder.
        """
        return self._set(output="none")

    def with_stdout_output(self) -> ProfileOptionBuilder:
        """Prints the report to standard output.

        Returns:
            The builder.
        """
        return self._set(output="stdout")

    def with_file_output(self, outfile: str) -> ProfileOptionBuilder:
        """Writes the report to a file.

        Args:
            outfile: its path.

        Returns:
            The builder.
        """
        return self._set(output=f"file:outfile={outfile}")

    def with_timeline_output(self, timeline_file: str) -> ProfileOptionBuilder:
        """Writes a timeline that chrome://tracing shows.

        Args:
            timeline_file: its path; the step is appended.

        Returns:
            The builder.
        """
        return self._set(output=f"timeline:outfile={timeline_file}")

    def with_pprof_output(self, pprof_file: str) -> ProfileOptionBuilder:
        """Asks for a file for pprof, which Headwater does not write.

        Args:
            pprof_file: its path.

        Returns:
            The builder.
        """
        return self._set(output=f"pprof:outfile={pprof_file}")

    def order_by(self, attribute: str) -> ProfileOptionBuilder:
        """Orders what is shown.

        Args:
            attribute: "name", "micros", "bytes", "params", "float_ops", "occurrence", and others.

        Returns:
            The builder.
        """
        return self._set(order_by=attribute)

    def select(self, attributes: Sequence[str]) -> ProfileOptionBuilder:
        """Chooses what is shown of a node.

        Args:
            attributes: of "micros", "bytes", "params", "float_ops", "occurrence", "device",
                "op_types", "input_shapes", and others.

        Returns:
            The builder.
        """
        return self._set(select=list(attributes))

    def with_step(self, step: int) -> ProfileOptionBuilder:
        """Chooses a step.

        Args:
            step: a step that was given to `Profiler.add_step`; -1 for the mean of all.

        Returns:
            The builder.
        """
        return self._set(step=step)
