"""Ops of TPUs: the system, infeeds and outfeeds. Graphs hold them; only TPUs run them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from headwater.base import dtypes
from headwater.base.dtypes import as_dtype
from headwater.base.errors import InvalidArgumentError
from headwater.base.export import export
from headwater.base.typing import ArrayModule, DTypeLike, Shape, ShapeLike, TensorLike
from headwater.graph import (
    Operation,
    RunsOn,
    ShapeContext,
    Tensor,
    build,
    get_default_graph,
    register_op,
    shapes,
)

_INFEED_TYPES = (
    dtypes.float32,
    dtypes.int32,
    dtypes.complex64,
    dtypes.int64,
    dtypes.bool_,
    dtypes.bfloat16,
    dtypes.uint32,
)
_ORDINAL = "device_ordinal: int = -1"


def kernel_without_tpu(xp: ArrayModule, *inputs: Any, op: Operation) -> NoReturn:
    raise InvalidArgumentError(
        None,
        None,
        f"No OpKernel was registered to support Op '{op.type}' used by node {op.name}",
        hint="the op needs a TPU; TPUEstimator(use_tpu=False) runs without one.",
    )


def shape_tuple(c: ShapeContext) -> list[Shape]:
    result: list[Shape] = c.attr("shapes")
    return list(result)


def _register(name: str, shape: Any, inputs: str = "", outputs: str = "", attrs: str = "") -> None:
    register_op(
        name,
        inputs=inputs,
        outputs=outputs,
        attrs=attrs,
        shape=shape,
        kernel=kernel_without_tpu,
        runs_on=RunsOn.HOST,
        stateful=True,
    )


_register(
    "ConfigureDistributedTPU",
    shapes.scalar,
    outputs="topology: string",
    attrs=(
        "embedding_config: string = '', tpu_embedding_config: string = '', "
        "is_global_init: bool = false"
    ),
)
_register("ShutdownDistributedTPU", shapes.none)
_register(
    "InfeedEnqueue",
    shapes.none,
    inputs="input: dtype",
    attrs=f"dtype: type, shape: shape = {{}}, layout: list(int) = [], {_ORDINAL}",
)
_register(
    "InfeedEnqueueTuple",
    shapes.none,
    inputs="inputs: dtypes",
    attrs=f"dtypes: list(type) >= 1, shapes: list(shape), layouts: list(int) = [], {_ORDINAL}",
)
_register(
    "InfeedDequeue", shapes.attr_shape, outputs="output: dtype", attrs="dtype: type, shape: shape"
)
_register(
    "InfeedDequeueTuple",
    shape_tuple,
    outputs="outputs: dtypes",
    attrs="dtypes: list(type) >= 1, shapes: list(shape)",
)
_register("OutfeedEnqueue", shapes.none, inputs="input: dtype", attrs="dtype: type")
_register(
    "OutfeedEnqueueTuple", shapes.none, inputs="inputs: dtypes", attrs="dtypes: list(type) >= 1"
)
_register(
    "OutfeedDequeue",
    shapes.attr_shape,
    outputs="output: dtype",
    attrs=f"dtype: type, shape: shape, {_ORDINAL}",
)
_register(
    "OutfeedDequeueTuple",
    shape_tuple,
    outputs="outputs: dtypes",
    attrs=f"dtypes: list(type) >= 1, shapes: list(shape), {_ORDINAL}",
)


def _system(job: str | None) -> str:
    return "/device:TPU_SYSTEM:0" if job is None else f"/job:{job}/device:TPU_SYSTEM:0"


@export("tpu.initialize_system", "contrib.tpu.initialize_system")
def initialize_system(embedding_config: Any = None, job: str | None = None) -> Tensor:
    """Makes an op that starts the TPUs. A run without TPUs raises InvalidArgumentError.

    Args:
        embedding_config: a TPUEmbeddingConfiguration proto, or None.
        job: the job of the TPUs; None for this process.

    Returns:
        A string scalar, the serialized topology.
    """
    config = "" if embedding_config is None else embedding_config.SerializeToString()
    with get_default_graph().device(_system(job)):
        return build.ConfigureDistributedTPU(tpu_embedding_config=config)


@export("tpu.shutdown_system", "contrib.tpu.shutdown_system")
def shutdown_system(job: str | None = None) -> Operation:
    """Makes an op that stops the TPUs. A run without TPUs raises InvalidArgumentError.

    Args:
        job: the job of the TPUs; None for this process.

    Returns:
        An Operation.
    """
    with get_default_graph().device(_system(job)):
        return build.ShutdownDistributedTPU()


@export("contrib.tpu.infeed_enqueue")
def infeed_enqueue(
    input: TensorLike,
    shape: ShapeLike = (),
    layout: Sequence[int] = (),
    device_ordinal: int = -1,
    name: str | None = None,
) -> Operation:
    """Makes an op that sends a value to a TPU.

    Args:
        input: the value.
        shape: its shape.
        layout: the order of the dimensions in the memory of the TPU; () for the usual one.
        device_ordinal: which TPU; -1 if the op runs on one.
        name: the name of the node.

    Returns:
        An Operation.
    """
    return build.InfeedEnqueue(
        input, shape=shape, layout=list(layout), device_ordinal=device_ordinal, name=name
    )


@export("contrib.tpu.infeed_enqueue_tuple")
def infeed_enqueue_tuple(
    inputs: Sequence[TensorLike],
    shapes: Sequence[ShapeLike],
    layouts: Sequence[int] = (),
    device_ordinal: int = -1,
    name: str | None = None,
) -> Operation:
    """Makes an op that sends several values to a TPU.

    Args:
        inputs: the values.
        shapes: their shapes.
        layouts: the order of the dimensions of all; () for the usual one.
        device_ordinal: which TPU; -1 if the op runs on one.
        name: the name of the node.

    Returns:
        An Operation.
    """
    return build.InfeedEnqueueTuple(
        inputs, shapes=shapes, layouts=list(layouts), device_ordinal=device_ordinal, name=name
    )


def _check_infeed_type(dtype: DTypeLike) -> None:
    if as_dtype(dtype) not in _INFEED_TYPES:
        raise TypeError(
            f"{as_dtype(dtype)} is not a supported TPU infeed type. Supported types are: "
            f"{list(_INFEED_TYPES)}"
        )


@export("contrib.tpu.infeed_dequeue")
def infeed_dequeue(dtype: DTypeLike, shape: ShapeLike, name: str | None = None) -> Tensor:
    """Makes an op of a TPU that takes a value from its infeed.

    Args:
        dtype: the type of the value.
        shape: its shape.
        name: the name of the node.

    Returns:
        A tensor.

    Raises:
        TypeError: if TPUs cannot take values of the type.
    """
    _check_infeed_type(dtype)
    return build.InfeedDequeue(dtype=dtype, shape=shape, name=name)


@export("contrib.tpu.infeed_dequeue_tuple")
def infeed_dequeue_tuple(
    dtypes: Sequence[DTypeLike], shapes: Sequence[ShapeLike], name: str | None = None
) -> list[Tensor]:
    """Makes an op of a TPU that takes several values from its infeed.

    Args:
        dtypes: the types of the values.
        shapes: their shapes.
        name: the name of the node.

    Returns:
        A list of tensors.

    Raises:
        TypeError: if TPUs cannot take values of a type.
    """
    for dtype in dtypes:
        _check_infeed_type(dtype)
    return build.InfeedDequeueTuple(dtypes=dtypes, shapes=shapes, name=name)


@export("contrib.tpu.outfeed_enqueue")
def outfeed_enqueue(input: TensorLike, name: str | None = None) -> Operation:
    """Makes an op of a TPU that sends a value to the host.

    Args:
        input: the value.
        name: the name of the node.

    Returns:
        An Operation.
    """
    return build.OutfeedEnqueue(input, name=name)


@export("contrib.tpu.outfeed_enqueue_tuple")
def outfeed_enqueue_tuple(inputs: Sequence[TensorLike], name: str | None = None) -> Operation:
    """Makes an op of a TPU that sends several values to the host.

    Args:
        inputs: the values.
        name: the name of the node.

    Returns:
        An Operation.
    """
    return build.OutfeedEnqueueTuple(inputs, name=name)


@export("contrib.tpu.outfeed_dequeue")
def outfeed_dequeue(
    dtype: DTypeLike, shape: ShapeLike, device_ordinal: int = -1, name: str | None = None
) -> Tensor:
    """Makes an op that takes a value from the outfeed of a TPU.

    Args:
        dtype: the type of the value.
        shape: its shape.
        device_ordinal: which TPU; -1 if the op runs on one.
        name: the name of the node.

    Returns:
        A tensor.
    """
    return build.OutfeedDequeue(dtype=dtype, shape=shape, device_ordinal=device_ordinal, name=name)


@export("contrib.tpu.outfeed_dequeue_tuple")
def outfeed_dequeue_tuple(
    dtypes: Sequence[DTypeLike],
    shapes: Sequence[ShapeLike],
    device_ordinal: int = -1,
    name: str | None = None,
) -> list[Tensor]:
    """Makes an op that takes several values from the outfeed of a TPU.

    Args:
        dtypes: the types of the values.
        shapes: their shapes.
        device_ordinal: which TPU; -1 if the op runs on one.
        name: the name of the node.

    Returns:
        A list of tensors.
    """
    return build.OutfeedDequeueTuple(
        dtypes=dtypes, shapes=shapes, device_ordinal=device_ordinal, name=name
    )
