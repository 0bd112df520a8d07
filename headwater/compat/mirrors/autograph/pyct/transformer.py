"""tensorflow.python.autograph.pyct.transformer: the base of transformers of syntax trees."""

from __future__ import annotations

import ast
from typing import Any, NamedTuple


class EntityInfo(NamedTuple):
    """What is known about a converted function."""

    source_code: str
    source_file: str | None
    future_features: Any
    namespace: dict[str, Any]


class Context:
    """What a transformer knows about the function that it transforms.

    Args:
      entity_info: an EntityInfo.
    """

    def __init__(self, entity_info: EntityInfo) -> None:
        self.info = entity_info
        self.current_origin: Any = None


class Base(ast.NodeTransformer):
    """A transformer with a context.

    Args:
      ctx: a Context.
    """

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self._enclosing_entities: list[Any] = []

    @property
    def enclosing_entities(self) -> tuple[Any, ...]:
        """The functions around the node that is visited."""
        return tuple(self._enclosing_entities)

    def visit(self, node: Any) -> Any:
        """Visits a node; functions and classes become enclosing entities."""
        entity = type(node).__name__ in ("FunctionDef", "ClassDef", "Lambda")
        if entity:
            self._enclosing_entities.append(node)
        try:
            return super().visit(node)
        finally:
            if entity:
                self._enclosing_entities.pop()
