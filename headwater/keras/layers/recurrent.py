"""SimpleRNN, GRU and LSTM."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from headwater.base.typing import Array
from headwater.graph import export
from headwater.keras.layers.arguments import config_of, resolved
from headwater.keras.layers.cells import GRUCell, LSTMCell, SimpleRNNCell
from headwater.keras.layers.cudnn_weights import gru_weights, lstm_weights
from headwater.keras.layers.rnn import RNN
from headwater.model.layers.input_spec import InputSpec

_ORDER = ("return_sequences", "return_state", "go_backwards", "stateful", "unroll")


class CellRNN(RNN):
    """The base of layers with one kind of cell.

    Attributes:
        cell_class: the class of the cell.
        argument_order: the names of the arguments after `units`, in their order.

    Args:
        units: the number of outputs.
        *args: further arguments of the cell, `activity_regularizer` after the other regularizers;
            those of RNN.
        **kwargs: the same by name, and further arguments of Layer.
    """

    cell_class: type[Any]
    argument_order: tuple[str, ...]

    def __init__(self, units: int, *args: Any, **kwargs: Any) -> None:
        if len(args) > len(self.argument_order):
            raise TypeError(
                f"__init__() takes at most {len(self.argument_order) + 2} positional arguments but "
                f"{len(args) + 2} were given"
            )
        kwargs.update(zip(self.argument_order, args))
        names = _arguments_of(self.cell_class)
        given = {name: kwargs.pop(name) for name in names if name in kwargs}
        activity = resolved(activity_regularizer=kwargs.pop("activity_regularizer", None))
        shared = {k: kwargs[k] for k in ("dtype", "trainable") if k in kwargs}
        super().__init__(self.cell_class(units, **given, **shared), **activity, **kwargs)
        if self.input_spec is None:
            self.input_spec = [InputSpec(ndim=3)]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "cell_class" in vars(cls):
            for name in cls.cell_class.config_names:
                setattr(cls, name, _of_cell(name))
            cls.__init__ = _with_arguments(cls)  # type: ignore[method-assign]

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor."""
        config = super().get_config()
        for name in _with_activity(type(self).cell_class.config_names):
            owner = self if name == "activity_regularizer" else self.cell
            config.update(config_of(owner, name))
        return config

    @classmethod
    def from_config(
        cls, config: dict[str, Any], custom_objects: dict[str, Any] | None = None
    ) -> Any:
        """Makes a layer from what `get_config` of another one has returned.

        Args:
            config: the arguments of the constructor.
            custom_objects: not used; there is one class of cells.

        Returns:
            A layer.
        """
        config = dict(config)
        constants = config.pop("num_constants", 0)
        layer = cls(**config)
        layer._num_constants = constants
        return layer


def _of_cell(name: str) -> property:
    """The property of a layer for an argument of its cell."""
    return property(lambda self: getattr(self.cell, name), doc=f"`{name}` of the cell.")


def _with_arguments(cls: type[CellRNN]) -> Callable[..., None]:
    """The constructor of a layer, which shows the arguments of its cell and of RNN."""
    inherited = cls.__init__

    @functools.wraps(inherited)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        inherited(self, *args, **kwargs)

    of_cell = inspect.signature(cls.cell_class.__init__).parameters
    of_layer = inspect.signature(RNN.__init__).parameters
    shown = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for parameter in list(of_cell.values())[:2]
    ]
    for name in cls.argument_order:
        default = getattr(of_cell.get(name) or of_layer.get(name), "default", None)
        shown.append(
            inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default)
        )
    shown.append(inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD))
    __init__.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
    return __init__


def _arguments_of(cell_class: type) -> list[str]:
    code = cell_class.__init__.__code__  # type: ignore[misc]
    return list(code.co_varnames[2 : code.co_argcount])


def _with_activity(names: Any) -> list[str]:
    names = list(names)
    names.insert(names.index("kernel_constraint"), "activity_regularizer")
    return names


@export("keras.layers.SimpleRNN")
class SimpleRNN(CellRNN):
    """A fully connected recurrent layer; see SimpleRNNCell and RNN for the arguments.

    Args:
        units: the number of outputs.
        *args: further arguments of SimpleRNNCell.
        **kwargs: arguments of SimpleRNNCell, of RNN and of Layer.
    """

    cell_class = SimpleRNNCell
    argument_order = (*_with_activity(_arguments_of(SimpleRNNCell)), *_ORDER)


@export("keras.layers.GRU")
class GRU(CellRNN):
    """Gated recurrent units; see GRUCell and RNN for the arguments.

    Args:
        units: the number of outputs.
        *args: further arguments of GRUCell; `reset_after` comes last, after those of RNN.
        **kwargs: arguments of GRUCell, of RNN and of Layer.

    Source: K. Cho et al., "Learning Phrase Representations using RNN Encoder-Decoder", 2014.
    """

    cell_class = GRUCell

    argument_order = (*_with_activity(_arguments_of(GRUCell)[:-1]), *_ORDER, "reset_after")

    def converted_weights(self, values: list[Array]) -> list[Array]:
        """The values of a file, which may be those of CuDNNGRU, for this layer."""
        return gru_weights(values, to_cudnn=False, reset_after=self.cell.reset_after)


@export("keras.layers.LSTM")
class LSTM(CellRNN):
    """Long short-term memory; see LSTMCell and RNN for the arguments.

    Args:
        units: the number of outputs.
        *args: further arguments of LSTMCell.
        **kwargs: arguments of LSTMCell, of RNN and of Layer.

    Source: S. Hochreiter, J. Schmidhuber, "Long Short-Term Memory", 1997.
    """

    cell_class = LSTMCell

    argument_order = (*_with_activity(_arguments_of(LSTMCell)), *_ORDER)

    def converted_weights(self, values: list[Array]) -> list[Array]:
        """The values of a file, which may be those of CuDNNLSTM, for this layer."""
        return lstm_weights(values, to_cudnn=False)
