"""Makes calls of operators of the control flow in a function's syntax tree."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Sequence
from typing import Any

from headwater.model.autograph.jumps import GO_ON, JumpLowering
from headwater.model.autograph.names import bound, dotted, live_before, read
from headwater.model.autograph.source import FunctionNode

# Calls that look at the frame of the caller.
_FRAME_READERS = frozenset({"super", "locals", "globals", "vars", "dir", "eval", "exec"})
_PYTHON_TESTS = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
_PYTHON_QUESTIONS = frozenset({"isinstance", "issubclass", "callable", "hasattr"})


class CannotConvert(Exception):
    """A function uses what the converter does not handle."""


def converted(node: FunctionNode, recursive: bool, private_to: str | None) -> ast.FunctionDef:
    """The definition of a function whose control flow asks the operators.

    Args:
        node: a function or a lambda; it is changed.
        recursive: whether called functions are converted when they are called.
        private_to: the class in which names that begin with two underscores are private.

    Returns:
        A definition without decorators, defaults and annotations of its own.

    Raises:
        CannotConvert: if the function is a generator, or its control flow deletes names.
    """
    if isinstance(node, ast.Lambda):
        body: list[ast.stmt] = [ast.copy_location(ast.Return(node.body), node.body)]
        node = ast.copy_location(_function("ag__lambda", node.args, body), node)
    node.decorator_list = []
    node.returns = None
    for arg in ast.walk(node.args):
        if isinstance(arg, ast.arg):
            arg.annotation = None
    node.args.defaults = [ast.Constant(None) for _ in node.args.defaults]
    node.args.kw_defaults = [d and ast.Constant(None) for d in node.args.kw_defaults]
    if private_to is not None:
        _PrivateNames(private_to).visit(node)
    _SuperCalls(node.args).visit_body(node)
    _Converter(recursive).function(node)
    return ast.fix_missing_locations(node)


class _PrivateNames(ast.NodeTransformer):
    """Writes names as they are compiled inside a class."""

    def __init__(self, owner: str) -> None:
        self._prefix = "_" + owner.lstrip("_")

    def _mangled(self, name: str) -> str:
        private = name.startswith("__") and not name.endswith("__") and self._prefix != "_"
        return self._prefix + name if private else name

    def visit_Name(self, node: ast.Name) -> ast.AST:
        node.id = self._mangled(node.id)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        node.attr = self._mangled(node.attr)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.arg = self._mangled(node.arg)
        return node


class _SuperCalls(ast.NodeTransformer):
    """Gives `super()` its arguments, which Python finds in the frame of the method itself only."""

    def __init__(self, args: ast.arguments) -> None:
        self._first = next((arg.arg for arg in (*args.posonlyargs, *args.args)), None)

    def visit_body(self, node: ast.FunctionDef) -> None:
        """Changes the calls in the body of a function."""
        node.body = [self.visit(statement) for statement in node.body]

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        is_super = isinstance(node.func, ast.Name) and node.func.id == "super"
        if is_super and self._first and not node.args and not node.keywords:
            names = (ast.Name(name, ast.Load()) for name in ("__class__", self._first))
            node.args = [ast.copy_location(name, node) for name in names]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        _SuperCalls(node.args).visit_body(node)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node


class _Converter(ast.NodeTransformer):
    """Converts functions, those inside included."""

    def __init__(self, recursive: bool) -> None:
        self._recursive = recursive
        self._count = 0
        self._live: set[str] = set()
        self._globals: set[str] = set()

    def function(self, node: ast.FunctionDef) -> None:
        """Converts the body of a function in place."""
        _refuse(node)
        outer = self._live, self._globals
        parameters = {arg.arg for arg in ast.walk(node.args) if isinstance(arg, ast.arg)}
        outside = _declared(node.body, ast.Nonlocal)
        self._globals = _declared(node.body, ast.Global)
        node.body = JumpLowering().function_body(node.body)
        # Attributes and what belongs to functions outside may be read at any time.
        self._live = outside | {name for name in bound(node.body) if "." in name}
        own = set(bound(node.body)) - parameters - outside - self._globals
        start, body = _after_docstring(node.body)
        body = self.block(body, self._live)
        if any(isinstance(each, ast.Nonlocal) for each in _walk_made(body)):
            made = sorted(own - _deleted(node) - {name for name in own if not _needs_start(name)})
            start += [_assign(name, _operator("undefined", ast.Constant(name))) for name in made]
        node.body = start + body
        self._live, self._globals = outer

    def block(self, body: Sequence[ast.stmt], live: set[str]) -> list[ast.stmt]:
        """Converts statements; `live` are the names that are read after them."""
        result: list[ast.stmt] = []
        outer = self._live
        for i, statement in enumerate(body):
            self._live = live_before(body[i + 1 :], live)
            converted = self.visit(statement)
            result.extend(converted if isinstance(converted, list) else [converted])
        self._live = outer
        return result

    # Statements

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        node.decorator_list = [self.visit(each) for each in node.decorator_list]
        node.args = self.visit(node.args)
        with contextlib.suppress(CannotConvert):  # a generator stays as it is
            self.function(node)
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> Any:
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        if any(isinstance(each, (ast.Yield, ast.YieldFrom)) for each in ast.walk(node)):
            return node
        return self.generic_visit(node)

    def visit_With(self, node: ast.With) -> Any:
        node.items = [self.visit(item) for item in node.items]
        node.body = self.block(node.body, self._live)
        return node

    def visit_Try(self, node: ast.Try) -> Any:
        everything = self._live | read(node)
        for name in ("body", "orelse", "finalbody"):
            setattr(node, name, self.block(getattr(node, name), everything))
        for handler in node.handlers:
            handler.body = self.block(handler.body, everything)
        return node

    def visit_Match(self, node: ast.Match) -> Any:
        for case in node.cases:
            case.body = self.block(case.body, self._live)
        return node

    def visit_If(self, node: ast.If) -> Any:
        after = self._live
        needed = after | live_before(node.body, after) | live_before(node.orelse, after)
        state = self._state([*node.body, *node.orelse], needed)
        plain = _is_python_test(node.test)
        node.test = self.visit(node.test)
        node.body = self.block(node.body, after)
        node.orelse = self.block(node.orelse, after)
        if plain:
            return node
        names = sorted(state, key=lambda name: (name not in after, name))
        made = self._functions(names)
        body = made.define("if_body", node.body)
        orelse = made.define("else_body", node.orelse)
        call = _operator(
            "if_stmt",
            node.test,
            body,
            orelse,
            *made.state(),
            ast.Constant(sum(name in after for name in names)),
        )
        return made.statements(call, node)

    def visit_While(self, node: ast.While) -> Any:
        around = live_before([node], self._live)
        state = sorted(self._state(node.body, around))
        node.test = self.visit(node.test)
        node.body = self.block(node.body, around)
        made = self._functions(state)
        test = made.define("loop_test", [ast.copy_location(ast.Return(node.test), node.test)])
        body = made.define("loop_body", node.body)
        return made.statements(_operator("while_stmt", test, body, *made.state()), node)

    def visit_For(self, node: ast.For) -> Any:
        around = live_before([node], self._live)
        go_on: ast.expr | None = getattr(node, GO_ON, None)
        around |= read(go_on)
        item = ast.Assign([node.target], ast.Name("ag__item", ast.Load()))
        state = sorted(self._state([ast.copy_location(item, node.target), *node.body], around))
        node.iter = self.visit(node.iter)
        body = [ast.copy_location(item, node.target), *self.block(node.body, around)]
        made = self._functions(state)
        body_name = made.define("loop_body", body, ["ag__item"])
        extra: ast.expr = ast.Constant(None)
        if go_on is not None:
            extra = made.define("loop_test", [ast.Return(go_on)])
        call = _operator("for_stmt", node.iter, extra, body_name, *made.state())
        return made.statements(call, node)

    def _state(self, body: Sequence[ast.stmt], needed: set[str]) -> set[str]:
        """The names that statements assign and that are read before or after."""
        return {name for name in bound(body) if name in needed and name not in self._globals}

    def _functions(self, names: Sequence[str]) -> _StateFunctions:
        self._count += 1
        return _StateFunctions(self._count, names, self._globals)

    # Expressions

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        if _binds(node):
            return node
        values = [self.visit(value) for value in node.values]
        operator = "and_" if isinstance(node.op, ast.And) else "or_"
        return _at(_operator(operator, *(_lambda(value) for value in values)), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        operand = self.visit(node.operand)
        node.operand = operand
        return _at(_operator("not_", operand), node) if isinstance(node.op, ast.Not) else node

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        if _binds(node):
            return node
        test, body, orelse = self.visit(node.test), self.visit(node.body), self.visit(node.orelse)
        return _at(_operator("if_exp", test, _lambda(body), _lambda(orelse)), node)

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        simple = all(isinstance(each, (ast.Name, ast.Constant)) for each in node.comparators[:-1])
        if len(node.ops) == 1 or not simple or _binds(node):
            return node
        operands = [node.left, *node.comparators]
        parts = [
            ast.Compare(left, [op], [right])
            for left, op, right in zip(operands, node.ops, operands[1:])
        ]
        return _at(_operator("and_", *(_lambda(part) for part in parts)), node)

    def visit_Call(self, node: ast.Call) -> Any:
        function = node.func
        if isinstance(function, ast.Name) and function.id in _FRAME_READERS:
            return node
        if isinstance(function, ast.Attribute) and dotted(function) in ("pdb.set_trace",):
            return node
        of_operators = isinstance(function, ast.Attribute) and dotted(function.value) == "ag__"
        self.generic_visit(node)
        if of_operators:
            return node
        operator = "converted_call" if self._recursive else "called"
        node.func, node.args = (
            ast.copy_location(_operator(operator).func, node.func),  # type: ignore[attr-defined]
            [node.func, *node.args],
        )
        return node


class _StateFunctions:
    """The functions that a control flow statement becomes, and the names that they share."""

    def __init__(self, count: int, names: Sequence[str], global_names: set[str]) -> None:
        self._count = count
        self._names = names
        self._definitions: list[ast.stmt] = []
        self._declarations: list[ast.stmt] = []
        local = [name for name in names if "." not in name]
        if local:
            self._declarations.append(ast.Nonlocal(local))
        if global_names:
            self._declarations.append(ast.Global(sorted(global_names)))

    def define(self, name: str, body: list[ast.stmt], parameters: Sequence[str] = ()) -> ast.expr:
        """Makes a function that may assign the names of the state; returns its name."""
        name = f"ag__{name}_{self._count}"
        made = _function(
            name, _arguments(parameters), [*self._declarations, *(body or [ast.Pass()])]
        )
        self._definitions.append(made)
        return ast.Name(name, ast.Load())

    def state(self) -> list[ast.expr]:
        """The functions that read and write the state, and its names."""
        values = [_loaded(name) for name in self._names]
        get = self.define("get_state", [ast.Return(ast.Tuple(values, ast.Load()))])
        target = ast.Tuple([_expression(name, ast.Store()) for name in self._names], ast.Store())
        assign = ast.Assign([target], ast.Name("ag__values", ast.Load()))
        put = self.define("set_state", [assign] if self._names else [], ["ag__values"])
        names = ast.Tuple([ast.Constant(name) for name in self._names], ast.Load())
        return [get, put, names]

    def statements(self, call: ast.expr, where: ast.stmt) -> list[ast.stmt]:
        """The definitions and the call of the operator."""
        made = [*self._definitions, ast.Expr(call)]
        for statement in made:
            ast.copy_location(statement, where)
            ast.fix_missing_locations(statement)
        return made


def _loaded(name: str) -> ast.expr:
    expression = _expression(name, ast.Load())
    if "." not in name:
        return expression
    return _operator("attribute", _lambda(expression), ast.Constant(name))


def _expression(name: str, context: ast.expr_context) -> ast.expr:
    base, _, attribute = name.rpartition(".")
    if not base:
        return ast.Name(name, context)
    return ast.Attribute(_expression(base, ast.Load()), attribute, context)


def _is_python_test(test: ast.expr) -> bool:
    """Whether a condition is never a tensor."""
    if isinstance(test, ast.Compare):
        return len(test.ops) == 1 and isinstance(test.ops[0], _PYTHON_TESTS)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _is_python_test(test.operand)
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Name):
        return test.func.id in _PYTHON_QUESTIONS
    return isinstance(test, ast.Constant)


def _refuse(node: ast.FunctionDef) -> None:
    for each in _walk_own(node.body):
        if isinstance(each, (ast.Yield, ast.YieldFrom, ast.Await)):
            raise CannotConvert("generators are not converted")


def _deleted(node: ast.FunctionDef) -> set[str]:
    """Names that must stay unbound where Python leaves them so."""
    handlers = {e.name for e in _walk_own(node.body) if isinstance(e, ast.ExceptHandler) and e.name}
    return handlers - set(bound(node.body))


def _needs_start(name: str) -> bool:
    """Whether a name has to be bound at the start; flags are, before the loops that set them."""
    return "." not in name and not name.startswith("ag__")


def _walk_own(body: Sequence[ast.AST]) -> list[ast.AST]:
    """All nodes of statements, nested functions and classes left out."""
    found: list[ast.AST] = []
    stack: list[ast.AST] = list(body)
    while stack:
        node = stack.pop()
        found.append(node)
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            stack.extend(ast.iter_child_nodes(node))
    return found


def _walk_made(body: Sequence[ast.AST]) -> list[ast.AST]:
    return [node for statement in body for node in ast.walk(statement)]


def _declared(body: Sequence[ast.stmt], kind: Any) -> set[str]:
    return {name for each in _walk_own(body) if isinstance(each, kind) for name in each.names}


def _binds(node: ast.AST) -> bool:
    """Whether an expression assigns names, or waits: it cannot move into a lambda."""
    waits = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)
    return any(isinstance(each, waits) for each in ast.walk(node))


def _after_docstring(body: list[ast.stmt]) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """The docstring and declarations of a function, and its other statements."""
    start: list[ast.stmt] = [each for each in body if isinstance(each, (ast.Nonlocal, ast.Global))]
    first = body[0] if body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        start.insert(0, first)
    return start, [each for each in body if each not in start]


# Making nodes


def _operator(name: str, *args: ast.expr) -> ast.expr:
    function = ast.Attribute(ast.Name("ag__", ast.Load()), name, ast.Load())
    return ast.Call(function, list(args), [])


def _arguments(names: Sequence[str]) -> ast.arguments:
    return ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])


def _lambda(body: ast.expr) -> ast.expr:
    return ast.Lambda(_arguments(()), body)


def _assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _function(name: str, args: ast.arguments, body: list[ast.stmt]) -> ast.FunctionDef:
    made = ast.parse("def f(): pass").body[0]
    assert isinstance(made, ast.FunctionDef)
    made.name, made.args, made.body = name, args, body
    return made


def _at(node: ast.expr, where: ast.expr) -> ast.expr:
    return ast.copy_location(node, where)
