"""summary_ops_v2, tensorflow.python.summary.* and EventsWriter: names that are not public."""

from __future__ import annotations

from headwater.compat.internals import internal
from headwater.io.event_file import EventsWriter
from headwater.train.summaries import (
    event_file_writer,
    file_writer,
    plugin_asset,
    recording,
    resource_writer,
    session_event_writer,
    summary_to_event,
    written,
)

for _name in (
    "NoopSummaryWriter",
    "ResourceSummaryWriter",
    "create_file_writer_v2",
    "create_noop_writer",
):
    internal(f"ops.summary_ops_v2.{_name}")(getattr(resource_writer, _name))
for _name in ("get_step", "record_if", "set_step"):
    internal(f"ops.summary_ops_v2.{_name}")(getattr(recording, _name))
for _name in (
    "run_metadata",
    "run_metadata_graphs",
    "summary_scope",
    "trace_export",
    "trace_off",
    "trace_on",
    "write",
    "write_raw_pb",
):
    internal(f"ops.summary_ops_v2.{_name}")(getattr(written, _name))
internal("ops.summary_ops_v2._INVALID_SCOPE_CHARACTERS")(written.INVALID_IN_SCOPES)

for _name in ("PluginAsset", "get_all_plugin_assets", "get_plugin_asset"):
    internal(f"summary.plugin_asset.{_name}")(getattr(plugin_asset, _name))
internal("summary.writer.writer._PLUGINS_DIR")(plugin_asset.PLUGINS_DIR)
internal("summary.writer.writer.SummaryToEventTransformer")(
    summary_to_event.SummaryToEventTransformer
)
internal(
    "summary.writer.writer.EventFileWriter", "summary.writer.event_file_writer.EventFileWriter"
)(event_file_writer.EventFileWriter)
internal(
    "summary.writer.writer.EventFileWriterV2",
    "summary.writer.event_file_writer_v2.EventFileWriterV2",
)(session_event_writer.EventFileWriterV2)
internal("training.summary_io.SummaryWriter")(file_writer.FileWriter)
internal("training.summary_io.SummaryWriterCache")(file_writer.FileWriterCache)
internal("pywrap_tensorflow.EventsWriter", "pywrap_tensorflow_internal.EventsWriter")(EventsWriter)
