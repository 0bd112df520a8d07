"""Audio and video decoded by the program ffmpeg: DecodeAudio, EncodeAudio, DecodeVideo."""

from __future__ import annotations

import shutil
import struct
import subprocess
from typing import Any

import numpy as np

from headwater.base import errors
from headwater.base.checks import fail
from headwater.base.typing import ArrayModule, Shape
from headwater.graph import NOT_DIFFERENTIABLE, RunsOn, ShapeContext, register_op, shapes

_FORMATS = ("mp3", "mp4", "ogg", "wav")


def _check_scalars(**inputs: np.ndarray) -> None:
    for name, value in inputs.items():
        if value.ndim:
            fail(f"{name} must be a rank-0 tensor but got shape {shapes.show(value.shape)}")


def _check_rate(rate: int) -> None:
    if rate <= 0:
        fail(f"samples_per_second must be positive, but got: {rate}")


def _ffmpeg(arguments: list[str], contents: bytes) -> bytes:
    """The output of ffmpeg for a file.

    Raises:
        UnavailableError: if it is not installed.
        InvalidArgumentError: if it cannot read the file.
    """
    program = shutil.which("ffmpeg")
    if program is None:
        raise errors.UnavailableError(
            None,
            None,
            "FFmpeg must be installed to run this op. FFmpeg can be found at "
            "http://www.ffmpeg.org.",
        )
    command = [program, "-nostdin", "-nostats", "-loglevel", "error", *arguments]
    done = subprocess.run(command, input=contents, capture_output=True, check=False)
    if done.returncode:
        text = done.stderr.decode("utf-8", "replace").strip()
        fail(f"FFmpeg could not read the contents: {text}")
    return done.stdout


def _decoded(contents: bytes, kind: str, rate: int, channels: int, stream: str) -> np.ndarray:
    kind = kind.lower()
    if kind not in _FORMATS:
        fail(f'file_format must be one of {{{", ".join(_FORMATS)}}}, but was: "{kind}"')
    _check_rate(rate)
    if channels <= 0:
        fail(f"channel_count must be positive, but got: {channels}")
    chosen = ["-map", f"0:{stream}"] if stream else []
    output = ["-ac", str(channels), "-ar", str(rate), "-f", "s16le", "pipe:1"]
    samples = _ffmpeg(["-f", kind, "-i", "pipe:0", *chosen, *output], contents)
    count = len(samples) // (2 * channels)
    whole = np.frombuffer(samples, "<i2", count * channels).reshape(count, channels)
    return whole.astype(np.float32) / np.float32(32768)


def _encoded(audio: np.ndarray, kind: str, rate: int) -> np.ndarray:
    if audio.ndim != 2:
        fail(f"sampled_audio must be a rank-2 tensor but got shape {shapes.show(audio.shape)}")
    if kind.lower() != "wav":
        fail(f'file_format must be "wav", but got: {kind.lower()}')
    _check_rate(rate)
    scaled = np.nan_to_num(audio * np.float32(32767)).astype(np.int64)
    data = scaled.astype("<i2").tobytes()
    channels = audio.shape[1]
    sizes = struct.pack("<IHHIIHH", 16, 1, channels, rate, rate * 2 * channels, 2 * channels, 16)
    header = b"RIFF" + struct.pack("<I", 36 + len(data)) + b"WAVEfmt " + sizes
    result = np.empty((), object)
    result[()] = header + b"data" + struct.pack("<I", len(data)) + data
    return result


def kernel_decode_audio(
    xp: ArrayModule,
    contents: np.ndarray,
    *,
    file_format: str,
    samples_per_second: int,
    channel_count: int,
) -> np.ndarray:
    _check_scalars(contents=contents)
    return _decoded(contents.item(), file_format, samples_per_second, channel_count, "")


def kernel_decode_audio_v2(
    xp: ArrayModule,
    contents: np.ndarray,
    file_format: np.ndarray,
    samples_per_second: np.ndarray,
    channel_count: np.ndarray,
    *,
    stream: str,
) -> np.ndarray:
    _check_scalars(
        contents=contents,
        file_format=file_format,
        samples_per_second=samples_per_second,
        channel_count=channel_count,
    )
    kind = file_format.item().decode("utf-8", "replace")
    return _decoded(contents.item(), kind, int(samples_per_second), int(channel_count), stream)


def kernel_encode_audio(
    xp: ArrayModule,
    audio: np.ndarray,
    *,
    file_format: str,
    samples_per_second: int,
) -> np.ndarray:
    return _encoded(audio, file_format, samples_per_second)


def kernel_encode_audio_v2(
    xp: ArrayModule,
    audio: np.ndarray,
    file_format: np.ndarray,
    samples_per_second: np.ndarray,
    bits_per_second: np.ndarray,
) -> np.ndarray:
    _check_scalars(
        file_format=file_format,
        samples_per_second=samples_per_second,
        bits_per_second=bits_per_second,
    )
    kind = file_format.item().decode("utf-8", "replace")
    return _encoded(audio, kind, int(samples_per_second))


def kernel_decode_video(xp: ArrayModule, contents: np.ndarray) -> np.ndarray:
    _check_scalars(contents=contents)
    picture = ["-f", "image2pipe", "-vcodec", "ppm", "pipe:1"]
    frames = _frames(_ffmpeg(["-i", "pipe:0", *picture], contents.item()))
    if not frames:
        fail("FFmpeg found no pictures in the contents.")
    return np.stack(frames)


def _frames(data: bytes) -> list[np.ndarray]:
    """The frames of concatenated PPM files."""
    frames = []
    while data:
        kind, size, _, rest = data.split(b"\n", 3)
        width, height = (int(n) for n in size.split())
        count = width * height * 3
        if kind != b"P6" or len(rest) < count:
            fail("FFmpeg wrote a picture that ends too early.")
        frames.append(np.frombuffer(rest, np.uint8, count).reshape(height, width, 3))
        data = rest[count:]
    return frames


def shape_decode_audio(c: ShapeContext) -> Any:
    channels = c.attr("channel_count")
    if channels <= 0:
        c.fail(f"channel_count must be positive, but got: {channels}")
    return (None, channels)


def shape_decode_audio_v2(c: ShapeContext) -> Shape:
    known = c.value("channel_count")
    if known is None or known.ndim:
        return (None, None)
    if known <= 0:
        c.fail(f"channel_count must be positive, but got: {known}")
    return (None, int(known))


def shape_decode_video(c: ShapeContext) -> Shape:
    return (None, None, None, None)


register_op(
    "DecodeAudio",
    inputs="contents: string",
    outputs="sampled_audio: float",
    attrs="file_format: string, samples_per_second: int, channel_count: int",
    shape=shape_decode_audio,
    kernel=kernel_decode_audio,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)

register_op(
    "DecodeAudioV2",
    inputs="contents: string, file_format: string, samples_per_second: int32, channel_count: int32",
    outputs="sampled_audio: float",
    attrs="stream: string = ''",
    shape=shape_decode_audio_v2,
    kernel=kernel_decode_audio_v2,
    runs_on=RunsOn.HOST,
)

register_op(
    "EncodeAudio",
    inputs="sampled_audio: float",
    outputs="contents: string",
    attrs="file_format: string, samples_per_second: int, bits_per_second: int = 192000",
    shape=shapes.scalar,
    kernel=kernel_encode_audio,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)

register_op(
    "EncodeAudioV2",
    inputs=(
        "sampled_audio: float, file_format: string, samples_per_second: int32, "
        "bits_per_second: int32"
    ),
    outputs="contents: string",
    shape=shapes.scalar,
    kernel=kernel_encode_audio_v2,
    runs_on=RunsOn.HOST,
)

register_op(
    "DecodeVideo",
    inputs="contents: string",
    outputs="output: uint8",
    shape=shape_decode_video,
    kernel=kernel_decode_video,
    runs_on=RunsOn.HOST,
    gradient=NOT_DIFFERENTIABLE,
)
