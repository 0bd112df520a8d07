"""Compiles traced programs with XLA and keeps them on disk."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from headwater.base import logging
from headwater.base.cancellation import let_interrupt
from headwater.base.lazy import jax
from headwater.base.memory import return_free_memory

# Programs that compile faster than this are not kept on disk.
_MIN_SECONDS_TO_KEEP = 0.1
# Products with so many rows are as fast without the library.
_FEW_ROWS = 64
_MANY_COLUMNS = 8192
_CPU_LIBRARY_OPTION = "xla_cpu_experimental_ynn_fusion_type"
_configured = False


def cache_directory() -> Path | None:
    """Where compiled programs are kept: HEADWATER_CACHE_DIR, or the user's cache folder.

    Returns:
        The folder, or None if HEADWATER_CACHE_DIR is empty, which turns the cache off.
    """
    folder = os.environ.get("HEADWATER_CACHE_DIR")
    if folder is not None:
        return Path(folder) if folder else None
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "headwater" / "programs"


def compile_program(lowered: Any, fuses: bool = True) -> Any:
    """Compiles a lowered program.

    Args:
        lowered: what `jax.jit(...).lower(...)` returns.
        fuses: whether XLA's CPU compiler may fuse ops.

    Returns:
        The executable, to be called like the traced function.
    """
    let_interrupt()
    _configure_cache()
    # XLA cannot reuse the memory that interpreted runs have freed.
    return_free_memory()
    try:
        return _compiled(lowered, _compiler_options(lowered, fuses))
    finally:
        return_free_memory()


def _compiled(lowered: Any, options: dict[str, str] | None) -> Any:
    if options:
        try:
            return lowered.compile(compiler_options=options)
        except RuntimeError as error:
            if _CPU_LIBRARY_OPTION not in str(error):
                raise
            logging.debug("This XLA has no option %s: %s", _CPU_LIBRARY_OPTION, error)
    return lowered.compile()


def _compiler_options(lowered: Any, fuses: bool = True) -> dict[str, str] | None:
    if jax.default_backend() != "cpu":
        return None
    options = _library_options(lowered) or {}
    if not fuses:
        options["xla_disable_hlo_passes"] = "fusion"
    return options or None


def _library_options(lowered: Any) -> dict[str, str] | None:
    """Which ops XLA's CPU compiler leaves to its kernel library.

    The library's convolutions use one thread for few channels and are slow at filter gradients, so
    XLA's own are used. A reduction in the library is fused with the ops before it, convolutions
    included, which pays only where there are as many reductions as convolutions (bias gradients,
    batch norms). In loops with small products a library call costs more than it gains.
    """
    text = lowered.as_text()
    convolutions = text.count("stablehlo.convolution")
    if not convolutions:
        return {_CPU_LIBRARY_OPTION: ""} if _loops_over_small_products(text) else None
    kinds = ["LIBRARY_FUSION_TYPE_INDIVIDUAL_DOT"]
    if text.count("stablehlo.reduce(") >= convolutions:
        kinds.append("LIBRARY_FUSION_TYPE_REDUCE")
    return {_CPU_LIBRARY_OPTION: ",".join(kinds)}


def _loops_over_small_products(text: str) -> bool:
    if "stablehlo.while" not in text:
        return False
    shapes = re.findall(r"stablehlo\.dot_general.*-> tensor<(\d+)x(\d+)x", text)
    columns = [int(columns) for rows, columns in shapes if int(rows) <= _FEW_ROWS]
    # Products with many columns are followed by reductions, at which the library is fast.
    return 2 * len(columns) >= len(shapes) > 0 and max(columns) <= _MANY_COLUMNS


def _configure_cache() -> None:
    global _configured
    if _configured:
        return
    _configured = True
    folder = cache_directory()
    if folder is None or jax.config.jax_compilation_cache_dir:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        logging.warning("Compiled programs are not kept on disk: %s", error)
        return
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", _MIN_SECONDS_TO_KEEP)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
