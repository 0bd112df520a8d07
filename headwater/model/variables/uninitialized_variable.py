"""Resource variables without an initial value, as loaders make them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.base.dtypes import as_dtype
from headwater.base.tensor_shape import TensorShape, as_tuple
from headwater.base.typing import DTypeLike, ShapeLike
from headwater.graph import Operation, build, get_default_graph, name_scope
from headwater.graph.default_graph import add_to_collections
from headwater.graph.graph_keys import GraphKeys
from headwater.model.variables.resource_variable import ResourceVariable


class UninitializedVariable(ResourceVariable):
    """A resource variable whose value comes from elsewhere.

    Args:
        shape: the static shape.
        dtype: the type.
        trainable: whether optimizers update it.
        name: the name.
        collections: the keys of its collections, all of them; GLOBAL_VARIABLES if None.
    """

    def __init__(
        self,
        shape: ShapeLike,
        dtype: DTypeLike,
        trainable: bool = True,
        name: str | None = None,
        collections: Sequence[str] | None = None,
    ) -> None:
        self._trainable = trainable
        self._initial_value: Any = None
        self._initializer_op: Any = None
        self._dtype = as_dtype(dtype)
        self._shape = TensorShape(shape)
        with (
            get_default_graph().control_dependencies(None),
            name_scope(name, "Variable", []) as scope,
        ):
            self._handle = build.VarHandleOp(
                dtype=self._dtype, shape=as_tuple(shape), shared_name=scope[:-1], name=scope
            )
            with name_scope("Read"):
                self._graph_element = build.ReadVariableOp(self._handle, dtype=self._dtype)
        add_to_collections(
            [GraphKeys.GLOBAL_VARIABLES] if collections is None else collections, self
        )

    def set_initializer(self, op: Operation) -> None:
        """Sets the op that gives the variable its value."""
        self._initializer_op = op
