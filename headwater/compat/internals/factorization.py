"""Functions of tf.contrib.factorization that tests take from their modules."""

from __future__ import annotations

from headwater.compat.internals import internal
from headwater.contrib.factorization import mixtures

_OPS = "tensorflow.contrib.factorization.python.ops"
internal(f"{_OPS}.gmm_ops._covariance")(mixtures.covariance)
internal(f"{_OPS}.gmm_ops._init_clusters_random")(mixtures.init_clusters_random)
