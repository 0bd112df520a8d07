"""Keys under which compiled programs are found on disk by later processes.

A key stands for everything that tracing and compiling look at: what is computed, the types and
shapes of the arguments, and the environment: sources, versions, processor, settings.
"""

from __future__ import annotations

import functools
import hashlib
import os
import platform
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from headwater.base import native
from headwater.base.dtypes import DType
from headwater.base.lazy import jax
from headwater.graph import OpRecord
from headwater.graph.vjp import VjpRecord

_PACKAGE = Path(__file__).parents[1]
# The folders whose files decide what a program is; kernels stand in some of them.
_SOURCES = ("base", "engine", "graph", "ops", "train/optimizers")
_KERNELS = ("headwater.graph.", "headwater.ops.", "headwater.train.optimizers.")
_PLAIN = (bool, int, float, str, bytes, type(None))


class NoKey(Exception):
    """Something decides on a program that a key cannot stand for."""


class Key:
    """Collects what a key stands for.

    Args:
        kind: what is compiled.
        device: the JAX device; None for the default one.
    """

    def __init__(self, kind: str, device: Any) -> None:
        self._hash = hashlib.blake2b(digest_size=20)
        self.add(kind, _process(), _settings(), _device(device))

    def add(self, *values: Any) -> None:
        """Adds plain values: numbers, strings, and tuples and lists of them."""
        self._hash.update(repr(values).encode())

    def add_attrs(self, attrs: dict[str, Any], names: Iterable[str]) -> None:
        """Adds some attrs of an op."""
        self.add([(name, _plain(attrs.get(name))) for name in names])

    def add_array(self, value: Any) -> None:
        """Adds an array with its contents."""
        if value.dtype == object:
            # Strings, which texts of errors consist of.
            self.add(value.shape, _plain(value.ravel().tolist()))
            return
        self.add(shape_of(value))
        self._hash.update(value.tobytes())

    def add_shapes(self, values: Iterable[Any]) -> None:
        """Adds types and shapes of arrays; some may be None."""
        self.add([shape_of(value) for value in values])

    def text(self) -> str:
        """The key of all that has been added, fit for the name of a file."""
        return self._hash.hexdigest()


def shape_of(value: Any) -> Any:
    """Type and shape of an array, as a program depends on them; None for None."""
    if value is None:
        return None
    return tuple(value.shape), _type_of(value), bool(getattr(value, "weak_type", False))


def _type_of(value: Any) -> str:
    if value.dtype == object:
        raise NoKey("a value of Python objects")
    return str(value.dtype.name)


@functools.cache
def attr_names(record: OpRecord) -> tuple[str, ...]:
    """The attrs that a kernel depends on.

    Raises:
        NoKey: if the kernel depends on more.
    """
    if isinstance(record, VjpRecord):
        source = [f"op_{name}" for name in attr_names(record.source)]
        return (*source, "input_types", "output_types", "num_inputs")
    kernel = record.kernel
    module = getattr(kernel, "__module__", None) or ""
    is_ours = isinstance(kernel, np.ufunc) or module.startswith(_KERNELS)
    if not is_ours or "functions" in record.kernel_attrs:
        raise NoKey(record.name)
    lists = (arg.number_attr or arg.type_list_attr for arg in record.schema.inputs)
    names = (*record.kernel_attrs, *filter(None, lists))
    # The name of the node stands in texts of errors only, which the host raises.
    return tuple(name for name in dict.fromkeys(names) if name not in ("op", "op_name"))


def _plain(value: Any) -> Any:
    """An attr as a value whose repr tells it from others."""
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, (tuple, list)):
        return [_plain(item) for item in value]
    if isinstance(value, DType):
        return ("type", value.name)
    if isinstance(value, (np.ndarray, np.generic)) and value.dtype != object:
        return ("array", value.shape, _type_of(value), value.tobytes())
    raise NoKey(f"an attr of type {type(value).__name__}")


@functools.cache
def _process() -> tuple[str, ...]:
    """What decides on all programs of this process: sources, versions, processor."""
    hashed = hashlib.blake2b(digest_size=16)
    for folder in _SOURCES:
        _add_sources(hashed, str(_PACKAGE / folder))
    versions = (jax.__version__, jax.lib.__version__, np.__version__, sys.version)
    return (hashed.hexdigest(), *versions, _native_kernels(), *_processor())


def _native_kernels() -> str:
    """The native kernels that programs may call; registered, so that programs can be loaded."""
    if not native.is_registered():
        return ""
    status = native.kernels_file().stat()
    return repr((status.st_size, status.st_mtime_ns))


def _add_sources(hashed: Any, folder: str) -> None:
    """Adds names, sizes and times of the source files in a folder."""
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda e: e.name):
            if entry.name.endswith(".py"):
                status = entry.stat()
                hashed.update(repr((entry.name, status.st_size, status.st_mtime_ns)).encode())
            elif entry.is_dir():
                _add_sources(hashed, entry.path)


def _processor() -> tuple[str, ...]:
    """The processor with its instruction sets, and how many of its cores there are to use."""
    flags = ""
    try:
        with Path("/proc/cpuinfo").open(encoding="ascii", errors="replace") as stream:
            flags = next((line for line in stream if line.startswith(("flags", "Features"))), "")
    except OSError:
        flags = platform.processor()
    affinity = getattr(os, "sched_getaffinity", None)
    cores = os.cpu_count() if affinity is None else len(affinity(0))
    return platform.machine(), flags, str(cores)


def _settings() -> tuple[Any, ...]:
    """Settings of this process that programs depend on."""
    config = jax.config
    return (
        os.environ.get("XLA_FLAGS"),
        config.jax_enable_x64,
        config.jax_default_matmul_precision,
        config.jax_numpy_dtype_promotion,
    )


def _device(device: Any) -> tuple[Any, ...]:
    found = device or jax.local_devices()[0]
    return found.platform, found.device_kind, found.id, device is None, len(jax.devices())
