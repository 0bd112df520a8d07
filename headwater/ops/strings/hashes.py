"""Hash functions of byte strings: FarmHash's fingerprints, SipHash, and the legacy hash.

Sources: Geoff Pike, FarmHash (2014), functions farmhashna::Hash64 and farmhashcc::Fingerprint128;
Aumasson and Bernstein, SipHash (2012), with two and four rounds; Austin Appleby, MurmurHash2 for 64
bits.
"""

from __future__ import annotations

from functools import lru_cache

_MASK = (1 << 64) - 1
# The factor that mixes two numbers.
_PAIR = 0x9DDFEA08EB382D69
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F


def _word(data: bytes, at: int, size: int = 8) -> int:
    return int.from_bytes(data[at : at + size], "little")


def _rotate(value: int, bits: int) -> int:
    """Rotates to the right."""
    value &= _MASK
    return (value >> bits | value << (64 - bits)) & _MASK


def _mixed(value: int) -> int:
    return value ^ value >> 47


def _hash16(u: int, v: int, factor: int) -> int:
    a = _mixed((u ^ v) * factor & _MASK)
    return _mixed((v ^ a) * factor & _MASK) * factor & _MASK


@lru_cache(maxsize=65536)
def fingerprint64(data: bytes) -> int:
    """FarmHash's fingerprint, the same on all machines.

    Args:
        data: any bytes.

    Returns:
        An unsigned number of 64 bits.
    """
    n = len(data)
    if n <= 16:
        return _hash_to_16(data, n)
    if n <= 32:
        return _hash_to_32(data, n)
    return _hash_to_64(data, n) if n <= 64 else _hash_long(data, n)


def _hash_to_16(data: bytes, n: int) -> int:
    factor = _K2 + 2 * n
    if n >= 8:
        a = _word(data, 0) + _K2
        b = _word(data, n - 8)
        c = _rotate(b, 37) * factor + a & _MASK
        return _hash16(c, (_rotate(a, 25) + b) * factor & _MASK, factor)
    if n >= 4:
        return _hash16(n + (_word(data, 0, 4) << 3), _word(data, n - 4, 4), factor)
    if n:
        y = data[0] + (data[n >> 1] << 8)
        z = n + (data[-1] << 2)
        return _mixed((y * _K2 ^ z * _K0) & _MASK) * _K2 & _MASK
    return _K2


def _hash_to_32(data: bytes, n: int) -> int:
    factor = _K2 + 2 * n
    a, b = _word(data, 0) * _K1, _word(data, 8)
    c, d = _word(data, n - 8) * factor, _word(data, n - 16) * _K2
    u = _rotate(a + b, 43) + _rotate(c, 30) + d
    return _hash16(u & _MASK, a + _rotate(b + _K2, 18) + c & _MASK, factor)


def _hash_to_64(data: bytes, n: int) -> int:
    factor = _K2 + 2 * n
    a, b = _word(data, 0) * _K2, _word(data, 8)
    c, d = _word(data, n - 8) * factor, _word(data, n - 16) * _K2
    y = _rotate(a + b, 43) + _rotate(c, 30) + d & _MASK
    z = _hash16(y, a + _rotate(b + _K2, 18) + c & _MASK, factor)
    e, f = _word(data, 16) * factor, _word(data, 24)
    g = (y + _word(data, n - 32)) * factor
    h = (z + _word(data, n - 24)) * factor
    u = _rotate(e + f, 43) + _rotate(g, 30) + h
    return _hash16(u & _MASK, e + _rotate(f + a, 18) + g & _MASK, factor)


def _weak(data: bytes, at: int, a: int, b: int) -> tuple[int, int]:
    """Hashes 32 bytes into two numbers."""
    w, x, y, z = (_word(data, at + i) for i in (0, 8, 16, 24))
    a += w
    b = _rotate(b + a + z, 21)
    c = a
    a += x + y
    return a + z & _MASK, b + _rotate(a, 44) + c & _MASK


def _hash_long(data: bytes, n: int) -> int:
    x = 81
    y = 81 * _K1 + 113 & _MASK
    z = _mixed(y * _K2 + 113 & _MASK) * _K2 & _MASK
    v = w = (0, 0)
    x = x * _K2 + _word(data, 0) & _MASK
    end = (n - 1) // 64 * 64
    for at in range(0, end, 64):
        x, y, z, v, w = _round(data, at, x, y, z, v, w, _K1, 1)
    factor = _K1 + ((z & 0xFF) << 1)
    first = w[0] + (n - 1 & 63)
    v = (v[0] + first & _MASK, v[1])
    w = (first + v[0] & _MASK, w[1])
    x, y, z, v, w = _round(data, n - 64, x, y, z, v, w, factor, 9)
    u = _hash16(v[0], w[0], factor) + _mixed(y) * _K0 + z
    return _hash16(u & _MASK, _hash16(v[1], w[1], factor) + x & _MASK, factor)


def _round(
    data: bytes,
    at: int,
    x: int,
    y: int,
    z: int,
    v: tuple[int, int],
    w: tuple[int, int],
    factor: int,
    weight: int,
) -> tuple[int, int, int, tuple[int, int], tuple[int, int]]:
    """Absorbs 64 bytes; swaps x and z."""
    x = _rotate(x + y + v[0] + _word(data, at + 8), 37) * factor & _MASK
    y = _rotate(y + v[1] + _word(data, at + 48), 42) * factor & _MASK
    x ^= w[1] * weight & _MASK
    y = y + v[0] * weight + _word(data, at + 40) & _MASK
    z = _rotate(z + w[0], 33) * factor & _MASK
    v = _weak(data, at, v[1] * factor, x + w[0])
    w = _weak(data, at + 32, z + w[1], y + _word(data, at + 16))
    return z, y, x, v, w


@lru_cache(maxsize=65536)
def fingerprint128(data: bytes) -> tuple[int, int]:
    """FarmHash's fingerprint of 128 bits, the same on all machines.

    Args:
        data: any bytes.

    Returns:
        The low and the high unsigned number of 64 bits.
    """
    low, high = _K0, _K1
    if len(data) >= 16:
        low, high, data = _word(data, 0), _word(data, 8) + _K0 & _MASK, data[16:]
    return (_seeded_long if len(data) >= 128 else _seeded_short)(data, len(data), low, high)


def _pair(u: int, v: int) -> int:
    """Hashes two numbers into one."""
    return _hash16(u & _MASK, v & _MASK, _PAIR)


def _seeded_short(data: bytes, n: int, a: int, b: int) -> tuple[int, int]:
    """The CityMurmur of CityHash."""
    if n <= 16:
        a = _mixed(a * _K1 & _MASK) * _K1 & _MASK
        c = b * _K1 + _hash_to_16(data, n) & _MASK
        d = _mixed(a + (_word(data, 0) if n >= 8 else c) & _MASK)
    else:
        c = _pair(_word(data, n - 8) + _K1, a)
        d = _pair(b + n, c + _word(data, n - 16))
        a = a + d & _MASK
        for at in range(0, n - 16, 16):
            a = (a ^ _mixed(_word(data, at) * _K1 & _MASK) * _K1 & _MASK) * _K1 & _MASK
            b ^= a
            c = (c ^ _mixed(_word(data, at + 8) * _K1 & _MASK) * _K1 & _MASK) * _K1 & _MASK
            d ^= c
    a, b = _pair(a, c), _pair(d, b)
    return a ^ b, _pair(b, a)


def _seeded_long(data: bytes, n: int, x: int, y: int) -> tuple[int, int]:
    """CityHash128 with a seed, of at least 128 bytes."""
    z = n * _K1 & _MASK
    first = _rotate(y ^ _K1, 49) * _K1 + _word(data, 0) & _MASK
    v = (first, _rotate(first, 42) * _K1 + _word(data, 8) & _MASK)
    w = (_rotate(y + z, 35) * _K1 + x & _MASK, _rotate(x + _word(data, 88), 53) * _K1 & _MASK)
    end = n // 128 * 128
    for at in range(0, end, 64):
        x, y, z, v, w = _round(data, at, x, y, z, v, w, _K1, 1)
    x += _rotate(v[0] + z, 49) * _K0
    y = y * _K0 + _rotate(w[1], 37)
    z = z * _K0 + _rotate(w[0], 27)
    w = (w[0] * 9, w[1])
    v = (v[0] * _K0, v[1])
    for done in range(32, n - end + 32, 32):
        at = n - done
        y = _rotate(x + y, 42) * _K0 + v[1]
        w = (w[0] + _word(data, at + 16), w[1])
        x = x * _K0 + w[0] & _MASK
        z = z + w[1] + _word(data, at) & _MASK
        w = (w[0], w[1] + v[0])
        v = _weak(data, at, v[0] + z, v[1])
        v = (v[0] * _K0, v[1])
    x, y = _pair(x, v[0]), _pair(y + z, w[0])
    return _pair(x + v[1], w[1]) + y & _MASK, _pair(x + w[1], y + v[1])


def siphash(key: tuple[int, int], data: bytes) -> int:
    """SipHash-2-4.

    Args:
        key: two numbers of 64 bits.
        data: any bytes.

    Returns:
        An unsigned number of 64 bits.
    """
    k0, k1 = (part & _MASK for part in key)
    state = (
        k0 ^ 0x736F6D6570736575,
        k1 ^ 0x646F72616E646F6D,
        k0 ^ 0x6C7967656E657261,
        k1 ^ 0x7465646279746573,
    )
    full = len(data) // 8 * 8
    words = [_word(data, at) for at in range(0, full, 8)]
    words.append(_word(data, full) | (len(data) & 0xFF) << 56)
    for word in words:
        a, b, c, d = state
        state = _sip_round(_sip_round((a, b, c, d ^ word)))
        state = (state[0] ^ word, *state[1:])
    state = (state[0], state[1], state[2] ^ 0xFF, state[3])
    for _ in range(4):
        state = _sip_round(state)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def _sip_round(state: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
    a, b, c, d = state
    a = a + b & _MASK
    b = _rotate(b, 64 - 13) ^ a
    a = _rotate(a, 32)
    c = c + d & _MASK
    d = _rotate(d, 64 - 16) ^ c
    a = a + d & _MASK
    d = _rotate(d, 64 - 21) ^ a
    c = c + b & _MASK
    b = _rotate(b, 64 - 17) ^ c
    return a, b, _rotate(c, 32), d


_MURMUR, _SEED = 0xC6A4A7935BD1E995, 0xDECAFCAFFE


def legacy_hash(data: bytes, seed: int = _SEED) -> int:
    """The hash of `tf.string_to_hash_bucket`: MurmurHash64A.

    Args:
        data: any bytes.
        seed: the seed of the hash.

    Returns:
        An unsigned number of 64 bits.
    """
    value = seed ^ len(data) * _MURMUR & _MASK
    full = len(data) // 8 * 8
    for at in range(0, full, 8):
        word = _word(data, at) * _MURMUR & _MASK
        word = (word ^ word >> 47) * _MURMUR & _MASK
        value = (value ^ word) * _MURMUR & _MASK
    if full < len(data):
        value = (value ^ _word(data, full)) * _MURMUR & _MASK
    value = (value ^ value >> 47) * _MURMUR & _MASK
    return value ^ value >> 47
