"""Compiles headwater/protos/*.proto to Python.

Needs `pip install grpcio-tools==1.62.3 "setuptools<81"`. That is protoc 25, the last series whose
output runs under every later protobuf runtime; newer compilers write code that refuses older ones.
"""

from __future__ import annotations

import sys
from pathlib import Path

from grpc_tools import protoc

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "headwater" / "protos"


def main() -> int:
    """Rewrites every *_pb2.py and *_pb2.pyi; returns protoc's exit status."""
    for stale in (*FOLDER.glob("*_pb2.py"), *FOLDER.glob("*_pb2.pyi")):
        stale.unlink()
    sources = sorted(path.relative_to(ROOT).as_posix() for path in FOLDER.glob("*.proto"))
    arguments = [
        "protoc",
        f"--proto_path={ROOT}",
        # The protos of google.protobuf itself, which some files import.
        f"--proto_path={Path(protoc.__file__).parent / '_proto'}",
        f"--python_out={ROOT}",
        f"--pyi_out={ROOT}",
    ]
    return protoc.main([*arguments, *sources])


if __name__ == "__main__":
    sys.exit(main())
