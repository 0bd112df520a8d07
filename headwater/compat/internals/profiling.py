"""tensorflow.python.profiler and its native functions: names that are not public."""

from __future__ import annotations

from headwater.base import declarations
from headwater.compat.internals import internal
from headwater.profiling import op_log, profile_context, profile_files, profiler

internal("profiler.model_analyzer.ALL_ADVICE")(profiler.ALL_ADVICE)
internal("profiler.profile_context.WARMUP_STEPS")(profile_context.WARMUP_STEPS)
internal("profiler.profile_context.MAX_TRACED_STEPS")(profile_context.MAX_TRACED_STEPS)
internal("profiler.tfprof_logger.write_op_log")(op_log.write_op_log)
# The op types whose floating-point operations are counted.
internal("profiler.internal.flops_registry.IMPLEMENTED_OPS")(
    {
        op_type
        for op_type, _, kind in (n.partition(",") for n in declarations.names("statistic"))
        if kind == "flops"
    }
)


@internal("pywrap_tensorflow.ProfilerFromFile", "pywrap_tensorflow_internal.ProfilerFromFile")
def profiler_from_file(filename: str | bytes) -> None:
    """Reads a profile, which profilers without a graph profile then.

    Args:
        filename: the file.
    """
    profile_files.read_profile(filename.decode() if isinstance(filename, bytes) else filename)


@internal("pywrap_tensorflow.DeleteProfiler", "pywrap_tensorflow_internal.DeleteProfiler")
def delete_profiler() -> None:
    """Forgets the profile that was read."""
    profile_files.forget_profile()
