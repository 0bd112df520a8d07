"""tensorflow.python.ops.spectral_ops_test_util."""

from __future__ import annotations

from contextlib import AbstractContextManager

from headwater.graph import get_default_graph

__all__ = ["fft_kernel_label_map"]

_TRANSFORMS = ("FFT", "FFT2D", "FFT3D", "IFFT", "IFFT2D", "IFFT3D")
_REAL_TRANSFORMS = ("RFFT", "RFFT2D", "RFFT3D", "IRFFT", "IRFFT2D", "IRFFT3D")


def fft_kernel_label_map() -> AbstractContextManager[None]:
    """Returns a context in which transforms are made with the label of the kernels for CPUs."""
    labels = dict.fromkeys((*_TRANSFORMS, *_REAL_TRANSFORMS), "eigen")
    return get_default_graph()._kernel_label_map(labels)
