"""tensorflow.python.ops.spectral_ops: Fourier and cosine transforms, in releases before 1.14."""

from __future__ import annotations

from headwater.model.signal.dct import dct, idct
from headwater.ops.math.fft_functions import (
    fft,
    fft2d,
    fft3d,
    ifft,
    ifft2d,
    ifft3d,
    irfft,
    irfft2d,
    irfft3d,
    rfft,
    rfft2d,
    rfft3d,
)

__all__ = ["dct", "fft", "fft2d", "fft3d", "idct", "ifft", "ifft2d", "ifft3d"]
__all__ += ["irfft", "irfft2d", "irfft3d", "rfft", "rfft2d", "rfft3d"]
