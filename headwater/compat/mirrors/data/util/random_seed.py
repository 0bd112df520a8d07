"""tensorflow.python.data.util.random_seed: the seeds of random datasets."""

from headwater.data.datasets.random_seed import get_seed

__all__ = ["get_seed"]
