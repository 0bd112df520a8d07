"""Compiles traced programs with XLA and keeps them on disk."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from headwater.base import logging
from headwater.base.lazy import jax

# A program that compiles faster than this is not worth a file.
_MIN_SECONDS_TO_KEEP = 0.1
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


def compile_program(lowered: Any) -> Any:
    """Compiles a lowered program.

    Args:
        lowered: what `jax.jit(...).lower(...)` returns.

    Returns:
        The executable, to be called like the traced function.
    """
    _configure_cache()
    return lowered.compile()


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
