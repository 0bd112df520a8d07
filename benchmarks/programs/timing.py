"""Times the steps of a program and reports them as JSON on standard output.

Runs on Python 3.6 and later with nothing but the standard library, so that one program file can be
timed under every peer. Each report is one line, `@benchmark {...}`, with times in seconds.
"""

import json
import os
import time

# The parent says when it started this process and how long one measure should last.
STARTED = float(os.environ.get("BENCHMARK_STARTED", time.time()))
SECONDS = float(os.environ.get("BENCHMARK_SECONDS", "1.5"))
FIRST_CALLS = 3
MIN_BLOCKS = 5
BLOCK_SECONDS = 0.05


def report(name, **figures):
    """Prints one report."""
    print("@benchmark " + json.dumps(dict(figures, name=name)), flush=True)


def imported():
    """Reports the time from the start of the process to this call, as the measure `import`."""
    report("import", step=time.time() - STARTED, cpu=time.process_time())


def median(values):
    """Returns the median of a list of numbers."""
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def timed(step, count):
    """Returns the seconds and the CPU seconds (of all threads) of one of `count` calls."""
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(count):
        step()
    return (time.perf_counter() - wall) / count, (time.process_time() - cpu) / count


def measure(step, name="step", check=None, block=None, reset=None):
    """Times a step: its first calls one by one, then blocks of calls.

    Args:
      step: a function without arguments.
      name: the name of the measure.
      check: returns a number that must agree between peers; called once, after the first calls.
      block: the number of calls in a block; chosen by duration if not given.
      reset: called before each block, not timed.

    """
    first = []
    for _ in range(FIRST_CALLS):
        first.append(timed(step, 1)[0])
    checked = None if check is None else float(check())
    if block is None:
        block = max(1, int(BLOCK_SECONDS / max(timed(step, 2)[0], 1e-6)))
    timed(step, block)  # warm-up
    walls, cpus, deadline = [], [], time.perf_counter() + SECONDS
    while len(walls) < MIN_BLOCKS or time.perf_counter() < deadline:
        if reset is not None:
            reset()
        wall, cpu = timed(step, block)
        walls.append(wall)
        cpus.append(cpu)
    report(
        name,
        step=median(walls),
        fastest=min(walls),
        cpu=median(cpus),
        first=first[0],
        first_three=sum(first),
        steps=block * len(walls),
        check=checked,
    )


def measure_in_turns(steps, block):
    """Times several steps in turns, so that what else the machine does falls on all of them.

    Args:
      steps: a list of functions without arguments, each with the name of its measure.
      block: the number of calls in a turn, enough to use up what a step finds prepared.

    """
    firsts = [[timed(step, 1)[0] for _ in range(FIRST_CALLS)] for step, _ in steps]
    times = [[] for _ in steps]
    deadline = time.perf_counter() + SECONDS * len(steps)
    while len(times[0]) < MIN_BLOCKS or time.perf_counter() < deadline:
        for (step, _), found in zip(steps, times):
            found.append(timed(step, block))
    for (_, name), first, found in zip(steps, firsts, times):
        # The first turn is the warm-up.
        walls, cpus = zip(*found[1:])
        report(
            name,
            step=median(walls),
            fastest=min(walls),
            cpu=median(cpus),
            first=first[0],
            first_three=sum(first),
            steps=block * len(walls),
        )


def once(action, name, check=None):
    """Times one call of an action that a process does once, such as building a graph."""
    wall, cpu = timed(action, 1)
    report(name, step=wall, cpu=cpu, check=None if check is None else float(check()))
