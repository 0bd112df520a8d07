"""`tf.compat.v2.summary`: its functions have little in common with those of `tf.summary`."""

from __future__ import annotations

from headwater.compat import v2_summary_experimental as experimental
from headwater.train.summaries.plugin_summaries import audio, histogram, image, scalar, text
from headwater.train.summaries.recording import record_if
from headwater.train.summaries.resource_writer import (
    SummaryWriter,
    create_noop_writer,
    flush,
)
from headwater.train.summaries.resource_writer import (
    create_file_writer_v2 as create_file_writer,
)
from headwater.train.summaries.written import trace_export, trace_off, trace_on, write

__all__ = [
    "SummaryWriter",
    "audio",
    "create_file_writer",
    "create_noop_writer",
    "experimental",
    "flush",
    "histogram",
    "image",
    "record_if",
    "scalar",
    "text",
    "trace_export",
    "trace_off",
    "trace_on",
    "write",
]
