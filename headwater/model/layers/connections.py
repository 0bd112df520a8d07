"""What a layer knows of its place in models: inputs and outputs of its calls."""

from __future__ import annotations

from typing import Any

from headwater.base import nest

_UNUSED = "The layer has never been called and thus has no defined {}."


class LayerConnections:
    """The calls of a layer on tensors of models.

    Layers that are only applied to other tensors have no connections.
    """

    _inbound_nodes: list[Any]
    _outbound_nodes: list[Any]

    @property
    def name(self) -> str:
        """The name."""
        raise NotImplementedError

    @property
    def inbound_nodes(self) -> list[Any]:
        """The nodes of the layer's calls in models."""
        return self._inbound_nodes

    @property
    def outbound_nodes(self) -> list[Any]:
        """The nodes of the calls that take the layer's outputs."""
        return self._outbound_nodes

    def _of_node(self, node_index: int, attribute: str, what: str) -> Any:
        nodes = self._inbound_nodes
        if not nodes:
            raise RuntimeError(_UNUSED.format(what))
        if not len(nodes) > node_index:
            raise ValueError(
                f"Asked to get {what} at node {node_index}, but the layer has only {len(nodes)} "
                "inbound nodes."
            )
        values = getattr(nodes[node_index], attribute)
        if isinstance(values, list) and len(values) == 1:
            return values[0]
        return values

    def get_input_at(self, node_index: int) -> Any:
        """The inputs of one of the calls.

        Args:
            node_index: the number of the call.

        Raises:
            RuntimeError: if there is no call.
            ValueError: if there are not so many calls.
        """
        return self._of_node(node_index, "input_tensors", "input")

    def get_output_at(self, node_index: int) -> Any:
        """The outputs of one of the calls; see `get_input_at`."""
        return self._of_node(node_index, "output_tensors", "output")

    def get_input_shape_at(self, node_index: int) -> Any:
        """The shapes of the inputs of one of the calls; see `get_input_at`."""
        return self._of_node(node_index, "input_shapes", "input shape")

    def get_output_shape_at(self, node_index: int) -> Any:
        """The shapes of the outputs of one of the calls; see `get_input_at`."""
        return self._of_node(node_index, "output_shapes", "output shape")

    def get_input_mask_at(self, node_index: int) -> Any:
        """The masks of the inputs of one of the calls; see `get_input_at`."""
        return _masks(self.get_input_at(node_index))

    def get_output_mask_at(self, node_index: int) -> Any:
        """The masks of the outputs of one of the calls; see `get_input_at`."""
        return _masks(self.get_output_at(node_index))

    @property
    def input(self) -> Any:
        """The inputs of the first call.

        Raises:
            AttributeError: if there is no call.
        """
        if not self._inbound_nodes:
            raise AttributeError(f"Layer {self.name} is not connected, no input to return.")
        return self.get_input_at(0)

    @property
    def output(self) -> Any:
        """The outputs of the first call; see `input`."""
        if not self._inbound_nodes:
            raise AttributeError(f"Layer {self.name} has no inbound nodes.")
        return self.get_output_at(0)

    @property
    def input_mask(self) -> Any:
        """The masks of the inputs of the first call; see `input`."""
        return _masks(self.input)

    @property
    def output_mask(self) -> Any:
        """The masks of the outputs of the first call; see `input`."""
        return _masks(self.output)

    @property
    def input_shape(self) -> Any:
        """The shape of the inputs of all calls.

        Raises:
            AttributeError: if there is no call, or their inputs have different shapes.
        """
        return self._same_shape("input_shapes", "input shape")

    @property
    def output_shape(self) -> Any:
        """The shape of the outputs of all calls; see `input_shape`."""
        return self._same_shape("output_shapes", "output shape")

    def _same_shape(self, attribute: str, what: str) -> Any:
        if not self._inbound_nodes:
            raise AttributeError(_UNUSED.format(what))
        shapes = [getattr(node, attribute) for node in self._inbound_nodes]
        if any(str(shape) != str(shapes[0]) for shape in shapes):
            side = what.split()[0]
            # The quotation mark that TensorFlow's text lacks for inputs.
            closed = '"' if side == "output" else ""
            raise AttributeError(
                f'The layer "{self.name}{closed} has multiple inbound nodes, with different '
                f'{what}s. Hence the notion of "{what}" is ill-defined for the layer. Use '
                f"`get_{side}_shape_at(node_index)` instead."
            )
        return shapes[0]


def _masks(tensors: Any) -> Any:
    return nest.map_structure(lambda x: getattr(x, "_keras_mask", None), tensors)
