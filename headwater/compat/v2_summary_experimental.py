"""`tf.compat.v2.summary.experimental`."""

from __future__ import annotations

from headwater.train.summaries.recording import get_step, set_step
from headwater.train.summaries.written import summary_scope, write_raw_pb

__all__ = ["get_step", "set_step", "summary_scope", "write_raw_pb"]
