"""Categories as numbers: CategoricalVocabulary, CategoricalProcessor."""

from __future__ import annotations

import collections
import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from headwater.base.export import export
from headwater.base.typing import Array
from headwater.contrib.learn.learn_io.data_feeder import setup_processor_data_feeder


@export(
    "contrib.learn.preprocessing.CategoricalVocabulary",
    "contrib.learn.preprocessing.categorical_vocabulary.CategoricalVocabulary",
)
class CategoricalVocabulary:
    """Numbers categories in the order in which they are seen; 0 is an unknown one.

    Args:
        unknown_token: what 0 is shown as.
        support_reverse: whether categories can be found by their numbers.

    Example:
        >>> words = tf.contrib.learn.preprocessing.CategoricalVocabulary()
        >>> words.get("a"), words.get("b"), words.freeze(), words.get("c"), words.reverse(2)
        (1, 2, None, 0, 'b')
    """

    # The names of the attributes are those of TensorFlow's pickles.
    def __init__(self, unknown_token: Any = "<UNK>", support_reverse: bool = True) -> None:
        self._unknown_token = unknown_token
        self._mapping: dict[Any, int] = {unknown_token: 0}
        self._support_reverse = support_reverse
        if support_reverse:
            self._reverse_mapping = [unknown_token]
        self._freq: dict[Any, int] = collections.defaultdict(int)
        self._freeze = False

    def __len__(self) -> int:
        """The number of categories, the unknown one included."""
        return len(self._mapping)

    def freeze(self, freeze: bool = True) -> None:
        """Stops numbering new categories: they are unknown from now on.

        Args:
            freeze: False to go on with it.
        """
        self._freeze = freeze

    def get(self, category: Any) -> int:
        """Returns the number of a category, a new one unless the vocabulary is frozen.

        Args:
            category: a hashable value.

        Returns:
            A positive int, 0 for an unknown category.
        """
        number = self._mapping.get(category)
        if number is not None:
            return number
        return 0 if self._freeze else self._append(category)

    def _append(self, category: Any) -> int:
        number = self._mapping[category] = len(self._mapping)
        if self._support_reverse:
            self._reverse_mapping.append(category)
        return number

    def add(self, category: Any, count: int = 1) -> None:
        """Counts a category.

        Args:
            category: a hashable value; a new one is numbered unless the vocabulary is frozen.
            count: how often it has been seen.
        """
        if self.get(category) > 0:
            self._freq[category] += count

    def trim(self, min_frequency: int, max_frequency: int = -1) -> None:
        """Drops rare and frequent categories, and numbers the others from the most frequent one on.

        Args:
            min_frequency: categories that were seen so often or more rarely are dropped.
            max_frequency: categories that were seen so often or more often are dropped; not
                positive for none.
        """
        # Among equals, strings come last and in order.
        by_name = sorted(self._freq.items(), key=lambda item: (isinstance(item[0], str), item[0]))
        kept = [
            (category, count)
            for category, count in sorted(by_name, key=lambda item: -item[1])
            if count > min_frequency and not 0 < max_frequency <= count
        ]
        self._mapping = {self._unknown_token: 0}
        if self._support_reverse:
            self._reverse_mapping = [self._unknown_token]
        self._freq = dict(kept)
        for category in self._freq:
            self._append(category)

    def reverse(self, class_id: int) -> Any:
        """Returns the category of a number.

        Args:
            class_id: a number that `get` has returned.

        Returns:
            The category.

        Raises:
            ValueError: if the vocabulary was made without `support_reverse`.
        """
        if not self._support_reverse:
            raise ValueError(
                "This vocabulary wasn't initialized with support_reverse to support reverse() "
                "function."
            )
        return self._reverse_mapping[class_id]


def _is_missing(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


@export(
    "contrib.learn.preprocessing.CategoricalProcessor",
    "contrib.learn.preprocessing.categorical.CategoricalProcessor",
)
class CategoricalProcessor:
    """Numbers the categories in the columns of a table.

    Args:
        min_frequency: categories that were seen so often or more rarely are unknown; 0 for none.
        share: whether all columns have one vocabulary.
        vocabularies: a vocabulary for each column; None to make them.

    Attributes:
        vocabularies_: the vocabulary of each column.
    """

    def __init__(
        self,
        min_frequency: int = 0,
        share: bool = False,
        vocabularies: list[CategoricalVocabulary] | None = None,
    ) -> None:
        self.min_frequency = min_frequency
        self.share = share
        self.vocabularies_ = vocabularies

    def freeze(self, freeze: bool = True) -> None:
        """Stops numbering new categories.

        Args:
            freeze: False to go on with it.
        """
        for vocabulary in self.vocabularies_ or ():
            vocabulary.freeze(freeze)

    def fit(self, x: Iterable[Any], unused_y: Any = None) -> CategoricalProcessor:
        """Numbers the categories of a table.

        Args:
            x: rows, or a DataFrame; NaN is an unknown category.
            unused_y: for the interface of scikit-learn.

        Returns:
            This processor.
        """
        for row in setup_processor_data_feeder(x):
            if self.vocabularies_ is None:
                shared = CategoricalVocabulary()
                self.vocabularies_ = [
                    shared if self.share else CategoricalVocabulary() for _ in row
                ]
            for vocabulary, value in zip(self.vocabularies_, row):
                if not _is_missing(value):
                    vocabulary.add(value)
        if self.min_frequency > 0:
            for vocabulary in self.vocabularies_ or ():
                vocabulary.trim(self.min_frequency)
        self.freeze()
        return self

    def fit_transform(self, x: Iterable[Any], unused_y: Any = None) -> Iterator[Array]:
        """Numbers the categories of a table and returns the numbers.

        Args:
            x: rows, or a DataFrame; they are iterated twice.
            unused_y: for the interface of scikit-learn.

        Returns:
            What `transform` returns.
        """
        self.fit(x)
        return self.transform(x)

    def transform(self, x: Iterable[Any]) -> Iterator[Array]:
        """The numbers of the categories of rows.

        Args:
            x: rows, or a DataFrame.

        Yields:
            An int64 vector for each row; 0 for unknown categories.
        """
        self.freeze()
        for row in setup_processor_data_feeder(x):
            yield np.array(
                [
                    0 if _is_missing(value) else vocabulary.get(value)
                    for vocabulary, value in zip(self.vocabularies_ or (), row)
                ],
                dtype=np.int64,
            )
