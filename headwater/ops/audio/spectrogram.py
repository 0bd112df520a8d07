"""Spectra of sound and their cepstral coefficients: AudioSpectrogram, Mfcc."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, Shape
from headwater.graph import RunsOn, Sample, ShapeContext, register_op, shapes

# Logarithms are taken of at least this.
_FLOOR = 1e-12


def _fft_length(window_size: int) -> int:
    return 1 << (window_size - 1).bit_length()


def kernel_audio_spectrogram(
    xp: ArrayModule, audio: np.ndarray, *, window_size: int, stride: int, magnitude_squared: bool
) -> np.ndarray:
    if audio.ndim != 2:
        fail(f"input must be 2-dimensional{shapes.show(audio.shape)}")
    if window_size < 2 or stride < 1:
        fail(f"Spectrogram initialization failed for window size {window_size} and stride {stride}")
    samples, channels = audio.shape
    length = _fft_length(window_size)
    count = 1 + (samples - window_size) // stride if samples >= window_size else 0
    if not count:
        return np.zeros((channels, 0, length // 2 + 1), np.float32)
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(window_size) / window_size)
    frames = np.lib.stride_tricks.sliding_window_view(audio.T.astype(np.float64), window_size, -1)
    spectrum = np.fft.rfft(frames[:, ::stride][:, :count] * window, length)
    squares = spectrum.real**2 + spectrum.imag**2
    return (squares if magnitude_squared else np.sqrt(squares)).astype(np.float32)


def reference_audio_spectrogram(
    audio: np.ndarray, *, window_size: int, stride: int, magnitude_squared: bool
) -> np.ndarray:
    """The transform computed from its definition."""
    length = _fft_length(window_size)
    steps = np.outer(np.arange(window_size), np.arange(length // 2 + 1))
    waves = np.exp(-2j * np.pi * steps / length)
    window = np.sin(np.pi * np.arange(window_size) / window_size) ** 2
    rows = []
    for channel in audio.T.astype(np.float64):
        starts = range(0, len(channel) - window_size + 1, stride)
        rows.append([abs((channel[s : s + window_size] * window) @ waves) for s in starts])
    result = np.array(rows)
    return (result**2 if magnitude_squared else result).astype(np.float32)


def shape_audio_spectrogram(c: ShapeContext) -> Shape:
    samples, channels = c.with_rank("input", 2)
    window, stride = c.attr("window_size"), c.attr("stride")
    bins = 1 + _fft_length(window) // 2 if window > 1 else None
    count = None
    if samples is not None and stride > 0:
        count = max(0, 1 + (samples - window) // stride) if samples >= window else 0
    return (channels, count, bins)


def samples_audio_spectrogram() -> Iterator[Sample]:
    audio = np.random.RandomState(0).uniform(-1, 1, [40, 2]).astype(np.float32)
    yield Sample(audio, window_size=8, stride=5, gradient=())
    yield Sample(audio, window_size=10, stride=7, magnitude_squared=True, gradient=())


def _mel(hertz: Array) -> Array:
    return 1127.0 * np.log1p(hertz / 700.0)


@functools.lru_cache(maxsize=8)
def _filters(
    bins: int, rate: float, low: float, high: float, count: int
) -> tuple[np.ndarray, bool]:
    """Triangles on the mel scale, [bins, count], and whether all of them are in the spectrum."""
    hertz = 0.5 * rate / (bins - 1)
    begin, end = int(1.5 + low / hertz), int(high / hertz)
    edges = _mel(low) + np.arange(count + 2) * (_mel(high) - _mel(low)) / (count + 1)
    weights = np.zeros((bins, count))
    for i in range(begin, min(end, bins - 1) + 1):
        mel = _mel(i * hertz)
        # The last centre of a triangle before this bin is number `channel` + 1 of the edges.
        channel = int(np.searchsorted(edges[1:-1], mel, side="left")) - 1
        left, right = edges[channel + 1], edges[channel + 2]
        share = (right - mel) / (right - left)
        if channel >= 0:
            weights[i, channel] = share
        if channel + 1 < count:
            weights[i, channel + 1] = 1 - share
    return weights, end < bins


@functools.lru_cache(maxsize=8)
def _cosines(inputs: int, outputs: int) -> np.ndarray:
    steps = np.outer(np.arange(inputs) + 0.5, np.arange(outputs))
    return np.sqrt(2.0 / inputs) * np.cos(np.pi / inputs * steps)


def kernel_mfcc(
    xp: ArrayModule,
    spectrogram: np.ndarray,
    sample_rate: np.ndarray,
    *,
    upper_frequency_limit: float,
    lower_frequency_limit: float,
    filterbank_channel_count: int,
    dct_coefficient_count: int,
) -> np.ndarray:
    if spectrogram.ndim != 3:
        fail(f"spectrogram must be 3-dimensional{shapes.show(spectrogram.shape)}")
    if sample_rate.ndim:
        fail(
            "Input sample_rate should be a scalar tensor, got "
            f"{shapes.show(sample_rate.shape)} instead."
        )
    rate, bins = int(sample_rate), spectrogram.shape[-1]
    low, high = lower_frequency_limit, upper_frequency_limit
    if (
        rate <= 0
        or bins < 2
        or not 0 <= low < high
        or not 1 <= dct_coefficient_count <= filterbank_channel_count
    ):
        fail(f"Mfcc initialization failed for channel count {bins} and sample rate {rate}")
    shape = (*spectrogram.shape[:-1], dct_coefficient_count)
    weights, fits = _filters(bins, float(rate), low, high, filterbank_channel_count)
    if not fits:
        return np.zeros(shape, np.float32)
    energies = np.sqrt(spectrogram.astype(np.float64)) @ weights
    logarithms = np.log(np.maximum(energies, _FLOOR))
    cosines = _cosines(filterbank_channel_count, dct_coefficient_count)
    return (logarithms @ cosines).astype(np.float32)


def reference_mfcc(
    spectrogram: np.ndarray,
    sample_rate: np.ndarray,
    *,
    upper_frequency_limit: float,
    lower_frequency_limit: float,
    filterbank_channel_count: int,
    dct_coefficient_count: int,
) -> np.ndarray:
    """Triangle by triangle."""
    bins, count = spectrogram.shape[-1], filterbank_channel_count
    hertz = np.arange(bins) * 0.5 * float(sample_rate) / (bins - 1)
    step = hertz[1]
    used = (np.arange(bins) >= int(1.5 + lower_frequency_limit / step)) & (
        np.arange(bins) <= int(upper_frequency_limit / step)
    )
    edges = np.linspace(_mel(lower_frequency_limit), _mel(upper_frequency_limit), count + 2)
    energies = []
    for left, centre, right in zip(edges, edges[1:], edges[2:]):
        rising = (_mel(hertz) - left) / (centre - left)
        falling = (right - _mel(hertz)) / (right - centre)
        triangle = np.maximum(np.minimum(rising, falling), 0) * used
        energies.append((np.sqrt(spectrogram.astype(np.float64)) * triangle).sum(-1))
    logs = np.log(np.maximum(np.stack(energies, -1), 1e-12))
    places = (np.arange(count) + 0.5) * np.pi / count
    rows = [(logs * np.cos(k * places)).sum(-1) for k in range(dct_coefficient_count)]
    return (np.stack(rows, -1) * np.sqrt(2 / count)).astype(np.float32)


def shape_mfcc(c: ShapeContext) -> Shape:
    channels, count, _ = c.with_rank("spectrogram", 3)
    c.with_rank("sample_rate", 0)
    return (channels, count, c.attr("dct_coefficient_count"))


def samples_mfcc() -> Iterator[Sample]:
    spectrogram = np.random.RandomState(1).uniform(0, 9, [2, 3, 65]).astype(np.float32)
    yield Sample(
        spectrogram,
        np.int32(8000),
        upper_frequency_limit=3000.0,
        lower_frequency_limit=100.0,
        filterbank_channel_count=6,
        dct_coefficient_count=4,
        gradient=(),
    )


register_op(
    "AudioSpectrogram",
    inputs="input: float",
    outputs="spectrogram: float",
    attrs="window_size: int, stride: int, magnitude_squared: bool = false",
    shape=shape_audio_spectrogram,
    kernel=kernel_audio_spectrogram,
    runs_on=RunsOn.HOST,
    reference=reference_audio_spectrogram,
    samples=samples_audio_spectrogram,
)

register_op(
    "Mfcc",
    inputs="spectrogram: float, sample_rate: int32",
    outputs="output: float",
    attrs=(
        "upper_frequency_limit: float = 4000.0, lower_frequency_limit: float = 20.0, "
        "filterbank_channel_count: int = 40, dct_coefficient_count: int = 13"
    ),
    shape=shape_mfcc,
    kernel=kernel_mfcc,
    runs_on=RunsOn.HOST,
    reference=reference_mfcc,
    samples=samples_mfcc,
)
