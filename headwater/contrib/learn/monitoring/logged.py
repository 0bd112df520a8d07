"""Monitors that log, keep and compare values of tensors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from headwater.base import logging
from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.contrib.learn.monitoring.base_monitor import BaseMonitor, EveryN, extract_output
from headwater.contrib.learn.monitoring.written import SummarySaver
from headwater.graph import Tensor, get_default_graph
from headwater.graph.graph_keys import GraphKeys


@export("contrib.learn.monitors.PrintTensor")
class PrintTensor(EveryN):
    """Logs values of tensors.

    Args:
        tensor_names: names of tensors, or tensors by the names that are logged.
        every_n: the interval in steps.
        first_n: how many of the first steps are all logged.
    """

    def __init__(
        self,
        tensor_names: Mapping[str, Any] | Sequence[str],
        every_n: int = 100,
        first_n: int = 1,
    ) -> None:
        super().__init__(every_n, first_n)
        if not isinstance(tensor_names, Mapping):
            tensor_names = {name: name for name in tensor_names}
        self._tensor_names = tensor_names

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Asks for the tensors.

        Args:
            step: the global step after the step.

        Returns:
            The tensors.
        """
        super().every_n_step_begin(step)
        return list(self._tensor_names.values())

    def every_n_step_end(self, step: int, outputs: Mapping[Any, Any]) -> bool:
        """Logs the values.

        Args:
            step: the global step.
            outputs: values by tensor.

        Returns:
            False.
        """
        super().every_n_step_end(step, outputs)
        shown = [
            f"{tag} = {extract_output(outputs, tensor)!s}"
            for tag, tensor in self._tensor_names.items()
            if tensor in outputs
        ]
        logging.info("Step %d: %s", step, ", ".join(shown))
        return False


@export("contrib.learn.monitors.LoggingTrainable")
class LoggingTrainable(EveryN):
    """Logs values of the trainable variables.

    Args:
        scope: the beginning of their names; None for all.
        every_n: the interval in steps.
        first_n: how many of the first steps are all logged.
    """

    def __init__(self, scope: str | None = None, every_n: int = 100, first_n: int = 1) -> None:
        super().__init__(every_n, first_n)
        self._scope = scope

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Asks for the variables.

        Args:
            step: the global step after the step.

        Returns:
            The names of their values.
        """
        super().every_n_step_begin(step)
        graph = get_default_graph()
        variables = graph.get_collection(GraphKeys.TRAINABLE_VARIABLES, scope=self._scope)
        # The name of the read value -> the name of the variable.
        self._names = {variable.value().name: variable.name for variable in variables}
        return list(self._names)

    def every_n_step_end(self, step: int, outputs: Mapping[Any, Any]) -> bool:
        """Logs the values.

        Args:
            step: the global step.
            outputs: values by name.

        Returns:
            False.
        """
        super().every_n_step_end(step, outputs)
        shown = [
            f"{name} = {extract_output(outputs, value)!s}"
            for value, name in self._names.items()
            if value in outputs
        ]
        logging.info("Logging Trainable: Step %d: %s", step, ", ".join(shown))
        return False


@export("contrib.learn.monitors.CaptureVariable")
class CaptureVariable(EveryN):
    """Keeps values of a variable.

    Args:
        var_name: its name.
        every_n: the interval in steps.
        first_n: how many of the first steps are all kept.
    """

    def __init__(self, var_name: str, every_n: int = 100, first_n: int = 1) -> None:
        super().__init__(every_n, first_n)
        self._var_name = var_name
        self._var_values: dict[int, Any] = {}

    @property
    def values(self) -> dict[int, Any]:
        """The values by step."""
        return self._var_values

    def every_n_step_begin(self, step: int) -> list[Any]:
        """Asks for the variable.

        Args:
            step: the global step after the step.

        Returns:
            Its name, in a list.
        """
        super().every_n_step_begin(step)
        return [self._var_name]

    def every_n_step_end(self, step: int, outputs: Mapping[Any, Any]) -> bool:
        """Keeps the value.

        Args:
            step: the global step.
            outputs: the value by name.

        Returns:
            False.
        """
        super().every_n_step_end(step, outputs)
        self._var_values[step] = extract_output(outputs, self._var_name)
        return False


@export("contrib.learn.monitors.GraphDump")
class GraphDump(BaseMonitor):
    """Keeps the values of almost all tensors of a graph at every step.

    Args:
        ignore_ops: types of ops that are left out; `IGNORE_OPS` by default.
    """

    IGNORE_OPS = [  # noqa: RUF012 (a list in TensorFlow, too)
        "Const",
        "Assign",
        "Identity",
        "Placeholder",
        "RandomUniform",
        "Cast",
        "RestoreSlice",
    ]

    def __init__(self, ignore_ops: Sequence[str] | None = None) -> None:
        super().__init__()
        self._ignore_ops = ignore_ops or GraphDump.IGNORE_OPS
        self._data: dict[int, dict[Any, Any]] = {}

    def begin(self, max_steps: int | None = None) -> None:
        """Logs the ops, and chooses their tensors.

        Args:
            max_steps: the global step at which training stops; or None.
        """
        super().begin(max_steps=max_steps)
        self._tensors: list[Tensor] = []
        graph = get_default_graph()
        for op in graph.get_operations():
            if op.type in self._ignore_ops:
                continue
            logging.info("op=%s name=%s.", op.type, op.name)
            if op.outputs:
                self._tensors.append(op.outputs[0])

    def step_begin(self, step: int) -> list[Any]:
        """Asks for the tensors.

        Args:
            step: the global step after the step.

        Returns:
            The tensors.
        """
        super().step_begin(step)
        return self._tensors

    def step_end(self, step: int, output: Mapping[Any, Any]) -> bool:
        """Keeps the values.

        Args:
            step: the global step.
            output: values by tensor or name.

        Returns:
            False.
        """
        super().step_end(step, output)
        self._data[step] = dict(output)
        return False

    @property
    def data(self) -> dict[int, dict[Any, Any]]:
        """The values by step, and by tensor or name."""
        return self._data

    def compare(
        self, other_dump: GraphDump, step: int, atol: float = 1e-06
    ) -> tuple[list[str], dict[str, tuple[Any, Any]]]:
        """Compares the values of a step with those of another monitor.

        Args:
            other_dump: the other monitor.
            step: the global step.
            atol: how far numbers may differ.

        Returns:
            (names of tensors with equal values, the two values of the others by name).

        Raises:
            ValueError: if the other monitor lacks a tensor.
        """
        matched: list[str] = []
        different: dict[str, tuple[Any, Any]] = {}
        values, others = _by_name(self.data.get(step, {})), _by_name(other_dump.data.get(step, {}))
        for name, value in values.items():
            if name not in others:
                # TensorFlow does not format this text.
                raise ValueError("%s missing at step %s.", (name, step))
            if _are_equal(value, others[name], atol):
                matched.append(name)
            else:
                different[name] = (value, others[name])
        return matched, different


def _by_name(values: Mapping[Any, Any]) -> dict[str, Any]:
    return {key if isinstance(key, str) else key.name: value for key, value in values.items()}


def _are_equal(value: Any, other: Any, atol: float) -> bool:
    if isinstance(value, np.ndarray) and value.dtype.kind not in "OSU":
        return bool(np.allclose(value, other, atol=atol))
    if isinstance(value, (float, np.floating)):
        return bool(abs(value - other) < atol)
    return bool(np.all(value == other))


@export("contrib.learn.monitors.get_default_monitors")
@deprecated(None, "Use tf.train.MonitoredTrainingSession.")
def get_default_monitors(
    loss_op: Any = None,
    summary_op: Any = None,
    save_summary_steps: int = 100,
    output_dir: str | None = None,
    summary_writer: Any = None,
) -> list[BaseMonitor]:
    """Makes the monitors that most programs want.

    Args:
        loss_op: the loss, which is logged; or None.
        summary_op: the summaries, which are written; or None.
        save_summary_steps: the interval of summaries in steps.
        output_dir: the folder of event files; or None.
        summary_writer: a FileWriter; or None.

    Returns:
        A list of monitors.
    """
    monitors: list[BaseMonitor] = []
    if loss_op is not None:
        monitors.append(PrintTensor(tensor_names={"loss": loss_op.name}))
    if summary_op is not None:
        saver = SummarySaver(
            summary_op,
            save_steps=save_summary_steps,
            output_dir=output_dir,
            summary_writer=summary_writer,
        )
        monitors.append(saver)
    return monitors
