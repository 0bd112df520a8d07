"""The words of a Philox stream one after the other, for samplers that draw as they go."""

from __future__ import annotations

import numpy as np

from headwater.ops.random import philox

_LOW_20 = (1 << 20) - 1


class Words:
    """The words of a Philox stream, one after the other."""

    def __init__(self, stream: np.ndarray | philox.RowStreams) -> None:
        self._stream = stream
        self._words: list[int] = []
        self._next = 0
        self._blocks = 0

    def word(self) -> int:
        """The next 32 bits."""
        if self._next == len(self._words):
            count = 64 if self._blocks == 0 else 1024
            drawn = philox.blocks(np, self._stream, count, self._blocks)
            self._words = philox.interleave(np, drawn, np.uint32).tolist()
            self._blocks += count
            self._next = 0
        self._next += 1
        return self._words[self._next - 1]

    def fractions(self, count: int) -> np.ndarray:
        """The next doubles in [0, 1) of 52 random bits; not to be mixed with single words."""
        drawn = philox.blocks(np, self._stream, -(-count // 2), self._blocks)
        self._blocks += len(drawn[0])
        # Of each double word the earlier half is the high one.
        pairs = philox.interleave(np, drawn)[:count]
        return ((pairs & _LOW_20) << 32 | pairs >> 32) / (1 << 52)

    def skip_fractions(self, count: int) -> None:
        """Leaves out the next doubles of `fractions`."""
        self._blocks += -(-count // 2)

    def double_word(self) -> int:
        """The next 64 bits, low half first."""
        low = self.word()
        return low | self.word() << 32

    def below(self, limit: int, bits: int = 32) -> int:
        """A number below a limit, each equally likely, from draws of 32 or 64 bits."""
        draw = self.word if bits == 32 else self.double_word
        if limit & (limit - 1) == 0:
            return draw() & (limit - 1)
        # The remainder of the division would bias towards small numbers.
        rejected = ((1 << bits) - 1) % limit + 1
        while True:
            drawn = draw()
            if drawn >= rejected:
                return drawn % limit

    def single_fraction(self) -> float:
        """A number in [0, 1) of 23 random bits."""
        return (self.word() & 0x7FFFFF) / (1 << 23)
