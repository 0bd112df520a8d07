"""`tf.contrib.session_bundle.bundle_shim`: reads exports of either kind."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from headwater.base.export import export
from headwater.contrib.session_bundle.loading import (
    load_session_bundle_from_path,
    maybe_session_bundle_dir,
)
from headwater.contrib.session_bundle.names import (
    CLASSIFICATION_SIGNATURE,
    GENERIC_SIGNATURE,
    META_GRAPH_DEF_FILENAME,
    REGRESSION_SIGNATURE,
    SIGNATURES_KEY,
)
from headwater.io.files import join_path, path_text
from headwater.protos.any_values import unpacked
from headwater.protos.lazy import manifest_pb2, meta_graph_pb2
from headwater.serving.saved_model import constants
from headwater.serving.saved_model.files import maybe_saved_model_directory
from headwater.serving.saved_model.loader import load
from headwater.session.session import Session
from headwater.train.checkpoints.meta_graph import read_meta_graph

if TYPE_CHECKING:
    from headwater.protos.config_pb2 import ConfigProto
    from headwater.protos.manifest_pb2 import Signatures
    from headwater.protos.meta_graph_pb2 import MetaGraphDef, SignatureDef


@export("contrib.session_bundle.bundle_shim.load_session_bundle_or_saved_model_bundle_from_path")
def load_session_bundle_or_saved_model_bundle_from_path(
    export_dir: Any,
    tags: Iterable[str] | None = None,
    target: str = "",
    config: ConfigProto | None = None,
) -> tuple[Session, MetaGraphDef]:
    """Adds an export or a SavedModel to the default graph and restores its variables.

    Args:
        export_dir: the folder.
        tags: the tags of the graph of a SavedModel.
        target: the target of the session.
        config: a ConfigProto.

    Returns:
        A Session, and a MetaGraphDef with SignatureDefs.

    Raises:
        RuntimeError: if the folder has neither, or signatures cannot be converted.
    """
    if maybe_saved_model_directory(export_dir):
        session = Session(target, graph=None, config=config)
        return session, load(session, tags, export_dir)  # type: ignore[arg-type]
    if not maybe_session_bundle_dir(export_dir):
        raise RuntimeError(
            "SessionBundle or SavedModelBundle not found at specified export location: "
            f"{path_text(export_dir)}"
        )
    meta_graph = read_meta_graph(join_path(export_dir, META_GRAPH_DEF_FILENAME))
    default, named = _convert_signatures_to_signature_defs(meta_graph)
    if default is not None:
        key = constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
        meta_graph.signature_def[key].CopyFrom(default)
    if named is not None:
        key = constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
        if default is not None:
            key += "_from_named"
        meta_graph.signature_def[key].CopyFrom(named)
    return load_session_bundle_from_path(export_dir, target, config, meta_graph)


def _convert_signatures_to_signature_defs(
    meta_graph: MetaGraphDef,
) -> tuple[SignatureDef | None, SignatureDef | None]:
    """Returns the default signature and the named signatures of an export as SignatureDefs.

    Raises:
        RuntimeError: if they cannot be converted.
    """
    if SIGNATURES_KEY not in meta_graph.collection_def:
        return None, None
    values = meta_graph.collection_def[SIGNATURES_KEY].any_list.value
    signatures = unpacked(values[0], manifest_pb2.Signatures) if values else None
    if signatures is None:
        return None, None
    has_default = signatures.default_signature.WhichOneof("type") is not None
    default = _convert_default_signature_to_signature_def(signatures) if has_default else None
    named = (
        _convert_named_signatures_to_signature_def(signatures)
        if signatures.named_signatures
        else None
    )
    return default, named


def _convert_default_signature_to_signature_def(signatures: Signatures) -> SignatureDef:
    """Returns the default signature of an export as a SignatureDef.

    Raises:
        RuntimeError: if it is neither of a classification nor of a regression.
    """
    kind = signatures.default_signature.WhichOneof("type")
    result: SignatureDef = meta_graph_pb2.SignatureDef()
    if kind == REGRESSION_SIGNATURE:
        regression = signatures.default_signature.regression_signature
        result.method_name = constants.REGRESS_METHOD_NAME
        _add_input_to_signature_def(regression.input.tensor_name, constants.REGRESS_INPUTS, result)
        _add_output_to_signature_def(
            regression.output.tensor_name, constants.REGRESS_OUTPUTS, result
        )
        return result
    if kind == CLASSIFICATION_SIGNATURE:
        classification = signatures.default_signature.classification_signature
        result.method_name = constants.CLASSIFY_METHOD_NAME
        _add_input_to_signature_def(
            classification.input.tensor_name, constants.CLASSIFY_INPUTS, result
        )
        for key, binding in (
            (constants.CLASSIFY_OUTPUT_CLASSES, classification.classes),
            (constants.CLASSIFY_OUTPUT_SCORES, classification.scores),
        ):
            _add_output_to_signature_def(binding.tensor_name, key, result)
        return result
    raise RuntimeError(
        "Only classification and regression default signatures are supported for up-conversion. "
        f"{kind} is not supported"
    )


def _convert_named_signatures_to_signature_def(signatures: Signatures) -> SignatureDef:
    """Returns the generic signatures "inputs" and "outputs" of an export as one SignatureDef.

    Raises:
        RuntimeError: if there are no such signatures.
    """
    inputs = signatures.named_signatures[constants.PREDICT_INPUTS]
    outputs = signatures.named_signatures[constants.PREDICT_OUTPUTS]
    kinds = inputs.WhichOneof("type"), outputs.WhichOneof("type")
    if kinds != (GENERIC_SIGNATURE, GENERIC_SIGNATURE):
        raise RuntimeError(
            "Named input and output signatures can only be up-converted if they are generic "
            f"signature. Input signature type is {kinds[0]}, output signature type is {kinds[1]}"
        )
    result: SignatureDef = meta_graph_pb2.SignatureDef(method_name=constants.PREDICT_METHOD_NAME)
    for key, binding in inputs.generic_signature.map.items():
        _add_input_to_signature_def(binding.tensor_name, key, result)
    for key, binding in outputs.generic_signature.map.items():
        _add_output_to_signature_def(binding.tensor_name, key, result)
    return result


def _add_input_to_signature_def(
    tensor_name: str, map_key: str, signature_def: SignatureDef
) -> None:
    """Names an input of a SignatureDef."""
    signature_def.inputs[map_key].CopyFrom(meta_graph_pb2.TensorInfo(name=tensor_name))


def _add_output_to_signature_def(
    tensor_name: str, map_key: str, signature_def: SignatureDef
) -> None:
    """Names an output of a SignatureDef."""
    signature_def.outputs[map_key].CopyFrom(meta_graph_pb2.TensorInfo(name=tensor_name))
