"""tensorflow.python.autograph.core.converter: how a function is converted."""

from __future__ import annotations

from typing import Any

from headwater.compat.mirrors.autograph.core.naming import Namer
from headwater.compat.mirrors.autograph.pyct.transformer import Base, Context, EntityInfo
from headwater.contrib.autograph.markers import Feature

__all__ = ["Base", "ConversionOptions", "EntityContext", "Feature", "ProgramContext"]


class ConversionOptions:
    """What is converted.

    Args:
      recursive: whether called functions are.
      user_requested: whether the program asked for this function.
      internal_convert_user_code: whether functions of programs are.
      optional_features: Features.
    """

    def __init__(
        self,
        recursive: bool = False,
        user_requested: bool = False,
        internal_convert_user_code: bool = True,
        optional_features: Any = Feature.ALL,
    ) -> None:
        self.recursive = recursive
        self.user_requested = user_requested
        self.internal_convert_user_code = internal_convert_user_code
        if isinstance(optional_features, Feature):
            optional_features = (optional_features,)
        self.optional_features = frozenset(optional_features or ())

    def as_tuple(self) -> tuple[Any, ...]:
        """Returns the options in the order of comparison."""
        return (
            self.recursive,
            self.user_requested,
            self.internal_convert_user_code,
            self.optional_features,
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConversionOptions) and self.as_tuple() == other.as_tuple()

    def __hash__(self) -> int:
        return hash(self.as_tuple())

    def uses(self, feature: Feature) -> bool:
        """Tells whether a feature is on."""
        return bool({Feature.ALL, feature} & self.optional_features)


class ProgramContext:
    """What the functions of a conversion have in common.

    Args:
      options: ConversionOptions.
      autograph_module: the module of the operators.
    """

    def __init__(self, options: ConversionOptions, autograph_module: Any = None) -> None:
        self.options = options
        self.autograph_module = autograph_module


class EntityContext(Context):
    """What the conversion of a function knows.

    Args:
      namer: makes names.
      entity_info: an EntityInfo.
      program_ctx: a ProgramContext.
      targets: what the function is to be.
    """

    def __init__(
        self,
        namer: Namer,
        entity_info: EntityInfo,
        program_ctx: ProgramContext,
        targets: Any = None,
    ) -> None:
        super().__init__(entity_info)
        self.namer = namer
        self.program = program_ctx
        self.targets = targets
