"""The base of the optimizers that apply a gradient with one op per variable."""

from __future__ import annotations

from typing import Any, ClassVar

from headwater.contrib.optimizer_v2.optimizer_v2 import OptimizerV2, OptimizerV2State
from headwater.graph import IndexedSlices, Operation, Tensor, build


class OneOp(OptimizerV2):
    """The base of the optimizers whose update is an op.

    Attributes:
        op_name: the op types without their prefix: ``Momentum`` for ``ApplyMomentum``.
        slot_inputs: the slot that belongs to each input of the op.
        number_inputs: the hyperparameter that belongs to each input.
    """

    op_name: ClassVar[str]
    slot_inputs: ClassVar[dict[str, str]] = {}
    number_inputs: ClassVar[dict[str, str]] = {}
    _op_attrs: ClassVar[dict[str, Any]] = {}

    def _create_vars(self, var_list: list[Any], state: OptimizerV2State) -> None:
        for var in var_list:
            for slot in self.slot_inputs.values():
                state.zeros_slot(var, slot)

    def _number(self, name: str, like: Any, state: OptimizerV2State) -> Any:
        return state.get_hyper(self.number_inputs[name], like.dtype.base_dtype)

    def _built(self, prefix: str, var: Any, state: OptimizerV2State, **gradient: Any) -> Operation:
        builder = getattr(build, f"{prefix}{self.op_name}")
        resource = prefix.startswith("Resource")
        inputs = []
        for argument in builder.record.schema.inputs:
            name = argument.name
            if name == "var" or name in self.slot_inputs:
                x = var if name == "var" else state.get_slot(var, self.slot_inputs[name])
                inputs.append(x.handle if resource else x)
            elif name in gradient or name == "delta":
                inputs.append(gradient[name if name in gradient else "grad"])
            else:
                inputs.append(self._number(name, var, state))
        result = builder(*inputs, use_locking=self._use_locking, **self._op_attrs)
        return result.op if isinstance(result, Tensor) else result

    def _apply_dense(self, grad: Tensor, var: Any, state: OptimizerV2State) -> Any:  # type: ignore[override]
        return self._built("Apply", var, state, grad=grad)

    def _resource_apply_dense(self, grad: Tensor, handle: Any, state: OptimizerV2State) -> Any:  # type: ignore[override]
        return self._built("ResourceApply", handle, state, grad=grad)

    def _apply_sparse(self, grad: IndexedSlices, var: Any, state: OptimizerV2State) -> Any:  # type: ignore[override]
        return self._built("SparseApply", var, state, grad=grad.values, indices=grad.indices)

    def _resource_apply_sparse(  # type: ignore[override]
        self, grad: Tensor, handle: Any, indices: Tensor, state: OptimizerV2State
    ) -> Any:
        return self._built("ResourceSparseApply", handle, state, grad=grad, indices=indices)
