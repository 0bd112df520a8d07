"""Exporters: what `train_and_evaluate` exports, and when."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from headwater.base import logging
from headwater.base.arguments import fn_args
from headwater.base.export import export
from headwater.estimator.best_results import loss_is_smaller, results_in_events
from headwater.estimator.export_versions import remove_old_exports
from headwater.io.files import join_path

InputReceiverFn = Callable[[], Any]


@export("estimator.Exporter")
class Exporter:
    """A kind of export; subclasses define `name` and `export`."""

    @property
    def name(self) -> str:
        """The name of the folder of the exports."""
        raise NotImplementedError

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: Mapping[str, Any],
        is_the_final_export: bool,
    ) -> bytes | None:
        """Exports a checkpoint, if this exporter wants to.

        Args:
            estimator: the Estimator.
            export_path: the folder of the exports.
            checkpoint_path: the path of the checkpoint.
            eval_result: its metrics by name.
            is_the_final_export: whether training is over.

        Returns:
            The path of the export, or None.
        """
        raise NotImplementedError


class SavedModelExporter(Exporter):
    """Exports every checkpoint that it gets.

    Args:
        name: the name of the folder of the exports.
        serving_input_receiver_fn: a function that returns a ServingInputReceiver.
        assets_extra: paths of files by their paths in the folder "assets.extra"; or None.
        as_text: whether the SavedModel has the text form.
    """

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: InputReceiverFn,
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
    ) -> None:
        self._name = name
        self._serving_input_receiver_fn = serving_input_receiver_fn
        self._assets_extra = assets_extra
        self._as_text = as_text

    @property
    def name(self) -> str:
        """The name of the folder of the exports."""
        return self._name

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: Mapping[str, Any],
        is_the_final_export: bool,
    ) -> bytes | None:
        """Exports a checkpoint; see `Exporter.export`."""
        return estimator.export_saved_model(
            export_path,
            self._serving_input_receiver_fn,
            assets_extra=self._assets_extra,
            as_text=self._as_text,
            checkpoint_path=checkpoint_path,
        )


@export("estimator.BestExporter")
class BestExporter(Exporter):
    """Exports a checkpoint when it is better than all before.

    Args:
        name: the name of the folder of the exports.
        serving_input_receiver_fn: a function that returns a ServingInputReceiver.
        event_file_pattern: the event files below the folder of the model that have earlier
            results, so that a program that starts again knows the best one; None for none.
        compare_fn: a function of `best_eval_result` and `current_eval_result` that tells whether
            the current one is better; by default that with the smaller loss.
        assets_extra: paths of files by their paths in the folder "assets.extra"; or None.
        as_text: whether the SavedModel has the text form.
        exports_to_keep: how many exports are kept; None for all.

    Raises:
        ValueError: if the function has other parameters or the number is not positive.
    """

    def __init__(
        self,
        name: str = "best_exporter",
        serving_input_receiver_fn: InputReceiverFn | None = None,
        event_file_pattern: str | None = "eval/*.tfevents.*",
        compare_fn: Callable[..., bool] = loss_is_smaller,
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ) -> None:
        self._compare_fn = compare_fn
        if compare_fn is None:
            raise ValueError("`compare_fn` must not be None.")
        _verify_compare_fn(compare_fn)
        self._saved_model_exporter = SavedModelExporter(
            name,
            serving_input_receiver_fn,  # type: ignore[arg-type]
            assets_extra,
            as_text,
        )
        self._event_file_pattern = event_file_pattern
        self._model_dir: str | None = None
        self._best_eval_result: Mapping[str, Any] | None = None
        self._has_exported = False
        self._exports_to_keep = exports_to_keep
        if exports_to_keep is not None and exports_to_keep <= 0:
            raise ValueError(
                f"`exports_to_keep`, if provided, must be a positive number. Got {exports_to_keep}"
            )

    @property
    def name(self) -> str:
        """The name of the folder of the exports."""
        return self._saved_model_exporter.name

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: Mapping[str, Any],
        is_the_final_export: bool,
    ) -> bytes | None:
        """Exports a checkpoint if it is the best one; see `Exporter.export`."""
        if self._model_dir != estimator.model_dir and self._event_file_pattern:
            logging.info("Loading best metric from event files.")
            self._model_dir = estimator.model_dir
            pattern = join_path(estimator.model_dir, self._event_file_pattern)
            self._best_eval_result = self._get_best_eval_result(pattern)
        if self._best_eval_result is not None and not self._compare_fn(
            best_eval_result=self._best_eval_result, current_eval_result=eval_result
        ):
            return None
        logging.info("Performing best model export.")
        self._best_eval_result = eval_result
        result = self._saved_model_exporter.export(
            estimator, export_path, checkpoint_path, eval_result, is_the_final_export
        )
        self._garbage_collect_exports(export_path)
        self._has_exported = True
        return result

    def _garbage_collect_exports(self, export_dir_base: str) -> None:
        remove_old_exports(export_dir_base, self._exports_to_keep)

    def _get_best_eval_result(self, event_files: str | None) -> Mapping[str, Any] | None:
        best: Mapping[str, Any] | None = None
        for result in results_in_events(event_files):
            if best is None or self._compare_fn(best, result):
                best = result
        return best


@export("estimator.FinalExporter")
class FinalExporter(Exporter):
    """Exports the last checkpoint, when training is over.

    Args:
        name: the name of the folder of the export.
        serving_input_receiver_fn: a function that returns a ServingInputReceiver.
        assets_extra: paths of files by their paths in the folder "assets.extra"; or None.
        as_text: whether the SavedModel has the text form.
    """

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: InputReceiverFn,
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
    ) -> None:
        self._saved_model_exporter = SavedModelExporter(
            name, serving_input_receiver_fn, assets_extra, as_text
        )

    @property
    def name(self) -> str:
        """The name of the folder of the export."""
        return self._saved_model_exporter.name

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: Mapping[str, Any],
        is_the_final_export: bool,
    ) -> bytes | None:
        """Exports a checkpoint if it is the last one; see `Exporter.export`."""
        if not is_the_final_export:
            return None
        logging.info("Performing the final export in the end of training.")
        return self._saved_model_exporter.export(
            estimator, export_path, checkpoint_path, eval_result, is_the_final_export
        )


@export("estimator.LatestExporter")
class LatestExporter(Exporter):
    """Exports every evaluated checkpoint, and keeps the newest exports.

    Args:
        name: the name of the folder of the exports.
        serving_input_receiver_fn: a function that returns a ServingInputReceiver.
        assets_extra: paths of files by their paths in the folder "assets.extra"; or None.
        as_text: whether the SavedModel has the text form.
        exports_to_keep: how many exports are kept; None for all.

    Raises:
        ValueError: if the number is not positive.
    """

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: InputReceiverFn,
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ) -> None:
        self._saved_model_exporter = SavedModelExporter(
            name, serving_input_receiver_fn, assets_extra, as_text
        )
        self._exports_to_keep = exports_to_keep
        if exports_to_keep is not None and exports_to_keep <= 0:
            raise ValueError("`exports_to_keep`, if provided, must be positive number")

    @property
    def name(self) -> str:
        """The name of the folder of the exports."""
        return self._saved_model_exporter.name

    def export(
        self,
        estimator: Any,
        export_path: str,
        checkpoint_path: str,
        eval_result: Mapping[str, Any],
        is_the_final_export: bool,
    ) -> bytes | None:
        """Exports a checkpoint; see `Exporter.export`."""
        result = self._saved_model_exporter.export(
            estimator, export_path, checkpoint_path, eval_result, is_the_final_export
        )
        self._garbage_collect_exports(export_path)
        return result

    def _garbage_collect_exports(self, export_dir_base: str) -> None:
        remove_old_exports(export_dir_base, self._exports_to_keep)


def _verify_compare_fn(compare_fn: Callable[..., bool]) -> None:
    names = set(fn_args(compare_fn))
    expected = ("best_eval_result", "current_eval_result")
    for name in expected:
        if name not in names:
            raise ValueError(f"compare_fn ({compare_fn}) must include {name} argument.")
    unknown = list(names - set(expected))
    if unknown:
        raise ValueError(f"compare_fn ({compare_fn}) has following not expected args: {unknown}")
