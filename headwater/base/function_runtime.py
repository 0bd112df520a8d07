"""What the kernels of ops that call functions, such as those of datasets, see of the engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from headwater.base.typing import Array


class VariableHandle(NamedTuple):
    """A variable as a value: its op, and the slot in which the session keeps its value."""

    op: Any
    slot: Any


class CapturedFunction(Protocol):
    """A function of the graph's library with the values that it has captured."""

    name: str
    # Whether an op of the body keeps something between calls, such as the state of a generator.
    has_state: bool
    # Whether the results depend on nothing but the arguments and captured values: on no state of
    # the session, such as variables and tables.
    is_pure: bool
    # The types of the ops that have effects or states, or call other functions: of the body, and of
    # the functions that its ops name.
    active_types: frozenset[str]
    # Whether a call may wait for other calls or runs: it calls Python, or uses a queue.
    may_wait: bool

    def instantiate(
        self, kept: dict[str, Any] | None = None
    ) -> Callable[[Sequence[Array]], list[Array]]:
        """A function from arguments to results.

        It may be called from several threads at the same time. Arguments and results are not
        modified.

        Args:
            kept: where functions of the same names keep what ops of their bodies keep between
                calls, such as the states of generators; if None, they start anew.
        """

    def instantiate_remembering(
        self, kept: dict[str, Any] | None = None
    ) -> Callable[[Sequence[Array]], list[Array]]:
        """As `instantiate`, for functions that get arguments of equal shapes or values often.

        A function whose results depend on shapes and small values only is not computed again.
        """

    def rows(
        self, kept: dict[str, Any] | None = None
    ) -> Callable[[Sequence[Array]], list[Array]] | None:
        """A function from stacked arguments to the stacked results; None if there is none.

        It computes what an instance does for each row, one after the other, without work for each.
        It fails, without side effects, where an instance would fail for a row, and may fail
        elsewhere.

        Args:
            kept: as for `instantiate`: an instance with the same goes on with what ops keep.
        """


class FunctionRuntime(Protocol):
    """Runs functions with the variables and resources of a session."""

    @property
    def device_names(self) -> Sequence[str]:
        """The full names of the session's devices."""

    def keep(self, resource: Any) -> None:
        """Keeps a resource that no op keeps, until it is released or the session is closed."""

    def release(self, resource: Any) -> None:
        """Forgets a resource that `keep` keeps."""

    def captured(
        self, graph: Any, attr: Any, values: Sequence[Array], tags_errors: bool = True
    ) -> CapturedFunction:
        """The function that an attr of an op names.

        Args:
            graph: the graph of the op.
            attr: the attr's value, a NameAttrList.
            values: the captured values: the last arguments of each call.
            tags_errors: whether the errors of calls say in which function they were raised.

        Raises:
            ValueError: if the graph has no such function.
        """

    def of_body(self, body: Any) -> CapturedFunction:
        """The function of a FunctionGraph that captures nothing."""
