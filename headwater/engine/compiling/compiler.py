"""Compiles traced programs with XLA."""

from __future__ import annotations

import functools
import hashlib
import math
import re
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from headwater.base import logging
from headwater.base.cancellation import let_interrupt
from headwater.base.lazy import jax
from headwater.base.memory import return_free_memory
from headwater.engine.compiling.threads import all_in_threads

# Products with so many rows are as fast without the library.
_FEW_ROWS = 64
_MANY_COLUMNS = 8192
_CPU_LIBRARY_OPTION = "xla_cpu_experimental_ynn_fusion_type"
# Loops, and other programs of so many ops, are compiled with as few passes as they compute little.
# The steps of shorter ones would take up to 40 % longer.
_MANY_RESULTS = 200
# LLVM's passes of level 1 vectorize too, and take a quarter less time.
_CHEAP_PASSES: dict[str, Any] = {"xla_backend_optimization_level": 1}
# Hardly any passes: that takes a fifth of the time, and the kernels take 0.4 ns more per element.
_FEWEST_PASSES: dict[str, Any] = {"xla_backend_optimization_level": 0}
# All kernels in one module of few parts, instead of one module for each: that takes 40 % less time,
# and the kernels are slower only where there is much to compute, or rows are updated. Equal ops
# that are not fused share a kernel only where each has a module of its own.
_CHEAP_KERNELS: dict[str, Any] = {
    "xla_cpu_use_fusion_emitters": False,
    "xla_cpu_parallel_codegen_split_count": 4,
}
# The largest mean work of ops, in elements, for cheap kernels and for the fewest passes.
_SMALL_WORK = 1 << 14
_LEAST_WORK = 1 << 10
# The body of a loop counts so many times.
_ITERATIONS = 16
# So many products of two numbers are as much work as one element.
_PRODUCTS_PER_ELEMENT = 10
_LOOP = "stablehlo.while"
_ROW_UPDATE = "stablehlo.scatter"
_OP = re.compile(r"stablehlo\.(\w+).*tensor<((?:\d+x)*)[a-z]\w*(?:<\w+>)?>$", re.MULTILINE)
_SHAPE = re.compile(r"tensor<((?:\d+x)*)[a-z]")
# The options that this XLA turned out not to have.
_unknown_options: set[str] = set()
# Equal parts of large programs share an executable: the most recent ones, by what decides on them.
_MOST_SHARED = 64
_shared: OrderedDict[Any, Any] = OrderedDict()
_shared_lock = threading.Lock()


def compile_program(lowered: Any, fuses: bool = True) -> Any:
    """Compiles a lowered program.

    Args:
        lowered: what `jax.jit(...).lower(...)` returns.
        fuses: whether XLA's CPU compiler may fuse ops.

    Returns:
        The executable, to be called like the traced function.
    """
    let_interrupt()
    # XLA cannot reuse the memory that interpreted runs have freed.
    return_free_memory()
    try:
        return _compiled(lowered, _compiler_options(lowered, fuses))
    finally:
        return_free_memory()


def compile_parts(parts: Sequence[tuple[Any, bool]]) -> list[Any]:
    """Compiles parts of programs, in several threads; equal ones are compiled once.

    Args:
        parts: for each part, what `jax.jit(..., keep_unused=True).lower(...)` returns for a
            function that takes shapes and types of arrays and returns a list, and whether XLA's CPU
            compiler may fuse ops.

    Returns:
        The executables.
    """
    settings = jax.config.jax_default_device, jax.default_backend()
    keys = []
    for lowered, fuses in parts:
        digest = hashlib.blake2b(lowered.as_text().encode(), digest_size=20).digest()
        keys.append((digest, fuses, *settings))
    with _shared_lock:
        found = {key: _shared[key] for key in keys if key in _shared}
    missing = {key: part for key, part in zip(keys, parts) if key not in found}
    tasks = [functools.partial(compile_program, *part) for part in missing.values()]
    found.update(zip(missing, all_in_threads(tasks)))
    with _shared_lock:
        for key in dict.fromkeys(keys):
            _shared[key] = found[key]
            _shared.move_to_end(key)
        while len(_shared) > _MOST_SHARED:
            _shared.popitem(last=False)
    return [found[key] for key in keys]


def _compiled(lowered: Any, options: dict[str, Any]) -> Any:
    """The program, compiled with those of the options that this XLA has."""
    while True:
        wanted = {k: v for k, v in options.items() if k not in _unknown_options}
        try:
            return lowered.compile(compiler_options=wanted or None)
        except RuntimeError as error:
            unknown = [name for name in wanted if f"'{name}'" in str(error)]
            if not unknown or "No such compile option" not in str(error):
                raise
            logging.debug("This XLA has no option %s", ", ".join(unknown))
            _unknown_options.update(unknown)


def _compiler_options(lowered: Any, fuses: bool = True) -> dict[str, Any]:
    if jax.default_backend() != "cpu":
        return {}
    text = lowered.as_text()
    options = {**_cheap_options(text, fuses), **_library_options(text)}
    if not fuses:
        options["xla_disable_hlo_passes"] = "fusion"
    return options


def _library_options(text: str) -> dict[str, Any]:
    """Which ops XLA's CPU compiler leaves to its kernel library.

    The library's convolutions use one thread for few channels and are slow at filter gradients, so
    XLA's own are used. A reduction in the library is fused with the ops before it, convolutions
    included, which pays only where there are as many reductions as convolutions (bias gradients,
    batch norms). In loops with small products a library call costs more than it gains.
    """
    convolutions = text.count("stablehlo.convolution")
    if not convolutions:
        return {_CPU_LIBRARY_OPTION: ""} if _loops_over_small_products(text) else {}
    kinds = ["LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT"]
    if text.count("stablehlo.reduce(") >= convolutions:
        kinds.append("LIBRARY_FUSION_TYPE_REDUCE")
    return {_CPU_LIBRARY_OPTION: ",".join(kinds)}


def _cheap_options(text: str, fuses: bool = True) -> dict[str, Any]:
    """The options for programs that would take long to compile, and for those of little work."""
    ops = list(_OP.finditer(text))
    loops = _LOOP in text
    work = sum(map(_work, ops))
    is_little = fuses and work <= _SMALL_WORK * len(ops)
    if not loops and len(ops) < _MANY_RESULTS:
        is_cheap = is_little and _ROW_UPDATE not in text
        return {**_CHEAP_PASSES, **_CHEAP_KERNELS} if is_cheap else {}
    is_least = work * (_ITERATIONS if loops else 1) <= _LEAST_WORK * len(ops)
    options = dict(_FEWEST_PASSES if is_least else _CHEAP_PASSES)
    if is_little:
        options.update(_CHEAP_KERNELS)
    return options


def _work(op: re.Match[str]) -> int:
    """How many elements an op computes."""
    kind = op[1]
    size = _size(op[2])
    if kind == "reduce":
        return max(map(_size, _SHAPE.findall(op[0])))
    if kind == "dynamic_update_slice":
        # In place: only the slice is written.
        return min(size, _size(_SHAPE.findall(op[0])[1]))
    if kind == "dot_general":
        sizes = [_size(shape) for shape in _SHAPE.findall(op[0])]
        return size + math.isqrt(math.prod(sizes)) // _PRODUCTS_PER_ELEMENT
    return size


def _size(shape: str) -> int:
    """The number of elements of a shape such as 2x3x."""
    return math.prod(map(int, shape.split("x")[:-1]))


def _loops_over_small_products(text: str) -> bool:
    if _LOOP not in text:
        return False
    shapes = re.findall(r"stablehlo\.dot_general.*-> tensor<(\d+)x(\d+)x", text)
    columns = [int(columns) for rows, columns in shapes if int(rows) <= _FEW_ROWS]
    # Products with many columns are followed by reductions, at which the library is fast.
    return 2 * len(columns) >= len(shapes) > 0 and max(columns) <= _MANY_COLUMNS
