"""Names without the scope that is exported, and with the scope that is imported into."""

from __future__ import annotations

import re

from headwater.base.export import export


@export("contrib.framework.strip_name_scope")
def strip_name_scope(name: str, export_scope: str | None) -> str:
    """A name (also ``^name`` and ``loc:@name``) without a scope at its beginning.

    Args:
        name: the name.
        export_scope: the scope; None or "" for none.

    Returns:
        The shorter name.
    """
    if not export_scope:
        return name
    scope = re.escape(export_scope.rstrip("/"))
    return re.sub(rf"(\^|loc:@|^){scope}/+(.*)", r"\1\2", name, count=1)


@export("contrib.framework.prepend_name_scope")
def prepend_name_scope(name: str, import_scope: str | None) -> str:
    """A name (also ``^name`` and ``loc:@name``) in a scope.

    Args:
        name: the name.
        import_scope: the scope; None or "" for none.

    Returns:
        The longer name.
    """
    if not import_scope:
        return name
    scope = import_scope.rstrip("/")
    return re.sub(r"(\^|loc:@|^)(.*)", lambda m: f"{m[1]}{scope}/{m[2]}", name, count=1)
