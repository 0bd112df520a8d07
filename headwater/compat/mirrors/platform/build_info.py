"""tensorflow.python.platform.build_info: what the package was built for."""

from __future__ import annotations

# XLA brings what it needs for GPUs; nothing of this package is built for them.
is_cuda_build = False
is_rocm_build = False
