"""HParams: hyperparameters by name, with types, and their values as text."""

from __future__ import annotations

import json
import numbers
import re
from collections.abc import Callable, Mapping
from typing import Any

from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.graph.collection_protos import register_proto_function
from headwater.protos.lazy import LazyMessage, hparam_pb2

# One assignment: `name=value`, `name[index]=value` or `name=[value,value]`, and the comma after it.
_ASSIGNMENT = re.compile(
    r"(?P<name>[a-zA-Z][\w.]*)(\[\s*(?P<index>\d+)\s*\])?\s*=\s*"
    r"((?P<value>[^,\[]*)|\[(?P<values>[^\]]*)\])($|,\s*)"
)
_BOOLS = {"true": True, "True": True, "false": False, "False": False}
_KINDS = {bool: "bool", int: "int64", str: "bytes", bytes: "bytes", float: "float"}


def _parsed_bool(text: str) -> bool:
    return _BOOLS[text] if text in _BOOLS else bool(int(text))


class _Assignments:
    """The values that the assignments of a text give, by name."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.values: dict[str, Any] = {}

    def add(self, match: re.Match[str], kind: Any) -> None:
        """Adds the values of one assignment, of the given type."""
        name, index = match["name"], match["index"]
        if match["value"] is None:
            if index is not None:
                raise ValueError("Assignment of a list to a list index.")
            self._check_new(name, self.values, name)
            items = [item for item in re.split("[ ,]", match["values"]) if item]
            self.values[name] = [self._parsed(name, kind, i, match["values"]) for i in items]
            return
        value = self._parsed(name, kind, match["value"], match["value"])
        if index is None:
            self._check_new(name, self.values, name)
            self.values[name] = value
            return
        elements = self.values.setdefault(name, {})
        if not isinstance(elements, dict):
            self._check_new(name, self.values, name)
        self._check_new(int(index), elements, f"{name}[{index}]")
        elements[int(index)] = value

    def _check_new(self, key: Any, values: dict[Any, Any], label: str) -> None:
        if key in values:
            raise ValueError(f"Multiple assignments to variable '{label}' in {self._text}")

    def _parsed(self, name: str, kind: Any, item: str, shown: str) -> Any:
        parse: Callable[[str], Any] = _parsed_bool if kind is bool else kind
        try:
            return parse(item)
        except ValueError:
            raise ValueError(
                f"Could not parse hparam '{name}' of type '{kind.__name__}' with value '{shown}' "
                f"in {self._text}"
            ) from None


@export("contrib.training.parse_values")
def parse_values(
    values: str, type_map: Mapping[str, Any], ignore_unknown: bool = False
) -> dict[str, Any]:
    """Parses hyperparameters: "name=value", "name[0]=value" and "name=[value,value]" with commas.

    Args:
        values: the text.
        type_map: {name: type of a value or of the elements of a list}.
        ignore_unknown: whether names that are not in `type_map` are left out.

    Returns:
        {name: value, list of values, or {index: value}}.

    Raises:
        ValueError: if the text cannot be parsed, or a name is unknown or assigned twice.
    """
    assignments = _Assignments(values)
    position = 0
    while position < len(values):
        match = _ASSIGNMENT.match(values, position)
        if match is None:
            raise ValueError(f"Malformed hyperparameter value: {values[position:]}")
        position = match.end()
        if match["name"] in type_map:
            assignments.add(match, type_map[match["name"]])
        elif not ignore_unknown:
            raise ValueError(f"Unknown hyperparameter type for {match['name']}")
    return assignments.values


def _cast(name: str, kind: Any, value: Any) -> Any:
    """The value as the type of a hyperparameter, if nothing is lost by that."""
    if kind is type(None):
        return value
    text_lost = issubclass(kind, (str, bytes)) and not isinstance(value, (str, bytes))
    bool_lost = issubclass(kind, bool) != isinstance(value, bool)
    integral = numbers.Integral if issubclass(kind, numbers.Integral) else numbers.Number
    number_lost = issubclass(kind, numbers.Number) and not isinstance(value, integral)
    if text_lost or bool_lost or number_lost:
        raise ValueError(f"Could not cast hparam '{name}' of type '{kind}' from value {value!r}")
    return kind(value)


@export("contrib.training.HParams")
class HParams:
    """Hyperparameters of a model as attributes; the type of each is that of its first value.

    Args:
        hparam_def: an HParamDef with the hyperparameters, or None.
        model_structure: what `get_model_structure` returns.
        **kwargs: the hyperparameters: a number, string, bool or list of one of them each.

    Raises:
        ValueError: if a name is that of a method, if a list is empty, or if both `hparam_def` and
            values are given.

    Example:
        >>> hparams = tf.contrib.training.HParams(learning_rate=0.1, layers=[64, 32])
        >>> hparams.parse("learning_rate=0.5").learning_rate
        0.5
    """

    _HAS_DYNAMIC_ATTRIBUTES = True

    def __init__(self, hparam_def: Any = None, model_structure: Any = None, **kwargs: Any) -> None:
        self._hparam_types: dict[str, tuple[Any, bool]] = {}
        self._model_structure = model_structure
        if hparam_def:
            self._init_from_proto(hparam_def)
            if kwargs:
                raise ValueError("hparam_def and initialization values are mutually exclusive")
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def _init_from_proto(self, hparam_def: Any) -> None:
        assert hasattr(hparam_def, "DESCRIPTOR") and hparam_def.DESCRIPTOR.name == "HParamDef"
        for name, value in hparam_def.hparam.items():
            kind = value.WhichOneof("kind")
            stored = getattr(value, kind)
            if kind.endswith("_list"):
                self.add_hparam(name, [_from_proto_value(v) for v in stored.value])
            else:
                self.add_hparam(name, _from_proto_value(stored))

    def set_model_structure(self, model_structure: Any) -> None:
        """Sets what `get_model_structure` returns."""
        self._model_structure = model_structure

    def get_model_structure(self) -> Any:
        """Returns what was given as the structure of the model."""
        return self._model_structure

    def add_hparam(self, name: str, value: Any) -> None:
        """Adds a hyperparameter.

        Args:
            name: its name.
            value: its value, which decides its type; a list must not be empty.

        Raises:
            ValueError: if there is such an attribute already, or if a list is empty.
        """
        if getattr(self, name, None) is not None:
            raise ValueError(f"Hyperparameter name is reserved: {name}")
        if isinstance(value, (list, tuple)):
            if not value:
                raise ValueError(f"Multi-valued hyperparameters cannot be empty: {name}")
            self._hparam_types[name] = (type(value[0]), True)
        else:
            self._hparam_types[name] = (type(value), False)
        setattr(self, name, value)

    def set_hparam(self, name: str, value: Any) -> None:
        """Sets a hyperparameter to a value of its type.

        Args:
            name: its name.
            value: a value, or a list for a hyperparameter that is a list.

        Raises:
            KeyError: if there is none of that name.
            ValueError: if the value is of another type, or a list where none is expected.
        """
        kind, is_list = self._hparam_types[name]
        if isinstance(value, list):
            if not is_list:
                raise ValueError(f"Must not pass a list for single-valued parameter: {name}")
            setattr(self, name, [_cast(name, kind, item) for item in value])
            return
        if is_list:
            raise ValueError(f"Must pass a list for multi-valued parameter: {name}.")
        setattr(self, name, _cast(name, kind, value))

    def del_hparam(self, name: str) -> None:
        """Removes a hyperparameter; does nothing if there is none of that name."""
        if hasattr(self, name):
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values: str) -> HParams:
        """Sets hyperparameters to the values of a text, as `parse_values` reads it.

        Args:
            values: such as "name=value,name=[value,value]".

        Returns:
            This object.

        Raises:
            ValueError: if the text cannot be parsed or a value is of another type.
        """
        kinds = {name: kind for name, (kind, _) in self._hparam_types.items()}
        return self.override_from_dict(parse_values(values, kinds))

    def override_from_dict(self, values_dict: Mapping[str, Any]) -> HParams:
        """Sets hyperparameters to the values of a dict.

        Args:
            values_dict: {name: value}.

        Returns:
            This object.

        Raises:
            KeyError: if there is none of a name.
            ValueError: if a value is of another type.
        """
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    @deprecated(None, "Use `override_from_dict`.")
    def set_from_map(self, values_map: Mapping[str, Any]) -> HParams:
        """Older name of `override_from_dict`."""
        return self.override_from_dict(values_dict=values_map)

    def to_json(
        self, indent: int | None = None, separators: Any = None, sort_keys: bool = False
    ) -> str:
        """Returns the hyperparameters as JSON.

        Args:
            indent: as for `json.dumps`, and so are the others.

        Returns:
            A string.
        """
        return json.dumps(self.values(), indent=indent, separators=separators, sort_keys=sort_keys)

    def parse_json(self, values_json: str) -> HParams:
        """Sets hyperparameters to the values of a JSON object.

        Args:
            values_json: the object as text.

        Returns:
            This object.

        Raises:
            KeyError: if there is none of a name.
            ValueError: if a value is of another type.
        """
        return self.override_from_dict(json.loads(values_json))

    def values(self) -> dict[str, Any]:
        """Returns {name: value}."""
        return {name: getattr(self, name) for name in self._hparam_types}

    def get(self, key: str, default: Any = None) -> Any:
        """Returns a hyperparameter, or a default.

        Args:
            key: its name.
            default: what is returned if there is none; of its type if there is one.

        Returns:
            The value.

        Raises:
            ValueError: if `default` is of another type.
        """
        if key not in self._hparam_types:
            return default
        if default is not None:
            self._check_default(key, default)
        return getattr(self, key)

    def _check_default(self, key: str, default: Any) -> None:
        kind, is_list = self._hparam_types[key]
        shown = f"list<{kind}>" if is_list else str(kind)
        message = f"Hparam '{key}' of type '{shown}' is incompatible with default={default}"
        if is_list != isinstance(default, list):
            raise ValueError(message)
        try:
            for value in default if is_list else [default]:
                _cast(key, kind, value)
        except ValueError as error:
            raise ValueError(f"{message}. {error}") from error

    def __contains__(self, key: str) -> bool:
        return key in self._hparam_types

    def __str__(self) -> str:
        return ",".join(f"{name}={value}" for name, value in self.values().items())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({sorted(self.values().items())})"

    @staticmethod
    def _get_kind_name(param_type: Any, is_list: bool) -> str:
        if param_type not in _KINDS:
            raise ValueError(f"Unsupported parameter type: {param_type}")
        return f"{_KINDS[param_type]}_{'list' if is_list else 'value'}"

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Returns the hyperparameters as an HParamDef.

        Args:
            export_scope: has no effect.

        Returns:
            An HParamDef.

        Raises:
            ValueError: if a value is neither number, string, bool nor a list of them.
        """
        proto = hparam_pb2.HParamDef()
        for name, (kind, is_list) in self._hparam_types.items():
            field = self._get_kind_name(kind, is_list)
            value = getattr(self, name)
            if is_list:
                items = [_to_proto_value(field, item) for item in value]
                getattr(proto.hparam[name], field).value.extend(items)
            else:
                setattr(proto.hparam[name], field, _to_proto_value(field, value))
        return proto

    @staticmethod
    def from_proto(hparam_def: Any, import_scope: str | None = None) -> HParams:
        """Makes the object of an HParamDef.

        Args:
            hparam_def: the HParamDef.
            import_scope: has no effect.

        Returns:
            An HParams.
        """
        return HParams(hparam_def=hparam_def)


def _to_proto_value(field: str, value: Any) -> Any:
    return value.encode() if field.startswith("bytes") and isinstance(value, str) else value


def _from_proto_value(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value


register_proto_function(
    "hparams",
    proto_type=LazyMessage(hparam_pb2, "HParamDef"),
    to_proto=HParams.to_proto,
    from_proto=HParams.from_proto,
)
