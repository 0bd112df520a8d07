"""`import_pb_to_tensorboard`: the graph in a file for TensorBoard."""

from __future__ import annotations

import sys

from headwater.graph import Graph, import_graph_def
from headwater.serving.graph_tools.graph_files import read_graph_def
from headwater.train.summaries.file_writer import FileWriter


def import_to_tensorboard(model_dir: str, log_dir: str) -> None:
    """Writes the graph of a file into an event file.

    Args:
        model_dir: the file of a GraphDef in binary form.
        log_dir: the folder of the event file.

    Raises:
        OSError: if the file does not exist.
    """
    graph_def = read_graph_def(model_dir, binary=True)
    with Graph().as_default() as graph:
        import_graph_def(graph_def)
    writer = FileWriter(log_dir)
    writer.add_graph(graph)
    writer.close()
    sys.stdout.write(f"Model Imported. Visualize by running: tensorboard --logdir={log_dir}\n")
