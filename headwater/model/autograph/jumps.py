"""Writes `return`, `break` and `continue` inside control flow as flags that guard what follows."""

from __future__ import annotations

import ast
from collections.abc import Sequence

RETURNED = "ag__returned"
RESULT = "ag__result"
# The attribute of a `for` with the condition under which it goes on.
GO_ON = "headwater_go_on"

_LOOPS = (ast.While, ast.For)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


class JumpLowering:
    """Rewrites the body of one function."""

    def __init__(self) -> None:
        self._loops = 0
        self._uses_flag = False

    def function_body(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The body without jumps out of control flow.

        Args:
            body: the statements of a function.

        Returns:
            Statements that end with the only `return`; the same ones if no jump needs it.
        """
        body = self._without_loop_jumps(body)
        if not any(_has(statement, ast.Return) for statement in _compound(body)):
            return body
        if not _always_returns(body):
            body = [*body, _at(ast.Return(ast.Constant(None)), body[-1])]
        body = self._without_returns(body, in_loop=False)
        start = [_assign(RESULT, _call("undefined_result"), body[0])]
        if self._uses_flag:
            start.append(_assign(RETURNED, ast.Constant(False), body[0]))
        result = _call("result", ast.Name(RESULT, ast.Load()))
        return [*start, *body, _at(ast.Return(result), body[-1])]

    # Returns

    def _without_returns(self, body: Sequence[ast.stmt], in_loop: bool) -> list[ast.stmt]:
        """The statements with `return` as an assignment; in loops, a `break` follows it."""
        result: list[ast.stmt] = []
        for i, statement in enumerate(body):
            rest = list(body[i + 1 :])
            if isinstance(statement, ast.Return):
                value = statement.value or ast.Constant(None)
                result.append(_assign(RESULT, value, statement))
                if self._uses_flag or in_loop:
                    result.append(_assign(RETURNED, ast.Constant(True), statement))
                    self._uses_flag = True
                return result
            if not _has(statement, ast.Return) or isinstance(statement, _FUNCTIONS):
                result.append(statement)
                continue
            if isinstance(statement, ast.If) and not in_loop and self._join(statement, rest):
                result.append(statement)
                return result
            self._uses_flag = True
            for block in _blocks(statement):
                inner = in_loop or isinstance(statement, _LOOPS)
                block[:] = self._without_returns(block, inner)
            if isinstance(statement, _LOOPS):
                statement = _guarded_loop(statement, RETURNED)
            result.append(statement)
            if rest:
                rest = self._without_returns(rest, in_loop)
                result.append(_unless(RETURNED, rest))
            return result
        return result

    def _join(self, statement: ast.If, rest: list[ast.stmt]) -> bool:
        """Moves what follows an `if` into the branch that goes on, if one of them returns."""
        if _always_returns(statement.body):
            statement.orelse = [*statement.orelse, *rest]
        elif _always_returns(statement.orelse):
            statement.body = [*statement.body, *rest]
        elif rest:
            return False
        statement.body = self._without_returns(statement.body, False) or [_pass(statement)]
        statement.orelse = self._without_returns(statement.orelse, False)
        return True

    # Loops

    def _without_loop_jumps(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for statement in body:
            if not isinstance(statement, _FUNCTIONS):
                for block in _blocks(statement):
                    block[:] = self._without_loop_jumps(block)
            result.extend(self._loop(statement) if isinstance(statement, _LOOPS) else [statement])
        return result

    def _loop(self, loop: ast.While | ast.For) -> list[ast.stmt]:
        before: list[ast.stmt] = []
        self._loops += 1
        if _jumps(loop.body, ast.Continue):
            flag = f"ag__continue_{self._loops}"
            start = _assign(flag, ast.Constant(False), loop)
            loop.body = [start, *_with_flag(loop.body, ast.Continue, flag)]
        if _jumps(loop.body, ast.Break):
            flag = f"ag__break_{self._loops}"
            before.append(_assign(flag, ast.Constant(False), loop))
            loop.body = _with_flag(loop.body, ast.Break, flag)
            orelse, loop.orelse = loop.orelse, []
            loop = _guarded_loop(loop, flag)
            return [*before, loop, *([_unless(flag, orelse)] if orelse else [])]
        orelse, loop.orelse = loop.orelse, []
        return [*before, loop, *orelse]


def _with_flag(body: Sequence[ast.stmt], kind: type[ast.stmt], flag: str) -> list[ast.stmt]:
    """The statements with a jump as an assignment, and what may be skipped under a condition."""
    result: list[ast.stmt] = []
    for i, statement in enumerate(body):
        if isinstance(statement, kind):
            result.append(_assign(flag, ast.Constant(True), statement))
            return result
        if not _jumps([statement], kind):
            result.append(statement)
            continue
        for block in _blocks(statement):
            block[:] = _with_flag(block, kind, flag)
        result.append(statement)
        rest = _with_flag(body[i + 1 :], kind, flag)
        if rest:
            result.append(_unless(flag, rest))
        return result
    return result


def _guarded_loop(loop: ast.While | ast.For, flag: str) -> ast.While | ast.For:
    """A loop that goes on only while a flag is not set."""
    go_on = _call("not_", ast.Name(flag, ast.Load()))
    if isinstance(loop, ast.While):
        lazily = [_lambda(go_on), _lambda(loop.test)]
        loop.test = ast.copy_location(_call("and_", *lazily), loop.test)
        return loop
    earlier = getattr(loop, GO_ON, None)
    both = go_on if earlier is None else _call("and_", _lambda(go_on), _lambda(earlier))
    setattr(loop, GO_ON, both)  # read by the converter
    return loop


def _unless(flag: str, body: list[ast.stmt]) -> ast.stmt:
    test = _call("not_", ast.Name(flag, ast.Load()))
    return _at(ast.If(test, body, []), body[0])


# Questions about statements


def _blocks(statement: ast.stmt) -> list[list[ast.stmt]]:
    """The blocks inside a statement."""
    blocks = [getattr(statement, field, None) for field in ("body", "orelse", "finalbody")]
    parts = [*getattr(statement, "handlers", []), *getattr(statement, "cases", [])]
    return [block for block in (*blocks, *(part.body for part in parts)) if block]


def _compound(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    return [each for each in body if _blocks(each) and not isinstance(each, _FUNCTIONS)]


def _has(node: ast.AST, kind: type[ast.AST]) -> bool:
    """Whether a statement has one of a kind, nested functions left out."""
    if isinstance(node, kind):
        return True
    if isinstance(node, _FUNCTIONS):
        return False
    return any(_has(child, kind) for child in ast.iter_child_nodes(node))


def _jumps(body: Sequence[ast.AST], kind: type[ast.stmt]) -> bool:
    """Whether statements have a jump that belongs to the loop around them."""
    for node in body:
        if isinstance(node, kind):
            return True
        if isinstance(node, _LOOPS):
            if _jumps(node.orelse, kind):
                return True
        elif not isinstance(node, _FUNCTIONS) and _jumps(list(ast.iter_child_nodes(node)), kind):
            return True
    return False


def _always_returns(body: Sequence[ast.stmt]) -> bool:
    if not body:
        return False
    last = body[-1]
    if isinstance(last, (ast.Return, ast.Raise)):
        return True
    if isinstance(last, ast.If):
        return _always_returns(last.body) and _always_returns(last.orelse)
    return isinstance(last, ast.With) and _always_returns(last.body)


# Making nodes


def _call(operator: str, *args: ast.expr) -> ast.expr:
    function = ast.Attribute(ast.Name("ag__", ast.Load()), operator, ast.Load())
    return ast.Call(function, list(args), [])


def _lambda(body: ast.expr) -> ast.expr:
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), body)


def _assign(name: str, value: ast.expr, where: ast.AST) -> ast.stmt:
    return _at(ast.Assign([ast.Name(name, ast.Store())], value), where)


def _pass(where: ast.AST) -> ast.stmt:
    return _at(ast.Pass(), where)


def _at(node: ast.stmt, where: ast.AST) -> ast.stmt:
    return ast.fix_missing_locations(ast.copy_location(node, where))
