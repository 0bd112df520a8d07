"""Numbers and columns of reports."""

from __future__ import annotations

import re
from collections.abc import Iterable

from headwater.profiling.measures import Measures
from headwater.profiling.options import Options

_TIME_HELP = "Sum of accelerator execution time and cpu execution time."
_CPU_HELP = (
    "The time from the start to the end of the operation; launched work that it waits for counts."
)
_ACCELERATOR_HELP = "The time on the accelerator, as its library measures it."
# What an attribute of `select` shows: a title and an explanation each.
_HELP = {
    "accelerator_micros": [("accelerator execution time", _ACCELERATOR_HELP)],
    "bytes": [("requested bytes", "The memory that the operation requests, in all.")],
    "cpu_micros": [("cpu execution time", _CPU_HELP)],
    "device": [("device", "The device that runs the operation.")],
    "float_ops": [("flops", "The number of floating-point operations.")],
    "input_shapes": [("input shape", "The shapes of the inputs.")],
    "micros": [
        ("total execution time", _TIME_HELP),
        ("cpu execution time", _CPU_HELP),
        ("accelerator execution time", _ACCELERATOR_HELP),
    ],
    "occurrence": [("occurrence", "How often it occurs.")],
    "op_types": [("op_types", "The op type, the device, and types that the user has given.")],
    "output_bytes": [("output bytes", "The memory of the outputs.")],
    "params": [("param", "The number of parameters of a variable.")],
    "peak_bytes": [("peak bytes", "The largest memory that the operation holds.")],
    "residual_bytes": [("residual bytes", "The memory that is not freed when it ends.")],
    "tensor_value": [("tensor_value", "Not supported.")],
}
_MEMORY = (
    ("bytes", "requested_bytes", "requested bytes"),
    ("peak_bytes", "peak_bytes", "peak bytes"),
    ("residual_bytes", "residual_bytes", "residual bytes"),
    ("output_bytes", "output_bytes", "output bytes"),
)
_TIMES = (
    ("micros", "exec_micros", "total execution time"),
    ("accelerator_micros", "accelerator_exec_micros", "accelerator execution time"),
    ("cpu_micros", "cpu_exec_micros", "cpu execution time"),
)


def number(value: int) -> str:
    """A number in units of thousands, millions or billions."""
    for limit, divisor, unit in ((1e6, 1e3, "k"), (1e9, 1e6, "m")):
        if value < 1000:
            return str(value)
        if value < limit:
            return f"{value / divisor:.2f}{unit}"
    return f"{value / 1e9:.2f}b"


def micros(value: int) -> str:
    """Microseconds as a time."""
    if value < 1000:
        return f"{value}us"
    return f"{value / 1e3:.2f}ms" if value < 1e6 else f"{value / 1e6:.2f}sec"


def memory(value: int) -> str:
    """Bytes as a size."""
    if value < 1000:
        return f"{value}B"
    return f"{value / 1e3:.2f}KB" if value < 1e6 else f"{value / 1e6:.2f}MB"


def shape_text(shape: tuple[int, ...] | None) -> str:
    """A shape such as "3x3x5"; "unknown" without a rank."""
    return "unknown" if shape is None else "x".join(map(str, shape))


def explanations(options: Options) -> str:
    """A line for each thing that is selected."""
    lines = []
    for attribute in options["select"]:
        if attribute not in _HELP:
            lines.append(f"Unknown select: {attribute}\n")
        lines += [f"{title}: {text}\n" for title, text in _HELP.get(attribute, ())]
    return "".join(lines)


def memory_and_times(select: Iterable[str]) -> list[tuple[str, str]]:
    """(field of Measures, title) of the selected sizes and times; "micros" means all times."""
    chosen = set(select)
    sizes = [(name, title) for attribute, name, title in _MEMORY if attribute in chosen]
    times = [
        (name, title)
        for attribute, name, title in _TIMES
        if attribute in chosen or "micros" in chosen
    ]
    return sizes + times


def amount(field: str, value: int) -> str:
    """The value of a field of Measures as text."""
    return memory(value) if field.endswith("bytes") else micros(value)


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Whether one of some regular expressions matches a whole name."""
    return any(pattern == ".*" or re.fullmatch(pattern, name) for pattern in patterns)


def is_accounted(types: Iterable[str], options: Options) -> bool:
    """Whether one of the types of a node or a scope is accounted."""
    patterns = options["account_type_regexes"]
    return patterns == [".*"] or any(matches(kind, patterns) for kind in types)


def is_large_enough(own: Measures, totals: Measures, options: Options) -> bool:
    """Whether what is counted of a node reaches the minima of the options."""
    return (
        totals.requested_bytes >= options["min_bytes"]
        and totals.peak_bytes >= options["min_peak_bytes"]
        and totals.residual_bytes >= options["min_residual_bytes"]
        and totals.output_bytes >= options["min_output_bytes"]
        and totals.exec_micros >= options["min_micros"]
        and totals.accelerator_exec_micros >= options["min_accelerator_micros"]
        and totals.cpu_exec_micros >= options["min_cpu_micros"]
        and own.parameters >= options["min_params"]
        and own.float_ops >= options["min_float_ops"]
    )


def is_named_to_show(name: str, options: Options) -> bool:
    """Whether the regular expressions of names let a node be shown."""
    shown = matches(name, options["show_name_regexes"])
    return shown and not matches(name, options["hide_name_regexes"])


ORDER_FIELDS = {
    "bytes": "requested_bytes",
    "peak_bytes": "peak_bytes",
    "residual_bytes": "residual_bytes",
    "output_bytes": "output_bytes",
    "micros": "exec_micros",
    "accelerator_micros": "accelerator_exec_micros",
    "cpu_micros": "cpu_exec_micros",
    "params": "parameters",
    "float_ops": "float_ops",
}
