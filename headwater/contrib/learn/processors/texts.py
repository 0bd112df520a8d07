"""Texts as numbers: ByteProcessor, VocabularyProcessor."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.base.signatures import signature
from headwater.base.typing import Array
from headwater.contrib.learn.processors import old_pickles
from headwater.contrib.learn.processors.categories import CategoricalVocabulary
from headwater.io.file_object import GFile

# Acronyms, the words of a name in camel case, words with apostrophes and hyphens.
_TOKEN = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z][a-z]+(?=[A-Z])|['\w\-]+", re.UNICODE)


@export("contrib.learn.preprocessing.tokenizer", "contrib.learn.preprocessing.text.tokenizer")
def tokenizer(iterator: Iterable[str]) -> Iterator[list[str]]:
    """Splits texts into words.

    Args:
        iterator: texts.

    Yields:
        The words of a text.

    Example:
        >>> list(tf.contrib.learn.preprocessing.tokenizer(["It's aTensorFlow text."]))
        [["It's", 'aTensorFlow', 'text']]
    """
    for value in iterator:
        yield _TOKEN.findall(value)


@export(
    "contrib.learn.preprocessing.ByteProcessor", "contrib.learn.preprocessing.text.ByteProcessor"
)
class ByteProcessor:
    """Maps documents to the bytes of their UTF-8.

    Args:
        max_document_length: the number of bytes; longer documents are cut, shorter ones filled up
            with zeros.
    """

    @signature("*args, **kwargs")
    def __init__(self, max_document_length: int) -> None:
        self.max_document_length = max_document_length

    def fit(self, x: Any) -> ByteProcessor:
        """Does nothing: there is nothing to learn.

        Args:
            x: documents.

        Returns:
            This processor.
        """
        return self

    def fit_transform(self, x: Iterable[str | bytes]) -> Iterator[Array]:
        """The bytes of documents.

        Args:
            x: documents.

        Returns:
            What `transform` returns.
        """
        return self.transform(x)

    def reverse(self, x: Iterable[Array]) -> Iterator[str]:
        """The documents of bytes.

        Args:
            x: vectors that `transform` has yielded.

        Yields:
            A document; "" if the bytes are not UTF-8.
        """
        for data in x:
            document = np.trim_zeros(np.asarray(data).astype(np.uint8), trim="b").tobytes()
            try:
                yield document.decode("utf-8")
            except UnicodeDecodeError:
                yield ""

    def transform(self, x: Iterable[str | bytes]) -> Iterator[Array]:
        """The bytes of documents.

        Args:
            x: documents.

        Yields:
            A uint8 vector ``[max_document_length]``.
        """
        for document in x:
            text = document.encode("utf-8") if isinstance(document, str) else document
            found = np.frombuffer(text[: self.max_document_length], dtype=np.uint8)
            yield np.pad(found, (0, self.max_document_length - len(found)))


@export(
    "contrib.learn.preprocessing.VocabularyProcessor",
    "contrib.learn.preprocessing.text.VocabularyProcessor",
)
class VocabularyProcessor:
    """Maps documents to the numbers of their words.

    Args:
        max_document_length: the number of words; longer documents are cut, shorter ones filled up
            with zeros.
        min_frequency: words that were seen so often or more rarely are unknown; 0 for none.
        vocabulary: the words; None for a vocabulary that `fit` fills.
        tokenizer_fn: a function from texts to lists of words; `tokenizer` if None.

    Attributes:
        vocabulary_: the words.

    Example:
        >>> processor = tf.contrib.learn.preprocessing.VocabularyProcessor(3)
        >>> [row.tolist() for row in processor.fit_transform(["to be or not", "not be"])]
        [[1, 2, 3], [4, 2, 0]]
    """

    def __init__(
        self,
        max_document_length: int,
        min_frequency: int = 0,
        vocabulary: CategoricalVocabulary | None = None,
        tokenizer_fn: Callable[[Iterable[str]], Iterable[Any]] | None = None,
    ) -> None:
        self.max_document_length = max_document_length
        self.min_frequency = min_frequency
        self.vocabulary_ = vocabulary or CategoricalVocabulary()
        self._tokenizer = tokenizer_fn or tokenizer

    def fit(self, raw_documents: Iterable[str], unused_y: Any = None) -> VocabularyProcessor:
        """Learns the words of documents.

        Args:
            raw_documents: texts.
            unused_y: for the interface of scikit-learn.

        Returns:
            This processor.
        """
        for tokens in self._tokenizer(raw_documents):
            for token in tokens:
                self.vocabulary_.add(token)
        if self.min_frequency > 0:
            self.vocabulary_.trim(self.min_frequency)
        self.vocabulary_.freeze()
        return self

    def fit_transform(self, raw_documents: Iterable[str], unused_y: Any = None) -> Iterator[Array]:
        """Learns the words of documents and returns their numbers.

        Args:
            raw_documents: texts; they are iterated twice.
            unused_y: for the interface of scikit-learn.

        Returns:
            What `transform` returns.
        """
        self.fit(raw_documents)
        return self.transform(raw_documents)

    def transform(self, raw_documents: Iterable[str]) -> Iterator[Array]:
        """The numbers of the words of documents.

        Args:
            raw_documents: texts.

        Yields:
            An int64 vector ``[max_document_length]``; 0 for unknown words.
        """
        for tokens in self._tokenizer(raw_documents):
            numbers = np.zeros(self.max_document_length, np.int64)
            for i, token in zip(range(self.max_document_length), tokens):
                numbers[i] = self.vocabulary_.get(token)
            yield numbers

    def reverse(self, documents: Iterable[Iterable[int]]) -> Iterator[str]:
        """The documents of numbers.

        Args:
            documents: vectors that `transform` has yielded.

        Yields:
            The words, with spaces between them.
        """
        for numbers in documents:
            yield " ".join(self.vocabulary_.reverse(number) for number in numbers)

    def save(self, filename: Any) -> None:
        """Writes the processor to a file that TensorFlow can read too.

        Args:
            filename: a path or a URL.
        """
        with GFile(filename, "wb") as file:
            file.write(old_pickles.dumps(self))

    @classmethod
    def restore(cls, filename: Any) -> VocabularyProcessor:
        """Reads a processor from a file of `save`, here or in TensorFlow.

        Args:
            filename: a path or a URL. Pickled data can run code: read only files that you trust.

        Returns:
            A processor.
        """
        with GFile(filename, "rb") as file:
            result: VocabularyProcessor = old_pickles.loads(file.read())
            return result
