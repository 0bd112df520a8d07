"""Linear operators: matrices of which only what they do is known."""

ON_DEMAND = ("linalg",)
