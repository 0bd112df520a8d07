"""Sounds as values of summaries."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np

from headwater.base import errors
from headwater.ops.summary.serialized import dims_text

if TYPE_CHECKING:
    from headwater.protos.summary_pb2 import Summary


def check_sounds(sounds: np.ndarray) -> None:
    """Raises an InvalidArgumentError if an array is not a batch of sounds."""
    if sounds.ndim not in (2, 3):
        raise errors.InvalidArgumentError(
            None, None, f"Tensor must be 3-D or 2-D, got: {dims_text(sounds)}"
        )


def add_sounds(summary: Summary, tag: str, sounds: np.ndarray, rate: float, count: int) -> None:
    """Adds sounds to a summary.

    Args:
        summary: the summary.
        tag: what the tags begin with.
        sounds: a batch that `check_sounds` allows.
        rate: how many frames make a second.
        count: how many sounds are added at most.
    """
    sounds = sounds if sounds.ndim == 3 else sounds[:, :, np.newaxis]
    for i, sound in enumerate(sounds[:count]):
        suffix = f"/{i}" if count > 1 else ""
        proto = summary.value.add(tag=f"{tag}/audio{suffix}").audio
        proto.sample_rate, proto.content_type = rate, "audio/wav"
        proto.length_frames, proto.num_channels = sound.shape
        proto.encoded_audio_string = _wav(sound, int(rate))


def _wav(sound: np.ndarray, rate: int) -> bytes:
    """Samples of shape (frames, channels) in -1..1 as a WAV file of 16-bit samples."""
    scaled = sound * np.float32(32768)
    rounded = np.trunc(scaled + np.copysign(np.float32(0.5), scaled))
    data = rounded.clip(-32768, 32767).astype("<i2").tobytes()
    channels = sound.shape[1]
    layout = struct.pack("<HHIIHH", 1, channels, rate, rate * channels * 2, channels * 2, 16)
    body = b"WAVEfmt " + struct.pack("<I", 16) + layout + b"data" + struct.pack("<I", len(data))
    return b"RIFF" + struct.pack("<I", len(body) + len(data)) + body + data
