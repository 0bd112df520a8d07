"""Export strategies: what an experiment exports, and when."""

from __future__ import annotations

import time
from collections import namedtuple
from collections.abc import Callable, Mapping
from typing import Any

import headwater.contrib.session_bundle.garbage_collection as gc
from headwater.base.arguments import fn_args
from headwater.base.compat_strings import as_bytes, as_text
from headwater.base.deprecated_api import deprecated
from headwater.base.export import export
from headwater.contrib.layers.feature_columns.parsing import create_feature_spec_for_parsing
from headwater.contrib.learn.estimating.keys import MetricKey
from headwater.contrib.learn.exporting.folders import delete_old_exports
from headwater.contrib.learn.exporting.serving_inputs import build_parsing_serving_input_fn
from headwater.contrib.learn.notices import EXPORTER
from headwater.estimator.best_results import results_in_events
from headwater.estimator.estimator import Estimator as CoreEstimator
from headwater.estimator.export.receivers import build_parsing_serving_input_receiver_fn
from headwater.io.files import (
    file_exists,
    join_path,
    make_folders,
    name_of,
    path_text,
    remove_tree,
    rename_file,
)
from headwater.model.feature_column.parse_spec import make_parse_example_spec

_MODULE = "contrib.learn.utils.saved_model_export_utils"

for _function in (
    gc.Path,
    gc.largest_export_versions,
    gc.one_of_every_n_export_versions,
    gc.mod_export_version,
    gc.union,
    gc.negation,
    gc.get_paths,
):
    export(f"contrib.learn.utils.gc.{_function.__name__}")(_function)


@export("contrib.learn.ExportStrategy")
class ExportStrategy(namedtuple("ExportStrategy", ["name", "export_fn", "strip_default_attrs"])):
    """What an experiment exports.

    Args:
        name: the name of its folder.
        export_fn: a function of an estimator and a folder and, if it has these parameters,
            `checkpoint_path`, `eval_result` and `strip_default_attrs`, which returns the path of
            the export.
        strip_default_attrs: whether attrs with default values are left out of the graph; or None.
    """

    __slots__ = ()

    @deprecated(
        None, "Please switch to tf.estimator.train_and_evaluate, and use tf.estimator.Exporter."
    )
    def __new__(
        cls, name: str, export_fn: Callable[..., Any], strip_default_attrs: bool | None = None
    ) -> ExportStrategy:
        return super().__new__(cls, name, export_fn, strip_default_attrs)

    def export(
        self,
        estimator: Any,
        export_path: Any,
        checkpoint_path: str | None = None,
        eval_result: Mapping[str, Any] | None = None,
    ) -> Any:
        """Exports a model.

        Args:
            estimator: the estimator.
            export_path: the folder of the exports.
            checkpoint_path: the path of the checkpoint; or None.
            eval_result: the values of metrics by name; or None.

        Returns:
            What the function returns: the path of the export.

        Raises:
            ValueError: if the function takes results without the checkpoint.
        """
        names = fn_args(self.export_fn)
        kwargs: dict[str, Any] = {}
        if "checkpoint_path" in names:
            kwargs["checkpoint_path"] = checkpoint_path
        if "eval_result" in names:
            if "checkpoint_path" not in names:
                raise ValueError(
                    "An export_fn accepting eval_result must also accept checkpoint_path."
                )
            kwargs["eval_result"] = eval_result
        if self.strip_default_attrs is not None:
            kwargs["strip_default_attrs"] = self.strip_default_attrs
        return self.export_fn(estimator, export_path, **kwargs)


@export(
    f"{_MODULE}.make_export_strategy",
    "contrib.learn.make_export_strategy",
    "contrib.learn.utils.make_export_strategy",
)
@deprecated(None, EXPORTER)
def make_export_strategy(
    serving_input_fn: Callable[[], Any],
    default_output_alternative_key: str | None = None,
    assets_extra: Mapping[str, str] | None = None,
    as_text: bool = False,
    exports_to_keep: int | None = 5,
    strip_default_attrs: bool | None = None,
) -> ExportStrategy:
    """Makes a strategy that exports SavedModels.

    Args:
        serving_input_fn: a function that returns InputFnOps.
        default_output_alternative_key: the output of the default signature; or None.
        assets_extra: paths of files by their paths in the folder "assets.extra"; or None.
        as_text: whether the SavedModel has the text form.
        exports_to_keep: how many exports are kept; None for all.
        strip_default_attrs: whether attrs with default values are left out of the graph; or None.

    Returns:
        An ExportStrategy.
    """

    def export_fn(
        estimator: Any,
        export_dir_base: Any,
        checkpoint_path: str | None = None,
        strip_default_attrs: bool = False,
    ) -> Any:
        arguments: dict[str, Any] = {
            "assets_extra": assets_extra,
            "as_text": as_text,
            "checkpoint_path": checkpoint_path,
            "strip_default_attrs": strip_default_attrs,
        }
        if not isinstance(estimator, CoreEstimator):
            arguments["default_output_alternative_key"] = default_output_alternative_key
        elif default_output_alternative_key is not None:
            raise ValueError(
                "default_output_alternative_key is not supported in core Estimator. Given: "
                f"{default_output_alternative_key}"
            )
        result = estimator.export_savedmodel(export_dir_base, serving_input_fn, **arguments)
        delete_old_exports(export_dir_base, exports_to_keep)
        return result

    return ExportStrategy("Servo", export_fn, strip_default_attrs)


@export(f"{_MODULE}.make_parsing_export_strategy")
@deprecated(None, "Use tf.estimator.export.build_parsing_serving_input_receiver_fn")
def make_parsing_export_strategy(
    feature_columns: Any,
    default_output_alternative_key: str | None = None,
    assets_extra: Mapping[str, str] | None = None,
    as_text: bool = False,
    exports_to_keep: int | None = 5,
    target_core: bool = False,
    strip_default_attrs: bool | None = None,
) -> ExportStrategy:
    """Makes a strategy that exports SavedModels, which are fed tf.train.Example messages.

    Args:
        feature_columns: feature columns.
        default_output_alternative_key: the output of the default signature; or None.
        assets_extra: paths of files by their paths in the folder "assets.extra"; or None.
        as_text: whether the SavedModel has the text form.
        exports_to_keep: how many exports are kept; None for all.
        target_core: whether columns and estimator are those of the core.
        strip_default_attrs: whether attrs with default values are left out of the graph; or None.

    Returns:
        An ExportStrategy.
    """
    serving_input_fn: Callable[[], Any]
    if target_core:
        spec = make_parse_example_spec(feature_columns)
        serving_input_fn = build_parsing_serving_input_receiver_fn(spec)
    else:
        spec = create_feature_spec_for_parsing(feature_columns)
        serving_input_fn = build_parsing_serving_input_fn(spec)
    return make_export_strategy(
        serving_input_fn,
        default_output_alternative_key=default_output_alternative_key,
        assets_extra=assets_extra,
        as_text=as_text,
        exports_to_keep=exports_to_keep,
        strip_default_attrs=strip_default_attrs,
    )


def has_lower_loss(curr_best_eval_result: Any, cand_eval_result: Any) -> bool:
    """Whether results are better than the best ones so far: their loss is lower.

    Args:
        curr_best_eval_result: the values of metrics by name.
        cand_eval_result: the values to compare.

    Returns:
        Whether the second are better.

    Raises:
        ValueError: if there is no loss.
    """
    if not curr_best_eval_result or MetricKey.LOSS not in curr_best_eval_result:
        raise ValueError("curr_best_eval_result cannot be empty or no loss is found in it.")
    if not cand_eval_result or MetricKey.LOSS not in cand_eval_result:
        raise ValueError("cand_eval_result cannot be empty or no loss is found in it.")
    return bool(curr_best_eval_result[MetricKey.LOSS] > cand_eval_result[MetricKey.LOSS])


@export(f"{_MODULE}.BestModelSelector")
class BestModelSelector:
    """Keeps the best results of evaluations.

    Args:
        event_file_pattern: a pattern of paths of event files with earlier results; or None.
        compare_fn: a function of the best results and others that says whether those are better;
            by default their loss is lower.
    """

    @deprecated(None, EXPORTER)
    def __init__(
        self,
        event_file_pattern: str | None = None,
        compare_fn: Callable[[Any, Any], bool] | None = None,
    ) -> None:
        self._compare_fn = compare_fn or has_lower_loss
        self._best_eval_result = self._get_best_eval_result(event_file_pattern)

    def update(self, checkpoint_path: str, eval_result: Any) -> tuple[str, Any]:
        """Keeps results if they are the best.

        Args:
            checkpoint_path: the path of the evaluated checkpoint.
            eval_result: the values of metrics by name.

        Returns:
            (checkpoint_path, eval_result) if they are the best; otherwise ("", None).

        Raises:
            ValueError: if there is no checkpoint or result.
        """
        if not checkpoint_path:
            raise ValueError("Checkpoint path is empty.")
        if eval_result is None:
            # TensorFlow does not format this text.
            raise ValueError("%s has empty evaluation results.", checkpoint_path)
        best = self._best_eval_result
        if best is None or self._compare_fn(best, eval_result):
            self._best_eval_result = eval_result
            return checkpoint_path, eval_result
        return "", None

    def _get_best_eval_result(self, event_files: str | None) -> Any:
        best = None
        for result in results_in_events(event_files):
            if best is None or self._compare_fn(best, result):
                best = result
        return best


@export(f"{_MODULE}.make_best_model_export_strategy")
@deprecated(None, EXPORTER)
def make_best_model_export_strategy(
    serving_input_fn: Callable[[], Any],
    exports_to_keep: int | None = 1,
    model_dir: str | None = None,
    event_file_pattern: str | None = None,
    compare_fn: Callable[[Any, Any], bool] | None = None,
    default_output_alternative_key: str | None = None,
    strip_default_attrs: bool | None = None,
) -> ExportStrategy:
    """Makes a strategy that exports SavedModels of the best checkpoints.

    Args:
        serving_input_fn: a function that returns InputFnOps.
        exports_to_keep: how many exports of a checkpoint are kept; None for all.
        model_dir: the folder of the model, for earlier results; or None.
        event_file_pattern: a pattern of event files in that folder; or None.
        compare_fn: a function of the best results and others that says whether those are better;
            by default their loss is lower.
        default_output_alternative_key: the output of the default signature; or None.
        strip_default_attrs: whether attrs with default values are left out of the graph; or None.

    Returns:
        An ExportStrategy.
    """
    strategy = make_export_strategy(
        serving_input_fn,
        exports_to_keep=exports_to_keep,
        default_output_alternative_key=default_output_alternative_key,
        strip_default_attrs=strip_default_attrs,
    )
    pattern = None
    if model_dir and event_file_pattern:
        pattern = join_path(model_dir, event_file_pattern)
    selector = BestModelSelector(pattern, compare_fn)

    def export_fn(
        estimator: Any, export_dir_base: Any, checkpoint_path: str, eval_result: Any = None
    ) -> Any:
        best_path, best_result = selector.update(checkpoint_path, eval_result)
        if not best_path or best_result is None:
            return ""
        folder = join_path(path_text(export_dir_base), name_of(path_text(best_path)))
        return strategy.export(estimator, folder, best_path, best_result)

    return ExportStrategy("best_model", export_fn)


@export(f"{_MODULE}.extend_export_strategy")
@deprecated(None, EXPORTER)
def extend_export_strategy(
    base_export_strategy: ExportStrategy,
    post_export_fn: Callable[[Any, Any], Any],
    post_export_name: str | None = None,
) -> ExportStrategy:
    """Makes a strategy that changes what another one exports.

    Args:
        base_export_strategy: the other strategy.
        post_export_fn: a function of the path of an export and of a folder, which writes the
            changed export into a subfolder of that, and returns its path.
        post_export_name: the name of the strategy; that of the other by default.

    Returns:
        An ExportStrategy.
    """

    def export_fn(estimator: Any, export_dir_base: Any, checkpoint_path: str | None = None) -> Any:
        base = path_text(export_dir_base)
        first = _new_folder(base, "temp-base-export-", "Failed to obtain base export directory")
        exported = base_export_strategy.export(estimator, first, checkpoint_path)
        second = _new_folder(base, "temp-post-export-", "Failed to obtain temp export directory")
        changed = path_text(as_text(post_export_fn(exported, as_bytes(second))))
        if not changed.startswith(second):
            raise ValueError(f"post_export_fn must return a sub-directory of {second}")
        final = join_path(base, changed[len(second) :].lstrip("/"))
        if file_exists(final):
            raise RuntimeError("Failed to obtain final export directory")
        rename_file(changed, final)
        remove_tree(first)
        remove_tree(second)
        return as_bytes(final)

    return ExportStrategy(post_export_name or base_export_strategy.name, export_fn)


def _new_folder(base: str, prefix: str, message: str) -> str:
    folder = join_path(base, f"{prefix}{int(time.time())}")
    if file_exists(folder):
        raise RuntimeError(message)
    make_folders(folder)
    return folder
