"""Ops of TPUs: embeddings, replicas and exchanges. Graphs hold them; only TPUs run them."""

from __future__ import annotations

from typing import Any, NoReturn

from headwater.base.errors import InvalidArgumentError
from headwater.base.typing import ArrayModule
from headwater.graph import (
    NOT_DIFFERENTIABLE,
    Operation,
    RunsOn,
    Tensor,
    build,
    register_op,
    shapes,
)

_TABLE = "table_id: int >= -1 = -1, table_name: string = '', num_shards: int, shard_id: int"
_SPARSE_BATCH = (
    "sample_indices: N * T1, embedding_indices: N * T2, aggregation_weights: N * T3, "
    "mode_override: string"
)
_NUMBERS = (
    "float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, "
    "uint16, complex128, half, uint32, uint64"
)


def kernel_without_tpu(xp: ArrayModule, *inputs: Any, op: Operation, **attrs: Any) -> NoReturn:
    raise InvalidArgumentError(
        None,
        None,
        f"No OpKernel was registered to support Op '{op.type}' used by node {op.name}",
        hint="the op needs a TPU",
    )


def _register(
    name: str,
    inputs: str = "",
    outputs: str = "",
    attrs: str = "",
    stateful: bool = True,
    gradient: Any = None,
) -> None:
    register_op(
        name,
        inputs=inputs,
        outputs=outputs,
        attrs=attrs,
        shape=shapes.unknown if outputs else shapes.none,
        kernel=kernel_without_tpu,
        runs_on=RunsOn.HOST,
        stateful=stateful,
        **({} if gradient is None else {"gradient": gradient}),
    )


def gradient_all_to_all(op: Operation, grad: Tensor) -> list[Any]:
    back = build.AllToAll(
        grad,
        op.inputs[1],
        concat_dimension=op.get_attr("split_dimension"),
        split_dimension=op.get_attr("concat_dimension"),
        split_count=op.get_attr("split_count"),
    )
    return [back, None]


def gradient_collective_permute(op: Operation, grad: Tensor) -> list[Any]:
    # from each target to its source
    pairs = build.GatherV2(op.inputs[1], [1, 0], 1)
    return [build.CollectivePermute(grad, pairs), None]


def _register_load(name: str, *slots: str) -> None:
    """An op that sets a table and the slots of its optimizer."""
    inputs = ", ".join(f"{slot}: float" for slot in ("parameters", *slots))
    _register(name, inputs=inputs, attrs=_TABLE)


def _register_retrieve(name: str, *slots: str) -> None:
    """An op that reads a table and the slots of its optimizer."""
    outputs = ", ".join(f"{slot}: float" for slot in ("parameters", *slots))
    _register(name, outputs=outputs, attrs=_TABLE)


_register_load("LoadTPUEmbeddingADAMParameters", "momenta", "velocities")
_register_load(
    "LoadTPUEmbeddingADAMParametersGradAccumDebug", "momenta", "velocities", "gradient_accumulators"
)
_register_load("LoadTPUEmbeddingAdadeltaParameters", "accumulators", "updates")
_register_load(
    "LoadTPUEmbeddingAdadeltaParametersGradAccumDebug",
    "accumulators",
    "updates",
    "gradient_accumulators",
)
_register_load("LoadTPUEmbeddingAdagradParameters", "accumulators")
_register_load(
    "LoadTPUEmbeddingAdagradParametersGradAccumDebug", "accumulators", "gradient_accumulators"
)
_register_load("LoadTPUEmbeddingCenteredRMSPropParameters", "ms", "mom", "mg")
_register_load("LoadTPUEmbeddingFTRLParameters", "accumulators", "linears")
_register_load(
    "LoadTPUEmbeddingFTRLParametersGradAccumDebug",
    "accumulators",
    "linears",
    "gradient_accumulators",
)
_register_load("LoadTPUEmbeddingMDLAdagradLightParameters", "accumulators", "weights", "benefits")
_register_load("LoadTPUEmbeddingMomentumParameters", "momenta")
_register_load(
    "LoadTPUEmbeddingMomentumParametersGradAccumDebug", "momenta", "gradient_accumulators"
)
_register_load("LoadTPUEmbeddingProximalAdagradParameters", "accumulators")
_register_load(
    "LoadTPUEmbeddingProximalAdagradParametersGradAccumDebug",
    "accumulators",
    "gradient_accumulators",
)
_register_load("LoadTPUEmbeddingRMSPropParameters", "ms", "mom")
_register_load(
    "LoadTPUEmbeddingRMSPropParametersGradAccumDebug", "ms", "mom", "gradient_accumulators"
)
_register_load("LoadTPUEmbeddingStochasticGradientDescentParameters")
_register_retrieve("RetrieveTPUEmbeddingADAMParameters", "momenta", "velocities")
_register_retrieve(
    "RetrieveTPUEmbeddingADAMParametersGradAccumDebug",
    "momenta",
    "velocities",
    "gradient_accumulators",
)
_register_retrieve("RetrieveTPUEmbeddingAdadeltaParameters", "accumulators", "updates")
_register_retrieve(
    "RetrieveTPUEmbeddingAdadeltaParametersGradAccumDebug",
    "accumulators",
    "updates",
    "gradient_accumulators",
)
_register_retrieve("RetrieveTPUEmbeddingAdagradParameters", "accumulators")
_register_retrieve(
    "RetrieveTPUEmbeddingAdagradParametersGradAccumDebug", "accumulators", "gradient_accumulators"
)
_register_retrieve("RetrieveTPUEmbeddingCenteredRMSPropParameters", "ms", "mom", "mg")
_register_retrieve("RetrieveTPUEmbeddingFTRLParameters", "accumulators", "linears")
_register_retrieve(
    "RetrieveTPUEmbeddingFTRLParametersGradAccumDebug",
    "accumulators",
    "linears",
    "gradient_accumulators",
)
_register_retrieve(
    "RetrieveTPUEmbeddingMDLAdagradLightParameters", "accumulators", "weights", "benefits"
)
_register_retrieve("RetrieveTPUEmbeddingMomentumParameters", "momenta")
_register_retrieve(
    "RetrieveTPUEmbeddingMomentumParametersGradAccumDebug", "momenta", "gradient_accumulators"
)
_register_retrieve("RetrieveTPUEmbeddingProximalAdagradParameters", "accumulators")
_register_retrieve(
    "RetrieveTPUEmbeddingProximalAdagradParametersGradAccumDebug",
    "accumulators",
    "gradient_accumulators",
)
_register_retrieve("RetrieveTPUEmbeddingRMSPropParameters", "ms", "mom")
_register_retrieve(
    "RetrieveTPUEmbeddingRMSPropParametersGradAccumDebug", "ms", "mom", "gradient_accumulators"
)
_register_retrieve("RetrieveTPUEmbeddingStochasticGradientDescentParameters")
_register(
    "AllToAll",
    inputs="input: T, group_assignment: int32",
    outputs="output: T",
    attrs=(
        f"T: {{{_NUMBERS}, bool}}, concat_dimension: int, split_dimension: int, split_count: int"
    ),
    stateful=False,
    gradient=gradient_all_to_all,
)
_register(
    "CollectivePermute",
    inputs="input: T, source_target_pairs: int32",
    outputs="output: T",
    attrs=f"T: {{{_NUMBERS}}}",
    stateful=False,
    gradient=gradient_collective_permute,
)
_register(
    "ConfigureTPUEmbedding",
    attrs="config: string",
)
_register(
    "EnqueueTPUEmbeddingIntegerBatch",
    inputs="batch: N * int32, mode_override: string",
    attrs="N: int >= 1, device_ordinal: int = -1",
)
_register(
    "EnqueueTPUEmbeddingSparseBatch",
    inputs=_SPARSE_BATCH,
    attrs=(
        "T1: {int32, int64} = int32, T2: {int32, int64} = int32, "
        "T3: {float, double} = float, N: int >= 1, device_ordinal: int = -1, "
        "combiners: list(string) = []"
    ),
)
_register(
    "EnqueueTPUEmbeddingSparseTensorBatch",
    inputs=_SPARSE_BATCH,
    attrs=(
        "T1: {int32, int64} = int32, T2: {int32, int64} = int32, "
        "T3: {float, double} = float, N: int >= 1, device_ordinal: int = -1, "
        "combiners: list(string) = [], table_ids: list(int), "
        "max_sequence_lengths: list(int) = []"
    ),
)
_register(
    "InfeedEnqueuePrelinearizedBuffer",
    inputs="input: variant",
    attrs="device_ordinal: int = -1",
    stateful=False,
)
_register(
    "Prelinearize",
    inputs="input: dtype",
    outputs="output: variant",
    attrs="dtype: type, shape: shape = {}, layout: list(int) = []",
    stateful=False,
)
_register(
    "PrelinearizeTuple",
    inputs="inputs: dtypes",
    outputs="output: variant",
    attrs="dtypes: list(type) >= 1, shapes: list(shape), layouts: list(int) = []",
    stateful=False,
)
_register(
    "RecvTPUEmbeddingActivations",
    outputs="outputs: num_outputs * float",
    attrs="num_outputs: int >= 1, config: string",
)
_register(
    "SendTPUEmbeddingGradients",
    inputs="inputs: N * float, learning_rates: NN * float",
    attrs="N: int >= 1, NN: int >= 0 = 0, config: string",
)
_register(
    "TPUCompilationResult",
    outputs="output: string",
    stateful=False,
)
_register(
    "TPUOrdinalSelector",
    outputs="device_ordinals: int32",
)
_register(
    "TPUPartitionedCall",
    inputs="args: Tin, device_ordinal: int32",
    outputs="output: Tout",
    attrs="Tin: list(type) >= 0, Tout: list(type) >= 0, f: func",
    stateful=False,
)
_register(
    "TPUReplicateMetadata",
    attrs=(
        "num_replicas: int >= 0, num_cores_per_replica: int = 1, "
        "topology: string = '', use_tpu: bool = true, "
        "device_assignment: list(int) = [], computation_shape: list(int) = [], "
        "host_compute_core: list(string) = [], padding_map: list(string) = [], "
        "step_marker_location: string = 'STEP_MARK_AT_ENTRY', "
        "allow_soft_placement: bool = false"
    ),
    stateful=False,
)
_register(
    "TPUReplicatedInput",
    inputs="inputs: N * T",
    outputs="output: T",
    attrs="N: int >= 1, T: type",
    stateful=False,
    gradient=NOT_DIFFERENTIABLE,
)
_register(
    "TPUReplicatedOutput",
    inputs="input: T",
    outputs="outputs: num_replicas * T",
    attrs="num_replicas: int >= 1, T: type",
    stateful=False,
)
_register(
    "WorkerHeartbeat",
    inputs="request: string",
    outputs="response: string",
)
