"""Optimizers whose step is one op: they differ in the op, its slots and hyperparameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from headwater.base.typing import TensorLike
from headwater.graph import (
    IndexedSlices,
    Operation,
    Tensor,
    build,
    convert_to_tensor,
    get_default_graph,
)
from headwater.model.variables.initializers import Initializer, Zeros
from headwater.ops.array.constant import constant
from headwater.train.optimizers.optimizer import Optimizer
from headwater.train.optimizers.update_hooks import UpdateHooks

if TYPE_CHECKING:
    from headwater.model.variables.resource_variable import UnreadVariable
    from headwater.model.variables.variable import Variable


class SlotUpdates(UpdateHooks):
    """The hooks of an optimizer that applies a gradient with one op per variable.

    Attributes:
        op_name: the op types without their prefix: ``Momentum`` for ``ApplyMomentum`` and
            ``SparseApplyMomentum``.
        slot_inputs: the slot that belongs to each input of the op.
        number_inputs: the hyperparameter (see `_number_values`) that belongs to each input.
    """

    op_name: ClassVar[str]
    slot_inputs: ClassVar[dict[str, str]] = {}
    number_inputs: ClassVar[dict[str, str]] = {}

    if TYPE_CHECKING:  # what the class takes from `Optimizer`, the other base of its subclasses
        _use_locking: bool
        _name: str
        _call_if_callable: Any
        _cast: Any
        _get_or_make_slot_with_initializer: Any
        _zeros_slot: Any
        get_slot: Any

    def __init__(self, use_locking: bool, name: str, **numbers: Any) -> None:
        Optimizer.__init__(self, use_locking, name)  # type: ignore[arg-type]
        self._numbers = numbers
        self._number_tensors: dict[str, Any] = {}
        self._op_attrs: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        # What programs read: `_momentum`, `_momentum_tensor` or `_rho_t`, `_use_nesterov`.
        own = self.__dict__
        key = name.removeprefix("_")
        for found in (own.get("_numbers", {}), own.get("_op_attrs", {})):
            if key in found:
                return found[key]
        for ending in ("_tensor", "_t"):
            number = key.removesuffix(ending)
            if number != key and number in own.get("_numbers", {}):
                return own["_number_tensors"].get(number)
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name: str, value: Any) -> None:
        # What programs change between calls.
        own = self.__dict__
        numbers = own.get("_numbers", {})
        if name not in own and name.startswith("_") and name[1:] in numbers:
            numbers[name[1:]] = value
        else:
            super().__setattr__(name, value)

    def _slot_initializer(self, slot: str, var: Variable) -> Initializer:
        return Zeros()

    def _slot_value(self, value: float, var: Variable) -> Tensor:
        """A constant in the shape of a variable, as the initial value of a slot."""
        with get_default_graph().colocate_with(var):
            return constant(value, dtype=var.dtype.base_dtype, shape=var.get_shape())

    def _create_slots(self, var_list: list[Any]) -> None:
        for var in var_list:
            for slot in self.slot_inputs.values():
                initializer = self._slot_initializer(slot, var)
                if isinstance(initializer, Zeros):
                    self._zeros_slot(var, slot, self._name)
                else:
                    self._get_or_make_slot_with_initializer(
                        var,
                        initializer,
                        var.get_shape(),
                        var.dtype.base_dtype,
                        slot,
                        self._name,
                    )

    def _prepare(self) -> None:
        self._number_tensors = {
            name: convert_to_tensor(self._call_if_callable(value), name=name)
            for name, value in self._numbers.items()
        }

    def _number_values(self) -> dict[str, Any]:
        """The hyperparameters as tensors, by name."""
        return self._number_tensors

    def _op_numbers(self, like: TensorLike) -> dict[str, Any]:
        """The hyperparameter inputs of the op, cast to the type of a variable or gradient."""
        values, dtype = self._number_values(), like.dtype.base_dtype
        return {
            name: self._cast(values[number], dtype) for name, number in self.number_inputs.items()
        }

    def _op_inputs(self, var: TensorLike, like: TensorLike, resource: bool) -> dict[str, Any]:
        """The inputs of the op except the gradient, by name."""
        found: dict[str, Any] = {"var": var.handle if resource else var}
        for name, slot in self.slot_inputs.items():
            variable = self.get_slot(var, slot)
            found[name] = variable.handle if resource else variable
        return {**found, **self._op_numbers(like)}

    def _built(self, prefix: str, inputs: dict[str, Any], gradient: dict[str, Any]) -> Operation:
        builder = getattr(build, f"{prefix}{self.op_name}")
        names = [arg.name for arg in builder.record.schema.inputs]
        # Plain gradient descent calls the gradient `delta`.
        if "grad" not in names and "grad" in gradient:
            gradient["delta"] = gradient.pop("grad")
        values = {**inputs, **gradient}
        result = builder(
            *[values[name] for name in names], use_locking=self._use_locking, **self._op_attrs
        )
        return result.op if isinstance(result, Tensor) else result

    def _apply_dense(self, grad: Tensor, var: Variable) -> Tensor | Operation:
        return self._built("Apply", self._op_inputs(var, var, False), {"grad": grad})

    def _resource_apply_dense(self, grad: Tensor, handle: TensorLike) -> Operation | UnreadVariable:
        return self._built("ResourceApply", self._op_inputs(handle, grad, True), {"grad": grad})

    def _apply_sparse(self, grad: IndexedSlices, var: Variable) -> Tensor | Operation:
        gradient = {"grad": grad.values, "indices": grad.indices}
        return self._built("SparseApply", self._op_inputs(var, var, False), gradient)

    def _resource_apply_sparse(
        self, grad: Tensor, handle: TensorLike, indices: Tensor
    ) -> Operation:
        gradient = {"grad": grad, "indices": indices}
        return self._built("ResourceSparseApply", self._op_inputs(handle, grad, True), gradient)
