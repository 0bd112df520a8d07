"""The layers of specs: `C*` are convolutions, `F*` fully connected, with the activation last."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.contrib.layers.batch_norm import batch_norm
from headwater.contrib.layers.convolution import convolution2d as conv2d
from headwater.contrib.layers.dropout import dropout
from headwater.contrib.layers.fully_connected import fully_connected
from headwater.contrib.layers.pooling import avg_pool2d, max_pool2d
from headwater.contrib.layers.reshaping import flatten
from headwater.contrib.layers.units import unit_norm
from headwater.contrib.specs.specs_lib import Callable, Composable, Function
from headwater.graph import Tensor
from headwater.model.variables.variable_scope import get_variable, variable_scope
from headwater.ops.array.concat import concat
from headwater.ops.array.reshape import expand_dims, reshape, squeeze
from headwater.ops.array.transpose import transpose
from headwater.ops.control.identity import identity
from headwater.ops.control.print import print_
from headwater.ops.math.exponential import sigmoid, tanh
from headwater.ops.nn.lrn import local_response_normalization
from headwater.ops.nn.relu import relu
from headwater.ops.nn.softmax import softmax


def _layer(name: str, *args: Any, **options: Any) -> Function:
    return export(f"contrib.specs.{name}")(Function(*args, **options))


Cx = _layer("Cx", conv2d)
Cs = _layer("Cs", conv2d, activation_fn=sigmoid)
Ct = _layer("Ct", conv2d, activation_fn=tanh)
Cr = _layer("Cr", conv2d, activation_fn=relu)
Cm = _layer("Cm", conv2d, activation_fn=softmax)
Cl = _layer("Cl", conv2d, activation_fn=None)
Fx = _layer("Fx", fully_connected)
Fs = _layer("Fs", fully_connected, activation_fn=sigmoid)
Ft = _layer("Ft", fully_connected, activation_fn=tanh)
Fr = _layer("Fr", fully_connected, activation_fn=relu)
Fm = _layer("Fm", fully_connected, activation_fn=softmax)
Fl = _layer("Fl", fully_connected, activation_fn=None)
Mp = _layer("Mp", max_pool2d)
Ap = _layer("Ap", avg_pool2d)
Bn = _layer("Bn", batch_norm)
Lrn = _layer("Lrn", local_response_normalization)
Unit = _layer("Unit", unit_norm)
Relu = _layer("Relu", relu)
Sig = _layer("Sig", sigmoid)
Tanh = _layer("Tanh", tanh)
Smax = _layer("Smax", softmax)
Do = _layer("Do", dropout)
Flat = _layer("Flat", flatten)
Reshape = _layer("Reshape", reshape)
Transpose = _layer("Transpose", transpose)
Squeeze = _layer("Squeeze", squeeze)
Expand = _layer("Expand", expand_dims)
Id = _layer("Id", identity)
Print = _layer("Print", print_)
Fun = Function


@export("contrib.specs.Idx")
class Idx(Composable):
    """The tensor itself, without a node."""

    def funcall(self, x: Any) -> Any:
        """Returns x."""
        return x


@export("contrib.specs.Conc")
class Conc(Composable):
    """What several networks make of a tensor, side by side.

    Args:
        dim: the dimension that is concatenated.
        *args: Composables.
    """

    def __init__(self, dim: int, *args: Any) -> None:
        self.dim = dim
        self.funs = args

    def funcall(self, x: Any) -> Tensor:
        """Returns the concatenated outputs."""
        return concat([f.funcall(x) for f in self.funs], self.dim)


@export("contrib.specs.Shared")
class Shared(Composable):
    """A network whose variables are the same wherever it is used.

    Args:
        subnet: the network.
        name: the name of its scope.
        scope: a variable scope that exists.
    """

    shared_number = 1

    def __init__(self, subnet: Any, name: str | None = None, scope: Any = None) -> None:
        self.subnet = subnet
        self.name = f"Shared_{Shared.shared_number}" if name is None else name
        Shared.shared_number += 1
        self.scope = scope

    def funcall(self, x: Any) -> Any:
        """Returns what the network makes of x."""
        if self.scope is None:
            with variable_scope(self.name, values=[x]) as scope:
                self.scope = scope
                return self.subnet.funcall(x)
        with variable_scope(self.scope, values=[x], reuse=True):
            return self.subnet.funcall(x)


@export("contrib.specs.Var")
def Var(name: str, *args: Any, **kw: Any) -> Callable:
    """Makes a variable, which takes the place of the tensor.

    Args:
        name: its name.
        *args: arguments of `tf.get_variable`.
        **kw: keyword arguments of `tf.get_variable`.

    Returns:
        A Callable.
    """
    return Callable(lambda _: get_variable(name, *args, **kw))


@export("contrib.specs.Dws")
def Dws(n: int) -> Function:
    """Makes a fully connected layer of each pixel, with sigmoids.

    Args:
        n: the number of outputs.

    Returns:
        A Function.
    """
    return Cs(n, [1, 1])


@export("contrib.specs.Dwm")
def Dwm(n: int) -> Function:
    """Makes a fully connected layer of each pixel, with a softmax.

    Args:
        n: the number of outputs.

    Returns:
        A Function.
    """
    return Cm(n, [1, 1])
