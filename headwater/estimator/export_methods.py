"""The methods of an Estimator that export its model."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headwater.base.deprecated_api import deprecated
from headwater.base.typing import TensorLike
from headwater.estimator.export.graphs import add_graph, spec_signatures
from headwater.estimator.export.saved_models import (
    copy_assets_extra,
    temporary_export_dir,
    timestamped_export_dir,
)
from headwater.estimator.mode_keys import ModeKeys
from headwater.estimator.model_fn import EXPORT_TAGS, EstimatorSpec
from headwater.estimator.run_config import RunConfig
from headwater.graph import Graph
from headwater.graph.seeds import set_random_seed
from headwater.io.files import rename_file
from headwater.serving.saved_model.builder import SavedModelBuilder
from headwater.session.session import Session


class ExportMethods:
    """The methods of an Estimator that export its model."""

    _config: RunConfig
    _model_dir: str
    _session_config: Any
    _warm_start_settings: Any
    config: Any
    _call_model_fn: Callable[..., EstimatorSpec]
    _create_and_assert_global_step: Callable[[Graph], TensorLike]
    latest_checkpoint: Callable[[], str | None]

    def export_saved_model(
        self,
        export_dir_base: str,
        serving_input_receiver_fn: Callable[[], Any] | None,
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        experimental_mode: str = ModeKeys.PREDICT,
    ) -> bytes:
        """Exports a checkpoint as a SavedModel, in a new folder named after the time.

        Args:
            export_dir_base: the folder of all exports.
            serving_input_receiver_fn: a function that returns a ServingInputReceiver.
            assets_extra: paths of files by their paths in the folder "assets.extra"; or None.
            as_text: whether the SavedModel has the text form.
            checkpoint_path: the path of the checkpoint; the latest one by default.
            experimental_mode: the mode of the exported graph.

        Returns:
            The path of the new folder, bytes.

        Raises:
            ValueError: if there is no checkpoint, or no function is given.
        """
        if serving_input_receiver_fn is None:
            raise ValueError("An input_receiver_fn must be defined.")
        return self._export_all_saved_models(
            export_dir_base,
            {experimental_mode: serving_input_receiver_fn},
            assets_extra=assets_extra,
            as_text=as_text,
            checkpoint_path=checkpoint_path,
            strip_default_attrs=True,
        )

    @deprecated(None, "This function has been renamed, use `export_saved_model` instead.")
    def export_savedmodel(
        self,
        export_dir_base: str,
        serving_input_receiver_fn: Callable[[], Any] | None,
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        strip_default_attrs: bool = False,
    ) -> bytes:
        """Exports a checkpoint as `export_saved_model` does.

        Args:
            export_dir_base: the folder of all exports.
            serving_input_receiver_fn: a function that returns a ServingInputReceiver.
            assets_extra: paths of files by their paths in the folder "assets.extra"; or None.
            as_text: whether the SavedModel has the text form.
            checkpoint_path: the path of the checkpoint; the latest one by default.
            strip_default_attrs: whether attrs with default values are left out of the graph.

        Returns:
            The path of the new folder, bytes.

        Raises:
            ValueError: if there is no checkpoint, or no function is given.
        """
        if serving_input_receiver_fn is None:
            raise ValueError("An input_receiver_fn must be defined.")
        return self._export_all_saved_models(
            export_dir_base,
            {ModeKeys.PREDICT: serving_input_receiver_fn},
            assets_extra=assets_extra,
            as_text=as_text,
            checkpoint_path=checkpoint_path,
            strip_default_attrs=strip_default_attrs,
        )

    def experimental_export_all_saved_models(
        self,
        export_dir_base: str,
        input_receiver_fn_map: Mapping[str, Callable[[], Any]],
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
    ) -> bytes:
        """Exports a checkpoint as a SavedModel with a graph for each of several modes.

        Args:
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
        return self._export_all_saved_models(
            export_dir_base,
            input_receiver_fn_map,
            assets_extra=assets_extra,
            as_text=as_text,
            checkpoint_path=checkpoint_path,
            strip_default_attrs=True,
        )

    def _export_all_saved_models(
        self,
        export_dir_base: str,
        input_receiver_fn_map: Mapping[str, Callable[[], Any]],
        assets_extra: Mapping[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        strip_default_attrs: bool = True,
    ) -> bytes:
        checkpoint_path = checkpoint_path or self.latest_checkpoint()
        if not checkpoint_path and self._warm_start_settings is not None:
            checkpoint_path = self._warm_start_settings.ckpt_to_initialize_from
        if not checkpoint_path:
            raise ValueError(f"Couldn't find trained model at {self._model_dir}.")
        export_dir = timestamped_export_dir(export_dir_base)
        temporary_dir = temporary_export_dir(export_dir)
        builder = SavedModelBuilder(temporary_dir)
        # The first graph comes with the variables; that of training has most of them.
        modes = [
            mode
            for mode in (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT)
            if input_receiver_fn_map.get(mode)
        ]
        if not modes:
            raise ValueError(
                f"No valid modes for exporting found. Got {input_receiver_fn_map.keys()}."
            )
        for mode in modes:
            self._add_meta_graph_for_mode(
                builder,
                input_receiver_fn_map,
                checkpoint_path,
                save_variables=mode == modes[0],
                mode=mode,
                strip_default_attrs=strip_default_attrs,
            )
        builder.save(as_text)
        if assets_extra:
            copy_assets_extra(temporary_dir, assets_extra)
        rename_file(temporary_dir, export_dir)
        return export_dir

    def _add_meta_graph_for_mode(
        self,
        builder: SavedModelBuilder,
        input_receiver_fn_map: Mapping[str, Callable[[], Any]],
        checkpoint_path: str,
        save_variables: bool = True,
        mode: str = ModeKeys.PREDICT,
        export_tags: Sequence[str] | None = None,
        check_variables: bool = True,
        strip_default_attrs: bool = True,
    ) -> None:
        """Adds the graph of a mode to a SavedModel.

        Raises:
            ValueError: if variables are not in the checkpoint.
        """
        if save_variables and not check_variables:
            raise ValueError("If `save_variables` is `True, `check_variables`must not be `False`.")
        with Graph().as_default() as graph:
            self._create_and_assert_global_step(graph)
            set_random_seed(self._config.tf_random_seed)
            receiver = input_receiver_fn_map[mode]()
            labels = getattr(receiver, "labels", None)
            spec = self._call_model_fn(receiver.features, labels, mode, self.config)
            arguments = {
                "tags": export_tags or EXPORT_TAGS[mode],
                "signature_def_map": spec_signatures(spec, receiver, mode),
                "strip_default_attrs": strip_default_attrs,
            }
            with Session(config=self._session_config) as session:
                add_graph(
                    builder,
                    session,
                    spec,
                    checkpoint_path if check_variables else None,
                    save_variables,
                    arguments,
                )
