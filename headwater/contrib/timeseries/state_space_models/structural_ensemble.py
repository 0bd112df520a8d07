"""Structural models: a level with a trend, a moving average and cycles, added up.

Source: S. L. Scott and H. R. Varian, "Predicting the Present with Bayesian Structural Time Series",
2014.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from headwater.contrib.timeseries.state_space_models.configuration import (
    DEFAULT_CONFIGURATION,
    StateSpaceModelConfiguration,
)
from headwater.contrib.timeseries.state_space_models.ensembles import (
    StateSpaceCorrelatedFeaturesEnsemble,
    StateSpaceIndependentEnsemble,
)
from headwater.contrib.timeseries.state_space_models.level_trend import AdderStateSpaceModel
from headwater.contrib.timeseries.state_space_models.periodic import (
    CycleStateSpaceModel,
    ResolutionCycleModel,
)
from headwater.contrib.timeseries.state_space_models.state_space_model import StateSpaceModel
from headwater.contrib.timeseries.state_space_models.varma import VARMA
from headwater.model.variables.variable_scope import variable_scope


def _univariate(configuration: StateSpaceModelConfiguration) -> StateSpaceModelConfiguration:
    """The configuration of one feature, whose observation noise the ensemble has."""
    return configuration._replace(use_observation_noise=False, num_features=1)


def _per_feature(
    name: str,
    make_model: Callable[[StateSpaceModelConfiguration], StateSpaceModel],
    configuration: StateSpaceModelConfiguration,
) -> StateSpaceCorrelatedFeaturesEnsemble:
    """One model for each feature."""
    with variable_scope(name):
        members = []
        for feature in range(configuration.num_features):
            with variable_scope(f"feature{feature}"):
                members.append(make_model(_univariate(configuration)))
        return StateSpaceCorrelatedFeaturesEnsemble(
            ensemble_members=members, configuration=configuration
        )


def _moving_average(
    autoregressive_order: int,
    moving_average_order: int,
    configuration: StateSpaceModelConfiguration,
) -> VARMA:
    with variable_scope("varma"):
        return VARMA(
            autoregressive_order=autoregressive_order,
            moving_average_order=moving_average_order,
            configuration=configuration,
        )


def _as_list(periodicities: Any) -> list[Any]:
    if periodicities is None:
        return []
    return list(periodicities) if isinstance(periodicities, (list, tuple)) else [periodicities]


class _Structure(StateSpaceIndependentEnsemble):
    """A level with a trend, a moving average, and cycles that a subclass makes."""

    def _add_up(
        self,
        make_cycle: Callable[[Any, StateSpaceModelConfiguration], StateSpaceModel],
        periodicities: Any,
        moving_average_order: int,
        autoregressive_order: int,
        use_level_noise: bool,
        configuration: StateSpaceModelConfiguration,
    ) -> None:
        parts = configuration._replace(use_observation_noise=False)
        adder = _per_feature(
            "adder",
            lambda one: AdderStateSpaceModel(configuration=one, use_level_noise=use_level_noise),
            parts,
        )
        moving_average = _moving_average(autoregressive_order, moving_average_order, parts)
        cycles = [
            _per_feature(f"cycle{number}", partial(make_cycle, period), parts)
            for number, period in enumerate(_as_list(periodicities))
        ]
        StateSpaceIndependentEnsemble.__init__(
            self, ensemble_members=[adder, moving_average, *cycles], configuration=configuration
        )


class StructuralEnsemble(_Structure):
    """A structural model with one latent value for each step of a period.

    Args:
        periodicities: the periods, integers.
        moving_average_order: the order of the moving average.
        autoregressive_order: the order of the autoregressive part.
        use_level_noise: whether the level has noise of its own.
        configuration: a StateSpaceModelConfiguration.
    """

    def __init__(
        self,
        periodicities: Any,
        moving_average_order: int,
        autoregressive_order: int,
        use_level_noise: bool = True,
        configuration: StateSpaceModelConfiguration = DEFAULT_CONFIGURATION,
    ) -> None:
        self._add_up(
            lambda period, one: CycleStateSpaceModel(periodicity=period, configuration=one),
            periodicities,
            moving_average_order,
            autoregressive_order,
            use_level_noise,
            configuration,
        )


class MultiResolutionStructuralEnsemble(_Structure):
    """A structural model whose cycles have a number of latent values of their own.

    Args:
        cycle_num_latent_values: the number of latent values of each cycle: one odd number, or one
            for each period.
        moving_average_order: the order of the moving average.
        autoregressive_order: the order of the autoregressive part.
        periodicities: the periods.
        use_level_noise: whether the level has noise of its own.
        configuration: a StateSpaceModelConfiguration.
    """

    def __init__(
        self,
        cycle_num_latent_values: Any,
        moving_average_order: int,
        autoregressive_order: int,
        periodicities: Any,
        use_level_noise: bool = True,
        configuration: StateSpaceModelConfiguration = DEFAULT_CONFIGURATION,
    ) -> None:
        periods = _as_list(periodicities)
        sizes = cycle_num_latent_values
        if not isinstance(sizes, (list, tuple)):
            sizes = [sizes] * len(periods)
        self._add_up(
            lambda period_and_size, one: ResolutionCycleModel(
                num_latent_values=period_and_size[1],
                periodicity=period_and_size[0],
                configuration=one,
            ),
            list(zip(periods, sizes, strict=True)),
            moving_average_order,
            autoregressive_order,
            use_level_noise,
            configuration,
        )
