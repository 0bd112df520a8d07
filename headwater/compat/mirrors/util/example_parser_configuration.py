"""tensorflow.python.util.example_parser_configuration."""

from __future__ import annotations

from typing import Any

from headwater.graph import Operation
from headwater.io.tensor_proto import make_tensor_proto
from headwater.protos import example_parser_configuration_pb2

__all__ = ["extract_example_parser_configuration"]


def extract_example_parser_configuration(parse_example_op: Operation, sess: Any) -> Any:
    """Describes what an op parses, for programs that parse examples without the graph.

    Args:
      parse_example_op: an operation of type ParseExample.
      sess: a session that computes keys and default values.

    Returns:
      An ExampleParserConfiguration.

    Raises:
      ValueError: if the operation is of another type.
    """
    sparse = parse_example_op.get_attr("Nsparse")
    dense = parse_example_op.get_attr("Ndense")
    kinds = (
        *zip(parse_example_op.get_attr("sparse_types")),
        *zip(parse_example_op.get_attr("Tdense"), parse_example_op.get_attr("dense_shapes")),
    )
    inputs = list(parse_example_op.inputs)[2:]
    values = sess.run(inputs)
    outputs = [output.name for output in parse_example_op.outputs]
    config = example_parser_configuration_pb2.ExampleParserConfiguration()
    for number in range(sparse):
        feature = config.feature_map[values[number].decode()].var_len_feature
        feature.dtype = kinds[number][0].as_datatype_enum
        feature.indices_output_tensor_name = outputs[number]
        feature.values_output_tensor_name = outputs[sparse + number]
        feature.shapes_output_tensor_name = outputs[2 * sparse + number]
    for number in range(dense):
        dtype, shape = kinds[sparse + number]
        fixed = config.feature_map[values[sparse + number].decode()].fixed_len_feature
        fixed.dtype = dtype.as_datatype_enum
        fixed.shape.CopyFrom(shape)
        default = values[sparse + dense + number]
        fixed.default_value.CopyFrom(make_tensor_proto(default))
        fixed.values_output_tensor_name = outputs[3 * sparse + number]
    return config
