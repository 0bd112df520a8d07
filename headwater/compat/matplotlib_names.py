"""What Matplotlib has dropped and programs of the time use: names, and names of arguments."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from headwater.compat.old_names import Find, OldNames, Undo, constant, renamed, same, without


def _normal_density(x: Any, *args: Any) -> Any:
    """The density of a normal distribution with this mean and this deviation."""
    mean, deviation = args
    z = (np.asarray(x) - mean) / deviation
    return np.exp(-0.5 * z * z) / (deviation * np.sqrt(2 * np.pi))


def _bivariate_density(
    X: Any,
    Y: Any,
    sigmax: float = 1.0,
    sigmay: float = 1.0,
    mux: float = 0.0,
    muy: float = 0.0,
    sigmaxy: float = 0.0,
) -> Any:
    """The density of a normal distribution of two numbers."""
    x, y = (X - mux) / sigmax, (Y - muy) / sigmay
    rho = sigmaxy / (sigmax * sigmay)
    rest = 1 - rho * rho
    exponent = (x * x + y * y - 2 * rho * x * y) / (2 * rest)
    return np.exp(-exponent) / (2 * np.pi * sigmax * sigmay * np.sqrt(rest))


def _get_cmap(module: ModuleType) -> Any:
    def get_cmap(name: Any = None, lut: int | None = None) -> Any:
        """The colors of this name, in `lut` steps."""
        colors = name if hasattr(name, "resampled") else _colormaps()[name or "viridis"]
        return colors if lut is None else colors.resampled(lut)

    return get_cmap


def _register_cmap(module: ModuleType) -> Any:
    def register_cmap(name: str | None = None, cmap: Any = None, **_: Any) -> None:
        """Gives colors a name."""
        _colormaps().register(cmap, name=name, force=True)

    return register_cmap


def _colormaps() -> Any:
    return sys.modules["matplotlib"].colormaps


def _colors_of_canvas(canvas: Any) -> bytes:
    """The drawn picture as bytes, three for each point."""
    return np.asarray(canvas.buffer_rgba())[..., :3].tobytes()


def _do_not_hold(*_: Any) -> None:
    """Plots have been added to the axes ever since, which was the default before."""


_HOLDING = {"hold": constant(_do_not_hold), "ishold": constant(lambda *_: True)}


def _with_projection(gca: Callable[..., Any]) -> Any:
    """Lets `figure.gca(projection="3d")` make the axes."""

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return self.add_subplot(*args, **kwargs) if args or kwargs else gca(self)

    return call


def _with_projection_here(gca: Callable[..., Any]) -> Any:
    """Lets `pyplot.gca(projection="3d")` make the axes."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if not (args or kwargs):
            return gca()
        return sys.modules["matplotlib.pyplot"].gcf().gca(*args, **kwargs)

    return call


def _with_digits(subplot: Callable[..., Any]) -> Callable[..., Any]:
    """Lets the position of a plot be a text of three digits."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return subplot(*(_number(arg) for arg in args), **kwargs)

    return call


def _number(value: Any) -> Any:
    is_position = isinstance(value, str) and len(value) == 3 and value.isdigit()
    return int(value) if is_position else value


def _styles_without_versions(module: ModuleType) -> Undo:
    """Gives the styles of seaborn their old names."""
    styles = {name.replace("-v0_8", ""): style for name, style in module.library.items()}
    added = [name for name in styles if name not in module.library]
    module.library.update({name: styles[name] for name in added})

    def undo() -> None:
        for name in added:
            del module.library[name]

    return undo


_NAMES: dict[str, dict[str, Find]] = {
    "matplotlib.axes._base": {
        "_AxesBase.get_axis_bgcolor": same("_AxesBase", "get_facecolor"),
        "_AxesBase.set_axis_bgcolor": same("_AxesBase", "set_facecolor"),
        **{f"_AxesBase.{name}": find for name, find in _HOLDING.items()},
    },
    "matplotlib.backend_bases": {
        "FigureCanvasBase.set_window_title": constant(
            lambda self, title: self.manager and self.manager.set_window_title(title)
        ),
    },
    "matplotlib.backends.backend_agg": {
        "FigureCanvasAgg.tostring_rgb": constant(_colors_of_canvas),
    },
    "matplotlib.cm": {
        "get_cmap": _get_cmap,
        "register_cmap": _register_cmap,
        "spectral": same("nipy_spectral"),
    },
    "matplotlib.mlab": {
        "normpdf": constant(_normal_density),
        "bivariate_normal": constant(_bivariate_density),
    },
    "matplotlib.pyplot": {"register_cmap": _register_cmap, **_HOLDING},
}
_names = OldNames(
    _NAMES,
    changes={
        "matplotlib": {"use": without("warn")},
        "matplotlib.axes._axes": {"Axes.hist": renamed(normed="density")},
        "matplotlib.axes._base": {
            "_AxesBase.grid": renamed(b="visible"),
            "_AxesBase.__init__": renamed(axisbg="facecolor"),
        },
        "matplotlib.figure": {
            "FigureBase.add_subplot": _with_digits,
            "FigureBase.gca": _with_projection,
        },
        "matplotlib.pyplot": {
            "gca": _with_projection_here,
            "grid": renamed(b="visible"),
            "subplot": _with_digits,
        },
    },
    effects={"matplotlib.style": _styles_without_versions},
)
add = _names.add
remove = _names.remove
