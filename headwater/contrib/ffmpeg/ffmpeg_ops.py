"""Decoding of audio and video by the program ffmpeg, which must be installed."""

from __future__ import annotations

from headwater.base.export import export
from headwater.base.typing import TensorLike
from headwater.graph import Tensor, build

__all__ = ["decode_audio", "decode_video", "encode_audio"]


@export("contrib.ffmpeg.decode_audio")
def decode_audio(
    contents: TensorLike,
    file_format: TensorLike | None = None,
    samples_per_second: TensorLike | None = None,
    channel_count: TensorLike | None = None,
    stream: str | None = None,
) -> Tensor:
    """Decodes audio.

    Args:
        contents: the bytes of the file, a string scalar.
        file_format: ``"mp3"``, ``"mp4"``, ``"ogg"`` or ``"wav"``.
        samples_per_second: the sample rate that is wanted.
        channel_count: how many channels are wanted.
        stream: the stream of the file, as ffmpeg writes it; None takes what ffmpeg chooses.

    Returns:
        float32 tensor of shape [samples, channels].

    Raises:
        UnavailableError: from `Session.run` if ffmpeg is not installed.
        InvalidArgumentError: from `Session.run` if it cannot read the file.
    """
    return build.DecodeAudioV2(
        contents, file_format, samples_per_second, channel_count, stream=stream or ""
    )


@export("contrib.ffmpeg.encode_audio")
def encode_audio(
    audio: TensorLike,
    file_format: TensorLike | None = None,
    samples_per_second: TensorLike | None = None,
) -> Tensor:
    """Encodes audio as a WAV file of 16-bit samples.

    Args:
        audio: float32 tensor of shape [samples, channels].
        file_format: ``"wav"``.
        samples_per_second: the sample rate.

    Returns:
        The bytes of the file, a string scalar.

    Raises:
        InvalidArgumentError: from `Session.run` if an argument is not possible.
    """
    return build.EncodeAudioV2(audio, file_format, samples_per_second, 192000)


@export("contrib.ffmpeg.decode_video")
def decode_video(contents: TensorLike) -> Tensor:
    """Decodes the frames of a video.

    Args:
        contents: the bytes of the file, a string scalar.

    Returns:
        uint8 tensor of shape [pictures, height, width, 3].

    Raises:
        UnavailableError: from `Session.run` if ffmpeg is not installed.
        InvalidArgumentError: from `Session.run` if it cannot read the file.
    """
    return build.DecodeVideo(contents)
