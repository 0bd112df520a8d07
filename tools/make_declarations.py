"""Writes headwater/declarations.tsv: which module declares which public names, ops, gradients.

    python tools/make_declarations.py          # write the table
    python tools/make_declarations.py --check  # fail if it is not current

The tool imports the whole package and notes in which module each name is declared. A module that
does something else when it is imported, such as overriding an operator of Tensor, is imported with
the package ("first"): only what is declared by name can be found later. What counts as harmless is
listed below.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import sys
from pathlib import Path
from types import FrameType, ModuleType

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "headwater"
# Functions that declare something by name, or do nothing that others see.
DECLARING = frozenset(
    {
        "also_under",
        "define_late",
        "export",
        "export_lazy",
        "export_value",
        "register_apply_ops",
        "register_at_fork",
        "register_flops",
        "register_gradient",
        "register_init_from_checkpoint",
        "register_op",
        "register_proto_function",
        "register_protocol",
        "set_default_creator",
    }
)
# Functions that say something of a type; harmless where the type is defined.
OF_TYPES = frozenset(
    {
        "register_composite",
        "register_flow_type",
        "register_tensor_conversion_function",
        "register_type_spec_from_value_converter",
        "setattr",
    }
)
# Decorators that change other objects than the decorated one.
REGISTERING = frozenset({"RegisterGradient", "RegisterKL", "RegisterShape"})


def declared_by_module() -> dict[str, list[str]]:
    """Imports the whole package; returns {module: the names that it declares}."""
    found: dict[str, list[str]] = {}

    def note(kind: str, name: str) -> None:
        module = _module_being_imported(sys._getframe(2))
        found.setdefault(module, []).append(f"{kind}:{name}" if kind else name)

    # The listener must be there before the package is imported.
    sys.path.insert(0, str(ROOT))
    blank = ModuleType(PACKAGE)
    blank.__path__ = [str(ROOT / PACKAGE)]
    sys.modules[PACKAGE] = blank
    declarations = importlib.import_module(f"{PACKAGE}.base.declarations")
    declarations.listeners.append(note)
    del sys.modules[PACKAGE]
    importlib.import_module(PACKAGE)
    importlib.import_module(f"{PACKAGE}.base.namespace").import_all_but_on_demand()
    return found


def _module_being_imported(frame: FrameType | None) -> str:
    while frame is not None:
        name: str = frame.f_globals["__name__"]
        if frame.f_code.co_name == "<module>" and name.partition(".")[0] == PACKAGE:
            return name
        frame = frame.f_back
    raise AssertionError("something is declared although no module is being imported")


def does_more_than_declare(source: str) -> bool:
    """Whether importing a module does something that cannot be found by a name.

    Args:
        source: the text of the module.
    """
    tree = ast.parse(source)
    own = {
        name.id
        for node in tree.body
        if isinstance(node, (ast.Assign, ast.AnnAssign))
        for name in ast.walk(node)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    }
    own |= {n.name for n in tree.body if isinstance(n, (ast.ClassDef, ast.FunctionDef))}
    if any(_is_hook(node) for node in tree.body):
        return False
    return any(_has_effect(node, own) for node in tree.body)


def _is_hook(node: ast.stmt) -> bool:
    """Whether a statement says that the module is imported for a hook."""
    return isinstance(node, ast.Expr) and ast.unparse(node).startswith("declarations.declare(")


def _has_effect(node: ast.stmt, own: set[str]) -> bool:
    if isinstance(node, (ast.Import, ast.ImportFrom, ast.Pass)):
        return False
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return any(_called(d) in REGISTERING for d in node.decorator_list)
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return not all(_is_own(target, own) for target in targets)
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Call) and _call_has_effect(node.value, own)
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return False
    if isinstance(node, (ast.If, ast.For, ast.Try)):
        handlers = node.handlers if isinstance(node, ast.Try) else []
        inner = [*node.body, *node.orelse, *(s for h in handlers for s in h.body)]
        return any(_has_effect(statement, own) for statement in inner)
    return True


def _is_own(target: ast.expr, own: set[str]) -> bool:
    """Whether an assignment changes only what the module defines."""
    if isinstance(target, (ast.Name, ast.Tuple)):
        return True
    while isinstance(target, (ast.Attribute, ast.Subscript)):
        target = target.value
    return isinstance(target, ast.Name) and target.id in own


def _call_has_effect(call: ast.Call, own: set[str]) -> bool:
    name = _called(call)
    if name in DECLARING or (name in own and name.lstrip("_").startswith("register")):
        return False
    about = call.args[0] if call.args else None
    return not (name in OF_TYPES and isinstance(about, ast.Name) and about.id in own)


def _called(node: ast.expr) -> str:
    """The last name of what is called: "export" for `export("a")(f)`."""
    while isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else ast.unparse(node)


def make_table() -> str:
    """Returns the text of the table."""
    declared = declared_by_module()
    declarations = importlib.import_module(f"{PACKAGE}.base.declarations")
    namespace = importlib.import_module(f"{PACKAGE}.base.namespace")
    lines = []
    waiting: tuple[str, ...] = ()
    for module in declarations.all_modules(namespace.layers):
        if module.startswith(waiting):
            continue
        public = getattr(sys.modules[module], "ON_DEMAND", None)
        if public is not None:
            waiting = (*waiting, f"{module}.")
            when, names = declarations.DEMAND, [name or "." for name in public]
        else:
            source = Path(str(sys.modules[module].__file__)).read_text("utf-8")
            more = does_more_than_declare(source)
            when = declarations.FIRST if more else declarations.ASKED
            names = sorted(set(declared.get(module, ())))
        lines.append("\t".join((module.removeprefix(f"{PACKAGE}."), when, " ".join(names))))
    return "\n".join(lines) + "\n"


def main() -> int:
    """Writes or checks the table; returns 1 if a check fails."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail if the table is not current")
    check = parser.parse_args().check
    path = ROOT / PACKAGE / "declarations.tsv"
    text = make_table()
    if not check:
        path.write_text(text, "utf-8")
        return 0
    if path.is_file() and path.read_text("utf-8") == text:
        return 0
    sys.stderr.write("headwater/declarations.tsv: run python tools/make_declarations.py\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
