"""Batches of images: of arrays, of folders, of tables."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterable
from collections.abc import Iterator as PythonIterator
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from headwater.base.export import export
from headwater.base.typing import Array
from headwater.keras.backend.settings import floatx
from headwater.keras.preprocessing.images import (
    array_to_img,
    checked_format,
    img_to_array,
    load_img,
)
from headwater.keras.utils.progress_bar import print_line
from headwater.keras.utils.sequences import Sequence


@export("keras.preprocessing.image.Iterator")
class Iterator(Sequence):
    """The base of endless iterators over batches of images.

    Args:
        n: the number of images.
        batch_size: the number of images in a batch.
        shuffle: whether each pass has an order of its own.
        seed: the seed of the order and of random transforms; random if None.
    """

    white_list_formats = ("png", "jpg", "jpeg", "bmp", "ppm", "tif", "tiff")

    def __init__(self, n: int, batch_size: int, shuffle: bool, seed: int | None) -> None:
        self.n, self.batch_size, self.shuffle, self.seed = n, batch_size, shuffle, seed
        self.batch_index = 0
        self.total_batches_seen = 0
        self.lock = threading.Lock()
        self.index_array: Any = None
        self.index_generator = self._flow_index()

    def _set_index_array(self) -> None:
        self.index_array = np.random.permutation(self.n) if self.shuffle else np.arange(self.n)

    def _seeded(self) -> None:
        if self.seed is not None:
            np.random.seed(self.seed + self.total_batches_seen)

    def __getitem__(self, index: int) -> Any:
        if index >= len(self):
            raise ValueError(
                f"Asked to retrieve element {index}, but the Sequence has length {len(self)}"
            )
        self._seeded()
        self.total_batches_seen += 1
        if self.index_array is None:
            self._set_index_array()
        start = self.batch_size * index
        chosen = self.index_array[start : start + self.batch_size]
        return self._get_batches_of_transformed_samples(chosen)

    def __len__(self) -> int:
        return -(-self.n // self.batch_size)

    def on_epoch_end(self) -> None:
        """Makes a new order."""
        self._set_index_array()

    def reset(self) -> None:
        """Starts again with the first batch."""
        self.batch_index = 0

    def _flow_index(self) -> PythonIterator[Array]:
        self.reset()
        while True:
            self._seeded()
            if self.batch_index == 0:
                self._set_index_array()
            start = self.batch_index * self.batch_size % self.n if self.n else 0
            self.batch_index = self.batch_index + 1 if self.n > start + self.batch_size else 0
            self.total_batches_seen += 1
            yield self.index_array[start : start + self.batch_size]

    def __iter__(self) -> Iterator:
        return self

    def __next__(self) -> Any:
        return self.next()

    def next(self) -> Any:
        """The next batch."""
        with self.lock:
            chosen = next(self.index_generator)
        return self._get_batches_of_transformed_samples(chosen)

    def _get_batches_of_transformed_samples(self, index_array: Array) -> Any:
        """The batch of the images with given numbers.

        Raises:
            NotImplementedError: in this class.
        """
        raise NotImplementedError

    def _save(self, batch: Array, index_array: Array, folder: Any) -> None:
        """Writes the images of a batch, if asked to."""
        if not folder:
            return
        for i, number in enumerate(index_array):
            name = f"{self.save_prefix}_{number}_{np.random.randint(10**7)}.{self.save_format}"
            array_to_img(batch[i], self.data_format, scale=True).save(Path(folder) / name)

    save_prefix = ""
    save_format = "png"
    data_format: str | None = None


@export("keras.preprocessing.image.NumpyArrayIterator")
class NumpyArrayIterator(Iterator):
    """Batches of images in an array.

    Args:
        x: an array of rank 4, or a pair of it and further arrays.
        y: the targets; None for none.
        image_data_generator: the ImageDataGenerator that transforms the images.
        batch_size: the number of images in a batch.
        shuffle: whether each pass has an order of its own.
        sample_weight: the weights of the images.
        seed: the seed; random if None.
        data_format: "channels_last" or "channels_first".
        save_to_dir: a folder in which transformed images are saved.
        save_prefix: how the names of saved images begin.
        save_format: the format of saved images.
        subset: "training" or "validation", if the generator has a validation_split.
        dtype: the type of the batches.

    Raises:
        ValueError: if lengths or ranks are wrong.
    """

    def __init__(
        self,
        x: Any,
        y: Any,
        image_data_generator: Any,
        batch_size: int = 32,
        shuffle: bool = False,
        sample_weight: Any = None,
        seed: int | None = None,
        data_format: str | None = None,
        save_to_dir: Any = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
        dtype: Any = None,
    ) -> None:
        self.dtype = dtype or floatx()
        paired = isinstance(x, (tuple, list)) and not isinstance(x, np.ndarray)
        rest = [] if not paired else x[1] if isinstance(x[1], list) else [x[1]]
        self.x_misc = [np.asarray(each) for each in rest]
        images = np.asarray(x[0] if paired else x, dtype=self.dtype)
        if any(len(each) != len(images) for each in self.x_misc):
            raise ValueError(
                "All of the arrays in `x` should have the same length. Found a pair with: len(x[0])"
                f" = {len(images)}, len(x[?]) = {[len(each) for each in self.x_misc]}"
            )
        for name, shown, given in (("x", "y", y), ("x", "sample_weight", sample_weight)):
            if given is not None and len(images) != len(given):
                raise ValueError(
                    f"`{name}` (images tensor) and `{shown}` "
                    f"{'(labels) ' if shown == 'y' else ''}should have the same length. Found: "
                    f"x.shape = {images.shape}, {shown}.shape = {np.asarray(given).shape}"
                )
        self.y = None if y is None else np.asarray(y)
        self.sample_weight = None if sample_weight is None else np.asarray(sample_weight)
        self.x = images
        if subset is not None:
            self._take(subset, image_data_generator._validation_split)
        if self.x.ndim != 4:
            raise ValueError(
                "Input data in `NumpyArrayIterator` should have rank 4. You passed an array with "
                "shape",
                self.x.shape,
            )
        self.image_data_generator = image_data_generator
        self.data_format = checked_format(data_format)
        self.save_to_dir, self.save_prefix, self.save_format = save_to_dir, save_prefix, save_format
        super().__init__(len(self.x), batch_size, shuffle, seed)

    def _take(self, subset: str, part: float) -> None:
        if subset not in ("training", "validation"):
            raise ValueError(f'Invalid subset name: {subset}; expected "training" or "validation".')
        cut = int(len(self.x) * part)
        if self.y is not None and not np.array_equal(
            np.unique(self.y[:cut]), np.unique(self.y[cut:])
        ):
            raise ValueError(
                "Training and validation subsets have different number of classes after the split. "
                "If your numpy arrays are sorted by the label, you might want to shuffle them."
            )
        at = slice(None, cut) if subset == "validation" else slice(cut, None)
        self.x = self.x[at]
        self.x_misc = [each[at] for each in self.x_misc]
        self.y = None if self.y is None else self.y[at]
        if self.sample_weight is not None:
            self.sample_weight = self.sample_weight[at]

    def _get_batches_of_transformed_samples(self, index_array: Array) -> Any:
        generator = self.image_data_generator
        batch = np.zeros((len(index_array), *self.x.shape[1:]), dtype=self.dtype)
        for i, number in enumerate(index_array):
            image = self.x[number]
            transform = generator.get_random_transform(image.shape)
            image = generator.apply_transform(image.astype(self.dtype), transform)
            batch[i] = generator.standardize(image)
        self._save(batch, index_array, self.save_to_dir)
        misc = [each[index_array] for each in self.x_misc]
        images = [batch, *misc] if misc else batch
        if self.y is None:
            return images
        if self.sample_weight is None:
            return images, self.y[index_array]
        return images, self.y[index_array], self.sample_weight[index_array]


class FileIterator(Iterator):
    """Batches of images in files. Subclasses set `filepaths`, `labels` and `class_mode`.

    Args:
        image_data_generator: the ImageDataGenerator that transforms the images; None for none.
        target_size: (height, width) to which the images are resized.
        color_mode: "grayscale", "rgb" or "rgba".
        data_format: "channels_last" or "channels_first".
        save_to_dir: a folder in which transformed images are saved.
        save_prefix: how the names of saved images begin.
        save_format: the format of saved images.
        subset: "training" or "validation", if the generator has a validation_split.
        interpolation: how images are resized; see `load_img`.
    """

    allowed_class_modes: ClassVar[Any] = ()
    class_mode: Any = None
    dtype: Any = "float32"
    filenames: list[str]
    class_indices: dict[Any, int]

    def set_processing_attrs(
        self,
        image_data_generator: Any,
        target_size: tuple[int, int],
        color_mode: str,
        data_format: str | None,
        save_to_dir: Any,
        save_prefix: str,
        save_format: str,
        subset: str | None,
        interpolation: str,
    ) -> None:
        """Sets how files are read and transformed; see the class."""
        self.image_data_generator = image_data_generator
        self.target_size = (target_size[0], target_size[1])
        if color_mode not in ("rgb", "rgba", "grayscale"):
            raise ValueError(
                "Invalid color mode:", color_mode, '; expected "rgb", "rgba", or "grayscale".'
            )
        self.color_mode = color_mode
        self.data_format = checked_format(data_format)
        channels = ({"rgba": 4, "rgb": 3, "grayscale": 1}[color_mode],)
        if self.data_format == "channels_last":
            self.image_shape = self.target_size + channels
        else:
            self.image_shape = channels + self.target_size
        self.save_to_dir, self.save_prefix, self.save_format = save_to_dir, save_prefix, save_format
        self.interpolation = interpolation
        self.subset = subset
        self.split = None
        if subset is not None:
            part = image_data_generator._validation_split
            splits = {"validation": (0, part), "training": (part, 1)}
            if subset not in splits:
                raise ValueError(
                    f'Invalid subset name: {subset};expected "training" or "validation"'
                )
            self.split = splits[subset]

    @property
    def filepaths(self) -> list[str]:
        """The paths of the images."""
        raise NotImplementedError

    @property
    def labels(self) -> Any:
        """The labels of the images."""
        raise NotImplementedError

    @property
    def sample_weight(self) -> Any:
        """The weights of the images."""
        return None

    def _image(self, number: int) -> Array:
        image = load_img(
            self.filepaths[number],
            color_mode=self.color_mode,
            target_size=self.target_size,
            interpolation=self.interpolation,
        )
        x = img_to_array(image, data_format=self.data_format)
        image.close()
        if self.image_data_generator is None:
            return x
        transform = self.image_data_generator.get_random_transform(x.shape)
        x = self.image_data_generator.apply_transform(x, transform)
        return np.asarray(self.image_data_generator.standardize(np.array(x)))

    def _get_batches_of_transformed_samples(self, index_array: Array) -> Any:
        batch = np.zeros((len(index_array), *self.image_shape), dtype=self.dtype)
        for i, number in enumerate(index_array):
            batch[i] = self._image(number)
        self._save(batch, index_array, self.save_to_dir)
        targets = self._targets(batch, index_array)
        if targets is None:
            return batch
        weights = self.sample_weight
        return (batch, targets) if weights is None else (batch, targets, weights[index_array])

    def _targets(self, batch: Array, index_array: Array) -> Any:
        if self.class_mode == "input":
            return batch.copy()
        if self.class_mode in ("binary", "sparse"):
            return np.asarray([self.labels[i] for i in index_array], dtype=self.dtype)
        if self.class_mode == "categorical":
            targets = np.zeros((len(batch), len(self.class_indices)), dtype=self.dtype)
            for i, number in enumerate(index_array):
                targets[i, self.labels[number]] = 1.0
            return targets
        if self.class_mode == "multi_output":
            return [output[index_array] for output in self.labels]
        return self.labels[index_array] if self.class_mode == "raw" else None


@export("keras.preprocessing.image.DirectoryIterator")
class DirectoryIterator(FileIterator):
    """Batches of images in a folder, which has one subfolder for each class.

    Args:
        directory: the folder.
        image_data_generator: the ImageDataGenerator that transforms the images.
        target_size: (height, width) to which the images are resized.
        color_mode: "grayscale", "rgb" or "rgba".
        classes: the names of the subfolders; all in alphabetical order if None.
        class_mode: "categorical", "binary", "sparse", "input" or None: what the targets are.
        batch_size: the number of images in a batch.
        shuffle: whether each pass has an order of its own.
        seed: the seed; random if None.
        data_format: "channels_last" or "channels_first".
        save_to_dir: a folder in which transformed images are saved.
        save_prefix: how the names of saved images begin.
        save_format: the format of saved images.
        follow_links: whether links to folders are followed.
        subset: "training" or "validation", if the generator has a validation_split.
        interpolation: how images are resized; see `load_img`.
        dtype: the type of the batches.

    Raises:
        ValueError: if an argument is unknown.
    """

    allowed_class_modes: ClassVar = {"categorical", "binary", "sparse", "input", None}

    def __init__(
        self,
        directory: Any,
        image_data_generator: Any,
        target_size: tuple[int, int] = (256, 256),
        color_mode: str = "rgb",
        classes: Iterable[str] | None = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        data_format: str | None = None,
        save_to_dir: Any = None,
        save_prefix: str = "",
        save_format: str = "png",
        follow_links: bool = False,
        subset: str | None = None,
        interpolation: str = "nearest",
        dtype: Any = None,
    ) -> None:
        self.set_processing_attrs(
            image_data_generator,
            target_size,
            color_mode,
            data_format,
            save_to_dir,
            save_prefix,
            save_format,
            subset,
            interpolation,
        )
        self.directory = os.fspath(directory)
        self.dtype = dtype or floatx()
        if class_mode not in self.allowed_class_modes:
            raise ValueError(
                f"Invalid class_mode: {class_mode}; expected one of: {self.allowed_class_modes}"
            )
        self.class_mode = class_mode
        root = Path(self.directory)
        names = list(classes or sorted(each.name for each in root.iterdir() if each.is_dir()))
        self.num_classes = len(names)
        self.class_indices = dict(zip(names, range(len(names))))
        self.filenames = []
        numbers: list[int] = []
        for name in names:
            files = self._files(root / name, follow_links)
            self.filenames += [str(Path(name) / file.relative_to(root / name)) for file in files]
            numbers += [self.class_indices[name]] * len(files)
        self.classes = np.array(numbers, dtype="int32")
        self._filepaths = [str(root / name) for name in self.filenames]
        self.samples = len(self.filenames)
        print_line(f"Found {self.samples} images belonging to {self.num_classes} classes.")
        super().__init__(self.samples, batch_size, shuffle, seed)

    def _files(self, folder: Path, follow_links: bool) -> list[Path]:
        walked = sorted(os.walk(folder, followlinks=follow_links), key=lambda each: each[0])
        found = [
            Path(parent) / name
            for parent, _, names in walked
            for name in sorted(names)
            if name.lower().endswith(tuple(f".{form}" for form in self.white_list_formats))
        ]
        if self.split is None:
            return found
        first, last = (int(part * len(found)) for part in self.split)
        return found[first:last]

    @property
    def filepaths(self) -> list[str]:
        """The paths of the images."""
        return self._filepaths

    @property
    def labels(self) -> Any:
        """The number of the class of each image."""
        return self.classes


class DataFrameIterator(FileIterator):
    """Batches of images that a table of pandas names.

    Args:
        dataframe: the table.
        directory: the folder of the images; None if the table has whole paths.
        image_data_generator: the ImageDataGenerator that transforms the images.
        x_col: the column of the names of files.
        y_col: the column, or list of columns, of the targets.
        weight_col: the column of the weights.
        classes: the names of the classes; all in alphabetical order if None.
        class_mode: "binary", "categorical", "input", "multi_output", "raw", "sparse" or None.
        batch_size: the number of images in a batch.
        shuffle: whether each pass has an order of its own.
        seed: the seed; random if None.
        dtype: the type of the batches.
        validate_filenames: whether rows of missing files are dropped.
        **kwargs: `target_size` and others of `set_processing_attrs`.

    Raises:
        ValueError: if an argument is unknown.
    """

    allowed_class_modes: ClassVar = {
        *("binary", "categorical", "input", "multi_output", "raw", "sparse"),
        None,
    }

    def __init__(
        self,
        dataframe: Any,
        directory: Any,
        image_data_generator: Any,
        x_col: str,
        y_col: Any,
        weight_col: str | None,
        classes: Any,
        class_mode: str | None,
        batch_size: int,
        shuffle: bool,
        seed: int | None,
        dtype: Any,
        validate_filenames: bool,
        **kwargs: Any,
    ) -> None:
        self.set_processing_attrs(image_data_generator, **kwargs)
        self.directory, self.dtype, self.class_mode = directory, dtype or floatx(), class_mode
        if class_mode not in self.allowed_class_modes:
            raise ValueError(
                f"Invalid class_mode: {class_mode}; expected one of: {self.allowed_class_modes}"
            )
        table = dataframe.copy()
        self._check(table, x_col)
        paths = table[x_col].map(lambda name: str(Path(directory or "") / name))
        if validate_filenames:
            table, paths = self._existing(table, paths, x_col)
        self.class_indices = {}
        if class_mode in ("binary", "categorical", "sparse"):
            names = list(classes) if classes else sorted(_distinct(table[y_col]))
            self.class_indices = dict(zip(names, range(len(names))))
            if classes:
                chosen = table[y_col].map(lambda label: set(_listed(label)) <= set(names))
                table, paths = table[chosen], paths[chosen]
        if self.split is not None:
            first, last = (int(part * len(table)) for part in self.split)
            table, paths = table.iloc[first:last], paths.iloc[first:last]
        self.filenames, self._filepaths = table[x_col].tolist(), paths.tolist()
        self._labels = self._labels_of(table, y_col)
        self._weights = table[weight_col].to_numpy() if weight_col else None
        self.samples = len(self.filenames)
        kind = "validated" if validate_filenames else "non-validated"
        found = f"Found {self.samples} {kind} image filenames"
        many = f" belonging to {len(self.class_indices)} classes." if self.class_indices else "."
        print_line(found + many)
        super().__init__(self.samples, batch_size, shuffle, seed)

    def _check(self, table: Any, x_col: str) -> None:
        if not all(isinstance(name, str) for name in table[x_col]):
            raise TypeError(f"All values in column x_col={x_col} must be strings.")

    def _existing(self, table: Any, paths: Any, x_col: str) -> Any:
        kept = paths.map(
            lambda path: (
                path.lower().endswith(tuple(self.white_list_formats)) and Path(path).is_file()
            )
        )
        missing = int((~kept).sum())
        if missing:
            warnings.warn(
                f'Found {missing} invalid image filename(s) in x_col="{x_col}". These filename(s) '
                "will be ignored.",
                stacklevel=4,
            )
        return table[kept], paths[kept]

    def _labels_of(self, table: Any, y_col: Any) -> Any:
        if self.class_indices:
            found = [
                [self.class_indices[name] for name in _listed(label)] for label in table[y_col]
            ]
            return [each[0] if len(each) == 1 else each for each in found]
        if self.class_mode == "multi_output":
            return [np.array(table[name].tolist()) for name in y_col]
        return table[y_col].to_numpy() if self.class_mode == "raw" else None

    @property
    def filepaths(self) -> list[str]:
        """The paths of the images."""
        return self._filepaths

    @property
    def labels(self) -> Any:
        """The labels of the images."""
        return self._labels

    @property
    def sample_weight(self) -> Any:
        """The weights of the images."""
        return self._weights


def _listed(label: Any) -> list[Any]:
    return list(label) if isinstance(label, (list, tuple)) else [label]


def _distinct(labels: Iterable[Any]) -> set[Any]:
    return {name for label in labels for name in _listed(label)}
