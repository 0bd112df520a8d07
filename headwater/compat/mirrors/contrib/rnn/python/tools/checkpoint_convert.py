"""tensorflow.contrib.rnn.python.tools.checkpoint_convert: new names for variables of cells.

Releases before 1.2 called them weights and biases, later ones kernel and bias.
"""

from __future__ import annotations

from collections import OrderedDict

from headwater.graph import Graph
from headwater.model.variables.variable_scope import get_variable
from headwater.protos.lazy import saver_pb2
from headwater.session.session import Session
from headwater.train.checkpoints.checkpoint_reader import load_checkpoint
from headwater.train.checkpoints.saver import Saver

__all__ = ["RNN_NAME_REPLACEMENTS", "convert_names"]

# The scopes with both weights and biases.
_SCOPES = (
    "basic_rnn_cell",
    "gru_cell",
    "gru_cell/gates",
    "gru_cell/candidate",
    "basic_lstm_cell",
    "lstm_cell",
    "lstm_cell/projection",
    "output_projection_wrapper",
    "input_projection_wrapper",
    "lstm_block_wrapper",
    "layer_norm_basic_lstm_cell",
    "ugrnn_cell",
    "intersection_rnn_cell",
    "intersection_rnn_cell/in_projection",
    "phased_lstm_cell/mask_gates",
    "phased_lstm_cell/new_input",
    "phased_lstm_cell/output_gate",
    "attention_cell_wrapper",
    "attention_cell_wrapper/attn_output_projection",
    "attention_cell_wrapper/attention",
    "attention_decoder",
    "attention_decoder/Attention_0",
    "attention_decoder/AttnOutputProjection",
)
_DECODER = "attention_decoder"
RNN_NAME_REPLACEMENTS = OrderedDict(
    [
        (f"{scope}/{old}", f"{scope}/{new}")
        for scope in _SCOPES
        for old, new in (("weights", "kernel"), ("biases", "bias"))
    ]
    + [
        ("nas_rnn/weights", "nas_rnn/kernel"),
        ("nas_rnn/recurrent_weights", "nas_rnn/recurrent_kernel"),
        (f"{_DECODER}/LSTMCell/B", f"{_DECODER}/lstm_cell/bias"),
        (f"{_DECODER}/LSTMCell/W_0", f"{_DECODER}/lstm_cell/kernel"),
    ]
    + [
        (f"{_DECODER}/{part}Linear/{old}", f"{_DECODER}/{part}{new}")
        for part in ("Attention_0/", "AttnOutputProjection/", "")
        for old, new in (("Matrix", "kernel"), ("Bias", "bias"))
    ]
)
# Of the first releases, with kernels in several parts.
_SHARDED = OrderedDict(
    [
        ("LSTMCell/W_", "lstm_cell/weights/part_"),
        ("BasicLSTMCell/Linear/Matrix_", "basic_lstm_cell/weights/part_"),
        ("GRUCell/W_", "gru_cell/weights/part_"),
        ("MultiRNNCell/Cell", "multi_rnn_cell/cell_"),
    ]
)


def _rnn_name_replacement(var_name: str) -> str:
    """The new name of a variable; the same one if it needs none."""
    for old, new in RNN_NAME_REPLACEMENTS.items():
        if old in var_name:
            return var_name.replace(old, new)
    return var_name


def _rnn_name_replacement_sharded(var_name: str) -> str:
    """The name of a part of a kernel in releases 1.0 and 1.1."""
    for old, new in _SHARDED.items():
        var_name = var_name.replace(old, new)
    return var_name


def convert_names(
    checkpoint_from_path: str, checkpoint_to_path: str, write_v1_checkpoint: bool = False
) -> tuple[OrderedDict[str, object], dict[str, str]]:
    """Writes a checkpoint with the new names of variables of cells.

    Args:
      checkpoint_from_path: the checkpoint to read.
      checkpoint_to_path: the checkpoint to write.
      write_v1_checkpoint: whether to write it in the format of the first releases.

    Returns:
      The variables by their names in the new checkpoint, and the new names by the old ones.
    """
    reader = load_checkpoint(checkpoint_from_path)
    variables: OrderedDict[str, object] = OrderedDict()
    replaced: dict[str, str] = {}
    graph = Graph()
    with graph.as_default(), Session(graph=graph) as session:
        for name in sorted(reader.get_variable_to_shape_map()):
            value = reader.get_tensor(name)
            variable = get_variable(name, shape=value.shape, dtype=value.dtype, use_resource=True)
            variable.load(value, session)
            new = _rnn_name_replacement(name)
            variables[new] = variable
            if new != name:
                replaced[name] = new
        version = saver_pb2.SaverDef.V1 if write_v1_checkpoint else saver_pb2.SaverDef.V2
        Saver(var_list=variables, write_version=version).save(session, checkpoint_to_path)
    return variables, replaced
