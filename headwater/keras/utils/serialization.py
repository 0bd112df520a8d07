"""Objects by name: custom objects, and configurations of objects."""

from __future__ import annotations

from typing import Any

from headwater.base.export import export

_custom_objects: dict[str, Any] = {}


@export("keras.utils.CustomObjectScope")
class CustomObjectScope:
    """A context in which names in configurations stand for a program's own objects.

    Args:
        *args: dicts {name: class or function}.
    """

    def __init__(self, *args: dict[str, Any]) -> None:
        self.custom_objects = args
        self.backup: dict[str, Any] = {}

    def __enter__(self) -> CustomObjectScope:
        self.backup = dict(_custom_objects)
        for objects in self.custom_objects:
            _custom_objects.update(objects)
        return self

    def __exit__(self, *exc: Any) -> None:
        _custom_objects.clear()
        _custom_objects.update(self.backup)


@export("keras.utils.custom_object_scope")
def custom_object_scope(*args: dict[str, Any]) -> CustomObjectScope:
    """Returns a context in which names stand for a program's own objects.

    Args:
        *args: dicts {name: class or function}.

    Returns:
        A context manager.
    """
    return CustomObjectScope(*args)


@export("keras.utils.get_custom_objects")
def get_custom_objects() -> dict[str, Any]:
    """Returns the dict of a program's own objects; names may be added to it."""
    return _custom_objects


@export("keras.utils.serialize_keras_object")
def serialize_keras_object(instance: Any) -> Any:
    """The configuration of an object, or the name of a function.

    Args:
        instance: an object with `get_config`, or a function.

    Returns:
        {"class_name": ..., "config": ...} or a string; None for None.

    Raises:
        ValueError: if it is neither.
    """
    if instance is None:
        return None
    if hasattr(instance, "get_config"):
        return {"class_name": type(instance).__name__, "config": instance.get_config()}
    if hasattr(instance, "__name__"):
        return instance.__name__
    raise ValueError("Cannot serialize", instance)


def _is_configuration(config: Any) -> bool:
    return isinstance(config, dict) and "class_name" in config and "config" in config


def class_and_config_for_serialized_keras_object(
    config: Any,
    module_objects: dict[str, Any] | None = None,
    custom_objects: dict[str, Any] | None = None,
    printable_module_name: str = "object",
) -> tuple[Any, dict[str, Any]]:
    """The class that a configuration names, and the arguments of its constructor.

    Raises:
        ValueError: if it is not a configuration, or the class is unknown.
    """
    if not _is_configuration(config):
        raise ValueError(f"Improper config format: {config}")
    name = config["class_name"]
    found = _lookup(name, module_objects, custom_objects)
    if found is None:
        raise ValueError(f"Unknown {printable_module_name}: {name}")
    # A `from_config` makes what the configuration contains, and may take it out of the dict.
    return found, dict(config["config"])


def _lookup(
    name: str, module_objects: dict[str, Any] | None, custom_objects: dict[str, Any] | None
) -> Any:
    for objects in (custom_objects, _custom_objects, module_objects):
        if objects and name in objects:
            return objects[name]
    return None


@export("keras.utils.deserialize_keras_object")
def deserialize_keras_object(
    identifier: Any,
    module_objects: dict[str, Any] | None = None,
    custom_objects: dict[str, Any] | None = None,
    printable_module_name: str = "object",
) -> Any:
    """Makes an object of its configuration, or finds one by its name.

    Args:
        identifier: a configuration, a name, or a function.
        module_objects: {name: class or function} of the library.
        custom_objects: {name: class or function} of the program.
        printable_module_name: the kind of the object, for error messages.

    Returns:
        An object; for the name of a class, a new one without arguments; for None, None.

    Raises:
        ValueError: if the name is unknown or it is none of these.
    """
    if identifier is None:
        return None
    if isinstance(identifier, dict):
        cls, config = class_and_config_for_serialized_keras_object(
            identifier, module_objects, custom_objects, printable_module_name
        )
        if not hasattr(cls, "from_config"):
            with CustomObjectScope(custom_objects or {}):
                return cls(**config)
        code = getattr(cls.from_config, "__code__", None)
        if code is not None and "custom_objects" in code.co_varnames[: code.co_argcount]:
            known = {**_custom_objects, **(custom_objects or {})}
            return cls.from_config(config, custom_objects=known)
        with CustomObjectScope(custom_objects or {}):
            return cls.from_config(config)
    if isinstance(identifier, str):
        found = _lookup(identifier, module_objects, custom_objects)
        if found is None:
            raise ValueError(f"Unknown {printable_module_name}:{identifier}")
        return found() if isinstance(found, type) else found
    if callable(identifier) and hasattr(identifier, "__name__"):
        return identifier
    raise ValueError("Could not interpret serialized " + printable_module_name, identifier)
