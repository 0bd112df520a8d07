"""Test queries about the machine: its GPUs and how the package was built."""

from __future__ import annotations

from typing import Any

from headwater.engine.devices import local_devices


def _gpus() -> list[str]:
    return [device.name for device in local_devices() if device.device_type == "GPU"]


def is_gpu_available(cuda_only: bool = False, min_cuda_compute_capability: Any = None) -> bool:
    """Tells whether there is a GPU.

    Args:
      cuda_only: accepted; the GPUs that are found are used through one interface.
      min_cuda_compute_capability: accepted; all GPUs that are found can be used.

    Returns:
      True or False.
    """
    return bool(_gpus())


def gpu_device_name() -> str:
    """Returns the name of the first GPU, "/device:GPU:0", or "" if there is none."""
    names = _gpus()
    return names[0][names[0].index("/device:") :] if names else ""


def is_built_with_cuda() -> bool:
    """Tells whether NVIDIA GPUs can be used: this needs no special build, only a GPU."""
    return bool(_gpus())


def is_built_with_gpu_support() -> bool:
    """Tells whether GPUs can be used: this needs no special build, only a GPU."""
    return bool(_gpus())


def is_built_with_rocm() -> bool:
    """Tells whether the package was built for GPUs of AMD alone; it never is."""
    return False
