"""Linear operators: matrices defined by their products instead of their elements."""

ON_DEMAND = ("linalg", "contrib.linalg")
