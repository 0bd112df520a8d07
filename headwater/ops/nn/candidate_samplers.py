"""Sampling of candidate classes: UniformCandidateSampler and its kin, ComputeAccidentalHits."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from headwater.base import native
from headwater.base.checks import fail
from headwater.base.typing import Array, ArrayModule, Shape, TensorLike
from headwater.graph import RunsOn, Sample, Tensor, build, export, register_op, shapes
from headwater.graph.seeds import op_seeds
from headwater.io.files import read_bytes
from headwater.ops.nn import class_sampling
from headwater.ops.random import philox

_OUTPUTS = "sampled_candidates: int64, true_expected_count: float, sampled_expected_count: float"
_COUNTS = "num_true: int >= 1, num_sampled: int >= 1, unique: bool"
_SEEDS = "seed: int = 0, seed2: int = 0"


def shape_sampler(c: shapes.ShapeContext) -> list[Shape]:
    batch = c.with_rank("true_classes", 2)[0]
    sampled = (c.attr("num_sampled"),)
    return [sampled, (batch, c.attr("num_true")), sampled]


def _check(true_classes: np.ndarray, num_true: int) -> None:
    if true_classes.ndim != 2:
        fail("true_classes must be a matrix")
    if true_classes.shape[1] != num_true:
        fail(
            f"true_classes must have num_true columns, expected: {true_classes.shape[1]} was: "
            f"{num_true}"
        )


def _sampled(
    distribution: class_sampling.Distribution,
    true_classes: np.ndarray,
    num_true: int,
    num_sampled: int,
    unique: bool,
    size: int,
    state: np.ndarray,
) -> tuple[Any, np.ndarray]:
    _check(true_classes, num_true)
    if unique and num_sampled > size:
        fail("Sampler's range is too small.")
    result = distribution.sample(state, num_sampled, unique, true_classes)
    return result, class_sampling.advanced(state, num_sampled)


def kernel_uniform(
    xp: ArrayModule,
    true_classes: Array,
    *,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    state: Array,
) -> tuple[Any, ...]:
    distribution = class_sampling.uniform(range_max)
    return _sampled(distribution, true_classes, num_true, num_sampled, unique, range_max, state)


def kernel_log_uniform(
    xp: ArrayModule,
    true_classes: Array,
    *,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    state: Array,
) -> tuple[Any, ...]:
    distribution = class_sampling.log_uniform(range_max)
    return _sampled(distribution, true_classes, num_true, num_sampled, unique, range_max, state)


def kernel_learned_unigram(
    xp: ArrayModule,
    true_classes: Array,
    *,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    state: Array,
) -> tuple[Any, ...]:
    """The state holds the six words of the generator and then one weight per class."""
    generator, weights = state[:6].astype(np.uint32), state[6:]
    distribution = class_sampling.counted(weights)
    result, generator = _sampled(
        distribution, true_classes, num_true, num_sampled, unique, range_max, generator
    )
    seen = true_classes[(true_classes >= 0) & (true_classes < range_max)]
    weights = weights + np.bincount(seen.ravel(), minlength=range_max)
    return result, np.concatenate([generator.astype(np.int64), weights])


def kernel_fixed_unigram(
    xp: ArrayModule,
    true_classes: Array,
    *,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: str,
    distortion: float,
    num_reserved_ids: int,
    num_shards: int,
    shard: int,
    unigrams: Sequence[float],
    state: Array,
) -> tuple[Any, ...]:
    if vocab_file and unigrams:
        fail("Must only provide one of vocab_file and unigrams.")
    if not vocab_file and not unigrams:
        fail("Must provide either vocab_file or unigrams.")
    key = (vocab_file, tuple(unigrams), distortion, num_reserved_ids, num_shards, shard)
    distribution, size = _fixed_distribution(*key)
    if size != range_max:
        fail(
            f"range_max is {range_max}, but there are {size} weights, reserved ids included and "
            "those of other shards left out"
        )
    return _sampled(distribution, true_classes, num_true, num_sampled, unique, range_max, state)


@functools.lru_cache(maxsize=16)
def _fixed_distribution(
    vocab_file: str,
    unigrams: tuple[float, ...],
    distortion: float,
    num_reserved_ids: int,
    num_shards: int,
    shard: int,
) -> tuple[class_sampling.Distribution, int]:
    counts = _file_counts(vocab_file) if vocab_file else list(unigrams)
    powers = np.power(np.array(counts, np.float32), np.float32(distortion))
    weights = np.concatenate([np.zeros(num_reserved_ids, np.float32), powers])[shard::num_shards]
    return class_sampling.weighted(weights), len(weights)


def _file_counts(path: str) -> list[float]:
    """The numbers in the last columns of a file of comma-separated values."""
    lines = read_bytes(path).decode(errors="backslashreplace").splitlines()
    counts = []
    for line in lines:
        column = line.split(",")[-1]
        try:
            counts.append(float(column))
        except ValueError:
            fail(f"Wrong vocabulary format at line: {line}")
    return counts


def kernel_all(
    xp: ArrayModule, true_classes: Array, *, num_true: int, num_sampled: int, unique: bool
) -> tuple[Array, ...]:
    _check(true_classes, num_true)
    classes = np.arange(num_sampled, dtype=np.int64)
    ones = np.ones(num_sampled, np.float32)
    return classes, np.ones(true_classes.shape, np.float32), ones


def state_generator(attrs: dict[str, Any]) -> np.ndarray:
    return philox.initial_stream(attrs["seed"], attrs["seed2"])


def state_learned(attrs: dict[str, Any]) -> np.ndarray:
    weights = np.ones(attrs["range_max"], np.int64)
    return np.concatenate([state_generator(attrs).astype(np.int64), weights])


def shape_accidental_hits(c: shapes.ShapeContext) -> list[Shape]:
    columns = c.with_rank("true_classes", 2)[1]
    c.with_rank("sampled_candidates", 1)
    if columns is not None and columns != c.attr("num_true"):
        c.fail(f"Dimension must be {c.attr('num_true')} but is {columns}")
    return [(None,), (None,), (None,)]


def kernel_accidental_hits(
    xp: ArrayModule, true_classes: Array, sampled_candidates: Array, *, num_true: int
) -> tuple[Array, ...]:
    if true_classes.ndim != 2 or true_classes.shape[1] != num_true:
        fail("true_candidates must be a batch_size * num_true matrix")
    if sampled_candidates.ndim != 1:
        fail(
            "sampled_candidates must be a vector, which is typically an output from "
            "CandidateSampler"
        )
    hits = native.host().accidental_hits(true_classes, sampled_candidates)
    if hits is not None:
        rows, places = hits
        return rows, places, np.full(len(rows), np.finfo(np.float32).min, np.float32)
    # A class that was sampled twice counts where it was sampled last.
    backwards, first = np.unique(sampled_candidates[::-1], return_index=True)
    places = len(sampled_candidates) - 1 - first
    if not len(backwards):
        backwards, places = np.array([-1], np.int64), np.array([0])
    found = np.minimum(np.searchsorted(backwards, true_classes), len(backwards) - 1)
    hit = (backwards[found] == true_classes) & bool(len(sampled_candidates))
    rows, _ = np.nonzero(hit)
    weights = np.full(len(rows), np.finfo(np.float32).min, np.float32)
    return rows.astype(np.int32), places[found[hit]].astype(np.int64), weights


def reference_accidental_hits(
    true_classes: Array, sampled_candidates: Array, *, num_true: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    places = {int(c): i for i, c in enumerate(sampled_candidates)}
    hits = [(i, places[int(c)]) for i, row in enumerate(true_classes) for c in row if c in places]
    rows = np.array([i for i, _ in hits], np.int32)
    ids = np.array([place for _, place in hits], np.int64)
    return rows, ids, np.full(len(hits), np.finfo(np.float32).min, np.float32)


def reference_all(
    true_classes: Array, *, num_true: int, num_sampled: int, unique: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return (
        np.array(range(num_sampled), np.int64),
        np.ones((len(true_classes), num_true), np.float32),
        np.ones((num_sampled,), np.float32),
    )


_TRUE = np.array([[1], [3]], np.int64)


def samples_seeded() -> Iterator[Sample]:
    for unique in (True, False):
        yield Sample(_TRUE, num_true=1, num_sampled=4, unique=unique, range_max=6, seed=2)


def samples_fixed_unigram() -> Iterator[Sample]:
    unigrams = [1.0, 2.0, 3.0, 4.0, 5.0, 0.5]
    for sample in samples_seeded():
        sample.attrs["unigrams"] = unigrams
        yield sample


def samples_all() -> Iterator[Sample]:
    yield Sample(_TRUE, num_true=1, num_sampled=4, unique=True)


def samples_accidental_hits() -> Iterator[Sample]:
    true_classes = np.array([[1, 2], [3, 4], [5, 1]], np.int64)
    yield Sample(true_classes, np.array([4, 1, 9, 1], np.int64), num_true=2)
    yield Sample(true_classes, np.array([7], np.int64), num_true=2)
    yield Sample(true_classes, np.zeros((0,), np.int64), num_true=2)


_kernel: Callable[..., Any]


def _register_sampler(name: str, kernel: Callable[..., Any], state: Callable[..., Any]) -> None:
    register_op(
        name,
        inputs="true_classes: int64",
        outputs=_OUTPUTS,
        attrs=f"{_COUNTS}, range_max: int >= 1, {_SEEDS}",
        shape=shape_sampler,
        kernel=kernel,
        state=state,
        runs_on=RunsOn.HOST,
        stateful=True,
        samples=samples_seeded,
    )


_register_sampler("UniformCandidateSampler", kernel_uniform, state_generator)
_register_sampler("LogUniformCandidateSampler", kernel_log_uniform, state_generator)
_register_sampler("LearnedUnigramCandidateSampler", kernel_learned_unigram, state_learned)
_register_sampler("ThreadUnsafeUnigramCandidateSampler", kernel_learned_unigram, state_learned)
register_op(
    "FixedUnigramCandidateSampler",
    inputs="true_classes: int64",
    outputs=_OUTPUTS,
    attrs=f"{_COUNTS}, range_max: int >= 1, vocab_file: string = '', distortion: float = 1.0, "
    "num_reserved_ids: int = 0, num_shards: int >= 1 = 1, shard: int >= 0 = 0, "
    f"unigrams: list(float) = [], {_SEEDS}",
    shape=shape_sampler,
    kernel=kernel_fixed_unigram,
    state=state_generator,
    runs_on=RunsOn.HOST,
    stateful=True,
    samples=samples_fixed_unigram,
)
register_op(
    "AllCandidateSampler",
    inputs="true_classes: int64",
    outputs=_OUTPUTS,
    attrs=f"{_COUNTS}, {_SEEDS}",
    shape=shape_sampler,
    kernel=kernel_all,
    reference=reference_all,
    runs_on=RunsOn.HOST,
    stateful=True,
    samples=samples_all,
)
register_op(
    "ComputeAccidentalHits",
    inputs="true_classes: int64, sampled_candidates: int64",
    outputs="indices: int32, ids: int64, weights: float",
    attrs=f"num_true: int, {_SEEDS}",
    shape=shape_accidental_hits,
    kernel=kernel_accidental_hits,
    dynamic_shape=True,
    reference=reference_accidental_hits,
    samples=samples_accidental_hits,
)


@export("nn.uniform_candidate_sampler", "random.uniform_candidate_sampler")
def uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """Draws classes, each equally likely.

    Args:
        true_classes: int64 matrix of shape [batch, num_true], for which expected counts are wanted.
        num_true: the number of true classes per example.
        num_sampled: how many classes are drawn for the whole batch.
        unique: whether they are all different.
        range_max: classes are below this.
        seed: the seed of the op.
        name: the name of the node.

    Returns:
        A named tuple: `sampled_candidates` (int64 vector), and how often classes are expected:
        `true_expected_count` (float32, like `true_classes`) and `sampled_expected_count` (float32
        vector).
    """
    return build.UniformCandidateSampler(
        true_classes,
        num_true=num_true,
        num_sampled=num_sampled,
        unique=unique,
        range_max=range_max,
        name=name,
        **op_seeds(seed),
    )


@export("nn.log_uniform_candidate_sampler", "random.log_uniform_candidate_sampler")
def log_uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """Draws classes, small ones more often, as in vocabularies sorted by frequency.

    The probability is (log(class + 2) - log(class + 1)) / log(range_max + 1).

    Args:
        true_classes: int64 matrix of shape [batch, num_true], for which expected counts are wanted.
        num_true: the number of true classes per example.
        num_sampled: how many classes are drawn for the whole batch.
        unique: whether they are all different.
        range_max: classes are below this.
        seed: the seed of the op.
        name: the name of the node.

    Returns:
        A named tuple: `sampled_candidates` (int64 vector), and how often classes are expected:
        `true_expected_count` (float32, like `true_classes`) and `sampled_expected_count` (float32
        vector).
    """
    return build.LogUniformCandidateSampler(
        true_classes,
        num_true=num_true,
        num_sampled=num_sampled,
        unique=unique,
        range_max=range_max,
        name=name,
        **op_seeds(seed),
    )


@export("nn.learned_unigram_candidate_sampler", "random.learned_unigram_candidate_sampler")
def learned_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """Draws classes by how often they were true classes of earlier runs, plus one.

    Args:
        true_classes: int64 matrix of shape [batch, num_true], which is learned from.
        num_true: the number of true classes per example.
        num_sampled: how many classes are drawn for the whole batch.
        unique: whether they are all different.
        range_max: classes are below this.
        seed: the seed of the op.
        name: the name of the node.

    Returns:
        A named tuple: `sampled_candidates` (int64 vector), and how often classes are expected:
        `true_expected_count` (float32, like `true_classes`) and `sampled_expected_count` (float32
        vector).
    """
    return build.LearnedUnigramCandidateSampler(
        true_classes,
        num_true=num_true,
        num_sampled=num_sampled,
        unique=unique,
        range_max=range_max,
        name=name,
        **op_seeds(seed),
    )


@export("nn.fixed_unigram_candidate_sampler", "random.fixed_unigram_candidate_sampler")
def fixed_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: Sequence[float] = (),
    seed: int | None = None,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """Draws classes with probabilities in proportion to given counts.

    Args:
        true_classes: int64 matrix of shape [batch, num_true], for which expected counts are wanted.
        num_true: the number of true classes per example.
        num_sampled: how many classes are drawn for the whole batch.
        unique: whether they are all different.
        range_max: the number of classes.
        vocab_file: a file with one class per line, its count after the last comma.
        distortion: the power to which counts are raised first.
        num_reserved_ids: how many classes of probability 0 come before the counted ones.
        num_shards: the number of parts of the distribution.
        shard: which part is drawn from: every `num_shards`-th class from this one on.
        unigrams: the counts, if there is no file.
        seed: the seed of the op.
        name: the name of the node.

    Returns:
        A named tuple: `sampled_candidates` (int64 vector), and how often classes are expected:
        `true_expected_count` (float32, like `true_classes`) and `sampled_expected_count` (float32
        vector).
    """
    return build.FixedUnigramCandidateSampler(
        true_classes,
        num_true=num_true,
        num_sampled=num_sampled,
        unique=unique,
        range_max=range_max,
        vocab_file=vocab_file,
        distortion=distortion,
        num_reserved_ids=num_reserved_ids,
        num_shards=num_shards,
        shard=shard,
        unigrams=unigrams,
        name=name,
        **op_seeds(seed),
    )


@export("nn.all_candidate_sampler", "random.all_candidate_sampler")
def all_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int | None = None,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """Returns all classes, as a sampler would, so that a loss can be tested against the full one.

    Args:
        true_classes: int64 matrix of shape [batch, num_true].
        num_true: the number of true classes per example.
        num_sampled: the number of classes.
        unique: ignored.
        seed: the seed of the op.
        name: the name of the node.

    Returns:
        A named tuple: `sampled_candidates`, and the expected counts `true_expected_count` and
        `sampled_expected_count`, which are all 1.
    """
    return build.AllCandidateSampler(
        true_classes,
        num_true=num_true,
        num_sampled=num_sampled,
        unique=unique,
        name=name,
        **op_seeds(seed),
    )


@export("nn.compute_accidental_hits")
def compute_accidental_hits(
    true_classes: TensorLike,
    sampled_candidates: TensorLike,
    num_true: int,
    seed: int | None = None,
    name: str | None = None,
) -> tuple[Tensor, ...]:
    """Finds true classes that were sampled as well.

    Args:
        true_classes: int64 matrix of shape [batch, num_true].
        sampled_candidates: int64 vector of sampled classes.
        num_true: the number of true classes per example.
        seed: the seed of the op.
        name: the name of the node.

    Returns:
        A named tuple: `indices` (int32: rows of `true_classes`), `ids` (int64: places in
        `sampled_candidates`), and `weights` (float32: the lowest number, to be added to logits).
    """
    return build.ComputeAccidentalHits(
        true_classes, sampled_candidates, num_true=num_true, name=name, **op_seeds(seed)
    )
