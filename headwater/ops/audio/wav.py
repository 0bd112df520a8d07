"""Sound in WAV files: DecodeWav, EncodeWav."""

from __future__ import annotations

import struct

import numpy as np

from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import RunsOn, ShapeContext, Tensor, build, export, register_op, shapes

_LARGEST_CHUNK = 2**31 - 1


class _Reader:
    """Reads the fields of a file one after the other."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.offset = 0

    def take(self, count: int) -> bytes:
        part = self.data[self.offset : self.offset + count]
        if len(part) < count:
            fail("Data too short when trying to read string")
        self.offset += count
        return part

    def numbers(self, layout: str) -> tuple[int, ...]:
        return struct.unpack(layout, self.take(struct.calcsize(layout)))

    def expect(self, text: str) -> None:
        found = self.take(len(text)).decode("latin-1")
        if found != text:
            fail(f"Header mismatch: Expected {text} but found {found}")


def _format(reader: _Reader) -> tuple[int, int]:
    """The number of channels and the sample rate."""
    reader.expect("RIFF")
    reader.numbers("<I")
    reader.expect("WAVE")
    reader.expect("fmt ")
    (size,) = reader.numbers("<I")
    if size not in (16, 18):
        fail(f"Bad file size for WAV: Expected 16 or 18, but got{size}")
    kind, channels, rate, per_second, per_sample, bits = reader.numbers("<HHIIHH")
    if kind != 1:
        fail(f"Bad audio format for WAV: Expected 1 (PCM), but got{kind}")
    if channels < 1:
        fail(f"Bad number of channels for WAV: Expected at least 1, but got {channels}")
    if bits != 16:
        fail(f"Can only read 16-bit WAV files, but received {bits}")
    wanted = 2 * channels
    if per_sample != wanted:
        fail(f"Bad bytes per sample in WAV header: Expected {wanted} but got {per_sample}")
    if per_second != wanted * rate:
        fail(
            f"Bad bytes per second in WAV header: Expected {wanted * rate} but got {per_second} "
            f"(sample_rate={rate}, bytes_per_sample={per_sample})"
        )
    reader.take(size - 16)
    return channels, rate


def decoded(contents: bytes) -> tuple[np.ndarray, int]:
    """Reads a WAV file.

    Returns:
        float32 array of shape [samples, channels] with numbers in [-1, 1), and the sample rate.

    Raises:
        InvalidArgumentError: if it is not a WAV file of 16-bit samples.
    """
    reader = _Reader(contents)
    channels, rate = _format(reader)
    samples: np.ndarray | None = None
    while reader.offset < len(contents):
        name = reader.take(4).decode("latin-1")
        (size,) = reader.numbers("<I")
        if size > _LARGEST_CHUNK:
            fail(
                f"WAV data chunk '{name}' is too large: {size} bytes, but the limit is "
                f"{_LARGEST_CHUNK}"
            )
        if name != "data":
            reader.offset += size
            continue
        if samples is not None:
            fail("More than one data chunk found in WAV")
        count = size // (2 * channels)
        whole = reader.take(count * 2 * channels)
        samples = np.frombuffer(whole, "<i2").reshape(count, channels) / np.float32(32768)
    if samples is None:
        fail("No data chunk found in WAV")
    return samples.astype(np.float32), rate


def encoded(audio: np.ndarray, rate: int) -> bytes:
    """Writes 16-bit samples of shape [samples, channels] as a WAV file."""
    channels = audio.shape[1]
    data = audio.astype("<i2").tobytes()
    header = struct.pack(
        "<4sI4s4sIHHIIHH4sI",
        b"RIFF",
        36 + len(data),
        b"WAVE",
        b"fmt ",
        16,
        1,
        channels,
        rate,
        rate * 2 * channels,
        2 * channels,
        16,
        b"data",
        len(data),
    )
    return header + data


def kernel_decode_wav(
    xp: ArrayModule, contents: np.ndarray, *, desired_channels: int, desired_samples: int
) -> tuple[Array, ...]:
    if contents.ndim:
        fail(f"contents must be scalar, got shape {shapes.show(contents.shape)}")
    audio, rate = decoded(contents.item())
    channels = audio.shape[1]
    if desired_channels != -1:
        # Missing channels repeat the last channel of the file.
        audio = audio[:, np.minimum(np.arange(desired_channels), channels - 1)]
    if desired_samples != -1:
        audio = audio[:desired_samples]
        audio = np.pad(audio, ((0, desired_samples - len(audio)), (0, 0)))
    return audio, np.int32(np.uint32(rate).astype(np.int32))


def kernel_encode_wav(xp: ArrayModule, audio: np.ndarray, sample_rate: np.ndarray) -> Array:
    if audio.ndim != 2:
        fail(f"audio must be 2-dimensional{shapes.show(audio.shape)}")
    if sample_rate.ndim:
        fail(
            "Input sample_rate should be a scalar tensor, got "
            f"{shapes.show(sample_rate.shape)} instead."
        )
    rate = int(sample_rate)
    if rate <= 0:
        fail(f"sample_rate must be in (0, 2^32), got: {rate % 2**64}")
    if not audio.size:
        fail("audio is null")
    scaled = np.nan_to_num(np.asarray(audio, np.float32) * np.float32(32768))
    rounded = np.trunc(scaled + np.copysign(np.float32(0.5), scaled))
    result = np.empty((), object)
    result[()] = encoded(np.clip(rounded, -32768, 32767), rate)
    return result


def shape_decode_wav(c: ShapeContext) -> list[Shape]:
    c.with_rank("contents", 0)
    sizes = []
    for name in ("samples", "channels"):
        size = c.attr(f"desired_{name}")
        if size < -1:
            c.fail(f"{name} must be non-negative, got {size}")
        sizes.append(None if size == -1 else size)
    return [tuple(sizes), ()]


def shape_encode_wav(c: ShapeContext) -> Shape:
    c.with_rank("audio", 2)
    c.with_rank("sample_rate", 0)
    return ()


register_op(
    "DecodeWav",
    inputs="contents: string",
    outputs="audio: float, sample_rate: int32",
    attrs="desired_channels: int = -1, desired_samples: int = -1",
    shape=shape_decode_wav,
    kernel=kernel_decode_wav,
    runs_on=RunsOn.HOST,
)

register_op(
    "EncodeWav",
    inputs="audio: float, sample_rate: int32",
    outputs="contents: string",
    shape=shape_encode_wav,
    kernel=kernel_encode_wav,
    runs_on=RunsOn.HOST,
)


@export("audio.decode_wav")
def decode_wav(
    contents: TensorLike,
    desired_channels: int = -1,
    desired_samples: int = -1,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """Reads a WAV file of 16-bit samples.

    Args:
        contents: the bytes of the file, a string scalar.
        desired_channels: how many channels are wanted; -1 takes those of the file.
        desired_samples: how many samples are wanted; the sound is cut or padded with zeros.
        name: the name of the node.

    Returns:
        The sound, float32 of shape [samples, channels] in [-1, 1), and the sample rate, an int32
        scalar.

    Raises:
        InvalidArgumentError: from `Session.run` if it is not such a file.
    """
    return build.DecodeWav(
        contents, desired_channels=desired_channels, desired_samples=desired_samples, name=name
    )


@export("audio.encode_wav")
def encode_wav(audio: TensorLike, sample_rate: TensorLike, name: str | None = None) -> Tensor:
    """Writes sound as a WAV file of 16-bit samples.

    Args:
        audio: float32 tensor of shape [samples, channels]; what is outside of [-1, 1) is cut.
        sample_rate: samples per second, an int32 scalar.
        name: the name of the node.

    Returns:
        The bytes of the file, a string scalar.

    Raises:
        InvalidArgumentError: from `Session.run` if there are no samples, or the rate is not
            positive.
    """
    return build.EncodeWav(audio, sample_rate, name=name)
