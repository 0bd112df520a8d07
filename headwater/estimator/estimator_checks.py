"""Checks of the arguments of an Estimator and of its methods."""

from __future__ import annotations

import copy
import tempfile
from collections.abc import Sequence
from typing import Any

from headwater.base import logging
from headwater.base.compat_strings import path_to_str
from headwater.estimator.run_config import RunConfig, default_session_config
from headwater.train.hooks.checkpoint_saver import CheckpointSaverListener
from headwater.train.hooks.session_run_hook import SessionRunHook

# Members that a subclass may define anew.
_OVERRIDABLE = {
    "model_fn",
    "_create_and_assert_global_step",
    "_export_all_saved_models",
    "_assert_members_are_not_overridden",
}


def check_members(base: type, estimator: Any) -> None:
    """Checks that a subclass defines no members of Estimator anew.

    Raises:
        ValueError: if it does.
    """
    names = {name for part in base.__mro__ if part is not object for name in vars(part)}
    overridden = [
        name
        for name in sorted(names - _OVERRIDABLE)
        if not name.startswith("__")
        and hasattr(base, name)
        and getattr(base, name) is not getattr(type(estimator), name)
    ]
    if overridden:
        raise ValueError(
            "Subclasses of Estimator cannot override members of Estimator. "
            f"{type(estimator)} does override {overridden}"
        )


def with_model_dir(config: RunConfig | None, model_dir: str | None) -> RunConfig:
    """A configuration with the configuration of sessions and the folder of the model.

    Raises:
        ValueError: if it is no RunConfig, or has another folder.
    """
    if config is None:
        config = RunConfig()
        logging.info("Using default config.")
    if not isinstance(config, RunConfig):
        raise ValueError(f"config must be an instance of `RunConfig`, but provided {config}.")
    if config.session_config is None:
        config = RunConfig._replace(
            copy.deepcopy(config), ["session_config"], session_config=default_session_config()
        )
    model_dir = path_to_str(model_dir)
    if model_dir is not None:
        if config.model_dir is not None and config.model_dir != model_dir:
            raise ValueError(
                "`model_dir` are set both in constructor and `RunConfig`, but with different "
                f"values. In constructor: '{model_dir}', in `RunConfig`: '{config.model_dir}' "
            )
    elif config.model_dir is None:
        model_dir = tempfile.mkdtemp()
        logging.warning("Using temporary folder as model directory: %s", model_dir)
    if model_dir:
        config = RunConfig._replace(copy.deepcopy(config), ["model_dir"], model_dir=model_dir)
    return config


def check_positive(name: str, value: int | None) -> None:
    """Checks that a number, if it is given, is positive.

    Raises:
        ValueError: if it is not.
    """
    if value is not None and value <= 0:
        raise ValueError(f"Must specify {name} > 0, given: {value}")


def checked_hooks(hooks: Sequence[SessionRunHook] | None) -> list[SessionRunHook]:
    """Hooks as a list.

    Raises:
        TypeError: if one is not a SessionRunHook.
    """
    result = list(hooks or [])
    for hook in result:
        if not isinstance(hook, SessionRunHook):
            raise TypeError(f"Hooks must be a SessionRunHook, given: {hook}")
    return result


def checked_listeners(
    listeners: Sequence[CheckpointSaverListener] | None,
) -> list[CheckpointSaverListener]:
    """Listeners as a list.

    Raises:
        TypeError: if one is not a CheckpointSaverListener.
    """
    result = list(listeners or [])
    for listener in result:
        if not isinstance(listener, CheckpointSaverListener):
            raise TypeError(
                f"saving_listeners must be a list of CheckpointSaverListener, given: {listener}"
            )
    return result
