import gc
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from headwater.base import memory
from headwater.base.memory import available_memory, return_free_memory


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_free_memory_goes_back_to_the_system():
    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1])

    small = [np.ones(8000, np.uint8) for _ in range(20000)]
    # The remaining ones keep the C library from returning the rest by itself.
    small = small[::500]
    before = resident()
    return_free_memory()
    assert resident() < before
    assert all(part.all() for part in small)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_available_memory_is_what_the_machine_and_the_limits_of_the_process_leave():
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert 0 < available_memory() < 2 * total
    limited = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))\n"
        "from headwater.base.memory import available_memory\n"
        "print(available_memory())"
    )
    printed = subprocess.run(
        [sys.executable, "-c", limited], capture_output=True, text=True, check=True
    ).stdout
    assert 0 < int(printed) < 2 << 30


def test_limits_of_control_groups_count(monkeypatch):
    files = {
        "/proc/meminfo": "MemTotal: 4000 kB\nMemAvailable: 3000 kB\nSwapFree: 500 kB\n",
        "/proc/self/cgroup": "5:cpu,memory:/a\n4:pids:/a\n0::/b\n",
        "/sys/fs/cgroup/memory/a/memory.limit_in_bytes": "9223372036854771712\n",
        "/sys/fs/cgroup/b/memory.max": "2048000\n",
        "/sys/fs/cgroup/b/memory.current": "1000000\n",
        "/sys/fs/cgroup/b/memory.stat": "anon 5\ninactive_file 300\nactive_file 48\nfile 7\n",
    }
    monkeypatch.setattr(memory, "_text", lambda path: files.get(path, ""))
    monkeypatch.setattr(memory, "resource", None)
    memory._control_groups.cache_clear()
    try:
        assert available_memory() == 2048000 - 1000000 + 348
        files["/sys/fs/cgroup/b/memory.max"] = "max\n"
        memory._control_groups.cache_clear()
        assert available_memory() == 3500 * 1024
        files.clear()
        assert available_memory() == sys.maxsize
    finally:
        memory._control_groups.cache_clear()


def test_collections_are_paused_and_resumed():
    assert gc.isenabled()
    with memory.without_collections():
        assert not gc.isenabled()
        with memory.without_collections():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_collections_go_on_after_an_error():
    with pytest.raises(KeyError), memory.without_collections():
        raise KeyError
    assert gc.isenabled()


def test_collections_that_the_program_has_stopped_stay_stopped():
    gc.disable()
    try:
        with memory.without_collections():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
