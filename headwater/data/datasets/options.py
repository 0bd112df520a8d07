"""`Options`: settings of a dataset that change how its elements are made, and not what they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.export import export


class Setting:
    """A property of an options object, whose values are of one type.

    Args:
        kind: the type.
        doc: the documentation.
        default: makes the value that it has before it is set.
    """

    def __init__(self, kind: type, doc: str, default: Callable[[], Any] = lambda: None) -> None:
        self.kind = kind
        self.default = default
        self.__doc__ = doc

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, options: Any, owner: type) -> Any:
        if options is None:
            return self
        if self.name not in options._values:
            options._values[self.name] = self.default()
        return options._values[self.name]

    def __set__(self, options: Any, value: Any) -> None:
        if not isinstance(value, self.kind):
            raise TypeError(
                f'Property "{self.name}" must be of type {self.kind}, got: {value!r} (type: '
                f"{type(value)})"
            )
        options._values[self.name] = value


class OptionsBase:
    """Settings, each of which may be left open."""

    _values: dict[str, Any]

    def __init__(self) -> None:
        object.__setattr__(self, "_values", {})

    def __setattr__(self, name: str, value: Any) -> None:
        if not isinstance(getattr(type(self), name, None), Setting):
            raise AttributeError(f"Cannot set the property {name} on {type(self).__name__}.")
        object.__setattr__(self, name, value)

    @classmethod
    def _settings(cls) -> list[str]:
        return [name for name in dir(cls) if isinstance(getattr(cls, name), Setting)]

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, n) == getattr(other, n) for n in self._settings())

    __hash__ = None  # type: ignore[assignment]

    def _merged(self, other: Any) -> Any:
        """New options with the settings of both.

        Raises:
            TypeError: if the other ones are of another kind.
            ValueError: if both have a setting, with different values.
        """
        if type(self) is not type(other):
            raise TypeError(f"Incompatible options type: {type(other)} vs {type(self)}")
        result = type(self)()
        for name in self._settings():
            mine, theirs = getattr(self, name), getattr(other, name)
            default = getattr(type(self), name).default()
            if isinstance(mine, OptionsBase) and isinstance(theirs, OptionsBase):
                result._values[name] = mine._merged(theirs)
            elif theirs is None or theirs == default:
                result._values[name] = mine
            elif mine is None or mine in (default, theirs):
                result._values[name] = theirs
            else:
                raise ValueError(
                    f"Cannot merge incompatible values ({mine} and {theirs}) of option: {name}"
                )
        return result


@export("data.experimental.DistributeOptions")
class DistributeOptions(OptionsBase):
    """How a dataset is spread over devices and workers."""

    auto_shard = Setting(bool, "Whether workers read different parts of the dataset.", lambda: True)
    num_devices = Setting(int, "How many devices take elements.")


@export("data.experimental.MapVectorizationOptions")
class MapVectorizationOptions(OptionsBase):
    """Whether functions of elements work on whole batches."""

    enabled = Setting(bool, "Whether functions of elements work on whole batches.")
    use_choose_fastest = Setting(bool, "Whether the faster way is measured.")


@export("data.experimental.OptimizationOptions")
class OptimizationOptions(OptionsBase):
    """Which rewritings of a dataset are allowed."""

    apply_default_optimizations = Setting(bool, "Whether those that are on by default are.")
    autotune = Setting(bool, "Whether numbers that are AUTOTUNE are chosen while it runs.")
    autotune_algorithm = Setting(int, "How they are chosen.")
    autotune_buffers = Setting(bool, "Whether the sizes of prefetched buffers are chosen too.")
    autotune_cpu_budget = Setting(int, "How many cores may be used.")
    filter_fusion = Setting(bool, "Whether filters that follow each other become one.")
    filter_with_random_uniform_fusion = Setting(
        bool, "Whether filters by random numbers become samplings."
    )
    hoist_random_uniform = Setting(bool, "Whether random numbers are drawn ahead of functions.")
    map_and_batch_fusion = Setting(bool, "Whether a map and a batch become one.")
    map_and_filter_fusion = Setting(bool, "Whether a map and a filter become one.")
    map_fusion = Setting(bool, "Whether maps that follow each other become one.")
    map_parallelization = Setting(bool, "Whether maps without a state run in parallel.")
    map_vectorization = Setting(
        MapVectorizationOptions,
        "Whether functions of elements work on whole batches.",
        MapVectorizationOptions,
    )
    noop_elimination = Setting(bool, "Whether datasets that change nothing are left out.")
    parallel_batch = Setting(bool, "Whether elements are copied into a batch in parallel.")
    shuffle_and_repeat_fusion = Setting(bool, "Whether a shuffle and a repeat become one.")

    _DEFAULTS = ("map_and_batch_fusion", "noop_elimination", "shuffle_and_repeat_fusion")
    _OTHERS = (
        "filter_fusion",
        "filter_with_random_uniform_fusion",
        "hoist_random_uniform",
        "map_and_filter_fusion",
        "map_fusion",
        "map_parallelization",
        "parallel_batch",
    )

    def _static(self) -> set[str]:
        """The names of the rewritings that are on."""
        on = {name for name in (*self._OTHERS, *self._DEFAULTS) if getattr(self, name)}
        if self.map_vectorization.enabled:
            on.add("map_vectorization")
        if self.apply_default_optimizations is not False:
            on.update(name for name in self._DEFAULTS if getattr(self, name) is not False)
        if self.autotune is not False and self.autotune_buffers:
            on.add("inject_prefetch")
        return on

    def _static_configs(self) -> list[str]:
        chosen = str(bool(self.map_vectorization.use_choose_fastest)).lower()
        return [f"map_vectorization:use_choose_fastest:{chosen}"]


@export("data.experimental.StatsOptions")
class StatsOptions(OptionsBase):
    """Which statistics are collected, and where."""

    aggregator = Setting(object, "The StatsAggregator that collects them.")
    counter_prefix = Setting(str, "What stands before the names of counters.", str)
    latency_all_edges = Setting(bool, "Whether the time that each dataset takes is noted.")
    prefix = Setting(str, "What stands before the names of all statistics.", str)


@export("data.experimental.ThreadingOptions")
class ThreadingOptions(OptionsBase):
    """How many threads make elements."""

    max_intra_op_parallelism = Setting(int, "How many threads one op may use.")
    private_threadpool_size = Setting(int, "How many threads the dataset has of its own.")


@export("data.Options")
class Options(OptionsBase):
    """Settings of a dataset; `Dataset.with_options` puts them into force."""

    experimental_deterministic = Setting(bool, "Whether elements keep their order.")
    experimental_distribute = Setting(
        DistributeOptions, "How elements are spread over devices.", DistributeOptions
    )
    experimental_optimization = Setting(
        OptimizationOptions, "Which rewritings are allowed.", OptimizationOptions
    )
    experimental_slack = Setting(bool, "Whether the last prefetch leaves room at each step.")
    experimental_stateful_whitelist = Setting(list, "Ops with a state that may be serialized.")
    experimental_stats = Setting(StatsOptions, "Which statistics are collected.", StatsOptions)
    experimental_threading = Setting(
        ThreadingOptions, "How many threads there are.", ThreadingOptions
    )

    def merge(self, options: Options) -> Options:
        """New options with the settings of these and other ones.

        Args:
            options: the other ones.

        Returns:
            Options.

        Raises:
            ValueError: if both have a setting, with different values.
        """
        merged: Options = self._merged(options)
        return merged

    def _optimizations(self) -> tuple[list[str], list[str]]:
        """The names of the rewritings of an OptimizeDataset, and its attr optimization_configs."""
        optimization = self.experimental_optimization
        names = sorted(optimization._static())
        configs = optimization._static_configs()
        if self.experimental_deterministic is False:
            names.append("make_sloppy")
        if self.experimental_stats.latency_all_edges:
            names.append("latency_all_edges")
        if self.experimental_slack:
            names.append("slack")
            configs.append(f"slack:slack_period:{self.experimental_distribute.num_devices or 1}")
        return names, configs
