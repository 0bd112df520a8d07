"""The debugger: watches, dumps, a command line, and sessions that are debugged run by run.

``from tensorflow.python import debug as tf_debug`` is this package; in new code it is
``from headwater import debug as tf_debug``.
"""

from __future__ import annotations

from headwater.debug.lib.debug_data import (
    DebugDumpDir,
    DebugTensorDatum,
    has_inf_or_nan,
    load_tensor_from_event,
    load_tensor_from_event_file,
)
from headwater.debug.lib.debug_gradients import GradientsDebugger
from headwater.debug.lib.debug_graphs import reconstruct_non_debug_graph_def
from headwater.debug.lib.debug_utils import (
    add_debug_tensor_watch,
    watch_graph,
    watch_graph_with_blacklists,
)
from headwater.debug.wrappers.dumping_wrapper import DumpingDebugWrapperSession
from headwater.debug.wrappers.framework import WatchOptions
from headwater.debug.wrappers.grpc_wrapper import (
    GrpcDebugWrapperSession,
    TensorBoardDebugWrapperSession,
)
from headwater.debug.wrappers.hooks import (
    DumpingDebugHook,
    GrpcDebugHook,
    LocalCLIDebugHook,
    TensorBoardDebugHook,
)
from headwater.debug.wrappers.local_cli_wrapper import LocalCLIDebugWrapperSession

__all__ = [
    "DebugDumpDir",
    "DebugTensorDatum",
    "DumpingDebugHook",
    "DumpingDebugWrapperSession",
    "GradientsDebugger",
    "GrpcDebugHook",
    "GrpcDebugWrapperSession",
    "LocalCLIDebugHook",
    "LocalCLIDebugWrapperSession",
    "TensorBoardDebugHook",
    "TensorBoardDebugWrapperSession",
    "WatchOptions",
    "add_debug_tensor_watch",
    "has_inf_or_nan",
    "load_tensor_from_event",
    "load_tensor_from_event_file",
    "reconstruct_non_debug_graph_def",
    "watch_graph",
    "watch_graph_with_blacklists",
]
