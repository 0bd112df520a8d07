"""`tf.saved_model.main_op`: what a SavedModel runs when it is loaded."""

from __future__ import annotations

from headwater.base.export import export
from headwater.graph import Operation, Tensor, group
from headwater.model.lookup.interface import tables_initializer
from headwater.model.variables.variable_lists import (
    global_variables_initializer,
    local_variables_initializer,
)


@export("saved_model.main_op.main_op")
def main_op() -> Operation:
    """Makes an operation that initializes global variables, local variables and tables."""
    return group(
        global_variables_initializer(), local_variables_initializer(), tables_initializer()
    )


@export("saved_model.main_op_with_restore", "saved_model.main_op.main_op_with_restore")
def main_op_with_restore(restore_op_name: Operation | Tensor) -> Operation:
    """Makes an operation like `main_op` that also runs, as its last step, another one.

    Args:
        restore_op_name: what restores the variables, an operation or tensor.

    Returns:
        An Operation.

    Raises:
        TypeError: if it is neither.
    """
    return group(main_op(), restore_op_name)
