"""tensorflow.python.grappler.item."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headwater.base.errors import InvalidArgumentError
from headwater.serving.graph_tools.optimize_graph import fetched_nodes
from headwater.serving.graph_tools.transforms.node_names import needed_by
from headwater.serving.graph_tools.transforms.ordering import execution_order

if TYPE_CHECKING:
    from headwater.protos.meta_graph_pb2 import MetaGraphDef

__all__ = ["Item"]


class Item:
    """A graph with its outputs.

    Args:
        metagraph: a MetaGraphDef whose collection `train_op` names the outputs.
        ignore_colocation: has no effect.
        ignore_user_placement: has no effect.

    Raises:
        InvalidArgumentError: if there are no outputs.
    """

    def __init__(
        self,
        metagraph: MetaGraphDef,
        ignore_colocation: bool = True,
        ignore_user_placement: bool = False,
    ) -> None:
        self._metagraph = metagraph
        self._outputs = fetched_nodes(metagraph)
        if not self._outputs:
            raise InvalidArgumentError(None, None, "train_op not specified in the metagraph")

    @property
    def metagraph(self) -> MetaGraphDef:
        """The MetaGraphDef."""
        return self._metagraph

    def IdentifyImportantOps(self, sort_topologically: bool = False) -> list[str]:
        """Returns the nodes that the outputs depend on.

        Args:
            sort_topologically: whether each comes after those that it depends on.
        """
        graph_def = self._metagraph.graph_def
        needed = needed_by(graph_def, self._outputs)
        nodes = execution_order(graph_def) if sort_topologically else graph_def.node
        return [node.name for node in nodes if node.name in needed]
