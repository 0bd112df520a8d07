"""Warm starting of Estimators."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from headwater.base import logging
from headwater.base.export import export
from headwater.io.files import file_exists, is_folder, join_path
from headwater.serving.saved_model.files import get_variables_dir, get_variables_path
from headwater.train.checkpoints.warm_starting import warm_start


@export("estimator.WarmStartSettings")
class WarmStartSettings(
    namedtuple(
        "WarmStartSettings",
        "ckpt_to_initialize_from vars_to_warm_start var_name_to_vocab_info "
        "var_name_to_prev_var_name",
    )
):
    """From which checkpoint an Estimator starts, and with which variables.

    Args:
        ckpt_to_initialize_from: the path of a checkpoint, or of a folder for its latest one.
        vars_to_warm_start: a regular expression for trainable variables, a list of such for all
            variables, a list of variables, or None for those with vocabularies only.
        var_name_to_vocab_info: VocabInfos of variables by name; or None.
        var_name_to_prev_var_name: the names of variables in the checkpoint, where they differ; or
            None.

    Raises:
        ValueError: if no checkpoint is given.
    """

    def __new__(
        cls,
        ckpt_to_initialize_from: str,
        vars_to_warm_start: Any = ".*",
        var_name_to_vocab_info: dict[str, Any] | None = None,
        var_name_to_prev_var_name: dict[str, str] | None = None,
    ) -> WarmStartSettings:
        if not ckpt_to_initialize_from:
            raise ValueError("`ckpt_to_initialize_from` MUST be set in WarmStartSettings")
        return super().__new__(
            cls,
            ckpt_to_initialize_from,
            vars_to_warm_start,
            var_name_to_vocab_info or {},
            var_name_to_prev_var_name or {},
        )


def warm_start_settings(warm_start_from: Any) -> WarmStartSettings | None:
    """The settings that an argument `warm_start_from` stands for.

    Args:
        warm_start_from: WarmStartSettings, the path of a checkpoint, of a folder for its latest
            one, or of a SavedModel; or None.

    Returns:
        WarmStartSettings, or None.

    Raises:
        ValueError: if it is something else.
    """
    if warm_start_from is None or isinstance(warm_start_from, WarmStartSettings):
        return warm_start_from
    if not isinstance(warm_start_from, str):
        raise ValueError(
            "warm_start_from must be a string or a WarmStartSettings, instead got "
            f"{type(warm_start_from)}"
        )
    if is_folder(get_variables_dir(warm_start_from)):
        logging.info("Warm-starting from a SavedModel")
        return WarmStartSettings(saved_model_checkpoint(warm_start_from))
    return WarmStartSettings(warm_start_from)


def saved_model_checkpoint(folder: str) -> str:
    """The path of the checkpoint in a SavedModel.

    Args:
        folder: the folder of the SavedModel.

    Raises:
        ValueError: if there is none.
    """
    if not file_exists(join_path(get_variables_dir(folder), "variables.index")):
        raise ValueError(f"Directory provided has an invalid SavedModel format: {folder}")
    return get_variables_path(folder)


def start_warm(settings: WarmStartSettings) -> None:
    """Makes the variables of the default graph start from a checkpoint.

    Args:
        settings: WarmStartSettings.
    """
    logging.info("Warm-starting with WarmStartSettings: %s", settings)
    warm_start(*settings)
