"""One-shot iterators: the function that makes the dataset, and the op."""

from __future__ import annotations

from typing import Any

from headwater.base import logging
from headwater.data.datasets import options_nodes, structure
from headwater.graph import Graph, Tensor, build, get_default_graph
from headwater.model.defun import DefinedFunction


def iterator_resource(dataset: Any) -> Tensor:
    """The resource of a one-shot iterator, whose dataset is made by a function.

    Raises:
        ValueError: if the dataset uses something with a state.
    """

    graph, made_in = get_default_graph(), dataset._variant_tensor.graph
    if graph is not made_in:
        logging.warning(
            "An iterator is made in graph %s, and its dataset in graph %s. The ops are copied, but "
            "functions, tables and variables are not. In an input_fn, make all of a dataset there.",
            graph,
            made_in,
        )

    def _make_dataset() -> Tensor:
        return options_nodes.with_options(dataset)

    factory = DefinedFunction(_make_dataset, [], [], capture_by_value=True)
    try:
        factory.add_to_graph(graph)
    except ValueError as error:
        if "Cannot capture a stateful node" not in str(error):
            raise
        raise ValueError(
            "Failed to create a one-shot iterator for a dataset. `Dataset.make_one_shot_iterator()`"
            " does not support datasets that capture stateful objects, such as a `Variable` or "
            "`LookupTable`. In these cases, use `Dataset.make_initializable_iterator()`. (Original "
            f"error: {error})"
        ) from None
    resource: Tensor = build.OneShotIterator(
        dataset_factory=Graph._proto_maker("name_attr_list")(factory.name, {}),
        **structure.flat_attrs(dataset.element_spec),
    )
    return resource
