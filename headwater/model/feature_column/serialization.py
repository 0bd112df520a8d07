"""Configurations of feature columns: dictionaries of plain values, and columns made from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from headwater.base.dtypes import DType, as_dtype
from headwater.model.feature_column import (
    categorical,
    combined,
    embedding,
    indicator,
    numeric,
    sequence_categorical,
    vocabulary,
)
from headwater.model.feature_column.base import BothEras
from headwater.model.layers.resolvers import resolver

# The modules of columns, which have to be imported; that of sequences comes with its layer.
_MODULES = (categorical, combined, embedding, indicator, numeric, sequence_categorical, vocabulary)


def _classes(base: type = BothEras) -> dict[str, Any]:
    """{name: class} of the columns that have a configuration."""
    found: dict[str, Any] = {}
    cls: Any
    for cls in base.__subclasses__():
        if hasattr(cls, "_fields"):
            found[cls.__name__] = cls
        found.update(_classes(cls))
    return found


def serialize_feature_column(fc: Any) -> Any:
    """Returns the configuration of a column.

    Args:
        fc: the column, or the name of a feature.

    Returns:
        {"class_name": ..., "config": {argument: value}}; a name as it is.

    Raises:
        ValueError: if it is no column, or one that has no configuration.
    """
    if isinstance(fc, str):
        return fc
    if type(fc) not in _classes().values():
        raise ValueError(f"Instance: {fc} is not a FeatureColumn")
    config = {name: _plain(getattr(fc, name)) for name in fc._fields}
    return {"class_name": type(fc).__name__, "config": config}


def _plain(value: Any) -> Any:
    if isinstance(value, BothEras):
        return serialize_feature_column(value)
    if isinstance(value, tuple):
        return tuple(_plain(item) for item in value)
    if isinstance(value, DType):
        return value.name
    if hasattr(value, "get_config"):
        return {"class_name": type(value).__name__, "config": value.get_config()}
    return getattr(value, "__name__", value) if callable(value) else value


def serialize_feature_columns(feature_columns: Iterable[Any]) -> list[Any]:
    """Returns the configurations of columns; see `serialize_feature_column`."""
    return [serialize_feature_column(column) for column in feature_columns]


def deserialize_feature_column(
    config: Any,
    custom_objects: Mapping[str, Any] | None = None,
    columns_by_name: dict[str, Any] | None = None,
) -> Any:
    """Makes the column of a configuration.

    Args:
        config: what `serialize_feature_column` has returned.
        custom_objects: {name: function} of normalizers.
        columns_by_name: {name: column}: those that have been made, which are used again.

    Returns:
        The column; a name as it is.

    Raises:
        ValueError: if the class or a normalizer is not known.
    """
    if isinstance(config, str):
        return config
    cls = _classes().get(config["class_name"])
    if cls is None:
        raise ValueError(f"Unknown feature_column_v2: {config['class_name']}")
    made = {} if columns_by_name is None else columns_by_name
    arguments: dict[str, Any] = {}
    for name, value in config["config"].items():
        if name == "normalizer_fn":
            arguments[name] = _function(value, custom_objects)
        elif name == "dtype":
            arguments[name] = as_dtype(value)
        elif name == "initializer":
            arguments[name] = resolver("initializers")(value)
        else:
            arguments[name] = _made(value, custom_objects, made)
    column = cls(**arguments)
    return made.setdefault(column.name, column)


def _made(value: Any, custom_objects: Mapping[str, Any] | None, made: dict[str, Any]) -> Any:
    if isinstance(value, Mapping):
        return deserialize_feature_column(value, custom_objects, made)
    if isinstance(value, (list, tuple)):
        return tuple(_made(item, custom_objects, made) for item in value)
    return value


def _function(name: Any, custom_objects: Mapping[str, Any] | None) -> Callable[..., Any] | None:
    if name is None or callable(name):
        return name
    if name not in (custom_objects or {}):
        raise ValueError(f"Unknown normalizer_fn: {name}")
    function: Callable[..., Any] = (custom_objects or {})[name]
    return function


def deserialize_feature_columns(
    configs: Iterable[Any], custom_objects: Mapping[str, Any] | None = None
) -> list[Any]:
    """Makes the columns of configurations; those that are equal are made once.

    Args:
        configs: what `serialize_feature_columns` has returned.
        custom_objects: {name: function} of normalizers.

    Returns:
        A list of columns.
    """
    made: dict[str, Any] = {}
    return [deserialize_feature_column(config, custom_objects, made) for config in configs]
