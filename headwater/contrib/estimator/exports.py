"""Exports for one mode or for all, as functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.estimator.estimator import Estimator
from headwater.estimator.mode_keys import ModeKeys


@export("contrib.estimator.export_saved_model_for_mode")
@deprecated("2018-12-03", "Use estimator.export_saved_model() with the experimental_mode argument")
def export_saved_model_for_mode(
    estimator: Estimator,
    export_dir_base: str,
    input_receiver_fn: Callable[[], Any],
    assets_extra: Mapping[str, str] | None = None,
    as_text: bool = False,
    checkpoint_path: str | None = None,
    mode: str = ModeKeys.PREDICT,
) -> bytes:
    """Exports the graph of one mode; see `Estimator.export_saved_model`.

    Args:
        estimator: the Estimator.
        export_dir_base: the folder of all exports.
        input_receiver_fn: a function that returns an input receiver.
        assets_extra: paths of files by their paths in the folder "assets.extra"; or None.
        as_text: whether the SavedModel has the text form.
        checkpoint_path: the path of the checkpoint; the latest one by default.
        mode: the mode.

    Returns:
        The path of the new folder, bytes.

    Raises:
        ValueError: if there is no checkpoint.
    """
    return estimator.export_saved_model(
        export_dir_base=export_dir_base,
        serving_input_receiver_fn=input_receiver_fn,
        assets_extra=assets_extra,
        as_text=as_text,
        checkpoint_path=checkpoint_path,
        experimental_mode=mode,
    )


@export("contrib.estimator.export_all_saved_models")
@deprecated("2018-12-03", "Use estimator.experimental_export_all_saved_models")
def export_all_saved_models(
    estimator: Estimator,
    export_dir_base: str,
    input_receiver_fn_map: Mapping[str, Callable[[], Any]],
    assets_extra: Mapping[str, str] | None = None,
    as_text: bool = False,
    checkpoint_path: str | None = None,
) -> bytes:
    """Exports the graphs of several modes; see `Estimator.experimental_export_all_saved_models`.

    Args:
        estimator: the Estimator.
        export_dir_base: the folder of all exports.
        input_receiver_fn_map: functions that return input receivers, by mode.
        assets_extra: paths of files by their paths in the folder "assets.extra"; or None.
        as_text: whether the SavedModel has the text form.
        checkpoint_path: the path of the checkpoint; the latest one by default.

    Returns:
        The path of the new folder, bytes.

    Raises:
        ValueError: if there is no checkpoint, or no mode is given.
    """
    return estimator.experimental_export_all_saved_models(
        export_dir_base=export_dir_base,
        input_receiver_fn_map=input_receiver_fn_map,
        assets_extra=assets_extra,
        as_text=as_text,
        checkpoint_path=checkpoint_path,
    )
