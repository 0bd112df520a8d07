"""tensorflow.python.ops.spectral_ops: Fourier and cosine transforms, in releases before 1.14."""

from __future__ import annotations

from headwater.model.signal.dct import dct, idct
from headwater.ops.math.fft import complex_transforms, real_transforms

__all__ = ["dct", "fft", "fft2d", "fft3d", "idct", "ifft", "ifft2d", "ifft3d"]
__all__ += ["irfft", "irfft2d", "irfft3d", "rfft", "rfft2d", "rfft3d"]

fft, fft2d, fft3d = (complex_transforms[name] for name in ("fft", "fft2d", "fft3d"))
ifft, ifft2d, ifft3d = (complex_transforms[name] for name in ("ifft", "ifft2d", "ifft3d"))
rfft, rfft2d, rfft3d = (real_transforms[name] for name in ("rfft", "rfft2d", "rfft3d"))
irfft, irfft2d, irfft3d = (real_transforms[name] for name in ("irfft", "irfft2d", "irfft3d"))
