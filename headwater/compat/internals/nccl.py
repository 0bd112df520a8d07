"""What programs call of tensorflow.contrib.nccl.python besides the public functions."""

from __future__ import annotations

from headwater.compat.internals import internal


@internal("tensorflow.contrib.nccl.python.ops.nccl_ops._validate_and_load_nccl_so")
def validate_and_load_nccl_so() -> None:
    """Loads the library of the ops, which are here without it."""
