"""`tf.contrib.solvers`: iterative linear algebra with operators instead of matrices."""

ON_DEMAND = (
    "contrib.solvers",
    "contrib.solvers.lanczos",
    "contrib.solvers.least_squares",
    "contrib.solvers.linear_equations",
    "contrib.solvers.util",
)
