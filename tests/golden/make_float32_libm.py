"""Writes float32_libm.json: checksums of logf, sinf and cosf of the C library.

Run it with Python 3 and NumPy on Linux with glibc 2.28 or later. The arguments are all that uniform
random numbers of 23 bits can lead to: logf of max(k / 2**23, 1e-7), sinf and cosf of the float next
to 2 pi k / 2**23.
"""

import ctypes
import ctypes.util
import json
import sys
import zlib
from pathlib import Path

import numpy as np

LIBRARY = ctypes.CDLL(ctypes.util.find_library("m"))


def checksum(name, arguments):
    function = getattr(LIBRARY, name)
    function.argtypes, function.restype = [ctypes.c_float], ctypes.c_float
    values = np.fromiter(map(function, arguments.tolist()), np.float32, arguments.size)
    return zlib.crc32(values.tobytes())


def main():
    uniform = np.arange(2**23, dtype=np.float32) * np.float32(2.0**-23)
    angle = (uniform.astype(np.float64) * (2.0 * np.pi)).astype(np.float32)
    results = {
        "log": checksum("logf", np.maximum(uniform, np.float32(1e-7))),
        "sin": checksum("sinf", angle),
        "cos": checksum("cosf", angle),
    }
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "float32_libm.json")
    path.write_text(json.dumps(results) + "\n")


if __name__ == "__main__":
    main()
