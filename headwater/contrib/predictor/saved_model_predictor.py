"""`tf.contrib.predictor.from_saved_model`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from headwater.base.export import export
from headwater.contrib.predictor.predictor import Predictor
from headwater.graph import Graph
from headwater.serving.saved_model import constants
from headwater.serving.saved_model.loader import SavedModelLoader
from headwater.session.session import Session

if TYPE_CHECKING:
    from headwater.protos.config_pb2 import ConfigProto
    from headwater.protos.meta_graph_pb2 import MetaGraphDef, SignatureDef

DEFAULT_TAGS = constants.SERVING


def get_meta_graph_def(saved_model_dir: Any, tags: str) -> MetaGraphDef:
    """Returns the MetaGraphDef of a SavedModel.

    Args:
        saved_model_dir: its folder.
        tags: the tags, separated by commas.

    Returns:
        The MetaGraphDef with exactly these tags.
    """
    return SavedModelLoader(saved_model_dir).get_meta_graph_def_from_tags(tags.split(","))


class SavedModelPredictor(Predictor):
    """A predictor of a SavedModel; the arguments are those of `from_saved_model`."""

    def __init__(
        self,
        export_dir: Any,
        signature_def_key: str | None = None,
        signature_def: SignatureDef | None = None,
        input_names: Mapping[str, str] | None = None,
        output_names: Mapping[str, str] | None = None,
        tags: str | None = None,
        graph: Graph | None = None,
        config: ConfigProto | None = None,
    ) -> None:
        _check(signature_def_key, signature_def, input_names, output_names)
        tags = tags or DEFAULT_TAGS
        self._graph = graph or Graph()
        with self._graph.as_default():
            self._session = Session(config=config)
            loader = SavedModelLoader(export_dir)
            meta_graph = loader.load(self._session, tags.split(","))
        if input_names is None or output_names is None:
            if signature_def is None:
                key = signature_def_key or constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
                signature_def = meta_graph.signature_def[key]
            input_names = {key: info.name for key, info in signature_def.inputs.items()}
            output_names = {key: info.name for key, info in signature_def.outputs.items()}
        self._feed_tensors = self._named(input_names)
        self._fetch_tensors = self._named(output_names)


def _check(
    signature_def_key: str | None,
    signature_def: SignatureDef | None,
    input_names: Mapping[str, str] | None,
    output_names: Mapping[str, str] | None,
) -> None:
    if (input_names is None) != (output_names is None):
        raise ValueError(
            "input_names and output_names must both be specified or both be unspecified."
        )
    given = (signature_def_key, signature_def, input_names)
    if sum(value is not None for value in given) > 1:
        raise ValueError(
            "You must specify at most one of signature_def_key OR signature_def OR"
            "(input_names AND output_names)."
        )


@export("contrib.predictor.from_saved_model")
def from_saved_model(
    export_dir: Any,
    signature_def_key: str | None = None,
    signature_def: SignatureDef | None = None,
    input_names: Mapping[str, str] | None = None,
    output_names: Mapping[str, str] | None = None,
    tags: str | None = None,
    graph: Graph | None = None,
    config: ConfigProto | None = None,
) -> Predictor:
    """Makes a predictor of a SavedModel.

    Args:
        export_dir: the folder of the SavedModel.
        signature_def_key: the key of the signature; "serving_default" by default.
        signature_def: a SignatureDef to use instead.
        input_names: the names of the tensors that are fed, by keys, to use instead.
        output_names: the names of the tensors that are fetched, by keys, to use instead.
        tags: the tags of the graph, separated by commas; "serve" by default.
        graph: a Graph to add it to; a new one by default.
        config: a ConfigProto for the session.

    Returns:
        A Predictor, a function of a dictionary of arrays to a dictionary of arrays.

    Raises:
        OSError: if there is no SavedModel, or it cannot be parsed.
        RuntimeError: if it has no graph with these tags.
        ValueError: if the tensors are given in several ways.
    """
    return SavedModelPredictor(
        export_dir, signature_def_key, signature_def, input_names, output_names, tags, graph, config
    )
