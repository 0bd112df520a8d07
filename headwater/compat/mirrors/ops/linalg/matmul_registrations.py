"""tensorflow.python.ops.linalg.matmul_registrations, imported for what it registers."""

from __future__ import annotations

from headwater.model.linalg import registrations

__all__ = ["registrations"]
