"""`tf.contrib.lookup` takes the keywords of the function's every era."""

from __future__ import annotations

import pytest

import headwater as tf

WORDS = ["emerson", "lake", "palmer"]


def rows(fetch):
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        return session.run(fetch).tolist()


@pytest.mark.parametrize("keyword", ["mapping", "vocabulary_list"])
def test_tables_from_a_vector_under_both_names(keyword):
    lookup = tf.contrib.lookup
    numbers = lookup.index_table_from_tensor(**{keyword: WORDS}, default_value=7)
    assert rows(numbers.lookup(tf.constant(["lake", "who"]))) == [1, 7]
    words = lookup.index_to_string_table_from_tensor(**{keyword: WORDS}, default_value="no")
    assert rows(words.lookup(tf.constant([2, 9], tf.int64))) == [b"palmer", b"no"]


def test_both_names_at_once_are_refused():
    with pytest.raises(TypeError, match="got values for both 'vocabulary_list' and 'mapping'"):
        tf.contrib.lookup.index_table_from_tensor(mapping=WORDS, vocabulary_list=WORDS)
