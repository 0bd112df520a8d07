"""Memory of the process."""

from __future__ import annotations

import ctypes
import functools
import gc
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

try:
    import resource
except ImportError:
    # Windows has no such module.
    resource = None  # type: ignore[assignment]

_KIB = 1024
_GROUPS = "/sys/fs/cgroup"
_GROUPS_V1 = "/sys/fs/cgroup/memory"
# Names of files of version 2 and version 1 of control groups.
_LIMIT = ("memory.max", "memory.limit_in_bytes")
_USED = ("memory.current", "memory.usage_in_bytes")


def return_free_memory() -> None:
    """Returns free memory that the allocator keeps to the operating system.

    Does nothing where the C library has no such function.
    """
    trim = _trim()
    if trim is not None:
        trim(0)


@functools.cache
def _trim() -> Callable[[int], Any] | None:
    try:
        return getattr(ctypes.CDLL(None), "malloc_trim", None)
    except (OSError, TypeError):
        # Windows has no such library.
        return None


@contextmanager
def without_collections() -> Iterator[None]:
    """Pauses Python's garbage collector.

    Work that makes very many objects that live until its end, such as imports and traces, would
    start it again and again, to look at all of them and find nothing.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def available_memory() -> int:
    """How many bytes this process can still allocate.

    Returns:
        The least of the machine's free memory (with swap) and the room left by the limits of the
        process and its control group; `sys.maxsize` if none of these is known.
    """
    return max(0, min(_limits(), default=sys.maxsize))


def _limits() -> Iterator[int]:
    meminfo = _text("/proc/meminfo")
    found = re.findall(r"^(?:MemAvailable|SwapFree): *(\d+) kB", meminfo, re.MULTILINE)
    if found:
        yield sum(map(int, found)) * _KIB
    if resource is not None:
        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        pages = _text("/proc/self/statm").split()
        if limit != resource.RLIM_INFINITY and pages:
            yield limit - int(pages[0]) * resource.getpagesize()
    for limit, folder in _control_groups():
        used = _text(f"{folder}/{_USED[folder.startswith(_GROUPS_V1)]}").strip()
        if used.isdigit():
            yield limit - int(used) + _page_cache(_text(f"{folder}/memory.stat"))


def _page_cache(stat: str) -> int:
    """The reclaimable memory of a control group."""
    return sum(map(int, re.findall(r"^(?:in)?active_file (\d+)", stat, re.MULTILINE)))


@functools.cache
def _control_groups() -> list[tuple[int, str]]:
    """The memory limits of the process's control groups, each with the folder of its group."""
    total = re.search(r"^MemTotal: *(\d+) kB", _text("/proc/meminfo"), re.MULTILINE)
    found = []
    for line in _text("/proc/self/cgroup").splitlines():
        _, kinds, name = line.split(":", 2)
        if kinds and "memory" not in kinds.split(","):
            continue
        root = _GROUPS_V1 if kinds else _GROUPS
        # In a container its own group is often mounted as the root.
        for folder in dict.fromkeys((f"{root}{name}".rstrip("/"), root)):
            limit = _text(f"{folder}/{_LIMIT[bool(kinds)]}").strip()
            if limit.isdigit() and (total is None or int(limit) < int(total[1]) * _KIB):
                found.append((int(limit), folder))
                break
    return found


def _text(path: str) -> str:
    try:
        return Path(path).read_text()
    except OSError:
        return ""
