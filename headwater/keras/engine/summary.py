"""The table of layers that `Model.summary` prints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np


def count_params(weights: Iterable[Any]) -> int:
    """The number of elements of variables, each counted once."""
    unique = {id(w): w for w in weights}.values()
    return sum(int(np.prod(w.shape.as_list(), dtype=np.int64)) for w in unique)


def print_summary(
    model: Any,
    line_length: int | None = None,
    positions: Sequence[float] | None = None,
    print_fn: Callable[[str], Any] | None = None,
) -> None:
    """Prints the layers of a model.

    Args:
        model: a built model.
        line_length: the width.
        positions: where the columns end: as parts of the width, or numbers of characters.
        print_fn: a function that prints a line.
    """
    write = print if print_fn is None else print_fn
    sequential = _is_sequential(model)
    length = line_length or (65 if sequential else 98)
    ends: list[Any] = list(
        positions or ([0.45, 0.85, 1.0] if sequential else [0.33, 0.55, 0.67, 1.0])
    )
    if ends[-1] <= 1:
        ends = [int(length * end) for end in ends]
    titles = ["Layer (type)", "Output Shape", "Param #"]
    nodes: set[Any] = set()
    if not sequential:
        titles.append("Connected to")
        nodes = model._topology.nodes
    write(f'Model: "{model.name}"')
    write("_" * length)
    _print_row(titles, ends, write)
    write("=" * length)
    for i, layer in enumerate(model.layers):
        row = [f"{layer.name} ({type(layer).__name__})", _output_shape(layer), _params(layer)]
        if sequential:
            _print_row(row, ends, write)
        else:
            sources = _sources(layer, nodes)
            _print_row([*row, sources[0] if sources else ""], ends, write)
            for source in sources[1:]:
                _print_row(["", "", "", source], ends, write)
        write(("=" if i == len(model.layers) - 1 else "_") * length)
    # What was trainable when the model was compiled, as in TensorFlow.
    collected = getattr(model, "_made_trainable", None) or model.trainable_weights
    trainable = count_params(collected)
    rest = count_params(model.non_trainable_weights)
    write(f"Total params: {trainable + rest:,}")
    write(f"Trainable params: {trainable:,}")
    write(f"Non-trainable params: {rest:,}")
    write("_" * length)


def _is_sequential(model: Any) -> bool:
    """Whether each layer has one input and one output: then no connections are shown."""
    if not model._is_graph_network or type(model).__name__ == "Sequential":
        return True
    groups = list(model._topology.nodes_by_depth.values())
    if any(len(group) > 1 or len(group[0].inbound_layers) > 1 for group in groups):
        return False
    shared = set()
    for layer in model.layers:
        inside = [node for node in layer._inbound_nodes if node in model._topology.nodes]
        if len(inside) > 1:
            shared.add(layer)
    return not shared


def _print_row(fields: Sequence[Any], ends: Sequence[int], write: Callable[[str], Any]) -> None:
    line = ""
    for i, (field, end) in enumerate(zip(fields, ends)):
        line = (line[:-1] + " " if i else "") + str(field)
        line = line[:end].ljust(end)
    write(line)


def _output_shape(layer: Any) -> str:
    try:
        return str(layer.output_shape)
    except AttributeError:
        return "multiple"
    except RuntimeError:
        return "?"


def _params(layer: Any) -> int | str:
    if not layer.built and layer.weights == []:
        return 0 if not hasattr(layer, "_is_graph_network") else "unused"
    return count_params(layer.weights)


def _sources(layer: Any, nodes: set[Any]) -> list[str]:
    return [
        f"{source.name}[{node_index}][{tensor_index}]"
        for node in layer._inbound_nodes
        if node in nodes
        for source, node_index, tensor_index, _ in node.iterate_inbound()
    ]
