"""Elements on other devices: copy_to_device, prefetch_to_device, MultiDeviceIterator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.data.datasets import options_nodes, structure
from headwater.data.datasets.function import ElementFunction
from headwater.data.datasets.iterator import Iterator
from headwater.data.datasets.optional import Optional, get_next_as_optional
from headwater.data.datasets.options import Options
from headwater.graph import (
    Operation,
    Tensor,
    build,
    colocate_with,
    control_dependencies,
    convert_to_tensor,
    get_default_graph,
    group,
)
from headwater.graph.type_spec import TensorSpec
from headwater.ops.array.constant import constant

_HANDLE = TensorSpec([], dtypes.string)


@export("data.experimental.copy_to_device")
def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Callable[[Any], Any]:
    """The same elements on another device.

    Args:
        target_device: the name of the device that gets them.
        source_device: the name of the device where they are made.

    Returns:
        A function from a dataset to a dataset.
    """

    def apply(dataset: Any) -> Any:
        options = Options()
        options.experimental_optimization.apply_default_optimizations = False
        options.experimental_optimization.autotune = False
        copied = dataset._derived(*_copied(dataset, target_device, source_device))
        return copied.with_options(options)

    return apply


@export("data.experimental.prefetch_to_device")
def prefetch_to_device(device: str, buffer_size: Any = None) -> Callable[[Any], Any]:
    """The elements on a device, made ahead of their use; the last step of a dataset.

    Args:
        device: the name of the device.
        buffer_size: how many elements may wait; left open if None.

    Returns:
        A function from a dataset to a dataset.
    """
    return lambda dataset: dataset.apply(copy_to_device(device)).prefetch(buffer_size)


def _copied(dataset: Any, target_device: str, source_device: str) -> tuple[Tensor, Any]:
    """The variant and structure of the elements of a dataset on another device."""
    spec = dataset.element_spec
    attrs = structure.flat_attrs(spec)
    source = constant(source_device)
    wrapped = build.WrapDatasetVariant(dataset._variant_tensor)

    def init_func() -> Tensor:
        variant = build.UnwrapDatasetVariant(wrapped)
        resource = build.AnonymousIterator(**attrs)
        with control_dependencies([build.MakeIterator(variant, resource)]):
            handle: Tensor = build.IteratorToStringHandle(resource)
        return handle

    def next_func(string_handle: Tensor) -> tuple[Tensor, ...]:
        iterator = Iterator.from_string_handle(
            string_handle,
            structure.legacy_types(spec),
            structure.legacy_shapes(spec),
            structure.legacy_classes(spec),
        )
        return tuple(structure.to_tensor_list(spec, iterator.get_next()))

    def finalize_func(string_handle: Tensor) -> Tensor:
        resource = build.IteratorFromStringHandleV2(string_handle, **attrs)
        with control_dependencies([build.DestroyResourceOp(resource, ignore_lookup_error=True)]):
            return constant(0, dtypes.int64)

    parts = _remote(source, spec, init_func, next_func, finalize_func)
    with get_default_graph().device(target_device):
        return _generated(parts, attrs), spec


def _remote(
    device: Tensor,
    spec: Any,
    init_func: Callable[[], Tensor],
    next_func: Callable[[Tensor], tuple[Tensor, ...]],
    finalize_func: Callable[[Tensor], Tensor],
) -> list[ElementFunction]:
    """The functions of a GeneratorDataset, which call others on another device."""
    init = ElementFunction(init_func, "", ())

    def remote_init_func() -> Tensor:
        return _remote_call(device, init, [], [dtypes.string])[0]

    def remote_next_func(string_handle: Tensor) -> Any:
        types = structure.flat_attrs(spec)["output_types"]
        found = _remote_call(device, following, [string_handle], types)
        return structure.from_tensor_list(spec, found)

    def remote_finalize_func(string_handle: Tensor) -> Tensor:
        return _remote_call(device, finalize, [string_handle], [dtypes.int64])[0]

    remote_init = ElementFunction(remote_init_func, "", ())
    following = ElementFunction(next_func, "", _HANDLE)
    remote_next = ElementFunction(remote_next_func, "", _HANDLE)
    finalize = ElementFunction(finalize_func, "", _HANDLE)
    remote_finalize = ElementFunction(remote_finalize_func, "", _HANDLE)
    return [remote_init, remote_next, remote_finalize]


def _remote_call(
    device: Tensor, function: ElementFunction, arguments: Sequence[Tensor], types: Any
) -> list[Tensor]:
    inputs = [*arguments, *function.captured]
    return list(build.RemoteCall(device, inputs, Tout=types, f=function.attr))


def _generated(parts: Sequence[ElementFunction], attrs: dict[str, Any]) -> Tensor:
    init, following, finalize = parts
    variant: Tensor = build.GeneratorDataset(
        init.captured,
        following.captured,
        finalize.captured,
        init_func=init.attr,
        next_func=following.attr,
        finalize_func=finalize.attr,
        **attrs,
    )
    return variant


class MultiDeviceIterator:
    """Hands the elements of a dataset to several devices in turns.

    Args:
        dataset: a Dataset.
        devices: the names of the devices.
        max_buffer_size: how many elements may wait for each device.
        prefetch_buffer_size: how many elements each device takes ahead of their use.
        source_device: the name of the device where the elements are made.
    """

    def __init__(
        self,
        dataset: Any,
        devices: Sequence[str],
        max_buffer_size: int = 1,
        prefetch_buffer_size: int = 1,
        source_device: str = "/cpu:0",
    ) -> None:
        self._devices = list(devices)
        self._spec = dataset.element_spec
        self._attrs = structure.flat_attrs(self._spec)
        variant = options_nodes.with_options(dataset)
        source = constant(source_device)
        graph = get_default_graph()
        with graph.device(source_device):
            self._resource = build.MultiDeviceIterator(
                devices=self._devices, shared_name="", container="", **self._attrs
            )
            size = convert_to_tensor(max_buffer_size, dtypes.int64, "max_buffer_size")
            self._incarnation = build.MultiDeviceIteratorInit(variant, self._resource, size)
        variants = []
        for i, device in enumerate(self._devices):
            with graph.device(device):
                variants.append(self._shard(i, source))
        self._iterators = []
        for device, shard in zip(self._devices, variants):
            with graph.device(device):
                self._iterators.append(self._ahead(shard, prefetch_buffer_size))

    def _shard(self, number: int, source: Tensor) -> Tensor:
        """The variant of the elements of one device."""
        attrs = self._attrs
        handle = build.MultiDeviceIteratorToStringHandle(self._resource)

        def init_func() -> Tensor:
            return handle

        def next_func(string_handle: Tensor) -> tuple[Tensor, ...]:
            resource = build.MultiDeviceIteratorFromStringHandle(string_handle, **attrs)
            return tuple(
                build.MultiDeviceIteratorGetNextFromShard(
                    resource, number, self._incarnation, **attrs
                )
            )

        def finalize_func(string_handle: Tensor) -> Tensor:
            return constant(0, dtypes.int64)

        return _generated(_remote(source, self._spec, init_func, next_func, finalize_func), attrs)

    def _ahead(self, variant: Tensor, buffer_size: int) -> Iterator:
        attrs = self._attrs
        if buffer_size > 0:
            size = convert_to_tensor(buffer_size, dtypes.int64, "buffer_size")
            variant = build.PrefetchDataset(variant, size, **attrs)
        resource = build.IteratorV2(container="", shared_name="", **attrs)
        with colocate_with(resource):
            initializer = build.MakeIterator(variant, resource)
        return Iterator(resource, initializer, self._spec)

    def get_next(self, device: str | None = None) -> Any:
        """The next elements.

        Args:
            device: the name of a device; all if None.

        Returns:
            The nested tensors of an element on the device, or a list of those of all devices.
        """
        if device is not None:
            return self._iterators[self._devices.index(device)].get_next()
        found = []
        for name, iterator in zip(self._devices, self._iterators):
            with get_default_graph().device(name):
                found.append(iterator.get_next())
        return found

    def get_next_as_optional(self) -> list[Optional]:
        """A list of Optionals, one for each device: its next element, if there is one."""
        found = []
        for name, iterator in zip(self._devices, self._iterators):
            with get_default_graph().device(name):
                found.append(get_next_as_optional(iterator))
        return found

    @property
    def initializer(self) -> Operation:
        """The op that begins to iterate over the dataset."""
        return group(*(iterator.initializer for iterator in self._iterators))

    @property
    def element_spec(self) -> Any:
        """The nested TypeSpec of an element."""
        return self._spec
