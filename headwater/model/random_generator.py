"""Random generators whose state is a variable: tf.random.experimental.Generator."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from headwater.base import dtypes
from headwater.base.dtypes import as_dtype
from headwater.base.export import export
from headwater.base.typing import DTypeLike, TensorLike
from headwater.graph import Tensor, build, convert_to_tensor, name_scope, zeros_like
from headwater.model.trackable.auto import AutoTrackable
from headwater.model.variables.resource_variable import ResourceVariable
from headwater.ops.random import compositions

_PHILOX, _THREEFRY = 1, 2
_STATE_SIZES = {_PHILOX: 3, _THREEFRY: 2}


def _state_size(algorithm: Any) -> int:
    if algorithm not in _STATE_SIZES:
        raise ValueError(f"Unsupported algorithm id: {algorithm}")
    return _STATE_SIZES[algorithm]


@export("random.experimental.create_rng_state")
def create_rng_state(seed: TensorLike, algorithm: int | str) -> np.ndarray:
    """Makes the state of a generator of a seed.

    Args:
        seed: an integer of any size, integers, or an integer vector as a tensor.
        algorithm: 1 for Philox, 2 for ThreeFry.

    Returns:
        An int64 vector of 3 (Philox) or 2 numbers: an array, or a tensor if the seed is one.

    Raises:
        ValueError: if the generator is another.
    """
    size = _state_size(algorithm)
    if isinstance(seed, Tensor):
        seed = build.Cast(build.Reshape(seed, [-1]), DstT=dtypes.int64)
        shape = seed.shape.as_list()
        missing = max(size - (shape[0] or 0), 0)
        return build.PadV2(seed, [[0, missing]], np.int64(0))[:size]
    if isinstance(seed, (list, tuple, np.ndarray)):
        words = [int(word) for word in seed][:size]
        return np.array([0] * (size - len(words)) + words, np.int64)
    if not seed > 0 and not seed <= 0:
        raise TypeError(f"a seed is an integer, not {seed!r}")
    words = [operator.index(seed) >> 64 * i & 0xFFFFFFFFFFFFFFFF for i in range(size)]
    return np.array(words, np.uint64).view(np.int64)


def _key_counter(key: TensorLike, counter: TensorLike, algorithm: Any) -> Tensor:
    size = _state_size(algorithm)
    counter = convert_to_tensor(counter, dtypes.int64)
    key = convert_to_tensor(key, dtypes.int64)
    counter.shape.assert_is_compatible_with([size - 1])
    return build.ConcatV2([counter, build.Reshape(key, [1])], 0, name="concat")


def _uint_limit(dtype: DTypeLike, maxval: int | None) -> int:
    if as_dtype(dtype).is_integer and maxval is None:
        raise ValueError(f"Must specify maxval for integer dtype {as_dtype(dtype)!r}")
    return 1 if maxval is None else maxval


@export("random.experimental.Generator")
class Generator(AutoTrackable):
    """Draws random numbers from a stream whose state is a variable.

    Args:
        copy_from: another generator with the same state, instead of the others.
        state: the state, an int64 vector.
        alg: the generator: 1 for Philox.

    Raises:
        AssertionError: if neither a generator nor a state with its generator is given.
    """

    def __init__(
        self,
        copy_from: Generator | None = None,
        state: TensorLike | None = None,
        alg: TensorLike | None = None,
    ) -> None:
        if copy_from is not None:
            state, alg = copy_from.state, copy_from.algorithm
        elif alg is None or state is None:
            raise AssertionError("a Generator needs a state and an algorithm")
        if not isinstance(state, (Tensor, ResourceVariable)):
            state = convert_to_tensor(state, dtypes.int64)
        state.shape.assert_is_compatible_with([_state_size(alg)])
        self._state_var = ResourceVariable(state, dtype=dtypes.int64, trainable=False)
        self._algorithm = alg

    @classmethod
    def from_state(cls, state: TensorLike, alg: TensorLike) -> Generator:
        """Makes a generator of a state.

        Args:
            state: an int64 vector.
            alg: the generator.

        Returns:
            A Generator.
        """
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: TensorLike, alg: TensorLike | None = None) -> Generator:
        """Makes a generator of a seed.

        Args:
            seed: see `create_rng_state`.
            alg: the generator, Philox by default.

        Returns:
            A Generator.
        """
        alg = _PHILOX if alg is None else alg
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: TensorLike | None = None) -> Generator:
        """Makes a generator with a state that cannot be predicted.

        Args:
            alg: the generator, Philox by default.

        Returns:
            A Generator.
        """
        alg = _PHILOX if alg is None else alg
        shape = convert_to_tensor(
            [_state_size(alg)], dtypes.int32, name="NonDeterministicInts/shape"
        )
        return cls(state=build.NonDeterministicInts(shape, dtype=dtypes.int64), alg=alg)

    @classmethod
    def from_key_counter(cls, key: TensorLike, counter: TensorLike, alg: TensorLike) -> Generator:
        """Makes a generator of a key and a counter.

        Args:
            key: an integer, which tells streams from one another.
            counter: integers, one less than the state has: the place in the stream.
            alg: the generator.

        Returns:
            A Generator.
        """
        return cls(state=_key_counter(key, counter, alg), alg=alg)

    @property
    def state(self) -> ResourceVariable:
        """The variable with the state."""
        return self._state_var

    @property
    def algorithm(self) -> int:
        """The number of the generator."""
        return self._algorithm

    @property
    def key(self) -> Tensor:
        """The key of the stream, an int64 scalar."""
        state = build.ReadVariableOp(self._state_var.handle, dtype=dtypes.int64)
        return state[2 if self._algorithm == _PHILOX else 1]

    def reset(self, state: TensorLike) -> None:
        """Makes the op that sets the state; see `from_state`."""
        self._state_var.assign(convert_to_tensor(state, dtypes.int64))

    def reset_from_seed(self, seed: TensorLike) -> None:
        """Makes the op that sets the state; see `from_seed`."""
        self.reset(create_rng_state(seed, self._algorithm))

    def reset_from_key_counter(self, key: TensorLike, counter: TensorLike) -> None:
        """Makes the op that sets the state; see `from_key_counter`."""
        self.reset(_key_counter(key, counter, self._algorithm))

    def skip(self, delta: TensorLike) -> None:
        """Makes the op that moves the state as if `delta` numbers had been drawn."""
        build.RngSkip(*self._handle(), np.int64(delta) if isinstance(delta, int) else delta)

    def _handle(self) -> tuple[Any, Any]:
        return self._state_var.handle, np.int64(self._algorithm)

    def normal(
        self,
        shape: TensorLike,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Draws numbers of a normal distribution.

        Args:
            shape: the shape of the result.
            mean: the mean.
            stddev: the standard deviation.
            dtype: a floating-point type.
            name: the name of the node.

        Returns:
            A tensor of this shape and type.
        """
        with name_scope(name, "stateful_normal", [shape, mean, stddev]) as scope:

            def standard(shape: Tensor) -> Tensor:
                return build.StatefulStandardNormalV2(*self._handle(), shape, dtype=dtype)

            return compositions.scaled(shape, mean, stddev, dtype, standard, scope)

    def truncated_normal(
        self,
        shape: TensorLike,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Draws numbers of a normal distribution cut off at two standard deviations.

        Args:
            shape: the shape of the result.
            mean: the mean.
            stddev: the standard deviation before the cut.
            dtype: a floating-point type.
            name: the name of the node.

        Returns:
            A tensor of this shape and type.
        """
        with name_scope(name, "truncated_normal", [shape, mean, stddev]) as scope:

            def standard(shape: Tensor) -> Tensor:
                return build.StatefulTruncatedNormal(*self._handle(), shape, dtype=dtype)

            return compositions.scaled(shape, mean, stddev, dtype, standard, scope)

    def uniform(
        self,
        shape: TensorLike,
        minval: TensorLike = 0,
        maxval: TensorLike | None = None,
        dtype: DTypeLike = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Draws numbers of [minval, maxval).

        Args:
            shape: the shape of the result.
            minval: the lower bound, which is included.
            maxval: the upper bound, which is excluded; 1 if it is None, for floating-point types.
            dtype: a floating-point or integer type.
            name: the name of the node.

        Returns:
            A tensor of this shape and type.

        Raises:
            ValueError: if an integer type has no upper bound.
        """
        maxval = _uint_limit(dtype, maxval)
        with name_scope(name, "stateful_uniform", [shape, minval, maxval]) as scope:

            def floats(shape: Tensor) -> Tensor:
                return build.StatefulUniform(*self._handle(), shape, dtype=dtype)

            def integers(shape: Tensor, low: Tensor, high: Tensor) -> Tensor:
                return build.StatefulUniformInt(*self._handle(), shape, low, high, name=scope)

            return compositions.between(shape, minval, maxval, dtype, floats, integers, scope)

    def uniform_full_int(
        self, shape: TensorLike, dtype: DTypeLike = dtypes.uint64, name: str | None = None
    ) -> Tensor:
        """Draws integers, all of the type equally likely.

        Args:
            shape: the shape of the result.
            dtype: int32, uint32, int64 or uint64.
            name: the name of the node.

        Returns:
            A tensor of this shape and type.
        """
        with name_scope(name, "stateful_uniform_full_int", [shape]) as scope:
            shape = compositions.shape_argument(shape)
            return build.StatefulUniformFullInt(*self._handle(), shape, dtype=dtype, name=scope)

    def binomial(
        self,
        shape: TensorLike,
        counts: TensorLike,
        probs: TensorLike,
        dtype: DTypeLike = dtypes.int32,
        name: str | None = None,
    ) -> Tensor:
        """Draws numbers of successes.

        Args:
            shape: the shape of the result; its first size is that of the parameters.
            counts: how often it is tried.
            probs: the probability of a success.
            dtype: the type of the result.
            name: the name of the node.

        Returns:
            A tensor of this shape and type.
        """
        with name_scope(name, "binomial", [shape, counts, probs]) as scope:
            counts = convert_to_tensor(counts, name="counts")
            probs = convert_to_tensor(probs, name="probs")
            shape = compositions.shape_argument(shape)
            return build.StatefulRandomBinomial(
                *self._handle(), shape, counts, probs, dtype=dtype, name=scope
            )

    def make_seeds(self, count: int = 1) -> Tensor:
        """Draws seeds for the stateless random functions.

        Args:
            count: how many.

        Returns:
            An int64 tensor [2, count]; a column is a seed.
        """
        keys = self.uniform_full_int([count], dtype=dtypes.int64)
        return build.Pack([keys, zeros_like(keys)], name="stack")

    def split(self, count: int = 1) -> list[Generator]:
        """Raises: generators are only split when ops run at once.

        Args:
            count: how many.

        Raises:
            AttributeError: always; make generators of different seeds instead.
        """
        raise AttributeError(
            "'Tensor' object has no attribute 'numpy'. Hint: make generators of different seeds."
        )


_global_generator: list[Generator] = []


@export("random.experimental.get_global_generator")
def get_global_generator() -> Generator:
    """Returns the global generator, which is made at the first call."""
    if not _global_generator:
        _global_generator.append(Generator.from_non_deterministic_state())
    return _global_generator[0]


@export("random.experimental.set_global_generator")
def set_global_generator(generator: Generator) -> None:
    """Sets the global generator.

    Args:
        generator: a Generator.
    """
    _global_generator[:] = [generator]
