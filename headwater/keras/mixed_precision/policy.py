"""Policies: the types in which layers compute and keep their variables."""

from __future__ import annotations

from typing import Any

from headwater.base.dtypes import DType, as_dtype
from headwater.base.export import export
from headwater.train.mixed_precision.loss_scale import DynamicLossScale, LossScale, loss_scale_of

_WITH_FLOAT32 = "_with_float32_vars"
_DEFAULT = "USE_DEFAULT"


@export("keras.mixed_precision.experimental.Policy")
class Policy:
    """The types of a layer.

    Args:
        name: the name of a type, for computation and variables; "mixed_float16" or
            "mixed_bfloat16", which keep the variables in float32; "infer", which takes the type of
            the first input; or one of these types followed by "_with_float32_vars".
        loss_scale: a number, "dynamic", a LossScale or None; by default there is a dynamic scale
            for "mixed_float16" and none for other policies.

    Raises:
        TypeError: if the name is no string.
        ValueError: if it is unknown.
    """

    def __init__(self, name: str, loss_scale: Any = _DEFAULT) -> None:
        if isinstance(name, DType):
            raise TypeError(
                f"'name' must be a string, not a DType. Instead, pass DType.name. Got: {name.name}"
            )
        if not isinstance(name, str):
            raise TypeError(f"'name' must be a string, but got: {name}")
        self._name = name
        self._compute_dtype, self._variable_dtype = _types(name)
        if loss_scale == _DEFAULT:
            loss_scale = DynamicLossScale() if name == "mixed_float16" else None
        self._loss_scale = loss_scale_of(loss_scale)

    @property
    def name(self) -> str:
        """The name."""
        return self._name

    @property
    def compute_dtype(self) -> str | None:
        """The name of the type of computation; None if it is that of the first input."""
        return self._compute_dtype

    @property
    def variable_dtype(self) -> str | None:
        """The name of the type of the variables; None if it is that of the first input."""
        return self._variable_dtype

    @property
    def should_cast_variables(self) -> bool:
        """Whether variables are cast before a layer computes with them."""
        return self._variable_dtype != self._compute_dtype

    @property
    def loss_scale(self) -> LossScale | None:
        """The factor of the loss, or None."""
        return self._loss_scale

    def __repr__(self) -> str:
        return f'<Policy "{self._name}", loss_scale={self._loss_scale}>'


def _types(name: str) -> tuple[str | None, str | None]:
    """The types of computation and of variables of a policy."""
    if name in ("mixed_float16", "mixed_bfloat16"):
        return name.removeprefix("mixed_"), "float32"
    computation = name.removesuffix(_WITH_FLOAT32)
    try:
        compute = None if computation == "infer" else as_dtype(computation).name
    except TypeError:
        raise ValueError(
            f"Cannot convert value {name} to a mixed precision Policy. Valid policies include "
            'include those in the form "<dtype>" and "<dtype>_with_float32_vars", where <dtype> '
            "is the name of a dtype."
        ) from None
    return compute, "float32" if name.endswith(_WITH_FLOAT32) else compute


@export("keras.mixed_precision.experimental.global_policy")
def global_policy() -> Policy:
    """The policy of layers without one of their own.

    Returns:
        The policy "infer": a layer takes the type of its first input.
    """
    return Policy("infer")


@export("keras.mixed_precision.experimental.set_policy")
def set_policy(policy: Policy | str | None) -> None:
    """Sets the policy of layers without one of their own.

    Args:
        policy: a policy, its name, or None; TensorFlow 1.15 accepts no policy but "infer".

    Raises:
        ValueError: if it is another policy.
    """
    if policy is not None and not isinstance(policy, Policy):
        policy = Policy(policy)
    if policy is not None and policy.compute_dtype is not None:
        raise ValueError("The global policy can only be set to a non-infer policy in TensorFlow 2")
