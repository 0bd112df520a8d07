"""Requirements of a layer on its inputs."""

from __future__ import annotations

from typing import Any

from headwater.base import nest
from headwater.base.dtypes import as_dtype
from headwater.base.typing import DTypeLike, NestedTensors, ShapeLike, TensorLike
from headwater.graph import export


@export("layers.InputSpec", "keras.layers.InputSpec")
class InputSpec:
    """The type, rank and dimensions that an input of a layer must have.

    Args:
        dtype: the type.
        shape: the shape, with None where any length will do.
        ndim: the rank.
        max_ndim: the largest rank.
        min_ndim: the smallest rank.
        axes: lengths by axis.
    """

    def __init__(
        self,
        dtype: DTypeLike | None = None,
        shape: ShapeLike | None = None,
        ndim: int | None = None,
        max_ndim: int | None = None,
        min_ndim: int | None = None,
        axes: dict[int, int | None] | None = None,
    ) -> None:
        self.dtype = as_dtype(dtype).name if dtype is not None else None
        self.shape = shape
        self.ndim = len(shape) if shape is not None else ndim
        self.max_ndim = max_ndim
        self.min_ndim = min_ndim
        self.axes = {int(k): v for k, v in axes.items()} if axes else {}

    def __repr__(self) -> str:
        names = ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes")
        given = [(name, getattr(self, name)) for name in names]
        return f"InputSpec({', '.join(f'{n}={v}' for n, v in given if v)})"

    def get_config(self) -> dict[str, Any]:
        """The arguments of the constructor.

        Returns:
            A dictionary.
        """
        names = ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes")
        return {name: getattr(self, name) for name in names}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> InputSpec:
        """Makes the requirements that a configuration describes.

        Args:
            config: what `get_config` returned.

        Returns:
            An InputSpec.
        """
        return cls(**config)

    def check(self, x: TensorLike, position: int, layer_name: str) -> None:
        """Checks one input.

        Raises:
            ValueError: if it does not fit.
        """
        start = f"Input {position} of layer {layer_name} is incompatible with the layer: "
        ndim = x.shape.ndims
        asked = (self.ndim, self.min_ndim, self.max_ndim)
        if ndim is None:
            if self.dtype is not None and x.dtype.base_dtype.name != self.dtype:
                raise ValueError(f"{start}expected dtype={self.dtype}, found dtype={x.dtype}")
            if any(a is not None for a in asked):
                raise ValueError(
                    f"{start}its rank is undefined, but the layer requires a defined rank."
                )
            return
        dims = x.shape.as_list()
        if self.ndim is not None and ndim != self.ndim:
            raise ValueError(
                f"{start}expected ndim={self.ndim}, found ndim={ndim}. Full shape received: {dims}"
            )
        if self.max_ndim is not None and ndim > self.max_ndim:
            raise ValueError(f"{start}expected max_ndim={self.max_ndim}, found ndim={ndim}")
        if self.min_ndim is not None and ndim < self.min_ndim:
            raise ValueError(
                f"{start}: expected min_ndim={self.min_ndim}, found ndim={ndim}. "
                f"Full shape received: {dims}"
            )
        if self.dtype is not None and x.dtype.base_dtype.name != self.dtype:
            raise ValueError(f"{start}expected dtype={self.dtype}, found dtype={x.dtype}")
        for axis, value in self.axes.items():
            if value is not None and dims[axis] not in (value, None):
                raise ValueError(
                    f"{start}expected axis {axis} of input shape to have value {value} but "
                    f"received input with shape {dims}"
                )
        for wanted, length in zip(self.shape or (), dims):
            if wanted is not None and length is not None and wanted != length:
                raise ValueError(
                    f"Input {position} is incompatible with layer {layer_name}: "
                    f"expected shape={self.shape}, found shape={dims}"
                )


def check_inputs(specs: Any, inputs: NestedTensors, layer_name: str) -> None:
    """Checks all inputs of a layer.

    Args:
        specs: an InputSpec, a list of one per input, or None.
        inputs: a tensor or a list of tensors.
        layer_name: the name for error texts.

    Raises:
        ValueError: if an input does not fit or there are too few or too many.
    """
    if not specs:
        return
    specs, inputs = nest.flatten(specs), nest.flatten(inputs)
    if len(inputs) != len(specs):
        raise ValueError(
            f"Layer {layer_name} expects {len(specs)} inputs, but it received {len(inputs)} input "
            f"tensors. Inputs received: {inputs}"
        )
    for i, (x, spec) in enumerate(zip(inputs, specs)):
        if spec is not None:
            spec.check(x, i, layer_name)
