"""Signals: the paths of releases before 1.14, and functions without a public name."""

from __future__ import annotations

from typing import Any

from headwater.compat.internals import internal
from headwater.model.signal import dct, frames, mel, spectra, windows
from headwater.ops.math import fft_functions

_MODULES: dict[str, dict[str, Any]] = {
    "mel_ops": {
        "_MEL_BREAK_FREQUENCY_HERTZ": mel.BREAK_HERTZ,
        "_MEL_HIGH_FREQUENCY_Q": mel.MELS,
        "_hertz_to_mel": mel.mels,
        "_mel_to_hertz": mel.hertz_of,
        "linear_to_mel_weight_matrix": mel.linear_to_mel_weight_matrix,
    },
    "mfcc_ops": {"mfccs_from_log_mel_spectrograms": mel.mfccs_from_log_mel_spectrograms},
    "reconstruction_ops": {"overlap_and_add": frames.overlap_and_add},
    "shape_ops": {"frame": frames.frame},
    "spectral_ops": {
        "_enclosing_power_of_two": spectra.next_power_of_two,
        "inverse_stft": spectra.inverse_stft,
        "inverse_stft_window_fn": spectra.inverse_stft_window_fn,
        "stft": spectra.stft,
    },
    "util_ops": {"gcd": frames.greatest_common_divisor},
    "window_ops": {
        "hamming_window": windows.hamming_window,
        "hann_window": windows.hann_window,
    },
}
_NEW_MODULES: dict[str, dict[str, Any]] = {
    "dct_ops": {"dct": dct.dct, "idct": dct.idct},
    "fft_ops": {
        "fft": fft_functions.fft,
        "fft2d": fft_functions.fft2d,
        "fft3d": fft_functions.fft3d,
        "ifft": fft_functions.ifft,
        "ifft2d": fft_functions.ifft2d,
        "ifft3d": fft_functions.ifft3d,
        "irfft": fft_functions.irfft,
        "irfft2d": fft_functions.irfft2d,
        "irfft3d": fft_functions.irfft3d,
        "rfft": fft_functions.rfft,
        "rfft2d": fft_functions.rfft2d,
        "rfft3d": fft_functions.rfft3d,
    },
}

for _module, _names in _MODULES.items():
    for _name, _value in _names.items():
        internal(
            f"tensorflow.contrib.signal.python.ops.{_module}.{_name}",
            f"ops.signal.{_module}.{_name}",
        )(_value)
for _module, _names in _NEW_MODULES.items():
    for _name, _value in _names.items():
        internal(f"ops.signal.{_module}.{_name}")(_value)
