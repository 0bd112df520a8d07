"""Data sets by their names: load_dataset, make_dataset."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from headwater.base.export import export, export_value
from headwater.data.catalogue.csv_tables import load_boston, load_iris
from headwater.data.catalogue.dbpedia import load_dbpedia
from headwater.data.catalogue.synthetic_points import circles, spirals
from headwater.data.mnist import load_mnist

DATASETS: dict[str, Callable[..., Any]] = {
    "iris": load_iris,
    "boston": load_boston,
    "mnist": load_mnist,
    "dbpedia": load_dbpedia,
}
SYNTHETIC: dict[str, Callable[..., Any]] = {"circles": circles, "spirals": spirals}

export_value("contrib.learn.datasets.DATASETS", DATASETS)
export_value("contrib.learn.datasets.SYNTHETIC", SYNTHETIC)


@export("contrib.learn.datasets.load_dataset")
def load_dataset(name: str, size: str = "small", test_with_fake_data: bool = False) -> Any:
    """Returns a data set.

    Args:
        name: one of DATASETS: "iris", "boston", "mnist", "dbpedia".
        size: of "dbpedia": "small" or "large".
        test_with_fake_data: whether "dbpedia" is a few made-up articles.

    Returns:
        A `Dataset`, or `Datasets` where the data set has several parts.

    Raises:
        ValueError: if there is no data set of this name.
    """
    if name not in DATASETS:
        raise ValueError(f"Name of dataset is not found: {name}")
    if name == "dbpedia":
        return load_dbpedia(size, test_with_fake_data)
    return DATASETS[name]()


@export("contrib.learn.datasets.make_dataset")
def make_dataset(
    name: str,
    n_samples: int = 100,
    noise: float | None = None,
    seed: int | None = 42,
    *args: Any,
    **kwargs: Any,
) -> Any:
    """Returns points of several classes.

    Args:
        name: one of SYNTHETIC: "circles", "spirals".
        n_samples: the number of points.
        noise: the standard deviation of their noise; None for none.
        seed: for NumPy's global generator.
        *args: further arguments of the function.
        **kwargs: further keyword arguments of the function.

    Returns:
        A `Dataset`.

    Raises:
        ValueError: if there are no points of this name.
    """
    if name not in SYNTHETIC:
        raise ValueError(f"Synthetic dataset not found or not implemeted: {name}")
    return SYNTHETIC[name](n_samples, noise, seed, *args, **kwargs)
