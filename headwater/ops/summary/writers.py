"""SummaryWriter and the ops that create, flush and close the file of one."""

from __future__ import annotations

from typing import Any

from headwater.base.handles import handle_of
from headwater.base.typing import Array, ArrayModule
from headwater.graph import Operation, RunsOn, register_op, shapes
from headwater.ops.summary.serialized import integer_of, text_of
from headwater.ops.summary.writer_resource import SummaryWriter, writer_of


def make_summary_writer(attrs: dict[str, Any]) -> SummaryWriter:
    return SummaryWriter()


def kernel_summary_writer(xp: ArrayModule, *, op: Operation, state: SummaryWriter) -> Any:
    state.name = op._attrs["shared_name"] or op.name
    return handle_of(state), state


def kernel_create_summary_file_writer(
    xp: ArrayModule,
    writer: Array,
    logdir: Array,
    max_queue: Array,
    flush_millis: Array,
    filename_suffix: Array,
) -> tuple[()]:
    writer_of(writer).create(
        text_of(logdir, "logdir"),
        integer_of(max_queue, "max_queue"),
        integer_of(flush_millis, "flush_millis"),
        text_of(filename_suffix, "filename_suffix"),
    )
    return ()


def kernel_create_summary_db_writer(
    xp: ArrayModule,
    writer: Array,
    db_uri: Array,
    experiment_name: Array,
    run_name: Array,
    user_name: Array,
) -> tuple[()]:
    writer_of(writer).create_database(
        text_of(db_uri, "db_uri"),
        text_of(experiment_name, "experiment_name"),
        text_of(run_name, "run_name"),
        text_of(user_name, "user_name"),
    )
    return ()


def kernel_flush_summary_writer(xp: ArrayModule, writer: Array) -> tuple[()]:
    writer_of(writer).flush()
    return ()


def kernel_close_summary_writer(xp: ArrayModule, writer: Array) -> tuple[()]:
    writer_of(writer).close()
    return ()


register_op(
    "SummaryWriter",
    outputs="writer: resource",
    attrs="shared_name: string = '', container: string = ''",
    shape=shapes.scalar,
    kernel=kernel_summary_writer,
    state=make_summary_writer,
    resource="summary_writer",
    runs_on=RunsOn.HOST,
    stateful=True,
)
register_op(
    "CreateSummaryFileWriter",
    inputs="writer: resource, logdir: string, max_queue: int32, flush_millis: int32, "
    "filename_suffix: string",
    shape=shapes.none,
    kernel=kernel_create_summary_file_writer,
    runs_on=RunsOn.HOST,
    stateful=True,
)
register_op(
    "CreateSummaryDbWriter",
    inputs="writer: resource, db_uri: string, experiment_name: string, run_name: string, "
    "user_name: string",
    shape=shapes.none,
    kernel=kernel_create_summary_db_writer,
    runs_on=RunsOn.HOST,
    stateful=True,
)
register_op(
    "FlushSummaryWriter",
    inputs="writer: resource",
    shape=shapes.none,
    kernel=kernel_flush_summary_writer,
    runs_on=RunsOn.HOST,
    stateful=True,
)
register_op(
    "CloseSummaryWriter",
    inputs="writer: resource",
    shape=shapes.none,
    kernel=kernel_close_summary_writer,
    runs_on=RunsOn.HOST,
    stateful=True,
)
