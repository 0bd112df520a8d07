"""tensorflow.contrib.eager.python.tfe: the names of tf.contrib.eager under its old path."""

from __future__ import annotations

from typing import Any

from headwater.base import errors
from headwater.compat.internals import internal
from headwater.graph.execution_mode import enable_eager_execution, executing_eagerly
from headwater.graph.type_spec import TensorSpec
from headwater.model import gradient_tape
from headwater.model.custom_gradient import custom_gradient
from headwater.model.function.polymorphic import defun, function
from headwater.model.py_function import py_function
from headwater.model.tape_functions import (
    gradients_function,
    implicit_gradients,
    implicit_value_and_gradients,
    value_and_gradients_function,
)
from headwater.model.template import make_template
from headwater.model.trackable.auto import AutoTrackable
from headwater.model.variables.resource_variable import ResourceVariable
from headwater.train.objects.checkpoint import Checkpoint

for _name, _value in (
    ("Checkpoint", Checkpoint),
    ("Checkpointable", AutoTrackable),
    ("TensorSpec", TensorSpec),
    ("Variable", ResourceVariable),
    ("custom_gradient", custom_gradient),
    ("defun", defun),
    ("function", function),
    ("enable_eager_execution", enable_eager_execution),
    ("executing_eagerly", executing_eagerly),
    ("gradients_function", gradients_function),
    ("implicit_gradients", implicit_gradients),
    ("implicit_value_and_gradients", implicit_value_and_gradients),
    ("in_eager_mode", executing_eagerly),
    ("make_template", make_template),
    ("py_func", py_function),
    ("value_and_gradients_function", value_and_gradients_function),
):
    internal(f"tensorflow.contrib.eager.python.tfe.{_name}")(_value)
internal("eager.tape.stop_recording")(gradient_tape.stop_recording)
internal("eager.tape.could_possibly_record")(gradient_tape.is_recording)


@internal("eager.tape.record_operation")
def record_operation(
    op_type: str, output_tensors: Any, input_tensors: Any, backward_function: Any
) -> None:
    """Tells tapes the gradient of a computation that ran eagerly; in graphs there is none.

    Args:
        op_type: its name.
        output_tensors: its results.
        input_tensors: what it was computed from.
        backward_function: from gradients of the results to those of the inputs.

    Raises:
        UnimplementedError: if a tape records.
    """
    if gradient_tape.is_recording():
        raise errors.UnimplementedError(
            None, None, "A tape records ops of graphs only", hint="use tf.custom_gradient"
        )


@internal("ops.custom_gradient._graph_mode_decorator")
def call_with_custom_gradient(f: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls a function that returns a result and the function of its gradient."""
    return custom_gradient(f)(*args, **kwargs)
