"""The interface of feature columns of the first era."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from headwater.base.export import export
from headwater.graph import Tensor

T = TypeVar("T")


def export_column(name: str) -> Callable[[T], T]:
    """A decorator for what `tf.contrib.layers` and `layers.feature_column` both show.

    Args:
        name: the name in these modules.

    Returns:
        The decorator.
    """
    return export(
        f"contrib.layers.{name}",
        f"contrib.slim.{name}",
        f"contrib.layers.feature_column.{name}",
        f"contrib.layers.fc.{name}",
        f"contrib.slim.feature_column.{name}",
        f"contrib.slim.fc.{name}",
    )


class _LinearEmbeddingLookupArguments(NamedTuple):
    """What the weights of a column in a linear model are looked up with."""

    input_tensor: Any
    weight_tensor: Any
    vocab_size: int
    initializer: Any
    combiner: str


class _DeepEmbeddingLookupArguments(NamedTuple):
    """What the vectors of a column are looked up with."""

    input_tensor: Any
    weight_tensor: Any
    vocab_size: int
    initializer: Any
    combiner: str
    dimension: int
    shared_embedding_name: str | None
    hash_key: int | None
    max_norm: float | None
    trainable: bool


class _FeatureColumn:
    """A column of the first era.

    Columns transform features in a dict that holds raw features by name and transformed ones by
    column.
    """

    @property
    def name(self) -> str:
        """The name, part of the names of variables."""
        raise NotImplementedError

    @property
    def config(self) -> dict[str, Any]:
        """The features that `tf.parse_example` has to read."""
        raise NotImplementedError

    @property
    def key(self) -> Any:
        """What columns are compared and sorted by."""
        raise NotImplementedError

    def insert_transformed_feature(self, columns_to_tensors: dict[Any, Any]) -> None:
        """Adds what the column makes of the features to a dict of them.

        Args:
            columns_to_tensors: {name or column: tensor}.

        Raises:
            NotImplementedError: if the column cannot.
        """
        raise NotImplementedError(f"Transform is not implemented for {self}.")

    def _to_dnn_input_layer(
        self,
        input_tensor: Any,
        weight_collection: Sequence[str] | None = None,
        trainable: bool = True,
        output_rank: int = 2,
    ) -> Tensor:
        raise ValueError("Calling an abstract method.")

    def _deep_embedding_lookup_arguments(self, input_tensor: Any) -> _DeepEmbeddingLookupArguments:
        raise NotImplementedError(f"No deep embedding lookup arguments for column {self}.")

    def _wide_embedding_lookup_arguments(
        self, input_tensor: Any
    ) -> _LinearEmbeddingLookupArguments:
        raise NotImplementedError(f"No wide embedding lookup arguments for column {self}.")

    def _to_dense_tensor(self, input_tensor: Any) -> Tensor:
        raise NotImplementedError(f"No dense tensor representation for column {self}.")

    def _checkpoint_path(self) -> tuple[str, str] | None:
        """The checkpoint that the variables start from, and the name in it."""
        return None

    def _key_without_properties(self, properties: Sequence[str]) -> str:
        fields = self._asdict()  # type: ignore[attr-defined]
        shown = ", ".join(f"{k}={v}" for k, v in fields.items() if k not in properties)
        return f"{type(self).__name__}({shown})"


class TransformedByInputs(_FeatureColumn):
    """A column that both interfaces transform in the same way."""

    def _transform_feature(self, inputs: Any) -> Any:
        raise NotImplementedError

    @property
    def _parse_example_spec(self) -> dict[str, Any]:
        return self.config

    def insert_transformed_feature(self, columns_to_tensors: dict[Any, Any]) -> None:
        """Adds what the column makes of the features to a dict of them.

        Args:
            columns_to_tensors: {name or column: tensor}.
        """
        inputs = _LazyBuilderByColumnsToTensor(columns_to_tensors)
        columns_to_tensors[self] = self._transform_feature(inputs)


class _LazyBuilderByColumnsToTensor:
    """A dict of features as columns see it: columns are transformed at their first use.

    Args:
        columns_to_tensors: {name or column: tensor}.
    """

    def __init__(self, columns_to_tensors: dict[Any, Any]) -> None:
        self._columns_to_tensors = columns_to_tensors

    def get(self, key: Any) -> Any:
        """A raw feature of at least two dimensions, or a transformed column.

        Args:
            key: the name of a feature, or a column.

        Returns:
            A tensor or SparseTensor, or what a column makes of it.

        Raises:
            KeyError: if there is no such feature.
            TypeError: if `key` is neither a text nor a column.
        """
        if key not in self._columns_to_tensors:
            if isinstance(key, str):
                raise KeyError(f"features dictionary doesn't contain key ({key})")
            if not isinstance(key, _FeatureColumn):
                raise TypeError(
                    f'"key" must be either a "str" or "_FeatureColumn". Provided: {key}'
                )
            key.insert_transformed_feature(self._columns_to_tensors)
        return self._columns_to_tensors[key]


def features_of(columns_to_tensors: Mapping[Any, Any]) -> list[Any]:
    """The tensors of features, for the scopes of functions.

    Args:
        columns_to_tensors: {name or column: tensor}.

    Returns:
        A list of tensors.
    """
    return list(columns_to_tensors.values())
