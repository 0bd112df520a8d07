"""When shapes recur often enough that a program is compiled for them.

What a program costs and what it saves is estimated from numbers of nodes and elements, never
measured: so a seeded program gives the same numbers in every process.
"""

from __future__ import annotations

from typing import Any

# With so many programs, further ones are compiled only for shapes that keep recurring.
_FREE_PROGRAMS = 3
_MOST_KEYS = 4096
# As many elements, computed on the host, take the time to compile a program, and each node of it.
_COMPILED_PROGRAM = 20_000_000
_COMPILED_NODE = 700_000
# As many take the time to call the kernel of a node.
_INTERPRETED_NODE = 6_000
# What recurs is expected to go on: the first program of nodes is worth so many times what has been
# interpreted, those for other shapes as much.
_EXPECTED = 4
# After so many runs a program is compiled whatever it costs: the steps of a training loop are not
# told apart from the few runs of a test otherwise.
LATEST_RUN = 3
# A loop, which takes longer to compile, after so many.
LATEST_LOOP_RUN = 5
# That many times later if there is a program for other shapes: runs are spread over many shapes.
LATER_SHAPES = 16
# Of so many nodes, or that many times later: a program of 50,000 ops takes 20 s to compile, and is
# hardly faster than their kernels if they compute little.
_MANY_NODES = 2000
# After so many iterations the body of a loop is compiled.
LATEST_ITERATION = 64


def worthwhile_after(
    nodes: int, calls: int, elements: int, latest: int, later_shapes: bool = False
) -> int:
    """After how many runs the interpretation of nodes has cost enough that they are compiled.

    Args:
        nodes: the number of the nodes.
        calls: how many kernels a run calls.
        elements: how many elements these make.
        latest: the most runs; more if there are very many nodes.
        later_shapes: whether there is a program for other shapes.
    """
    latest *= max(1, nodes // _MANY_NODES) * (LATER_SHAPES if later_shapes else 1)
    compiled = _COMPILED_PROGRAM + nodes * _COMPILED_NODE
    interpreted = calls * _INTERPRETED_NODE + elements
    expected = 1 if later_shapes else _EXPECTED
    return min(latest, compiled // (expected * max(interpreted, 1)))


class CompilePolicy:
    """Counts the runs of one segment or loop by key, and decides which keys are compiled.

    Args:
        jit_mode: auto, always, or never.
        rare: keys with fewer than one run in this number are not compiled.
        initial: the count with which the first key begins, for runs that were not noted.

    Attributes:
        all_runs: the number of all runs.
    """

    def __init__(self, jit_mode: str, rare: int, initial: int = 0) -> None:
        self._jit_mode = jit_mode
        self._rare = rare
        self._initial = initial
        self._runs: dict[Any, int] = {}
        self.all_runs = 0

    def note(self, key: Any) -> int:
        """Counts one run and returns how many there have been with this key."""
        runs = self.runs(key) + 1
        self._initial = 0
        if len(self._runs) > _MOST_KEYS:
            self._runs.clear()
        self._runs[key] = runs
        self.all_runs += 1
        return runs

    def runs(self, key: Any) -> int:
        """How many runs there have been with this key."""
        return self._runs.get(key, self._initial)

    def is_enough(self, runs: int, needed: int, programs: int) -> bool:
        """Whether a program is compiled for a key with so many runs.

        Args:
            runs: the runs with this key.
            needed: the runs after which the first programs are compiled.
            programs: how many programs there are.
        """
        if self._jit_mode != "auto":
            return self._jit_mode == "always"
        if runs < needed or runs * self._rare < self.all_runs:
            return False
        extra = programs - _FREE_PROGRAMS
        return extra < 0 or runs >= 2 ** (extra + 2)

    def start_again(self, initial: int) -> None:
        """Forgets the runs, but for so many with the key that comes next."""
        self._runs.clear()
        self._initial = initial
