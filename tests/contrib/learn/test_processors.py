"""Texts and categories as numbers, beside TensorFlow 1.15.5."""

from __future__ import annotations

import pickletools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import headwater as tf

preprocessing = tf.contrib.learn.preprocessing
TEXTS = ["a b c b", "b c d e", "a c", "zz a"]


def _lists(vectors):
    return [vector.tolist() for vector in vectors]


def test_words_of_texts():
    texts = ["HTTPServer isn't well-known: CamelCase ABC ABCd 你好 a1_b", ""]
    assert list(preprocessing.tokenizer(texts)) == [
        "HTTP Server isn't well-known Camel Case ABC AB Cd 你好 a1_b".split(),
        [],
    ]


def test_bytes_of_documents():
    processor = preprocessing.ByteProcessor(8)
    vectors = list(processor.fit_transform(["фыва", "abc", b"0123456789"]))
    assert _lists(vectors) == [
        [209, 132, 209, 139, 208, 178, 208, 176],
        [97, 98, 99, 0, 0, 0, 0, 0],
        [48, 49, 50, 51, 52, 53, 54, 55],
    ]
    assert vectors[0].dtype == np.uint8
    assert list(processor.reverse(vectors)) == ["фыва", "abc", "01234567"]
    assert list(processor.reverse([np.array([255, 1])])) == [""]


@given(st.lists(st.text(st.characters(exclude_characters="\0"), max_size=5), max_size=4))
def test_bytes_of_whole_documents_come_back(documents):
    processor = preprocessing.ByteProcessor(20)
    assert list(processor.reverse(processor.transform(documents))) == documents


def test_words_are_numbered_as_they_come():
    processor = preprocessing.VocabularyProcessor(4)
    assert _lists(processor.fit_transform(TEXTS)) == [
        [1, 2, 3, 2],
        [2, 3, 4, 5],
        [1, 3, 0, 0],
        [6, 1, 0, 0],
    ]
    assert _lists(processor.transform(["new a"])) == [[0, 1, 0, 0]]


def test_rare_words_are_unknown():
    processor = preprocessing.VocabularyProcessor(4, min_frequency=1)
    numbers = list(processor.fit_transform(TEXTS))
    assert _lists(numbers) == [[1, 2, 3, 2], [2, 3, 0, 0], [1, 3, 0, 0], [0, 1, 0, 0]]
    assert list(processor.reverse(numbers))[3] == "<UNK> a <UNK> <UNK>"
    assert len(processor.vocabulary_) == 4


def test_a_saved_processor_has_the_module_names_of_tensorflow(tmp_path):
    path = tmp_path / "vocabulary"
    processor = preprocessing.VocabularyProcessor(4)
    processor.fit(TEXTS)
    processor.save(str(path))
    names = [str(a) for op, a, _ in pickletools.genops(path.read_bytes()) if op.name == "GLOBAL"]
    root = "tensorflow.contrib.learn.python.learn.preprocessing"
    assert f"{root}.text VocabularyProcessor" in names
    assert f"{root}.text tokenizer" in names
    assert f"{root}.categorical_vocabulary CategoricalVocabulary" in names
    restored = preprocessing.VocabularyProcessor.restore(str(path))
    assert type(restored) is preprocessing.VocabularyProcessor
    assert _lists(restored.transform(TEXTS)) == _lists(processor.transform(TEXTS))


ROWS = [["0", 1, "x"], [1, float("nan"), "x"], ["0", 1, "y"], ["Male", 2, "x"], ["0", 1, "x"]]


def test_each_column_has_its_categories():
    processor = preprocessing.CategoricalProcessor(min_frequency=1)
    expected = [[1, 1, 1], [0, 0, 1], [1, 1, 0], [0, 0, 1], [1, 1, 1]]
    assert _lists(processor.fit_transform(ROWS)) == expected
    assert _lists(processor.transform([["0", 5, "x"], ["q", float("nan"), "y"]])) == [
        [1, 0, 1],
        [0, 0, 0],
    ]


def test_columns_can_share_their_categories():
    processor = preprocessing.CategoricalProcessor(share=True)
    assert _lists(processor.fit_transform(ROWS))[:3] == [[1, 2, 3], [2, 0, 3], [1, 2, 4]]


def test_a_vocabulary_drops_what_is_too_frequent():
    vocabulary = preprocessing.CategoricalVocabulary(support_reverse=False)
    for word in "hello hi hello a a a b".split():
        vocabulary.add(word)
    vocabulary.add("c", 7)
    vocabulary.trim(1, max_frequency=5)
    assert [vocabulary.get(word) for word in ("a", "hello")] == [1, 2]
    assert len(vocabulary) == 3
    assert vocabulary.get("hi") == 3
    vocabulary.freeze()
    assert vocabulary.get("b") == 0
    with pytest.raises(ValueError, match="initialized with support_reverse"):
        vocabulary.reverse(1)
