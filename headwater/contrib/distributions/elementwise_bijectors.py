"""Bijectors that work on single numbers."""

from __future__ import annotations

from typing import Any

from headwater.base.typing import NestedTensors, TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, export, name_scope, with_dependencies
from headwater.model.distributions.bijector import Bijector
from headwater.ops.array.constant import constant
from headwater.ops.array.fill import zeros
from headwater.ops.control.value_checks import (
    assert_less_equal,
    assert_non_negative,
    assert_none_equal,
    assert_positive,
)
from headwater.ops.math.select import where_v2


@export("contrib.distributions.bijectors.AbsoluteValue")
class AbsoluteValue(Bijector):
    """The function y = |x|, whose inverse is the pair -y, y.

    Args:
        validate_args: whether arguments are checked when the graph runs.
        name: the name.
    """

    def __init__(self, validate_args: bool = False, name: str = "absolute_value") -> None:
        super().__init__(
            forward_min_event_ndims=0,
            is_constant_jacobian=True,
            validate_args=validate_args,
            name=name,
        )

    @property
    def _is_injective(self) -> bool:
        return False

    def _forward(self, x: TensorLike) -> Tensor:
        return build.Abs(x)

    def _inverse(self, y: TensorLike) -> NestedTensors:
        if self.validate_args:
            y = with_dependencies([assert_non_negative(y, message="Argument y was negative")], y)
        return -y, y

    def _inverse_log_det_jacobian(self, y: TensorLike) -> NestedTensors:
        zero = zeros((), dtype=y.dtype)
        if self.validate_args:
            zero = with_dependencies(
                [assert_non_negative(y, message="Argument y was negative")], zero
            )
        return zero, zero

    def inverse_log_det_jacobian(
        self, y: TensorLike, event_ndims: TensorLike, name: str = "inverse_log_det_jacobian"
    ) -> NestedTensors:
        """log |det dx/dy| for both of the inverses."""
        with self._name_scope(name, [y]):
            y = self._argument(y, "y")
            return tuple(
                self._reduced(y, each, self.inverse_min_event_ndims, event_ndims)
                for each in self._inverse_log_det_jacobian(y)
            )


@export("contrib.distributions.bijectors.Gumbel")
class Gumbel(Bijector):
    """The bijector y = exp(-exp(-(x - loc) / scale)), the distribution function of Gumbel's law.

    Args:
        loc: the location.
        scale: the scale, positive.
        validate_args: whether arguments are checked when the graph runs.
        name: the name.
    """

    def __init__(
        self,
        loc: TensorLike = 0.0,
        scale: TensorLike = 1.0,
        validate_args: bool = False,
        name: str = "gumbel",
    ) -> None:
        with name_scope(name, None, [loc, scale]):
            self._loc: Tensor = convert_to_tensor(loc, name="loc")
            self._scale: Tensor = convert_to_tensor(scale, name="scale")
            if validate_args:
                self._scale = with_dependencies(
                    [assert_positive(self._scale, message="Argument scale was not positive")],
                    self._scale,
                )
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def loc(self) -> Tensor:
        """The location."""
        return self._loc

    @property
    def scale(self) -> Tensor:
        """The scale."""
        return self._scale

    def _forward(self, x: Tensor) -> Tensor:
        z = (x - self.loc) / self.scale
        return build.Exp(-build.Exp(-z))

    def _inverse(self, y: TensorLike) -> Tensor:
        y = _checked_unit(y, self.validate_args)
        return self.loc - self.scale * build.Log(-build.Log(y))

    def _inverse_log_det_jacobian(self, y: TensorLike) -> Tensor:
        y = _checked_unit(y, self.validate_args)
        return build.Log(self.scale / (-build.Log(y) * y))

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        z = (x - self.loc) / self.scale
        return -z - build.Exp(-z) - build.Log(self.scale)


def _checked_unit(y: TensorLike, validate_args: bool) -> Tensor:
    """`y`, which lies between 0 and 1."""
    if not validate_args:
        return y
    checks = [
        assert_non_negative(y, message="Inverse transformation input must be greater than 0."),
        assert_less_equal(
            y,
            constant(1.0, y.dtype),
            message="Inverse transformation input must be less than or equal to 1.",
        ),
    ]
    return with_dependencies(checks, y)


@export("contrib.distributions.bijectors.Kumaraswamy")
class Kumaraswamy(Bijector):
    """The bijector y = (1 - (1 - x)^(1 / concentration0))^(1 / concentration1) of [0, 1].

    The inverse is the distribution function of Kumaraswamy's law.

    Args:
        concentration1: a power, positive.
        concentration0: a power, positive.
        validate_args: whether arguments are checked when the graph runs.
        name: the name.
    """

    def __init__(
        self,
        concentration1: TensorLike = None,
        concentration0: TensorLike | None = None,
        validate_args: bool = False,
        name: str = "kumaraswamy",
    ) -> None:
        with name_scope(name, None, [concentration1, concentration0]):
            self._concentration1: Tensor = self._power(
                concentration1, "concentration1", validate_args
            )
            self._concentration0: Tensor = self._power(
                concentration0, "concentration0", validate_args
            )
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @staticmethod
    def _power(value: TensorLike, name: str, validate_args: bool) -> Tensor:
        tensor = convert_to_tensor(value, name=name)
        if not validate_args:
            return tensor
        text = "Concentration parameter must be positive."
        return with_dependencies([assert_positive(tensor, message=text)], tensor)

    @property
    def concentration1(self) -> Tensor:
        """The first power."""
        return self._concentration1

    @property
    def concentration0(self) -> Tensor:
        """The second power."""
        return self._concentration0

    def _forward(self, x: TensorLike) -> Tensor:
        x = _checked_unit(x, self.validate_args)
        inner: TensorLike = build.Expm1(build.Log1p(-x) / self.concentration0)
        return build.Pow(-inner, build.Reciprocal(self.concentration1))

    def _inverse(self, y: TensorLike) -> Tensor:
        y = _checked_unit(y, self.validate_args)
        return build.Exp(
            build.Log1p(
                -build.Exp(build.Log1p(-build.Pow(y, self.concentration1)) * self.concentration0)
            )
        )

    def _inverse_log_det_jacobian(self, y: TensorLike) -> Tensor:
        y = _checked_unit(y, self.validate_args)
        return (
            build.Log(self.concentration1)
            + build.Log(self.concentration0)
            + build.Xlogy(self.concentration1 - 1, y)
            + build.Xlogy(self.concentration0 - 1, 1 - build.Pow(y, self.concentration1))
        )


@export("contrib.distributions.bijectors.PowerTransform")
class PowerTransform(Bijector):
    """The bijector y = (1 + x power)^(1 / power), with exp(x) for a power of 0.

    Args:
        power: a Python number, not negative.
        validate_args: whether arguments are checked when the graph runs.
        name: the name.

    Raises:
        ValueError: if the power is negative or not known.
    """

    def __init__(
        self, power: float = 0.0, validate_args: bool = False, name: str = "power_transform"
    ) -> None:
        if power is None or power < 0:
            raise ValueError("`power` must be a non-negative TF constant.")
        self._power = power
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def power(self) -> float:
        """The power."""
        return self._power

    def _forward(self, x: Tensor) -> Tensor:
        x = self._checked(x, x * self.power, -1.0, "Forward transformation input must be at least")
        if self.power == 0.0:
            return build.Exp(x)
        return build.Exp(build.Log1p(x * self.power) / self.power)

    def _inverse(self, y: Tensor) -> Tensor:
        y = self._checked_positive(y)
        if self.power == 0.0:
            return build.Log(y)
        return build.Expm1(build.Log(y) * self.power) / self.power

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        y = self._checked_positive(y)
        return (self.power - 1.0) * build.Log(y)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        x = self._checked(x, x * self.power, -1.0, "Forward transformation input must be at least")
        if self.power == 0.0:
            return x
        return (1.0 / self.power - 1.0) * build.Log1p(x * self.power)

    def _checked(self, x: TensorLike, scaled: Tensor, least: float, text: str) -> Tensor:
        if not self.validate_args or self.power == 0.0:
            return x
        check = assert_non_negative(scaled - least, message=f"{text} {-1.0 / self.power}.")
        return with_dependencies([check], x)

    def _checked_positive(self, y: TensorLike) -> Tensor:
        if not self.validate_args:
            return y
        text = "Inverse transformation input must be greater than 0."
        return with_dependencies([assert_positive(y, message=text)], y)


def _sqrtx2p1(x: TensorLike) -> Tensor:
    """sqrt(x^2 + 1), without an overflow."""
    limit = 1.0 / _epsilon(x) ** 0.5
    large = build.Greater(build.Abs(x), constant(limit, x.dtype))
    # A substitute for those elements, so that no gradient is NaN.
    small = where_v2(large, build.OnesLike(x), x)
    return where_v2(large, build.Abs(x), build.Sqrt(build.Square(small) + 1.0))


def _epsilon(x: Tensor) -> float:
    return {2: 2.0**-10, 4: 2.0**-23, 8: 2.0**-52}[x.dtype.size]


@export("contrib.distributions.bijectors.SinhArcsinh")
class SinhArcsinh(Bijector):
    """The bijector y = sinh(tailweight (arcsinh(x) + skewness)).

    Args:
        skewness: the asymmetry; 0 if None.
        tailweight: how heavy tails become, positive; 1 if None.
        validate_args: whether arguments are checked when the graph runs.
        name: the name.
    """

    def __init__(
        self,
        skewness: TensorLike = None,
        tailweight: TensorLike | None = None,
        validate_args: bool = False,
        name: str = "SinhArcsinh",
    ) -> None:
        with name_scope(name, None, [skewness, tailweight]):
            self._tailweight: Tensor = convert_to_tensor(
                1.0 if tailweight is None else tailweight, name="tailweight"
            )
            self._skewness: Tensor = convert_to_tensor(
                0.0 if skewness is None else skewness, dtype=self._tailweight.dtype, name="skewness"
            )
            if validate_args:
                text = "Argument tailweight was not positive"
                self._tailweight = with_dependencies(
                    [assert_positive(self._tailweight, message=text)], self._tailweight
                )
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def skewness(self) -> Tensor:
        """The asymmetry."""
        return self._skewness

    @property
    def tailweight(self) -> Tensor:
        """How heavy tails become."""
        return self._tailweight

    def _forward(self, x: TensorLike) -> Tensor:
        return build.Sinh((build.Asinh(x) + self.skewness) * self.tailweight)

    def _inverse(self, y: TensorLike) -> Tensor:
        return build.Sinh(build.Asinh(y) / self.tailweight - self.skewness)

    def _inverse_log_det_jacobian(self, y: TensorLike) -> Tensor:
        return (
            build.Log(build.Cosh(build.Asinh(y) / self.tailweight - self.skewness))
            - build.Log(_sqrtx2p1(y))
            - build.Log(self.tailweight)
        )

    def _forward_log_det_jacobian(self, x: TensorLike) -> Tensor:
        return (
            build.Log(build.Cosh((build.Asinh(x) + self.skewness) * self.tailweight))
            - build.Log(_sqrtx2p1(x))
            + build.Log(self.tailweight)
        )


@export("contrib.distributions.bijectors.Softsign")
class Softsign(Bijector):
    """The bijector y = x / (1 + |x|).

    Args:
        validate_args: whether arguments are checked when the graph runs.
        name: the name.
    """

    def __init__(self, validate_args: bool = False, name: str = "softsign") -> None:
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    def _forward(self, x: TensorLike) -> Tensor:
        return x / (1.0 + build.Abs(x))

    def _inverse(self, y: Tensor) -> Tensor:
        y = self._checked(y)
        return y / (1.0 - build.Abs(y))

    def _forward_log_det_jacobian(self, x: TensorLike) -> Tensor:
        return -2.0 * build.Log1p(build.Abs(x))

    def _inverse_log_det_jacobian(self, y: Tensor) -> Tensor:
        y = self._checked(y)
        return -2.0 * build.Log1p(-build.Abs(y))

    def _checked(self, y: TensorLike) -> Tensor:
        if not self.validate_args:
            return y
        one = constant(1.0, y.dtype)
        checks = [
            assert_less_equal(
                -one, y, message="Inverse transformation input must be greater than -1."
            ),
            assert_less_equal(y, one, message="Inverse transformation input must be less than 1."),
            assert_none_equal(build.Abs(y), one),
        ]
        return with_dependencies(checks, y)


@export("contrib.distributions.bijectors.Square")
class Square(Bijector):
    """The bijector y = x^2 of numbers that are not negative.

    Args:
        validate_args: whether arguments are checked when the graph runs.
        name: the name.
    """

    def __init__(self, validate_args: bool = False, name: str = "square") -> None:
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    def _forward(self, x: Tensor) -> Tensor:
        return build.Square(self._checked(x))

    def _inverse(self, y: Tensor) -> Tensor:
        return build.Sqrt(self._checked(y))

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        x = self._checked(x)
        return build.Log(2.0 * x)

    def _checked(self, x: TensorLike) -> Tensor:
        if not self.validate_args:
            return x
        return with_dependencies([assert_non_negative(x)], x)


@export("contrib.distributions.bijectors.Weibull")
class Weibull(Bijector):
    """The bijector y = 1 - exp(-(x / scale)^concentration), Weibull's distribution function.

    Args:
        scale: the scale, positive.
        concentration: the power, positive.
        validate_args: whether arguments are checked when the graph runs.
        name: the name.
    """

    def __init__(
        self,
        scale: TensorLike = 1.0,
        concentration: TensorLike = 1.0,
        validate_args: bool = False,
        name: str = "weibull",
    ) -> None:
        with name_scope(name, None, [scale, concentration]):
            self._scale: TensorLike = convert_to_tensor(scale, name="scale")
            self._concentration: TensorLike = convert_to_tensor(concentration, name="concentration")
            if validate_args:
                self._scale = with_dependencies(
                    [assert_positive(self._scale, message="Argument scale was not positive")],
                    self._scale,
                )
                text = "Argument concentration was not positive"
                self._concentration = with_dependencies(
                    [assert_positive(self._concentration, message=text)], self._concentration
                )
        super().__init__(forward_min_event_ndims=0, validate_args=validate_args, name=name)

    @property
    def scale(self) -> Any:
        """The scale."""
        return self._scale

    @property
    def concentration(self) -> Tensor:
        """The power."""
        return self._concentration

    def _forward(self, x: Tensor) -> Tensor:
        x = self._checked_positive(x)
        return -build.Expm1(-build.Pow(x / self.scale, self.concentration))

    def _inverse(self, y: TensorLike) -> NestedTensors:
        y = _checked_unit(y, self.validate_args)
        return self.scale * build.Pow(-build.Log1p(-y), 1 / self.concentration)

    def _inverse_log_det_jacobian(self, y: TensorLike) -> NestedTensors:
        y = _checked_unit(y, self.validate_args)
        return (
            -build.Log1p(-y)
            + (1 / self.concentration - 1) * build.Log(-build.Log1p(-y))
            + build.Log(self.scale / self.concentration)
        )

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        x = self._checked_positive(x)
        return (
            -build.Pow(x / self.scale, self.concentration)
            + (self.concentration - 1) * build.Log(x)
            + build.Log(self.concentration)
            - self.concentration * build.Log(self.scale)
        )

    def _checked_positive(self, x: TensorLike) -> Tensor:
        if not self.validate_args:
            return x
        text = "Forward transformation input must be at least 0."
        return with_dependencies([assert_non_negative(x, message=text)], x)
