"""Networks of specs."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any

from headwater.base.export import export
from headwater.contrib.specs import params_ops, specs_lib, specs_ops

_LAYERS = {name: value for name, value in vars(specs_ops).items() if name[0].isupper()}
_LAYERS.update({name: value for name, value in vars(specs_lib).items() if name[0].isupper()})
_PARAMETERS = {name: value for name, value in vars(params_ops).items() if name[0].isupper()}
_PARAMETERS.update({name: value for name, value in vars(math).items() if name[0] != "_"})


def _evaluated(
    text: str, names: Mapping[str, Any], environment: Mapping[str, Any] | None
) -> dict[str, Any]:
    specs_lib.check_keywords(text)
    bindings = dict(environment or {})
    exec(text, dict(names), bindings)
    return bindings


@export("contrib.specs.eval_params")
def eval_params(params: str, environment: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Runs assignments of parameters.

    Args:
        params: the assignments, with functions such as `Li` and those of `math`.
        environment: names that they may use.

    Returns:
        All names with their values.
    """
    return _evaluated(params, _PARAMETERS, environment)


@export("contrib.specs.eval_spec")
def eval_spec(spec: str, environment: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Runs a spec.

    Args:
        spec: assignments, with layers such as `Cr` and `Fs`.
        environment: names that it may use.

    Returns:
        All names with their values.
    """
    return _evaluated(spec, _LAYERS, environment)


@export("contrib.specs.create_net_fun")
def create_net_fun(spec: str, environment: Mapping[str, Any] | None = None) -> Callable[[Any], Any]:
    """Returns the network of a spec as a function.

    Args:
        spec: assignments, among them one of `net`.
        environment: names that it may use.

    Returns:
        A function of a tensor.

    Raises:
        ValueError: if there is no `net`.
    """
    net = eval_spec(spec, environment).get("net")
    if net is None:
        raise ValueError(f"spec failed to create 'net': {spec}")
    return net.funcall


@export("contrib.specs.create_net")
def create_net(spec: str, inputs: Any, environment: Mapping[str, Any] | None = None) -> Any:
    """Makes the network of a spec.

    Args:
        spec: assignments, among them one of `net`.
        inputs: the tensor that goes in.
        environment: names that it may use.

    Returns:
        The tensor that comes out.
    """
    return create_net_fun(spec, environment)(inputs)


@export("contrib.specs.LocalImport")
class LocalImport:
    """A with block in which the caller's module has more names.

    Args:
        names: the names and their values; a Python module, or a dictionary.
    """

    def __init__(self, names: Any) -> None:
        self.names = names if isinstance(names, dict) else vars(names)
        self.overlay: Any = None

    def __enter__(self) -> None:
        frame = inspect.currentframe()
        assert frame is not None
        assert frame.f_back is not None
        self._globals = frame.f_back.f_globals
        self._before = dict(self._globals)
        self._globals.update(self.names)

    def __exit__(self, some_type: Any, value: Any, traceback: Any) -> None:
        self._globals.clear()
        self._globals.update(self._before)
