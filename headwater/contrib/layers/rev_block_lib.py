"""Reversible layers, whose inputs are computed from their outputs, and recomputed layers."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import nest
from headwater.base.export import export
from headwater.base.typing import ShapeLike
from headwater.contrib.framework.arg_scope import arg_scope, current_arg_scope
from headwater.graph import Tensor, build, control_dependencies, gradients
from headwater.graph.basic_nodes import tuple_
from headwater.model.custom_gradient import custom_gradient
from headwater.model.layers.base import Layer
from headwater.model.variables.variable_lists import global_variables, trainable_variables
from headwater.model.variables.variable_scope import get_variable_scope, variable_scope

Function = Callable[..., Tensor]


def _in_scope(name: str, function: Function, x: Tensor, side: Sequence[Any]) -> Tensor:
    with variable_scope(name, use_resource=True):
        return function(x, side) if side else function(x)


@export("contrib.layers.RevBlock", "contrib.slim.RevBlock")
class RevBlock(Layer):
    """A block of reversible layers (Gomez et al., "The Reversible Residual Network", 2017).

    A layer computes y1 = x1 + f(x2) and y2 = x2 + g(y1). For gradients its inputs are computed
    from its outputs, so that no values between the layers are kept.

    Args:
        f: a function of a tensor (and `f_side_input`, if there is any) that returns a tensor of
            the same shape; or a list of one function for each layer.
        g: another one.
        num_layers: the number of layers.
        f_side_input: a list of further tensors for `f`, or None.
        g_side_input: a list of further tensors for `g`, or None.
        use_efficient_backprop: whether inputs are computed from outputs.
        name: the name.
        **kwargs: further arguments of Layer.

    Raises:
        ValueError: if there are not as many functions as layers.
    """

    def __init__(
        self,
        f: Any,
        g: Any,
        num_layers: int = 1,
        f_side_input: Sequence[Any] | None = None,
        g_side_input: Sequence[Any] | None = None,
        use_efficient_backprop: bool = True,
        name: str = "revblock",
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.f: list[Function] = f if isinstance(f, list) else [f] * num_layers
        self.g: list[Function] = g if isinstance(g, list) else [g] * num_layers
        if len(self.f) != num_layers or len(self.g) != num_layers:
            raise ValueError(f"f and g must have one function for each of {num_layers} layers.")
        self.num_layers = num_layers
        self.f_side_input = list(f_side_input or [])
        self.g_side_input = list(g_side_input or [])
        self._use_efficient_backprop = use_efficient_backprop

    def build(self, input_shape: ShapeLike) -> None:
        """Makes nothing: the variables are made at the first call.

        Args:
            input_shape: the shapes of the inputs.
        """
        self.built = True

    def forward(self, x1: Tensor, x2: Tensor) -> Any:
        """Applies the layers.

        Args:
            x1: the first input.
            x2: the second input.

        Returns:
            The two outputs.
        """
        return self.apply([x1, x2])

    def backward(self, y1: Tensor, y2: Tensor) -> Any:
        """Computes the inputs of the layers.

        Args:
            y1: the first output.
            y2: the second output.

        Returns:
            The two inputs.
        """
        return self.apply([y1, y2], forward=False)

    def call(self, inputs: Any, forward: bool = True) -> Any:
        """Applies the layers, or their inverses.

        Args:
            inputs: two tensors.
            forward: whether inputs or outputs are given.

        Returns:
            Two tensors.
        """
        known = set(map(id, global_variables()))
        first, second = inputs
        if not forward:
            result = self._inverted(first, second)
        elif self._use_efficient_backprop:
            result = self._with_efficient_gradient(first, second)
        else:
            result = self._applied(first, second, self.f_side_input, self.g_side_input)
        trained = set(map(id, trainable_variables()))
        for variable in global_variables():
            if id(variable) not in known:
                kept = self._trainable_weights if id(variable) in trained else None
                (self._non_trainable_weights if kept is None else kept).append(variable)
        return result

    def _applied(self, x1: Tensor, x2: Tensor, f_side: Any, g_side: Any) -> Any:
        for i in range(self.num_layers):
            with variable_scope(f"revlayer_{i}", use_resource=True):
                x1 = x1 + _in_scope("f", self.f[i], x2, f_side)
                x2 = x2 + _in_scope("g", self.g[i], x1, g_side)
                if self._use_efficient_backprop:
                    x1, x2 = tuple_([x1, x2])
        return x1, x2

    def _inverted(self, y1: Tensor, y2: Tensor) -> Any:
        for i in reversed(range(self.num_layers)):
            with variable_scope(f"revlayer_{i}", use_resource=True):
                y2 = y2 - _in_scope("g", self.g[i], y1, self.g_side_input)
                y1 = y1 - _in_scope("f", self.f[i], y2, self.f_side_input)
        return y1, y2

    def _with_efficient_gradient(self, x1: Tensor, x2: Tensor) -> Any:
        sides = [self.f_side_input, self.g_side_input]
        scope = get_variable_scope()

        def forward(x1: Tensor, x2: Tensor, *flat: Any) -> Any:
            f_side, g_side = nest.pack_sequence_as(sides, list(flat))
            outputs = self._applied(x1, x2, f_side, g_side)

            def gradient(*output_gradients: Tensor, **kwargs: Any) -> Any:
                variables = list(kwargs.get("variables") or ())
                with variable_scope(scope, reuse=True):
                    backwards = _Backwards(variables, list(flat), len(f_side))
                    found = backwards.run(self, outputs, output_gradients)
                of_arguments = [*found, *backwards.of_sides]
                return (of_arguments, backwards.of_variables) if variables else of_arguments

            return outputs, gradient

        return custom_gradient(forward)(x1, x2, *nest.flatten(sides))


class _Backwards:
    """The gradients of the layers of a block, from the last one to the first."""

    def __init__(self, variables: list[Any], sides: list[Any], f_sides: int) -> None:
        self.of_variables: list[Any] = [None] * len(variables)
        self.of_sides: list[Any] = [None] * len(sides)
        self._variables = variables
        self._sides = sides
        self._f_sides = f_sides

    def run(self, block: RevBlock, outputs: Any, output_gradients: Any) -> tuple[Any, Any]:
        """Returns the gradients of both inputs; fills those of variables and side inputs."""
        y1, y2 = outputs
        of_y1, of_y2 = output_gradients
        for i in reversed(range(block.num_layers)):
            with variable_scope(f"revlayer_{i}", use_resource=True):
                g_sides = range(self._f_sides, len(self._sides))
                value, extra = self._step("g", block.g[i], y1, of_y2, g_sides)
                y2, of_y1 = y2 - value, of_y1 + extra
                value, extra = self._step("f", block.f[i], y2, of_y1, range(self._f_sides))
                y1, of_y2 = y1 - value, of_y2 + extra
                y1, y2, of_y1, of_y2 = tuple_([y1, y2, of_y1, of_y2])
        return of_y1, of_y2

    def _step(
        self, name: str, function: Function, x: Tensor, of_value: Tensor, sides: range
    ) -> tuple[Tensor, Any]:
        """The value of a function, and the gradient of its input."""
        x = build.StopGradient(x)
        given = [build.StopGradient(self._sides[k]) for k in sides]
        value = _in_scope(name, function, x, given)
        found = gradients(value, [x, *given, *self._variables], of_value)
        for k, gradient in zip(sides, found[1:]):
            self.of_sides[k] = _sum(self.of_sides[k], gradient)
        for k, gradient in enumerate(found[1 + len(given) :]):
            self.of_variables[k] = _sum(self.of_variables[k], gradient)
        return value, 0.0 if found[0] is None else found[0]


def _sum(total: Any, gradient: Any) -> Any:
    if total is None or gradient is None:
        return gradient if total is None else total
    return build.AddN([total, gradient])


@export("contrib.layers.rev_block", "contrib.slim.rev_block")
def rev_block(
    x1: Tensor,
    x2: Tensor,
    f: Any,
    g: Any,
    num_layers: int = 1,
    f_side_input: Sequence[Any] | None = None,
    g_side_input: Sequence[Any] | None = None,
    is_training: bool = True,
) -> Any:
    """Applies a block of reversible layers; see RevBlock.

    Args:
        x1: the first input.
        x2: the second input.
        f: a function, or a list of one for each layer.
        g: a function, or a list of one for each layer.
        num_layers: the number of layers.
        f_side_input: a list of further tensors for `f`, or None.
        g_side_input: a list of further tensors for `g`, or None.
        is_training: whether gradients compute inputs from outputs.

    Returns:
        The two outputs.
    """
    block = RevBlock(
        f=f,
        g=g,
        num_layers=num_layers,
        f_side_input=f_side_input,
        g_side_input=g_side_input,
        use_efficient_backprop=is_training,
        _reuse=get_variable_scope().reuse,
    )
    return block.forward(x1, x2)


_DEFAULT = "__rev_block_lib_default"


@export("contrib.layers.recompute_grad", "contrib.slim.recompute_grad")
def recompute_grad(
    fn: Callable[..., Any] | None = None,
    use_data_dep: Any = _DEFAULT,
    tupleize_grads: bool = False,
) -> Any:
    """Makes a function recompute its values for gradients instead of keeping them.

    Args:
        fn: a function of tensors that returns a tensor or a list of tensors; an argument
            `is_recomputing` tells it which of both it does. None returns a decorator.
        use_data_dep: ignored: recomputation always follows the gradients of the outputs.
        tupleize_grads: whether all gradients are computed before one is used.

    Returns:
        The function, or a decorator.

    Raises:
        ValueError: when the function is called with something else than tensors.
    """
    if fn is None:
        return functools.partial(
            recompute_grad, use_data_dep=use_data_dep, tupleize_grads=tupleize_grads
        )
    function: Callable[..., Any] = fn
    tells = "is_recomputing" in inspect.signature(function).parameters

    def forward(*args: Tensor) -> Any:
        scope, defaults = get_variable_scope(), current_arg_scope()

        def computed(arguments: Sequence[Tensor], again: bool) -> Any:
            options = {"is_recomputing": again} if tells else {}
            with variable_scope(scope, reuse=True if again else None, use_resource=True):
                return function(*arguments, **options)

        outputs = computed(args, again=False)

        def gradient(*output_gradients: Tensor, **kwargs: Any) -> Any:
            variables = list(kwargs.get("variables") or ())
            with control_dependencies([g for g in output_gradients if g is not None]):
                inputs = [build.Identity(x) for x in args]
                with arg_scope(defaults):
                    again = nest.flatten(computed(inputs, again=True))
            found = gradients(again, [*inputs, *variables], list(output_gradients))
            if tupleize_grads:
                found = tuple_(found)
            of_inputs, of_variables = found[: len(inputs)], found[len(inputs) :]
            return (of_inputs, of_variables) if variables else of_inputs

        return outputs, gradient

    @functools.wraps(function)
    def wrapped(*args: Any) -> Any:
        if not all(isinstance(arg, Tensor) for arg in args):
            raise ValueError("All inputs to function must be Tensors")
        return custom_gradient(forward)(*args)

    return wrapped
