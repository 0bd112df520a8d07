"""RMSProp: steps scaled by a moving average of squared gradients, plain and centered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.base.older_calls import inserted
from headwater.base.typing import Array, ArrayModule, TensorLike
from headwater.graph import export
from headwater.model.variables.initializers import Initializer, Ones, Zeros
from headwater.train.optimizers.apply_op import register_apply_ops
from headwater.train.optimizers.optimizer import Optimizer
from headwater.train.optimizers.slot_updates import SlotUpdates

if TYPE_CHECKING:
    from headwater.model.variables.variable import Variable


def kernel_rms_prop(
    xp: ArrayModule,
    var: Array,
    ms: Array,
    mom: Array,
    lr: Array,
    rho: Array,
    momentum: Array,
    epsilon: Array,
    grad: Array,
) -> tuple[Any, Any, Any]:
    ms = ms + (grad * grad - ms) * (1 - rho)
    mom = mom * momentum + (grad * lr) / xp.sqrt(ms + epsilon)
    return var - mom, ms, mom


def kernel_centered_rms_prop(
    xp: ArrayModule,
    var: Array,
    mg: Array,
    ms: Array,
    mom: Array,
    lr: Array,
    rho: Array,
    momentum: Array,
    epsilon: Array,
    grad: Array,
) -> tuple[Any, Any, Any, Any]:
    ms = ms + (grad * grad - ms) * (1 - rho)
    mg = mg + (grad - mg) * (1 - rho)
    mom = mom * momentum + (grad * lr) / xp.sqrt(ms - mg * mg + epsilon)
    return var - mom, mg, ms, mom


register_apply_ops(
    "ApplyRMSProp",
    "ResourceApplyRMSProp",
    variables="var ms mom",
    inputs="lr rho momentum epsilon grad",
    kernel=kernel_rms_prop,
)
register_apply_ops(
    "SparseApplyRMSProp",
    "ResourceSparseApplyRMSProp",
    variables="var ms mom",
    inputs="lr rho momentum epsilon grad indices",
    kernel=kernel_rms_prop,
)
register_apply_ops(
    "ApplyCenteredRMSProp",
    "ResourceApplyCenteredRMSProp",
    variables="var mg ms mom",
    inputs="lr rho momentum epsilon grad",
    kernel=kernel_centered_rms_prop,
)
register_apply_ops(
    "SparseApplyCenteredRMSProp",
    "ResourceSparseApplyCenteredRMSProp",
    variables="var mg ms mom",
    inputs="lr rho momentum epsilon grad indices",
    kernel=kernel_centered_rms_prop,
)


@export("train.RMSPropOptimizer")
class RMSPropOptimizer(Optimizer, SlotUpdates):
    """RMSProp (Tieleman and Hinton, 2012, lecture 6.5).

    ms <- decay ms + (1 - decay) g^2; mom <- momentum mom + learning_rate g / sqrt(ms + epsilon);
    var <- var - mom. The centered form subtracts the square of the mean gradient from ms.

    Args:
        learning_rate: a number, a tensor, or a function without arguments.
        decay: the decay of the averages.
        momentum: how much of the last step is kept.
        epsilon: a small constant against division by zero.
        use_locking: whether updates exclude each other.
        centered: whether the variance takes the place of the mean square.
        name: the name of the ops and slots.
    """

    number_inputs = {  # noqa: RUF012
        "lr": "learning_rate",
        "rho": "decay",
        "momentum": "momentum",
        "epsilon": "epsilon",
    }

    @inserted(6, False)
    def __init__(
        self,
        learning_rate: TensorLike,
        decay: TensorLike = 0.9,
        momentum: TensorLike = 0.0,
        epsilon: TensorLike = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        SlotUpdates.__init__(
            self,
            use_locking,
            name,
            learning_rate=learning_rate,
            decay=decay,
            momentum=momentum,
            epsilon=epsilon,
        )
        self.op_name = "CenteredRMSProp" if centered else "RMSProp"  # type: ignore[misc]
        middle = {"mg": "mg"} if centered else {}
        self.slot_inputs = {"ms": "rms", **middle, "mom": "momentum"}  # type: ignore[misc]

    def _slot_initializer(self, slot: str, var: Variable) -> Initializer:
        return Ones(dtype=var.dtype.base_dtype) if slot == "rms" else Zeros()
