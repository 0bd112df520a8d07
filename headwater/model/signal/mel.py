"""Spectra on the mel scale, and the coefficients that are made of them."""

from __future__ import annotations

from typing import Any

from headwater.base import dtypes
from headwater.base.dtypes import as_dtype
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import (
    Tensor,
    build,
    constant_node,
    constant_value,
    convert_to_tensor,
    export,
    name_scope,
    shape_tensor,
)
from headwater.model.signal.dct import dct
from headwater.model.signal.frames import frame
from headwater.ops.array.pad import pad
from headwater.ops.array.reshape import expand_dims, reshape
from headwater.ops.array.split import split
from headwater.ops.math.cast import cast
from headwater.ops.math.ranges import linspace

# The mel scale of O'Shaughnessy as the Hidden Markov Model Toolkit has it:
# mel = 1127 ln(1 + hertz / 700).
BREAK_HERTZ = 700.0
MELS = 1127.0


def mels(hertz: Tensor, name: str | None = None) -> Tensor:
    """Frequencies as numbers of the mel scale."""
    with name_scope(name, "hertz_to_mel", [hertz]):
        return MELS * build.Log(1.0 + hertz / BREAK_HERTZ)


def hertz_of(mel_values: Tensor, name: str | None = None) -> Tensor:
    """Numbers of the mel scale as frequencies."""
    with name_scope(name, "mel_to_hertz", [mel_values]):
        return BREAK_HERTZ * (build.Exp(mel_values / MELS) - 1.0)


def _check(bins: int, sample_rate: Any, lower: float, upper: float, dtype: DTypeLike) -> None:
    if bins <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {bins}")
    if sample_rate <= 0.0:
        raise ValueError(f"sample_rate must be positive. Got: {sample_rate}")
    if lower < 0.0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {lower}")
    if lower >= upper:
        raise ValueError(f"lower_edge_hertz {lower:.1f} >= upper_edge_hertz {upper:.1f}")
    if upper > sample_rate / 2:
        raise ValueError(
            "upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). "
            f"Got: {upper} for sample_rate: {sample_rate}"
        )
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Got: {dtype}")


@export("signal.linear_to_mel_weight_matrix", "contrib.signal.linear_to_mel_weight_matrix")
def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: TensorLike = 129,
    sample_rate: TensorLike = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """Returns a matrix that turns spectra into spectra on the mel scale: ``spectra @ matrix``.

    Each mel bin is a triangle over its two neighbours; the bins are at equal distances on the mel
    scale, ``1127 ln(1 + hertz / 700)``.

    Args:
        num_mel_bins: how many bins the result has.
        num_spectrogram_bins: how many bins the spectra have, from zero to half of the sample rate.
        sample_rate: samples per second of the signal.
        lower_edge_hertz: the lower end of the first bin.
        upper_edge_hertz: the upper end of the last bin.
        dtype: a floating-point type.
        name: the name of the node.

    Returns:
        A tensor of shape [num_spectrogram_bins, num_mel_bins].

    Raises:
        ValueError: if an argument is not possible.
    """
    kind = as_dtype(dtype)
    if isinstance(sample_rate, Tensor):
        known = constant_value(sample_rate)
        if known is None:
            raise ValueError(
                "`sample_rate` was a non-constant Tensor. Must be a Python float or a constant "
                "Tensor."
            )
        sample_rate = known
    _check(num_mel_bins, sample_rate, lower_edge_hertz, upper_edge_hertz, kind)
    with name_scope(name, "linear_to_mel_weight_matrix") as scope:
        sample_rate = convert_to_tensor(sample_rate, kind, name="sample_rate")
        lower = convert_to_tensor(lower_edge_hertz, kind, name="lower_edge_hertz")
        upper = convert_to_tensor(upper_edge_hertz, kind, name="upper_edge_hertz")
        zero = constant_node(0.0, kind)
        # The bin of zero hertz belongs to no mel bin: its row is zeros.
        hertz = linspace(zero, sample_rate / 2.0, num_spectrogram_bins)[1:]
        bins = expand_dims(mels(hertz), 1)
        edges = linspace(mels(lower), mels(upper), num_mel_bins + 2)
        triangles = frame(edges, frame_length=3, frame_step=1)
        left, middle, right = (
            reshape(part, [1, num_mel_bins]) for part in split(triangles, 3, axis=1)
        )
        rising = (bins - left) / (middle - left)
        falling = (right - bins) / (right - middle)
        weights = build.Maximum(zero, build.Minimum(rising, falling))
        return pad(weights, [[1, 0], [0, 0]], name=scope)


@export("signal.mfccs_from_log_mel_spectrograms", "contrib.signal.mfccs_from_log_mel_spectrograms")
def mfccs_from_log_mel_spectrograms(
    log_mel_spectrograms: TensorLike, name: str | None = None
) -> Tensor:
    """Returns the mel-frequency cepstral coefficients of spectra.

    They are the orthonormal-like cosine transform of type 2, scaled as the Hidden Markov Model
    Toolkit does: by ``sqrt(2 / bins)`` of the plain sum.

    Args:
        log_mel_spectrograms: float32 tensor of shape [..., num_mel_bins], logarithms.
        name: the name scope.

    Returns:
        float32 tensor of the same shape.

    Raises:
        ValueError: if there are no bins.
    """
    with name_scope(name, "mfccs_from_log_mel_spectrograms", [log_mel_spectrograms]):
        spectra = convert_to_tensor(log_mel_spectrograms, dtype=dtypes.float32)
        shape = spectra.get_shape()
        bins: TensorLike = shape.as_list()[-1] if shape.ndims else None
        if bins is None:
            bins = shape_tensor(spectra)[-1]
        elif bins == 0:
            raise ValueError(f"num_mel_bins must be positive. Got: {log_mel_spectrograms}")
        return dct(spectra) * build.Rsqrt(cast(bins, dtypes.float32) * 2.0)
