"""tf.contrib.text; the pairs are those of TensorFlow 1.15.5."""

import pytest

import headwater as tf

WORDS = ["the", "quick", "brown", "fox", "jumps"]
COUNTS = [10, 1, 3, 2, 5]


def pairs(session, *args, **kwargs):
    sampled = tf.contrib.text.skip_gram_sample(*args, **kwargs)
    session.run(tf.tables_initializer())
    tokens, labels = (values.tolist() for values in session.run(sampled))
    return list(zip(tokens, labels))


def table():
    initializer = tf.contrib.lookup.KeyValueTensorInitializer(WORDS, COUNTS, tf.string, tf.int64)
    return tf.contrib.lookup.HashTable(initializer, -1)


def test_windows_of_fixed_width(session):
    assert pairs(session, WORDS, 1, 1, start=1, limit=2) == [
        (b"quick", b"brown"),
        (b"brown", b"quick"),
    ]
    assert pairs(session, [1, 2, 3], 1, 1, emit_self_as_target=True) == [
        (1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 2), (3, 3),
    ]  # fmt: skip
    assert pairs(session, WORDS, 0, 0) == []
    assert pairs(session, WORDS, 1, 1, start=5) == []


def test_widths_are_drawn_as_in_tensorflow(session):
    tf.set_random_seed(42)
    assert pairs(session, tf.range(12), 0, 3, seed=8) == [
        (2, 1), (2, 3), (3, 1), (3, 2), (3, 4), (3, 5), (4, 3), (4, 5), (6, 4), (6, 5), (6, 7),
        (6, 8), (7, 4), (7, 5), (7, 6), (7, 8), (7, 9), (7, 10), (8, 7), (8, 9), (9, 8), (9, 10),
        (10, 7), (10, 8), (10, 9), (10, 11),
    ]  # fmt: skip
    # A range of 5 widths needs rejection.
    assert pairs(session, tf.range(9), 1, 5, seed=8)[:12] == [
        (0, 1), (0, 2), (0, 3), (0, 4), (1, 0), (1, 2), (1, 3), (1, 4), (2, 1), (2, 3), (3, 2),
        (3, 4),
    ]  # fmt: skip


def test_rare_and_frequent_words_are_left_out(session):
    kept = [(b"the", b"brown"), (b"brown", b"the"), (b"brown", b"jumps"), (b"jumps", b"brown")]
    words = tf.constant([*WORDS, "unknown"])
    assert pairs(session, words, 1, 1, vocab_freq_table=table(), vocab_min_count=3) == kept
    tf.set_random_seed(42)
    found = pairs(
        session, tf.constant(WORDS * 3), 1, 1, vocab_freq_table=table(), vocab_subsampling=0.1,
        corpus_size=21, vocab_min_count=2, seed=9,
    )  # fmt: skip
    assert [token for token, _ in found[::2]].count(b"the") == 2


def test_counts_of_a_file(session, tmp_path):
    path = tmp_path / "counts.csv"
    path.write_text("".join(f"{word},{count}\n" for word, count in zip(WORDS, COUNTS)))
    sample = tf.contrib.text.skip_gram_sample_with_text_vocab
    result = sample(
        tf.constant(WORDS), str(path), min_skips=1, max_skips=1, vocab_min_count=3, batch_size=2
    )
    assert [(t.name, t.shape.as_list()) for t in result] == [
        ("skip_gram_sample/batch:0", [2]),
        ("skip_gram_sample/batch:1", [2]),
    ]
    for changes, text in (
        ({"vocab_token_index": 5}, "Row in vocab file only has 2 columns, so vocab_token_index=5"),
        ({"vocab_token_index": -1}, "must both be >= 0"),
        ({"vocab_freq_index": 0}, "should be different, but are both 0"),
        ({"vocab_subsampling": 0.1, "corpus_size": 10}, r"`corpus_size`=10 .* \(21.0\)"),
    ):
        with pytest.raises(ValueError, match=text):
            sample(tf.constant(WORDS), str(path), **changes)
    with pytest.raises(tf.errors.NotFoundError, match="No such file or directory"):
        sample(tf.constant(WORDS), str(tmp_path / "nowhere"))


def test_arguments_that_do_not_fit_together(session):
    sample = tf.contrib.text.skip_gram_sample
    with pytest.raises(ValueError, match="vocab_freq_table is not provided, but vocab_min_count=2"):
        sample(WORDS, vocab_min_count=2)
    with pytest.raises(ValueError, match=r"vocab_subsampling is 0.1 while corpus_size is None"):
        sample(WORDS, vocab_freq_table=table(), vocab_subsampling=0.1)
    with pytest.raises(ValueError, match=r"Invalid vocab_subsampling=2.0"):
        sample(WORDS, vocab_freq_table=table(), vocab_subsampling=2.0, corpus_size=21)
    with pytest.raises(ValueError, match="Shape must be rank 1 but is rank 2"):
        sample([WORDS])
    for widths, text in (((-1, 2), "must be >= 0"), ((3, 2), "min_skips must be <= max_skips")):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            session.run(sample(WORDS, *widths))
