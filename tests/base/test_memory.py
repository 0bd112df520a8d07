import sys
from pathlib import Path

import numpy as np
import pytest

from headwater.base.memory import return_free_memory


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_free_memory_goes_back_to_the_system():
    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1])

    small = [np.ones(8000, np.uint8) for _ in range(20000)]
    # Those that stay keep the C library from giving back the rest by itself.
    small = small[::500]
    before = resident()
    return_free_memory()
    assert resident() < before
    assert all(part.all() for part in small)
