"""Images and labels in shuffled batches."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import DTypeLike
from headwater.graph.default_graph import get_default_graph


@export("contrib.learn.datasets.base.Dataset")
class Dataset(NamedTuple):
    """Examples and their target values."""

    data: Any
    target: Any


@export("contrib.learn.datasets.base.Datasets")
class Datasets(NamedTuple):
    """The three parts of a data set; each is a `DataSet`, `Dataset` or None."""

    train: Any
    validation: Any
    test: Any


@export(
    "contrib.learn.datasets.mnist.DataSet",
    "examples.tutorials.mnist.input_data.DataSet",
)
class DataSet:
    """Images and labels, served in batches in random order.

    Args:
      images: uint8 array of shape (n, rows, columns, 1).
      labels: array of n labels, or of shape (n, classes).
      fake_data: makes a stand-in of 10,000 examples; `images` and `labels` are then unused.
      one_hot: whether the fake labels are one-hot.
      dtype: tf.uint8 leaves the pixels as they are, tf.float32 scales them from 0..255 to 0..1.
      reshape: makes rows of rows * columns pixels of the images.
      seed: for the order. As in TensorFlow the constructor seeds NumPy's global generator, with
        this seed, that of the default graph, or afresh, and the batches draw from it.

    Raises:
      TypeError: if `dtype` is neither of the two.
    """

    def __init__(
        self,
        images: Any,
        labels: Any,
        fake_data: bool = False,
        one_hot: bool = False,
        dtype: DTypeLike = dtypes.float32,
        reshape: bool = True,
        seed: int | None = None,
    ) -> None:
        np.random.seed(_order_seed(seed))
        dtype = dtypes.as_dtype(dtype).base_dtype
        if dtype not in (dtypes.uint8, dtypes.float32):
            raise TypeError(f"Invalid image dtype {dtype!r}, expected uint8 or float32")
        self.one_hot = one_hot
        self._is_fake = fake_data
        self._epochs_completed = 0
        self._index_in_epoch = 0
        if fake_data:
            self._num_examples = 10_000
        else:
            images, labels = np.asarray(images), np.asarray(labels)
            assert len(images) == len(labels), (
                f"images.shape: {images.shape} labels.shape: {labels.shape}"
            )
            self._num_examples = images.shape[0]
            if reshape:
                assert images.shape[3] == 1, f"images.shape: {images.shape}, expected one channel"
                images = images.reshape(images.shape[0], images.shape[1] * images.shape[2])
            if dtype == dtypes.float32:
                images = images.astype(np.float32)
                images *= np.float32(1.0 / 255.0)
        self._images = images
        self._labels = labels

    @property
    def images(self) -> Any:
        """All images, in the order of the current epoch."""
        return self._images

    @property
    def labels(self) -> Any:
        """All labels, in the order of the current epoch."""
        return self._labels

    @property
    def num_examples(self) -> int:
        """Number of examples."""
        return self._num_examples

    @property
    def epochs_completed(self) -> int:
        """The number of completed epochs."""
        return self._epochs_completed

    def next_batch(
        self, batch_size: int, fake_data: bool = False, shuffle: bool = True
    ) -> tuple[Any, Any]:
        """Returns the next examples; a batch may span two epochs.

        Args:
          batch_size: number of examples.
          fake_data: returns lists of equal made-up images and labels.
          shuffle: whether an epoch that this call starts is reshuffled.

        Returns:
          A pair of images and labels.
        """
        if fake_data:
            label = [1] + [0] * 9 if self.one_hot else 0
            return [[1] * 784 for _ in range(batch_size)], [label for _ in range(batch_size)]
        start = self._index_in_epoch
        if shuffle and start == 0 and self._epochs_completed == 0:
            self._shuffle()
        end = start + batch_size
        if end <= self._num_examples:
            self._index_in_epoch = end
            return self._images[start:end], self._labels[start:end]
        last_images, last_labels = self._images[start:], self._labels[start:]
        self._epochs_completed += 1
        if shuffle:
            self._shuffle()
        end -= self._num_examples
        self._index_in_epoch = end
        images = np.concatenate([last_images, self._images[:end]])
        return images, np.concatenate([last_labels, self._labels[:end]])

    def _shuffle(self) -> None:
        order = np.arange(self._num_examples)
        np.random.shuffle(order)
        self._images = self._images[order]
        self._labels = self._labels[order]


def _order_seed(seed: int | None) -> int | None:
    graph_seed = get_default_graph().seed
    if seed is None:
        return graph_seed
    # TensorFlow never hands out the pair of seeds (0, 0), which means "no seed" to its ops.
    return 2**31 - 1 if seed == graph_seed == 0 else seed


@export(
    "contrib.learn.datasets.mnist.dense_to_one_hot",
    "examples.tutorials.mnist.input_data.dense_to_one_hot",
)
def dense_to_one_hot(labels_dense: Any, num_classes: int) -> np.ndarray:
    """Turns class numbers into one-hot rows.

    Args:
      labels_dense: integer array of n elements.
      num_classes: length of a row.

    Returns:
      A float64 array of shape (n, num_classes).

    Raises:
      TypeError: if the labels are not integers.
      IndexError: if a label is not below `num_classes`.
    """
    labels = np.asarray(labels_dense).ravel()
    if labels.dtype.kind not in "iu":
        raise TypeError(f"Labels must be integers, not {labels.dtype}")
    one_hot = np.zeros((labels.shape[0], num_classes))
    one_hot[np.arange(labels.shape[0]), labels] = 1
    return one_hot
