"""Points of several classes in the plane: circles and spirals."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.data.mnist_batches import Dataset

_TURN = 2 * np.pi
_RADII: dict[str, Any] = {
    "archimedes": lambda angles: angles,
    "bernoulli": lambda angles: np.exp(0.1 * angles),
    "fermat": np.sqrt,
}


def _shuffled(points: np.ndarray, classes: np.ndarray, noise: float | None) -> Dataset:
    """The points in random order, moved by normal noise."""
    order = np.random.permutation(len(points))
    if noise is not None:
        points = points + np.random.normal(scale=noise, size=points.shape)
    return Dataset(data=points[order], target=classes[order])


@export("contrib.learn.datasets.synthetic.circles")
def circles(
    n_samples: int = 100,
    noise: float | None = None,
    seed: int | None = None,
    factor: float = 0.8,
    n_classes: int = 2,
    *args: Any,
    **kwargs: Any,
) -> Dataset:
    """Points on circles around the origin, one circle for each class.

    Args:
        n_samples: the number of points. What does not divide evenly is random points of class 0.
        noise: the standard deviation of the noise; None for none.
        seed: seeds NumPy's global generator; None leaves it alone.
        factor: the radius of each circle divided by that of the one before; the first has 1.
        n_classes: the number of circles.
        *args: unused.
        **kwargs: unused.

    Returns:
        A `Dataset` of float64 ``[n_samples, 2]`` and int32 ``[n_samples]``.
    """
    if seed is not None:
        np.random.seed(seed)
    each = n_samples // n_classes
    rest = n_samples - each * n_classes
    angles = np.linspace(0, _TURN, each)
    circle = np.stack([np.cos(angles), np.sin(angles)], 1)
    parts = [factor**i * circle for i in range(n_classes)]
    across, up = np.random.rand(rest), np.random.rand(rest)
    parts.append(np.stack([np.cos(_TURN * across), np.sin(_TURN * up)], 1))
    classes = np.concatenate([np.repeat(np.arange(n_classes), each), np.zeros(rest)])
    return _shuffled(np.concatenate(parts), classes.astype(np.int32), noise)


def _scaled(values: np.ndarray) -> np.ndarray:
    """Values from -1 to 1."""
    return values / np.abs(values).max() if values.size else values


@export("contrib.learn.datasets.synthetic.spirals")
def spirals(
    n_samples: int = 100,
    noise: float | None = None,
    seed: int | None = None,
    mode: str = "archimedes",
    n_loops: int = 2,
    *args: Any,
    **kwargs: Any,
) -> Dataset:
    """Points on two spirals that are wound around each other, one for each class.

    Args:
        n_samples: the number of points. An odd one is a random point of class 0.
        noise: the standard deviation of the noise; None for none.
        seed: seeds NumPy's global generator; None leaves it alone.
        mode: how the radius grows with the angle: "archimedes", linearly; "bernoulli",
            exponentially; "fermat", as its square root.
        n_loops: the number of turns.
        *args: unused.
        **kwargs: unused.

    Returns:
        A `Dataset` of float64 ``[n_samples, 2]`` and int32 ``[n_samples]``.

    Raises:
        ValueError: if there is no such mode.
    """
    if mode not in _RADII:
        raise ValueError(f"Cannot generate spiral with mode {mode}")
    if seed is not None:
        np.random.seed(seed)
    each = n_samples // 2
    angles = np.linspace(0, n_loops * _TURN, each)
    radii = _RADII[mode](angles)
    parts = []
    for turned in (angles, angles + np.pi):
        across, up = radii * np.cos(turned), radii * np.sin(turned)
        parts.append(np.stack([_scaled(across), _scaled(up)], 1))
    rest = n_samples - 2 * each
    random_angles = _TURN * np.random.rand(rest)
    extra = [_scaled(np.cos(random_angles)), _scaled(np.sin(random_angles))]
    parts.append(np.stack(extra, 1))
    classes = np.concatenate([np.repeat([0, 1], each), np.zeros(rest)])
    return _shuffled(np.concatenate(parts), classes.astype(np.int32), noise)
