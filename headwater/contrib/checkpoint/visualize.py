"""`dot_graph_from_checkpoint`: the object graph of a checkpoint as a drawing."""

from __future__ import annotations

from headwater.base.export import export
from headwater.train.checkpoints.checkpoint_reader import CheckpointReader
from headwater.train.checkpoints.object_graphs import object_metadata


@export("contrib.checkpoint.dot_graph_from_checkpoint")
def dot_graph_from_checkpoint(save_path: str) -> str:
    """The object graph of a checkpoint in the DOT language of Graphviz.

    Args:
        save_path: the path as `tf.train.Checkpoint.save` returns it.

    Returns:
        The text: objects are points, blue for variables, red for slots, orange for other values.

    Raises:
        ValueError: if it is not a checkpoint of objects.
    """
    reader = CheckpointReader(save_path)
    proto = object_metadata(save_path)
    shapes = reader.get_variable_to_shape_map()
    dtypes = reader.get_variable_to_dtype_map()
    slots = {slot.slot_variable_node_id for node in proto.nodes for slot in node.slot_variables}
    lines = ["digraph {"]
    for number, node in enumerate(proto.nodes):
        if number in slots:
            color = "red"
        elif not node.attributes:
            color = ""
        elif node.attributes[0].full_name:
            color = "blue"
        else:
            color = "orange"
        tips = []
        for attribute in node.attributes:
            key = attribute.checkpoint_key
            if key in shapes:
                kind = "Variable" if attribute.full_name else attribute.name
                tips.append(
                    " ".join(
                        part
                        for part in (
                            kind,
                            attribute.full_name,
                            f"shape={shapes[key]}",
                            dtypes[key].name,
                        )
                        if part
                    )
                )
        style = (f"color={color} " if color else "") + "width=.25"
        if tips:
            style += f' tooltip="{" ".join(tips)}"'
        lines.append(f'N_{number} [shape=point label="" {style}]')
        lines += [f'N_{number} -> N_{c.node_id} [label="{c.local_name}"]' for c in node.children]
        for slot in node.slot_variables:
            lines.append(
                f"N_{slot.original_variable_node_id} -> N_{slot.slot_variable_node_id} "
                f'[label="{slot.slot_name}" style=dotted]'
            )
            lines.append(
                f"N_{number} -> N_{slot.slot_variable_node_id} [style=dotted constraint=false]"
            )
    return "\n".join([*lines, "}"]) + "\n"
