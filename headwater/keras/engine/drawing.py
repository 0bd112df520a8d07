"""Models as graphs of Graphviz. Needs pydot."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from headwater.graph import export
from headwater.keras.engine.network import Network
from headwater.keras.engine.sequential import Sequential


def _pydot() -> Any:
    try:
        # pydot is optional.
        import pydot
    except ImportError:
        raise ImportError(
            "Failed to import pydot. You must install pydot and graphviz for `pydotprint` to work."
        ) from None
    return pydot


@export("keras.utils.model_to_dot")
def model_to_dot(
    model: Any,
    show_shapes: bool = False,
    show_layer_names: bool = True,
    rankdir: str = "TB",
    expand_nested: bool = False,
    dpi: int = 96,
    subgraph: bool = False,
) -> Any:
    """Makes a graph of the layers of a model.

    Args:
        model: the model.
        show_shapes: whether the shapes of inputs and outputs are shown.
        show_layer_names: whether the names of the layers are shown.
        rankdir: "TB" for top to bottom, "LR" for left to right.
        expand_nested: whether models in the model are shown with their layers.
        dpi: dots per inch.
        subgraph: whether a pydot.Cluster is made instead of a pydot.Dot.

    Returns:
        A pydot.Dot or pydot.Cluster.

    Raises:
        ImportError: if pydot is not installed.
        ValueError: if the model has not been built.
    """
    pydot = _pydot()
    if not model.built:
        raise ValueError(
            "This model has not yet been built. Build the model first by calling `build()` or "
            "calling `fit()` with some data, or specify an `input_shape` argument in the first "
            "layer(s) for automatic build."
        )
    if subgraph:
        graph = pydot.Cluster(style="dashed", graph_name=model.name)
        graph.set("label", model.name)
        graph.set("labeljust", "l")
    else:
        graph = pydot.Dot()
        graph.set("rankdir", rankdir)
        graph.set("concentrate", True)
        graph.set("dpi", dpi)
        graph.set_node_defaults(shape="record")
    layers = model._inner_layers() if isinstance(model, Sequential) else model.layers
    for layer in layers:
        if expand_nested and isinstance(layer, Network) and layer._is_graph_network:
            graph.add_subgraph(
                model_to_dot(
                    layer, show_shapes, show_layer_names, rankdir, expand_nested, subgraph=True
                )
            )
        else:
            label = _label(layer, show_shapes, show_layer_names)
            graph.add_node(pydot.Node(str(id(layer)), label=label))
    inside = model._topology.nodes if model._is_graph_network else set()
    for layer in layers:
        for node in [each for each in layer._inbound_nodes if each in inside]:
            for source in node.inbound_layers:
                start, end = _end_of(source, expand_nested, -1), _end_of(layer, expand_nested, 0)
                graph.add_edge(pydot.Edge(start, end))
    return graph


def _end_of(layer: Any, expand_nested: bool, index: int) -> str:
    """The node of a layer, or the first or last one of a model that is shown with its layers."""
    while expand_nested and isinstance(layer, Network) and layer._is_graph_network:
        layer = layer._layers[index]
    return str(id(layer))


def _label(layer: Any, show_shapes: bool, show_layer_names: bool) -> str:
    kind = type(layer).__name__
    inner = getattr(layer, "layer", None)
    if inner is not None and hasattr(inner, "call"):
        kind = f"{kind}({type(inner).__name__})"
    label = f"{layer.name}: {kind}" if show_layer_names else kind
    if not show_shapes:
        return label
    shapes = []
    for name in ("input_shape", "output_shape"):
        try:
            shapes.append(str(getattr(layer, name)))
        except (AttributeError, RuntimeError):
            shapes.append("?" if name == "input_shape" else "multiple")
    return f"{label}\n|{{input:|output:}}|{{{{{shapes[0]}}}|{{{shapes[1]}}}}}"


@export("keras.utils.plot_model")
def plot_model(
    model: Any,
    to_file: Any = "model.png",
    show_shapes: bool = False,
    show_layer_names: bool = True,
    rankdir: str = "TB",
    expand_nested: bool = False,
    dpi: int = 96,
) -> Any:
    """Draws the layers of a model to a file.

    Args:
        model: the model.
        to_file: the file, whose ending is its format.
        show_shapes: see `model_to_dot`.
        show_layer_names: see `model_to_dot`.
        rankdir: see `model_to_dot`.
        expand_nested: see `model_to_dot`.
        dpi: see `model_to_dot`.

    Returns:
        An image for notebooks if IPython is installed and the format is not PDF, else None.

    Raises:
        ImportError: if pydot is not installed.
    """
    graph = model_to_dot(model, show_shapes, show_layer_names, rankdir, expand_nested, dpi)
    path = os.fspath(to_file)
    ending = Path(path).suffix[1:]
    graph.write(path if ending else f"{path}.png", format=ending or "png")
    if ending == "pdf":
        return None
    try:
        # IPython is optional.
        from IPython import display
    except ImportError:
        return None
    return display.Image(filename=path)
