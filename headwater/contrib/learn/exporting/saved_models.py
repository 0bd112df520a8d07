"""Exports of estimators as SavedModels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headwater.base import errors
from headwater.contrib.learn.estimating.keys import ModeKeys
from headwater.contrib.learn.estimating.output_alternatives import output_alternatives_of
from headwater.contrib.learn.exporting.folders import draft_export_dir, new_export_dir
from headwater.contrib.learn.exporting.signatures import all_signatures, input_alternatives_of
from headwater.estimator.export.saved_models import copy_assets_extra
from headwater.graph import Graph, get_default_graph, group
from headwater.graph.graph_keys import GraphKeys
from headwater.io.files import rename_file
from headwater.model.global_step import create_global_step
from headwater.model.lookup.interface import tables_initializer
from headwater.model.resources import initialize_resources, shared_resources
from headwater.model.variables.variable_lists import global_variables, local_variables_initializer
from headwater.serving.saved_model.builder import SavedModelBuilder
from headwater.session.session import Session
from headwater.train.checkpoints.saver import Saver

# The collection with the names of the features.
COLLECTION_DEF_KEY_FOR_INPUT_FEATURE_KEYS = "input_feature_keys"


def export_model(
    estimator: Any,
    export_dir_base: Any,
    serving_input_fn: Callable[[], Any],
    checkpoint_path: str,
    default_output_alternative_key: str | None,
    assets_extra: Mapping[str, str] | None,
    as_text: bool,
    rewrites: Sequence[Any],
    strip_default_attrs: bool,
) -> bytes:
    """Exports a checkpoint of an estimator.

    Args:
        estimator: the Estimator.
        export_dir_base: the folder of all exports.
        serving_input_fn: a function that returns InputFnOps.
        checkpoint_path: the path of the checkpoint.
        default_output_alternative_key: the output of the default signature; or None.
        assets_extra: paths of files by their paths in the folder "assets.extra"; or None.
        as_text: whether the SavedModel has the text form.
        rewrites: GraphRewriteSpecs.
        strip_default_attrs: whether attrs with default values are left out of the graph.

    Returns:
        The path of the new folder.

    Raises:
        UnimplementedError: if a graph is to be rewritten.
    """
    if any(rewrite.transforms for rewrite in rewrites):
        raise errors.UnimplementedError(
            None, None, "Transforms of the graphs of an export are not supported."
        )
    export_dir = new_export_dir(export_dir_base)
    draft = draft_export_dir(export_dir)
    builder = SavedModelBuilder(draft)
    with Graph().as_default():
        create_global_step()
        inputs, features = input_alternatives_of(serving_input_fn())
        ops = estimator._call_model_fn(features, None, ModeKeys.INFER)
        _record_feature_names(features)
        outputs, default = output_alternatives_of(ops, default_output_alternative_key)
        signatures = all_signatures(inputs, outputs, default)
        scaffold = ops.scaffold
        with Session("") as session:
            main_op = scaffold.local_init_op if scaffold is not None else None
            if main_op is None:
                main_op = group(
                    local_variables_initializer(),
                    initialize_resources(shared_resources()),
                    tables_initializer(),
                )
            saver = scaffold.saver if scaffold is not None else None
            saver = saver or Saver(global_variables(), sharded=True)
            saver.restore(session, checkpoint_path)
            builder.add_meta_graph_and_variables(
                session,
                rewrites[0].tags,
                signature_def_map=signatures,
                assets_collection=get_default_graph().get_collection(GraphKeys.ASSET_FILEPATHS),
                main_op=main_op,
                strip_default_attrs=strip_default_attrs,
            )
            for rewrite in rewrites[1:]:
                builder.add_meta_graph(rewrite.tags, signature_def_map=signatures, main_op=main_op)
    builder.save(as_text)
    if assets_extra:
        copy_assets_extra(draft, assets_extra)
    rename_file(draft, export_dir)
    return export_dir


def _record_feature_names(features: Any) -> None:
    if isinstance(features, dict):
        for name in features:
            get_default_graph().add_to_collection(COLLECTION_DEF_KEY_FOR_INPUT_FEATURE_KEYS, name)
