"""Losses of stochastic dual coordinate ascent: dual updates, primal and dual values.

Source: Shalev-Shwartz, Zhang, "Stochastic dual coordinate ascent methods for regularized loss
minimization", JMLR 2013; for partitions of the examples Ma et al., "Adding vs. averaging in
distributed primal-dual optimization", ICML 2015.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from headwater.base.checks import fail

# Newton's method converges quadratically.
_NEWTON_STEPS = 10
# The interval of the smooth hinge loss in which it is quadratic.
_GAMMA = 1.0


@dataclass(frozen=True)
class Loss:
    """A loss of a linear prediction.

    Attributes:
        updated: (label, dual, prediction, curvature) -> the dual variable that maximizes the dual
            objective along its coordinate; the curvature is the norm of the weighted example.
        primal: (labels, predictions) -> losses.
        dual: (labels, duals) -> conjugate losses, infinite for duals that are not allowed.
        slope: (labels, predictions) -> derivatives of the primal loss.
        smoothness: the constant by which the adaptive sampling weighs the regularization.
        labels: turns labels as given into those of the formulas.
    """

    updated: Callable[[float, float, float, float], float]
    primal: Callable[[np.ndarray, np.ndarray], np.ndarray]
    dual: Callable[[np.ndarray, np.ndarray], np.ndarray]
    slope: Callable[[np.ndarray, np.ndarray], np.ndarray]
    smoothness: float
    labels: Callable[[np.ndarray], np.ndarray]


def _signs(labels: np.ndarray) -> np.ndarray:
    wrong = labels[(labels != 0) & (labels != 1)]
    if wrong.size:
        fail(
            "Only labels of 0.0 or 1.0 are supported right now. "
            f"Found example with label: {wrong[0]:g}"
        )
    return 2 * labels - 1


def _not_negative(labels: np.ndarray) -> np.ndarray:
    wrong = labels[labels < 0]
    if wrong.size:
        fail(
            "Only non-negative labels can be used with the Poisson log loss. "
            f"Found example with label: {wrong[0]:g}"
        )
    return labels


def _x_log_x(x: np.ndarray) -> np.ndarray:
    return np.where(x > 0, x * np.log(np.where(x > 0, x, 1)), 0.0)


def _between(label: float, dual: float) -> float:
    """The dual variable moved to where its product with the label is in [0, 1]."""
    if label * dual < 0:
        return 0.0
    return label if label * dual > 1 else dual


def _allowed(labels: np.ndarray, duals: np.ndarray, values: np.ndarray) -> np.ndarray:
    products = labels * duals
    return np.where((products < 0) | (products > 1), np.inf, values)


def _quotient(numerator: float, denominator: float) -> float:
    if denominator:
        return numerator / denominator
    return math.copysign(math.inf, numerator) if numerator else 0.0


def updated_logistic(label: float, dual: float, prediction: float, curvature: float) -> float:
    """The dual variable is (1 + tanh x) / 2, in the direction of the label."""
    x = 0.0
    for _ in range(_NEWTON_STEPS):
        t = math.tanh(x)
        value = -2 * label * x - prediction - curvature * (0.5 * (1 + t) / label - dual)
        slope = -2 * label - curvature * (1 - t * t) * 0.5 / label
        x -= value / slope
    return 0.5 * (1 + math.tanh(x)) / label


def _slope_of_logistic(labels: np.ndarray, predictions: np.ndarray) -> np.ndarray:
    return -labels * 0.5 * (1 - np.tanh(0.5 * labels * predictions))


def _dual_of_logistic(labels: np.ndarray, duals: np.ndarray) -> np.ndarray:
    p = labels * duals
    return _x_log_x(1 - p) + _x_log_x(p)


def updated_squared(label: float, dual: float, prediction: float, curvature: float) -> float:
    return dual + _quotient(label - dual - prediction, 1 + curvature)


def updated_hinge(label: float, dual: float, prediction: float, curvature: float) -> float:
    return _between(label, dual + _quotient(label - prediction, curvature))


def updated_smooth_hinge(label: float, dual: float, prediction: float, curvature: float) -> float:
    step = _quotient(label - prediction - _GAMMA * dual, curvature + _GAMMA)
    return _between(label, dual + step)


def _primal_of_smooth_hinge(labels: np.ndarray, predictions: np.ndarray) -> np.ndarray:
    missing = np.maximum(1 - labels * predictions, 0)
    return np.where(missing >= _GAMMA, missing - _GAMMA / 2, missing**2 / (2 * _GAMMA))


def _slope_of_smooth_hinge(labels: np.ndarray, predictions: np.ndarray) -> np.ndarray:
    return -labels * np.clip((1 - labels * predictions) / _GAMMA, 0, 1)


def updated_poisson(label: float, dual: float, prediction: float, curvature: float) -> float:
    """The dual variable is the label less exp(x), where x is the prediction after the update."""
    x = min(prediction, math.log(label - dual)) if label > dual else min(prediction, 0.0)
    for _ in range(_NEWTON_STEPS):
        rate = math.exp(min(x, 700.0))
        x -= (x - prediction - curvature * (label - rate - dual)) / (1 + curvature * rate)
    return label - math.exp(min(x, 700.0))


def _dual_of_poisson(labels: np.ndarray, duals: np.ndarray) -> np.ndarray:
    rates = labels - duals
    return np.where(rates < 0, np.inf, _x_log_x(rates) - rates)


LOSSES = {
    "logistic_loss": Loss(
        updated_logistic,
        lambda y, wx: np.logaddexp(0, -y * wx),
        _dual_of_logistic,
        _slope_of_logistic,
        4.0,
        _signs,
    ),
    "squared_loss": Loss(
        updated_squared,
        lambda y, wx: 0.5 * (y - wx) ** 2,
        lambda y, a: a * (0.5 * a - y),
        lambda y, wx: wx - y,
        1.0,
        lambda labels: labels,
    ),
    "hinge_loss": Loss(
        updated_hinge,
        lambda y, wx: np.maximum(0, 1 - y * wx),
        lambda y, a: _allowed(y, a, -y * a),
        lambda y, wx: np.where(y * wx < 1, -y, 0.0),
        0.0,
        _signs,
    ),
    "smooth_hinge_loss": Loss(
        updated_smooth_hinge,
        _primal_of_smooth_hinge,
        lambda y, a: _allowed(y, a, -y * a + 0.5 * _GAMMA * a * a),
        _slope_of_smooth_hinge,
        _GAMMA,
        _signs,
    ),
    "poisson_loss": Loss(
        updated_poisson,
        lambda y, wx: np.exp(wx) - y * wx,
        _dual_of_poisson,
        lambda y, wx: np.exp(wx) - y,
        0.0,
        _not_negative,
    ),
}
