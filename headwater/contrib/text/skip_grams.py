"""Skip-gram sampling: pairs of tokens and neighbors, with rare and frequent words left out.

Source: Mikolov, Sutskever, Chen, Corrado, Dean, "Distributed representations of words and phrases
and their compositionality", NIPS 2013, section 2.3.
"""

from __future__ import annotations

import csv
from typing import Any

from headwater.base import dtypes
from headwater.base.export import export
from headwater.base.typing import DTypeLike, TensorLike
from headwater.data.input_queues.batches import batch
from headwater.graph import Tensor, build, convert_to_tensor, name_scope
from headwater.graph.seeds import op_seeds
from headwater.io.file_object import GFile
from headwater.model.lookup.hash_table import HashTable
from headwater.model.lookup.initializers import TextFileInitializer
from headwater.ops.array.getitem import boolean_mask
from headwater.ops.array.shape import shape
from headwater.ops.math.cast import cast
from headwater.ops.math.comparison import greater_equal, less_equal, not_equal
from headwater.ops.math.logical import logical_and
from headwater.ops.math.powers import sqrt
from headwater.ops.random.uniform import random_uniform


@export("contrib.text.skip_gram_sample")
def skip_gram_sample(
    input_tensor: TensorLike,
    min_skips: TensorLike = 1,
    max_skips: TensorLike = 5,
    start: TensorLike = 0,
    limit: TensorLike = -1,
    emit_self_as_target: TensorLike = False,
    vocab_freq_table: Any = None,
    vocab_min_count: Any = None,
    vocab_subsampling: float | None = None,
    corpus_size: Any = None,
    batch_size: int | None = None,
    batch_capacity: int | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Pairs each token with the tokens around it.

    Args:
        input_tensor: the tokens of a text, a vector.
        min_skips: the least width of the window on each side, an int32 scalar.
        max_skips: the largest width; for each token a width is drawn.
        start: the first token that is used, an int32 scalar.
        limit: how many tokens are used; -1 for all.
        emit_self_as_target: whether a token is paired with itself too.
        vocab_freq_table: a lookup table of how often tokens occur; others are left out.
        vocab_min_count: tokens that occur less often are left out.
        vocab_subsampling: the share of the corpus above which a token is left out at random, in
            [0, 1]; it needs `corpus_size`.
        corpus_size: the number of tokens of the corpus.
        batch_size: the size of batches from a queue; None for all pairs of the run.
        batch_capacity: the capacity of the queue; 100 batches by default.
        seed: the seed.
        name: the name scope.

    Returns:
        A pair of vectors: tokens, and their labels.

    Raises:
        ValueError: if the arguments about the vocabulary do not fit together.
    """
    if vocab_freq_table is None and not (
        vocab_min_count is vocab_subsampling is corpus_size is None
    ):
        raise ValueError(
            f"vocab_freq_table is not provided, but vocab_min_count={vocab_min_count}, "
            f"vocab_subsampling={vocab_subsampling}, or corpus_size={corpus_size} is not None. "
            "These settings are useless without a vocab_freq_table."
        )
    if (vocab_subsampling is None) != (corpus_size is None):
        raise ValueError(
            f"vocab_subsampling is {vocab_subsampling} while corpus_size is {corpus_size} - both "
            "must be provided in order for subsampling to work."
        )
    with name_scope(name, "skip_gram_sample", [input_tensor, min_skips, max_skips, start, limit]):
        tokens = _in_vocabulary(
            input_tensor, vocab_freq_table, vocab_min_count, vocab_subsampling, corpus_size, seed
        )
        pairs = build.SkipGramGenerateCandidates(
            tokens, min_skips, max_skips, start, limit, emit_self_as_target, **op_seeds(seed)
        )
        if batch_size is None:
            return pairs
        capacity = batch_size * 100 if batch_capacity is None else batch_capacity
        return batch(list(pairs), batch_size, capacity=capacity, enqueue_many=True)


def _in_vocabulary(
    tokens: TensorLike, table: Any, least: Any, subsampling: Any, corpus_size: Any, seed: int | None
) -> TensorLike:
    """The tokens of the vocabulary, without some of the frequent ones."""
    if table is None:
        return tokens
    tokens = convert_to_tensor(tokens)
    with name_scope(None, "filter_vocab", [tokens, table, least]):
        counts = table.lookup(tokens)
        known = not_equal(counts, table.default_value)
        if least is not None:
            known = logical_and(known, greater_equal(counts, cast(least, counts.dtype)))
        tokens, counts = boolean_mask(tokens, known), boolean_mask(counts, known)
    return _subsampled(tokens, counts, subsampling, corpus_size, seed)


def _subsampled(
    tokens: Tensor, counts: Tensor, subsampling: Any, corpus_size: Any, seed: int | None
) -> Tensor:
    if subsampling is None or corpus_size is None:
        return tokens
    if not 0 <= subsampling <= 1:
        raise ValueError(
            f"Invalid vocab_subsampling={subsampling} - it should be within range [0, 1]."
        )
    if not subsampling:
        return tokens
    with name_scope(None, "subsample_vocab", [tokens, counts, subsampling]):
        size = cast(corpus_size, dtypes.float64)
        frequency = cast(counts, dtypes.float64)
        share = cast(subsampling, dtypes.float64)
        kept = (sqrt(frequency / (share * size)) + 1.0) * (share * size / frequency)
        drawn = random_uniform(shape(kept), 0, 1, dtypes.float64, seed=seed)
        return boolean_mask(tokens, less_equal(drawn, kept))


@export("contrib.text.skip_gram_sample_with_text_vocab")
def skip_gram_sample_with_text_vocab(
    input_tensor: TensorLike,
    vocab_freq_file: str,
    vocab_token_index: int = 0,
    vocab_token_dtype: DTypeLike = dtypes.string,
    vocab_freq_index: int = 1,
    vocab_freq_dtype: DTypeLike = dtypes.float64,
    vocab_delimiter: str = ",",
    vocab_min_count: Any = 0,
    vocab_subsampling: float | None = None,
    corpus_size: Any = None,
    min_skips: TensorLike = 1,
    max_skips: TensorLike = 5,
    start: TensorLike = 0,
    limit: TensorLike = -1,
    emit_self_as_target: TensorLike = False,
    batch_size: int | None = None,
    batch_capacity: int | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Pairs each token with the tokens around it; a text file says how often tokens occur.

    Args:
        input_tensor: the tokens of a text, a vector.
        vocab_freq_file: a file with a token and its number of occurrences in each line.
        vocab_token_index: the column of the tokens.
        vocab_token_dtype: the type of the tokens.
        vocab_freq_index: the column of the numbers.
        vocab_freq_dtype: the type of the numbers.
        vocab_delimiter: what parts the columns.
        corpus_size: the number of tokens of the corpus; the sum of the numbers by default.
        min_skips: as for `skip_gram_sample`, and so are the others.

    Returns:
        A pair of vectors: tokens, and their labels.

    Raises:
        ValueError: if a column does not exist, the corpus is smaller than the sum of the numbers,
            or for the reasons of `skip_gram_sample`.
    """
    columns = f"vocab_token_index={vocab_token_index} and vocab_freq_index={vocab_freq_index}"
    if vocab_token_index < 0 or vocab_freq_index < 0:
        raise ValueError(f"{columns} must both be >= 0.")
    if vocab_token_index == vocab_freq_index:
        raise ValueError(
            "vocab_token_index and vocab_freq_index should be different, but are both "
            f"{vocab_token_index}."
        )
    total = _total(vocab_freq_file, vocab_token_index, vocab_freq_index, vocab_delimiter)
    if corpus_size is None:
        corpus_size = total
    elif corpus_size < total:
        raise ValueError(
            f"`corpus_size`={corpus_size} must be greater than or equal to the sum of all the "
            f"frequency counts ({total}) of `vocab_freq_file` ({vocab_freq_file})."
        )
    initializer = TextFileInitializer(
        filename=vocab_freq_file,
        key_dtype=vocab_token_dtype,
        key_index=vocab_token_index,
        value_dtype=vocab_freq_dtype,
        value_index=vocab_freq_index,
        delimiter=vocab_delimiter,
    )
    return skip_gram_sample(
        input_tensor,
        min_skips=min_skips,
        max_skips=max_skips,
        start=start,
        limit=limit,
        emit_self_as_target=emit_self_as_target,
        vocab_freq_table=HashTable(initializer, -1),
        vocab_min_count=vocab_min_count,
        vocab_subsampling=vocab_subsampling,
        corpus_size=None if vocab_subsampling is None else corpus_size,
        batch_size=batch_size,
        batch_capacity=batch_capacity,
        seed=seed,
        name=name,
    )


def _total(path: str, token_index: int, freq_index: int, delimiter: str) -> float:
    """The sum of the numbers of a vocabulary file."""
    total = 0.0
    with GFile(path, "r") as file:
        for row in csv.reader(file, delimiter=delimiter):
            if max(token_index, freq_index) >= len(row):
                raise ValueError(
                    f"Row in vocab file only has {len(row)} columns, so "
                    f"vocab_token_index={token_index} or vocab_freq_index={freq_index} is out of "
                    f"bounds. Row content: {row}"
                )
            total += float(row[freq_index])
    return total
