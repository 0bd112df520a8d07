"""`tf.profiler`: parameters, floating-point operations, time and memory by scope, op and line."""

ON_DEMAND = (
    "profiler",
    "contrib.tfprof",
    "contrib.tfprof.model_analyzer",
    "contrib.tfprof.tfprof_logger",
)
