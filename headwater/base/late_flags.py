"""Flags of modules that are imported when a program has begun to run."""

from __future__ import annotations

import sys
from typing import Any

from headwater.base import flags


def define_late(kind: str, name: str, default: Any, help_text: str) -> None:
    """Defines a flag that a program may already have, or whose command line has been read.

    Modules that are imported on demand define their flags after programs have begun to run.

    Args:
        kind: "string", "integer", "float" or "boolean".
        name: its name; a flag of this name is left alone.
        default: the value if the command line has none.
        help_text: what it is for.
    """
    absl = flags._absl_flags()
    if name in absl.FLAGS:
        return
    flags._define(kind, (name, default, help_text), {})
    if absl.FLAGS.is_parsed():
        own = absl.FlagValues()
        getattr(absl, "DEFINE_" + kind)(name, default, help_text, flag_values=own)
        own(flags._join_truth_values(own, sys.argv), known_only=True)
        setattr(absl.FLAGS, name, own[name].value)
