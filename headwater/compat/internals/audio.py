"""Sound: the generated functions that programs take from audio_ops."""

from __future__ import annotations

from headwater.compat.internals import internal
from headwater.graph import build

for _name, _function in (
    ("audio_spectrogram", build.AudioSpectrogram),
    ("mfcc", build.Mfcc),
):
    internal(f"tensorflow.contrib.framework.python.ops.audio_ops.{_name}")(_function)
