"""`tf.xla.experimental` and `tf.contrib.compiler`: which parts of a graph XLA compiles."""

ON_DEMAND = (
    "xla.experimental",
    "contrib.compiler.jit",
    "contrib.compiler.xla",
)
