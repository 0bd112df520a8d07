"""tensorflow.python.saved_model.nested_structure_coder: structures of values as protos."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from headwater.serving.saved_model.structured_values import NotEncodableError, decoded, encoded

if TYPE_CHECKING:
    from headwater.protos.struct_pb2 import StructuredValue

__all__ = ["NotEncodableError", "StructureCoder"]


class StructureCoder:
    """Converts structures of values to StructuredValues and back."""

    def encode_structure(self, nested_structure: Any) -> StructuredValue:
        """Returns a structure as a proto.

        Args:
            nested_structure: values in lists, tuples and dicts.

        Returns:
            A StructuredValue.

        Raises:
            NotEncodableError: if there is no proto for a value.
        """
        return encoded(nested_structure)

    def can_encode(self, nested_structure: Any) -> bool:
        """Whether `encode_structure` takes a structure."""
        try:
            encoded(nested_structure)
        except NotEncodableError:
            return False
        return True

    def decode_proto(self, proto: StructuredValue) -> Any:
        """Returns the structure of a StructuredValue."""
        return decoded(proto)
