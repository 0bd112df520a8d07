"""The configuration of TensorBoard's view of embeddings."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export
from headwater.base.lazy import LazyModule
from headwater.io.files import join_path, make_folders, open_file

_text_format: Any = LazyModule("google.protobuf.text_format")

_CONFIG_FILE = "projector_config.pbtxt"


@export("contrib.tensorboard.plugins.projector.visualize_embeddings")
def visualize_embeddings(summary_writer: Any, config: Any) -> None:
    """Writes the configuration of the view of embeddings, for TensorBoard.

    Args:
        summary_writer: the FileWriter whose folder has the checkpoints with the embeddings.
        config: a ProjectorConfig.

    Raises:
        ValueError: if the writer has no folder.

    Example:
        >>> import tempfile
        >>> from headwater.contrib.tensorboard.plugins import projector
        >>> config = projector.ProjectorConfig()
        >>> config.embeddings.add().tensor_name = "words"
        >>> writer = tf.summary.FileWriter(tempfile.mkdtemp())
        >>> projector.visualize_embeddings(writer, config)
        >>> with tf.gfile.Open(writer.get_logdir() + "/projector_config.pbtxt") as file:
        ...     print(file.read())
        embeddings {
          tensor_name: "words"
        }
        <BLANKLINE>
    """
    logdir = summary_writer.get_logdir()
    if logdir is None:
        raise ValueError("Summary writer must have a logdir")
    make_folders(logdir)
    with open_file(join_path(logdir, _CONFIG_FILE), "wb") as file:
        file.write(_text_format.MessageToString(config).encode())
