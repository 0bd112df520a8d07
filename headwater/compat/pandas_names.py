"""What pandas has dropped and programs of the time use: names, and ways of calling."""

from __future__ import annotations

import datetime
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from headwater.compat.old_names import ChangeOfFunction, Find, OldNames, Undo, constant, same


class _Ix:
    """`frame.ix[rows, columns]`: labels, or positions where the labels are no integers.

    Args:
        owner: the frame or the series.
    """

    def __init__(self, owner: Any) -> None:
        self._owner = owner

    def _places(self, key: Any) -> tuple[Any, ...]:
        keys = key if isinstance(key, tuple) else (key,)
        return tuple(_position(i, k) for i, k in zip(self._owner.axes, keys, strict=False))

    def __getitem__(self, key: Any) -> Any:
        return self._owner.iloc[self._places(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        try:
            places = self._places(key)
        except KeyError:
            # A new row or column.
            self._owner.loc[key] = value
        else:
            self._owner.iloc[places] = value


def _is_integer(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _position(index: Any, key: Any) -> Any:
    """The positions along an index that a key of `ix` means."""
    labels_are_integers = index.dtype.kind in "iu"
    if isinstance(key, slice):
        ends = [end for end in (key.start, key.stop) if end is not None]
        if not labels_are_integers and all(map(_is_integer, ends)):
            return key
        return index.slice_indexer(key.start, key.stop, key.step)
    if np.ndim(key) == 0:
        if _is_integer(key) and not labels_are_integers:
            return key
        return index.get_loc(key)
    keys = np.asarray(key)
    if keys.dtype.kind == "b" or (keys.dtype.kind in "iu" and not labels_are_integers):
        return keys
    places = index.get_indexer(list(key))
    if (places < 0).any():
        raise KeyError(key)
    return places


def _append_rows(module: ModuleType) -> Any:
    def append(
        self: Any,
        other: Any,
        ignore_index: bool = False,
        verify_integrity: bool = False,
        sort: bool = False,
    ) -> Any:
        """The rows of this frame and then others, in a new frame."""
        others = other if isinstance(other, (list, tuple)) else [other]
        frames = [o if isinstance(o, module.DataFrame) else _row(module, o) for o in others]
        return module.concat(
            [self, *frames],
            ignore_index=ignore_index,
            verify_integrity=verify_integrity,
            sort=sort,
        )

    return append


def _row(module: ModuleType, values: Any) -> Any:
    series = values if isinstance(values, module.Series) else module.Series(values)
    row = series.to_frame().T.infer_objects()
    return row


def _append_values(module: ModuleType) -> Any:
    def append(
        self: Any, to_append: Any, ignore_index: bool = False, verify_integrity: bool = False
    ) -> Any:
        """The values of this series and then others, in a new series."""
        others = to_append if isinstance(to_append, (list, tuple)) else [to_append]
        return module.concat(
            [self, *others], ignore_index=ignore_index, verify_integrity=verify_integrity
        )

    return append


def _as_matrix(self: Any, columns: Any = None) -> np.ndarray:
    """The values, of all columns or of some."""
    return (self if columns is None else self[columns]).to_numpy()


def _mean_deviation(self: Any, axis: Any = 0) -> Any:
    """The mean distance from the mean."""
    if self.ndim == 1:
        return (self - self.mean()).abs().mean()
    center = self.mean(axis=axis)
    return self.sub(center, axis=1 if axis in (0, "index") else 0).abs().mean(axis=axis)


def _from_items(module: ModuleType) -> Any:
    return classmethod(lambda cls, items: cls(dict(items)))


def _rolling(kind: str) -> Find:
    def find(module: ModuleType) -> Any:
        def statistic(arg: Any, window: int, min_periods: Any = None, center: bool = False) -> Any:
            rolled = arg.rolling(window, min_periods=min_periods, center=center)
            return getattr(rolled, kind)()

        return statistic

    return find


_BOTH: dict[str, Find] = {
    "as_matrix": constant(_as_matrix),
    "get_values": constant(_as_matrix),
    "ix": constant(property(_Ix)),
    "mad": constant(_mean_deviation),
}
_FRAME: dict[str, Find] = {
    **_BOTH,
    "append": _append_rows,
    "applymap": same("DataFrame", "map"),
    "from_items": _from_items,
    "get_value": constant(lambda self, index, col: self.at[index, col]),
    "iteritems": same("DataFrame", "items"),
    "sort": same("DataFrame", "sort_values"),
}
_SERIES: dict[str, Find] = {
    **_BOTH,
    "append": _append_values,
    "get_value": constant(lambda self, label: self.at[label]),
    "iteritems": same("Series", "items"),
    "order": same("Series", "sort_values"),
    "ravel": constant(lambda self, order="C": self.to_numpy().ravel(order)),
}


def _counts(module: ModuleType) -> Any:
    return lambda values, **kwargs: module.Series(values).value_counts(**kwargs)


def _filled(arguments: dict[str, Any]) -> dict[str, Any]:
    if arguments.pop("delim_whitespace", False):
        arguments["sep"] = r"\s+"
    if arguments.pop("error_bad_lines", True) is False:
        arguments["on_bad_lines"] = "skip"
    for gone in ("warn_bad_lines", "infer_datetime_format", "verbose", "mangle_dupe_cols"):
        arguments.pop(gone, None)
    return arguments


def _reader(read: Callable[..., Any]) -> Callable[..., Any]:
    """Reads tables with the arguments of older releases as well."""

    def call(path: Any, *args: Any, squeeze: bool = False, **kwargs: Any) -> Any:
        if args:
            kwargs["sep"] = args[0]
        table = read(path, *args[1:], **_filled(kwargs))
        return table.squeeze("columns") if squeeze else table

    return call


def _with_positions(*names: str) -> ChangeOfFunction:
    """Lets a function take by position, after the first arguments, what it takes by name."""

    def change(function: Callable[..., Any]) -> Callable[..., Any]:
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        parameters = inspect.signature(function).parameters.values()
        count = sum(parameter.kind in kinds for parameter in parameters)

        def call(*args: Any, **kwargs: Any) -> Any:
            return function(*args[:count], **dict(zip(names, args[count:], strict=False)), **kwargs)

        return call

    return change


def _fill(fillna: Callable[..., Any]) -> Callable[..., Any]:
    """Fills gaps with the neighbouring values as well."""

    def call(self: Any, value: Any = None, method: str | None = None, **kwargs: Any) -> Any:
        if method is None:
            return fillna(self, value, **kwargs)
        return (self.ffill if method in ("ffill", "pad") else self.bfill)(**kwargs)

    return call


def _strings_as_objects(module: ModuleType) -> Undo:
    """Makes columns of text arrays of Python's strings, as they were up to release 2."""
    name = "future.infer_string"
    try:
        before = module.get_option(name)
    except (AttributeError, KeyError):  # a release without the option, which has no other type
        return lambda: None
    module.set_option(name, False)
    return lambda: module.set_option(name, before)


_NAMES: dict[str, Find] = {
    "Float64Index": same("Index"),
    "Int64Index": same("Index"),
    "UInt64Index": same("Index"),
    "datetime": constant(datetime.datetime),
    "np": constant(np),
    "value_counts": _counts,
    **{f"rolling_{kind}": _rolling(kind) for kind in ("mean", "std", "sum", "max", "min")},
    **{f"DataFrame.{name}": find for name, find in _FRAME.items()},
    **{f"Series.{name}": find for name, find in _SERIES.items()},
}
_CHANGES: dict[str, ChangeOfFunction] = {
    "read_csv": _reader,
    "read_table": _reader,
    "concat": _with_positions("axis", "join"),
    "DataFrame.drop": _with_positions("axis"),
    "DataFrame.dropna": _with_positions("axis", "how"),
    "DataFrame.pivot": _with_positions("index", "columns", "values"),
    "DataFrame.fillna": _fill,
    "Series.fillna": _fill,
}
_names = OldNames(
    {"pandas": _NAMES}, changes={"pandas": _CHANGES}, effects={"pandas": _strings_as_objects}
)
add = _names.add
remove = _names.remove
