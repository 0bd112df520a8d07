"""`TensorBoard`: event files of what happens in training."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from headwater.base import logging
from headwater.base.export import export
from headwater.base.typing import Array
from headwater.graph import Tensor, build
from headwater.keras.backend.graph_state import get_session
from headwater.keras.backend.variables import variable
from headwater.keras.callbacks.callback_list import Callback, Logs
from headwater.ops.summary.histogram import histogram
from headwater.ops.summary.image import image
from headwater.ops.summary.merge import merge
from headwater.protos import projector_config_pb2, summary_pb2
from headwater.train.checkpoints.saver import Saver
from headwater.train.summaries.file_writer import FileWriter

_NOT_SHOWN = ("batch", "size", "num_steps")


@export("keras.callbacks.TensorBoard")
class TensorBoard(Callback):
    """Writes event files for TensorBoard.

    Args:
        log_dir: the folder.
        histogram_freq: every how many epochs histograms are written; needs validation data.
        batch_size: has no effect.
        write_graph: whether the graph is written.
        write_grads: whether histograms of gradients are written.
        write_images: whether weights are written as images.
        embeddings_freq: every how many epochs embeddings are saved; 0 for never.
        embeddings_layer_names: the names of embedding layers; all if None.
        embeddings_metadata: a file, or {name of a layer: file}.
        embeddings_data: the inputs of which the embeddings are saved.
        update_freq: "epoch", "batch", or the number of examples between two writes.
        profile_batch: has no effect: use `headwater run --profile`.
    """

    def __init__(
        self,
        log_dir: str = "./logs",
        histogram_freq: int = 0,
        batch_size: int = 32,
        write_graph: bool = True,
        write_grads: bool = False,
        write_images: bool = False,
        embeddings_freq: int = 0,
        embeddings_layer_names: Any = None,
        embeddings_metadata: Any = None,
        embeddings_data: Any = None,
        update_freq: Any = "epoch",
        profile_batch: int = 2,
    ) -> None:
        super().__init__()
        self.log_dir = log_dir
        self.histogram_freq = histogram_freq
        self.write_graph, self.write_grads = write_graph, write_grads
        self.write_images = write_images
        self.batch_size = batch_size
        self.embeddings_freq = embeddings_freq
        self.embeddings_layer_names = embeddings_layer_names
        self.embeddings_metadata = embeddings_metadata
        self.embeddings_data = embeddings_data
        self.update_freq = 1 if update_freq == "batch" else update_freq
        self.writer: Any = None
        self.merged: Tensor | None = None
        self._samples_seen = 0
        self._samples_seen_at_last_write = 0
        self._total_batches_seen = 0
        self._total_val_batches_seen = 0
        self._saved: dict[str, Any] = {}
        self._saver: Any = None

    def set_model(self, model: Any) -> None:
        """Sets the model, opens the event file and makes the summaries."""
        self.model = model
        self._init_writer(model)
        if self.histogram_freq and self.merged is None:
            self._make_histogram_ops(model)
        if self.embeddings_freq and self.embeddings_data is not None:
            self._make_projector(model)

    def _init_writer(self, model: Any) -> None:
        if self.write_graph:
            self.writer = FileWriter(self.log_dir, get_session().graph)
        else:
            self.writer = FileWriter(self.log_dir)

    def _make_histogram_ops(self, model: Any) -> None:
        parts = [x for layer in model.layers for x in self._summaries(layer)]
        self.merged = merge(parts) if parts else None

    def _summaries(self, layer: Any) -> list[Tensor]:
        made = []
        trainable = {id(weight) for weight in layer.trainable_weights}
        for weight in layer.weights:
            name = weight.name.replace(":", "_")
            made.append(histogram(name, weight))
            if self.write_images:
                shown = _as_image(weight)
                if shown is not None:
                    made.append(image(name, shown))
        if self.write_grads:
            for weight in [w for w in layer.weights if id(w) in trainable]:
                name = weight.name.replace(":", "_")
                (gradient,) = self.model.optimizer.get_gradients(self.model.total_loss, [weight])
                made.append(histogram(f"{name}_grad", getattr(gradient, "values", gradient)))
        try:
            outputs = layer.output if isinstance(layer.output, list) else [layer.output]
        except AttributeError:
            return made
        for i, output in enumerate(outputs):
            suffix = f"_out_{i}" if len(outputs) > 1 else "_out"
            made.append(histogram(layer.name + suffix, output))
        return made

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Starts the counts anew."""
        self._samples_seen = self._samples_seen_at_last_write = 0

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Asks for the summaries in the validation of some epochs."""
        if self.merged is not None and epoch % self.histogram_freq == 0:
            self.model._extra_fetches["test"] = (self.merged, self._fetch_callback)

    def _fetch_callback(self, summary: bytes) -> None:
        self.writer.add_summary(summary, self._total_val_batches_seen)
        self._total_val_batches_seen += 1

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Writes losses and metrics of batches, if asked to."""
        self._samples_seen += (logs or {}).get("size", 1)
        if self.update_freq != "epoch" and (
            self._samples_seen - self._samples_seen_at_last_write >= self.update_freq
        ):
            self._write_custom_summaries(self._total_batches_seen, _tagged("batch_", logs))
            self._samples_seen_at_last_write = self._samples_seen
        self._total_batches_seen += 1

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Writes losses and metrics of the epoch, and embeddings.

        Raises:
            ValueError: if embeddings are asked for without data.
        """
        step = epoch if self.update_freq == "epoch" else self._samples_seen
        self._write_custom_summaries(step, _tagged("epoch_", logs))
        self.model._extra_fetches.pop("test", None)
        if not self.embeddings_freq:
            return
        if self.embeddings_data is None:
            raise ValueError("To visualize embeddings, embeddings_data must be provided.")
        if epoch % self.embeddings_freq == 0:
            self._save_embeddings(epoch)

    def on_train_end(self, logs: Logs | None = None) -> None:
        """Closes the event file."""
        self.model._extra_fetches.pop("test", None)
        self.writer.close()

    # Subclasses of programs call this one.
    def _write_custom_summaries(self, step: int, logs: Logs | None = None) -> None:
        for tag, value in (logs or {}).items():
            summary = summary_pb2.Summary()
            summary.value.add(
                tag=tag, simple_value=value.item() if hasattr(value, "item") else value
            )
            self.writer.add_summary(summary, step)
        self.writer.flush()

    # Embeddings

    def _make_projector(self, model: Any) -> None:
        named = self.embeddings_layer_names
        layers = [
            layer
            for layer in model.layers
            if (layer.name in named if named else type(layer).__name__ == "Embedding")
        ]
        config = projector_config_pb2.ProjectorConfig()
        # Values are saved as variables, to which the projector's files refer by name.
        length = len(self.embeddings_data)
        files = self.embeddings_metadata
        for layer in layers:
            size = int(np.prod(layer.output.shape.as_list()[1:]))
            kept = variable(np.zeros((length, size), np.float32), name=f"{layer.name}_embedding")
            self._saved[layer.name] = (kept, layer.output)
            entry = config.embeddings.add(tensor_name=kept.name)
            metadata = files.get(layer.name) if isinstance(files, dict) else files
            if metadata is not None:
                entry.metadata_path = str(metadata)
        folder = Path(self.log_dir)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "projector_config.pbtxt").write_text(str(config))
        if self._saved:
            self._saver = Saver([kept for kept, _ in self._saved.values()])

    def _save_embeddings(self, epoch: int) -> None:
        if not self._saved:
            logging.warning("No embedding layers were found; nothing is saved for the projector.")
            return
        session = get_session()
        inputs = self.embeddings_data
        feed = dict(
            zip(self.model.inputs, inputs if isinstance(inputs, (list, tuple)) else [inputs])
        )
        values: list[Array] = session.run([output for _, output in self._saved.values()], feed)
        for (kept, _), value in zip(self._saved.values(), values):
            kept.load(np.reshape(value, (len(value), -1)), session)
        path = str(Path(self.log_dir) / "keras_embedding.ckpt")
        self._saver.save(session, path, global_step=epoch)


def _tagged(prefix: str, logs: Logs | None) -> Logs:
    shown = {name: value for name, value in (logs or {}).items() if name not in _NOT_SHOWN}
    return {prefix + name: float(np.mean(value)) for name, value in shown.items()}


def _as_image(weight: Any) -> Tensor | None:
    """A weight as a batch of images of one channel; None if it has too many axes."""
    value = build.Squeeze(weight)
    dims = value.shape.as_list()
    if len(dims) == 1:
        return build.Reshape(value, [1, dims[0], 1, 1])
    if len(dims) == 2:
        if dims[0] > dims[1]:
            value, dims = build.Transpose(value, [1, 0]), dims[::-1]
        return build.Reshape(value, [1, *dims, 1])
    if len(dims) == 3:
        return build.Reshape(build.Transpose(value, [2, 0, 1]), [dims[2], dims[0], dims[1], 1])
    return None
