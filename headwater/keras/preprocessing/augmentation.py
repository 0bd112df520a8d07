"""`ImageDataGenerator`: images that are normalized and randomly transformed."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.base.typing import Array
from headwater.keras.backend.settings import floatx, image_data_format
from headwater.keras.preprocessing.image_batches import (
    DataFrameIterator,
    DirectoryIterator,
    NumpyArrayIterator,
)
from headwater.keras.preprocessing.transforms import (
    apply_affine_transform,
    apply_brightness_shift,
    apply_channel_shift,
    flip_axis,
)


@export("keras.preprocessing.image.ImageDataGenerator")
class ImageDataGenerator:
    """Batches of images that are normalized and randomly transformed.

    Args:
        featurewise_center: whether the mean of the fitted images is subtracted.
        samplewise_center: whether the mean of each image is subtracted.
        featurewise_std_normalization: whether images are divided by the fitted deviation.
        samplewise_std_normalization: whether each image is divided by its deviation.
        zca_whitening: whether ZCA whitening is applied.
        zca_epsilon: the epsilon of the whitening.
        rotation_range: the largest angle, in degrees.
        width_shift_range: the largest shift: a part of the width, pixels, or a list of shifts.
        height_shift_range: the same for the height.
        brightness_range: the least and the largest factor of the brightness.
        shear_range: the largest angle of shear, in degrees.
        zoom_range: the least and the largest zoom, or their distance from 1.
        channel_shift_range: the largest number that is added to all values.
        fill_mode: "constant", "nearest", "reflect" or "wrap": what is outside of the image.
        cval: the value outside, for "constant".
        horizontal_flip: whether images are mirrored at random.
        vertical_flip: whether images are turned upside down at random.
        rescale: a factor of all values.
        preprocessing_function: a function that is applied to each image.
        data_format: "channels_last" or "channels_first".
        validation_split: the part of the images that is kept for validation.
        dtype: the type of the batches.

    Raises:
        ValueError: if an argument is out of its range.
    """

    def __init__(
        self,
        featurewise_center: bool = False,
        samplewise_center: bool = False,
        featurewise_std_normalization: bool = False,
        samplewise_std_normalization: bool = False,
        zca_whitening: bool = False,
        zca_epsilon: float = 1e-6,
        rotation_range: float = 0,
        width_shift_range: Any = 0.0,
        height_shift_range: Any = 0.0,
        brightness_range: Sequence[float] | None = None,
        shear_range: float = 0.0,
        zoom_range: Any = 0.0,
        channel_shift_range: float = 0.0,
        fill_mode: str = "nearest",
        cval: float = 0.0,
        horizontal_flip: bool = False,
        vertical_flip: bool = False,
        rescale: float | None = None,
        preprocessing_function: Callable[[Array], Array] | None = None,
        data_format: str | None = None,
        validation_split: float = 0.0,
        dtype: Any = None,
    ) -> None:
        self.featurewise_center = featurewise_center
        self.samplewise_center = samplewise_center
        self.featurewise_std_normalization = featurewise_std_normalization
        self.samplewise_std_normalization = samplewise_std_normalization
        self.zca_whitening = zca_whitening
        self.zca_epsilon = zca_epsilon
        self.rotation_range = rotation_range
        self.width_shift_range = width_shift_range
        self.height_shift_range = height_shift_range
        self.brightness_range = brightness_range
        self.shear_range = shear_range
        self.zoom_range = _zoom_range(zoom_range)
        self.channel_shift_range = channel_shift_range
        self.fill_mode, self.cval = fill_mode, cval
        self.horizontal_flip, self.vertical_flip = horizontal_flip, vertical_flip
        self.rescale = rescale
        self.preprocessing_function = preprocessing_function
        self.data_format = data_format or image_data_format()
        if self.data_format not in ("channels_first", "channels_last"):
            raise ValueError(
                '`data_format` should be `"channels_last"` (channel after row and column) or '
                '`"channels_first"` (channel before row and column). Received: '
                f"{self.data_format}"
            )
        self.dtype = dtype or floatx()
        last = self.data_format == "channels_last"
        self.row_axis, self.col_axis, self.channel_axis = (1, 2, 3) if last else (2, 3, 1)
        if validation_split and not 0 < validation_split < 1:
            raise ValueError(
                "`validation_split` must be strictly between 0 and 1.  Received: "
                f"{validation_split}"
            )
        self._validation_split = validation_split
        self.mean: Any = None
        self.std: Any = None
        self.principal_components: Any = None
        self.interpolation_order = 1
        self._complete()

    def _complete(self) -> None:
        """Switches on what other settings need, with a warning."""
        needed = [
            ("zca_whitening", "featurewise_center"),
            ("featurewise_std_normalization", "featurewise_center"),
            ("samplewise_std_normalization", "samplewise_center"),
        ]
        if self.zca_whitening and self.featurewise_std_normalization:
            self.featurewise_std_normalization = False
            warnings.warn(
                "This ImageDataGenerator specifies `zca_whitening` which overrides setting of "
                "`featurewise_std_normalization`.",
                stacklevel=3,
            )
        for setting, other in needed:
            if getattr(self, setting) and not getattr(self, other):
                setattr(self, other, True)
                warnings.warn(
                    f"This ImageDataGenerator specifies `{setting}`, which overrides setting of "
                    f"`{other}`.",
                    stacklevel=3,
                )

    def flow(
        self,
        x: Any,
        y: Any = None,
        batch_size: int = 32,
        shuffle: bool = True,
        sample_weight: Any = None,
        seed: int | None = None,
        save_to_dir: Any = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
    ) -> NumpyArrayIterator:
        """Makes batches of the images of an array.

        Args:
            x: an array of rank 4, or a pair of it and further arrays.
            y: the targets.
            batch_size: the number of images in a batch.
            shuffle: whether each pass has an order of its own.
            sample_weight: the weights of the images.
            seed: the seed; random if None.
            save_to_dir: a folder in which transformed images are saved.
            save_prefix: how the names of saved images begin.
            save_format: the format of saved images.
            subset: "training" or "validation", if there is a validation_split.

        Returns:
            An iterator.
        """
        return NumpyArrayIterator(
            x,
            y,
            self,
            batch_size=batch_size,
            shuffle=shuffle,
            sample_weight=sample_weight,
            seed=seed,
            data_format=self.data_format,
            save_to_dir=save_to_dir,
            save_prefix=save_prefix,
            save_format=save_format,
            subset=subset,
            dtype=self.dtype,
        )

    def flow_from_directory(
        self,
        directory: Any,
        target_size: tuple[int, int] = (256, 256),
        color_mode: str = "rgb",
        classes: Any = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        save_to_dir: Any = None,
        save_prefix: str = "",
        save_format: str = "png",
        follow_links: bool = False,
        subset: str | None = None,
        interpolation: str = "nearest",
    ) -> DirectoryIterator:
        """Makes batches of the images of a folder, which has one subfolder for each class.

        Args:
            directory: the folder.
            target_size: (height, width) to which the images are resized.
            color_mode: "grayscale", "rgb" or "rgba".
            classes: the names of the subfolders; all if None.
            class_mode: "categorical", "binary", "sparse", "input" or None.
            batch_size: the number of images in a batch.
            shuffle: whether each pass has an order of its own.
            seed: the seed; random if None.
            save_to_dir: a folder in which transformed images are saved.
            save_prefix: how the names of saved images begin.
            save_format: the format of saved images.
            follow_links: whether links to folders are followed.
            subset: "training" or "validation", if there is a validation_split.
            interpolation: how images are resized.

        Returns:
            An iterator.
        """
        return DirectoryIterator(
            directory,
            self,
            target_size=target_size,
            color_mode=color_mode,
            classes=classes,
            class_mode=class_mode,
            data_format=self.data_format,
            batch_size=batch_size,
            shuffle=shuffle,
            seed=seed,
            save_to_dir=save_to_dir,
            save_prefix=save_prefix,
            save_format=save_format,
            follow_links=follow_links,
            subset=subset,
            interpolation=interpolation,
            dtype=self.dtype,
        )

    def flow_from_dataframe(
        self,
        dataframe: Any,
        directory: Any = None,
        x_col: str = "filename",
        y_col: Any = "class",
        weight_col: str | None = None,
        target_size: tuple[int, int] = (256, 256),
        color_mode: str = "rgb",
        classes: Any = None,
        class_mode: str | None = "categorical",
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int | None = None,
        save_to_dir: Any = None,
        save_prefix: str = "",
        save_format: str = "png",
        subset: str | None = None,
        interpolation: str = "nearest",
        validate_filenames: bool = True,
        **kwargs: Any,
    ) -> DataFrameIterator:
        """Makes batches of the images that a table of pandas names.

        Args:
            dataframe: the table.
            directory: the folder of the images; None if the table has whole paths.
            x_col: the column of the names of files.
            y_col: the column, or list of columns, of the targets.
            weight_col: the column of the weights.
            target_size: (height, width) to which the images are resized.
            color_mode: "grayscale", "rgb" or "rgba".
            classes: the names of the classes; all if None.
            class_mode: "binary", "categorical", "input", "multi_output", "raw", "sparse" or None.
            batch_size: the number of images in a batch.
            shuffle: whether each pass has an order of its own.
            seed: the seed; random if None.
            save_to_dir: a folder in which transformed images are saved.
            save_prefix: how the names of saved images begin.
            save_format: the format of saved images.
            subset: "training" or "validation", if there is a validation_split.
            interpolation: how images are resized.
            validate_filenames: whether rows of missing files are dropped.
            **kwargs: older arguments, of which `class_mode="other"` means "raw".

        Returns:
            An iterator.
        """
        if class_mode == "other":
            class_mode = "raw"
        return DataFrameIterator(
            dataframe,
            directory,
            self,
            x_col,
            y_col,
            weight_col,
            classes,
            class_mode,
            batch_size,
            shuffle,
            seed,
            self.dtype,
            validate_filenames,
            target_size=target_size,
            color_mode=color_mode,
            data_format=self.data_format,
            save_to_dir=save_to_dir,
            save_prefix=save_prefix,
            save_format=save_format,
            subset=subset,
            interpolation=interpolation,
        )

    def standardize(self, x: Array) -> Array:
        """Normalizes a batch or an image.

        Args:
            x: the image; it may be changed in place.

        Returns:
            The normalized image.
        """
        if self.preprocessing_function:
            x = self.preprocessing_function(x)
        if self.rescale:
            x *= self.rescale
        if self.samplewise_center:
            x -= np.mean(x, keepdims=True)
        if self.samplewise_std_normalization:
            x /= np.std(x, keepdims=True) + 1e-6
        if self.featurewise_center and self._is_fitted(self.mean, "featurewise_center"):
            x -= self.mean
        if self.featurewise_std_normalization and self._is_fitted(
            self.std, "featurewise_std_normalization"
        ):
            x /= self.std + 1e-6
        if self.zca_whitening and self._is_fitted(self.principal_components, "zca_whitening"):
            flat = np.reshape(x, (-1, int(np.prod(x.shape[-3:]))))
            x = np.reshape(np.dot(flat, self.principal_components), x.shape)
        return x

    @staticmethod
    def _is_fitted(value: Any, setting: str) -> bool:
        if value is None:
            warnings.warn(
                f"This ImageDataGenerator specifies `{setting}`, but it hasn't been fit on any "
                "training data. Fit it first by calling `.fit(numpy_data)`.",
                stacklevel=3,
            )
        return value is not None

    def get_random_transform(
        self, img_shape: Sequence[int], seed: int | None = None
    ) -> dict[str, Any]:
        """Draws the parameters of a transform.

        Args:
            img_shape: the shape of the image.
            seed: the seed of NumPy's generator; it goes on if None.

        Returns:
            {"theta": ..., "tx": ..., "ty": ..., "shear": ..., "zx": ..., "zy": ...,
            "flip_horizontal": ..., "flip_vertical": ..., "channel_shift_intensity": ...,
            "brightness": ...}.
        """
        rows, columns = img_shape[self.row_axis - 1], img_shape[self.col_axis - 1]
        if seed is not None:
            np.random.seed(seed)
        found: dict[str, Any] = {"theta": _drawn(self.rotation_range)}
        found["tx"] = _shift(self.height_shift_range, rows)
        found["ty"] = _shift(self.width_shift_range, columns)
        found["shear"] = _drawn(self.shear_range)
        found["zx"], found["zy"] = 1, 1
        if tuple(self.zoom_range) != (1, 1):
            found["zx"], found["zy"] = np.random.uniform(self.zoom_range[0], self.zoom_range[1], 2)
        found["flip_horizontal"] = (np.random.random() < 0.5) * self.horizontal_flip
        found["flip_vertical"] = (np.random.random() < 0.5) * self.vertical_flip
        found["channel_shift_intensity"] = (
            _drawn(self.channel_shift_range) if self.channel_shift_range != 0 else None
        )
        found["brightness"] = None
        if self.brightness_range is not None:
            if len(self.brightness_range) != 2:
                raise ValueError(
                    "`brightness_range should be tuple or list of two floats. Received: "
                    f"{self.brightness_range}"
                )
            found["brightness"] = np.random.uniform(
                self.brightness_range[0], self.brightness_range[1]
            )
        return found

    def apply_transform(self, x: Array, transform_parameters: dict[str, Any]) -> Array:
        """Applies a transform to an image.

        Args:
            x: the image.
            transform_parameters: some of what `get_random_transform` returns.

        Returns:
            The transformed image.
        """
        get: Callable[..., Any] = transform_parameters.get
        axes = (self.row_axis - 1, self.col_axis - 1, self.channel_axis - 1)
        x = apply_affine_transform(
            x,
            get("theta", 0),
            get("tx", 0),
            get("ty", 0),
            get("shear", 0),
            get("zx", 1),
            get("zy", 1),
            *axes,
            fill_mode=self.fill_mode,
            cval=self.cval,
            order=self.interpolation_order,
        )
        if get("channel_shift_intensity") is not None:
            x = apply_channel_shift(x, get("channel_shift_intensity"), axes[2])
        if get("flip_horizontal", False):
            x = flip_axis(x, axes[1])
        if get("flip_vertical", False):
            x = flip_axis(x, axes[0])
        if get("brightness") is not None:
            x = apply_brightness_shift(x, get("brightness"))
        return x

    def random_transform(self, x: Array, seed: int | None = None) -> Array:
        """Applies a random transform to an image.

        Args:
            x: the image.
            seed: the seed of NumPy's generator; it goes on if None.

        Returns:
            The transformed image.
        """
        return self.apply_transform(x, self.get_random_transform(x.shape, seed))

    def fit(self, x: Any, augment: bool = False, rounds: int = 1, seed: int | None = None) -> None:
        """Computes mean, deviation and whitening matrix of images.

        Args:
            x: an array of rank 4.
            augment: whether randomly transformed images are used.
            rounds: how often each image is transformed.
            seed: the seed of NumPy's generator; it goes on if None.

        Raises:
            ValueError: if the rank is not 4.
        """
        x = np.asarray(x, dtype=self.dtype)
        if x.ndim != 4:
            raise ValueError(
                "Input to `.fit()` should have rank 4. Got array with shape: " + str(x.shape)
            )
        if x.shape[self.channel_axis] not in (1, 3, 4):
            warnings.warn(
                "Expected input to be images (as Numpy array) following the data format convention "
                f'"{self.data_format}" (channels on axis {self.channel_axis}), i.e. expected '
                f"either 1, 3 or 4 channels on axis {self.channel_axis}. However, it was passed an "
                f"array with shape {x.shape} ({x.shape[self.channel_axis]} channels).",
                stacklevel=2,
            )
        if seed is not None:
            np.random.seed(seed)
        x = np.copy(x)
        if augment:
            x = np.concatenate(
                [np.stack([self.random_transform(image) for image in x]) for _ in range(rounds)]
            )
        axes = (0, self.row_axis, self.col_axis)
        shape = [1, 1, 1]
        shape[self.channel_axis - 1] = x.shape[self.channel_axis]
        if self.featurewise_center:
            self.mean = np.reshape(np.mean(x, axis=axes), shape)
            x -= self.mean
        if self.featurewise_std_normalization:
            self.std = np.reshape(np.std(x, axis=axes), shape)
            x /= self.std + 1e-6
        if self.zca_whitening:
            flat = np.reshape(x, (len(x), -1))
            u, s, _ = np.linalg.svd(flat.T @ flat / len(flat))
            self.principal_components = (u / np.sqrt(s + self.zca_epsilon)) @ u.T


def _zoom_range(value: Any) -> list[float]:
    if isinstance(value, (int, float)):
        return [1 - value, 1 + value]
    if len(value) == 2:
        return [value[0], value[1]]
    raise ValueError(
        f"`zoom_range` should be a float or a tuple or list of two floats. Received: {value}"
    )


def _drawn(limit: float) -> Any:
    return np.random.uniform(-limit, limit) if limit else 0


def _shift(limit: Any, size: int) -> Any:
    """A random shift in pixels: of a list, of integers below a limit, or of a part of the size."""
    if isinstance(limit, float) or not np.any(limit):
        if not limit:
            return 0
        shift = np.random.uniform(-limit, limit)
    else:
        shift = np.random.choice(limit) * np.random.choice([-1, 1])
    return shift * size if np.max(limit) < 1 else shift
