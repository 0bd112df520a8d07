"""`multi_gpu_model`: copies of a model on several devices, each with a part of the batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.engine.devices import local_devices
from headwater.graph import Tensor, export
from headwater.graph.default_graph import device
from headwater.keras.engine.towers import part_of_batch
from headwater.keras.engine.training import Model
from headwater.keras.layers.core import Lambda
from headwater.keras.layers.merge import concatenate


def _available() -> list[str]:
    return [f"/{each.name.split('device:')[-1].lower()}" for each in local_devices()]


@export("keras.utils.multi_gpu_model")
def multi_gpu_model(
    model: Any, gpus: Any, cpu_merge: bool = True, cpu_relocation: bool = False
) -> Model:
    """Makes a model that shares each batch among copies of a model on several GPUs.

    Args:
        model: the model.
        gpus: the number of GPUs, or a list of their numbers; at least 2.
        cpu_merge: whether outputs are put together on the CPU.
        cpu_relocation: accepted; the variables stay where they are.

    Returns:
        A model with the same inputs and outputs and the same variables.

    Raises:
        ValueError: if there are fewer than 2 GPUs in `gpus`, or some do not exist.
    """
    if isinstance(gpus, (list, tuple)):
        if len(gpus) <= 1:
            raise ValueError(
                "For multi-gpu usage to be effective, call `multi_gpu_model` with `len(gpus) >= "
                f"2`. Received: `gpus={gpus}`"
            )
        numbers: Sequence[int] = gpus
    else:
        if gpus <= 1:
            raise ValueError(
                "For multi-gpu usage to be effective, call `multi_gpu_model` with `gpus >= 2`. "
                f"Received: `gpus={gpus}`"
            )
        numbers = range(gpus)
    wanted = ["/cpu:0", *(f"/gpu:{number}" for number in numbers)]
    available = _available()
    for name in wanted:
        if name not in available:
            raise ValueError(
                f"To call `multi_gpu_model` with `gpus={gpus}`, we expect the following devices to "
                f"be available: {wanted}. However this machine only has: {available}. Try reducing "
                "`gpus`."
            )
    outputs = _outputs_of_parts(model, list(numbers))
    with device("/cpu:0" if cpu_merge else f"/gpu:{numbers[0]}"):
        merged = [
            concatenate(parts, axis=0, name=name)
            for name, parts in zip(model.output_names, outputs)
        ]
    return Model(model.inputs, merged)


def _outputs_of_parts(model: Any, numbers: list[int]) -> list[list[Tensor]]:
    outputs: list[list[Tensor]] = [[] for _ in model.outputs]
    for part, number in enumerate(numbers):
        with device(f"/gpu:{number}"):
            inputs = []
            for x in model.inputs:
                shape = tuple(x.shape.as_list()[1:])
                take = Lambda(
                    part_of_batch,
                    output_shape=shape,
                    arguments={"number": part, "count": len(numbers)},
                )
                inputs.append(take(x))
            made = model(inputs[0] if len(inputs) == 1 else inputs)
            for kept, output in zip(outputs, made if isinstance(made, list) else [made]):
                kept.append(output)
    return outputs
