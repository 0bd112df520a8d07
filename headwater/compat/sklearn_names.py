"""What scikit-learn and scikit-image have dropped and programs of the time use."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import numpy as np

from headwater.compat.missing_modules import Contents, copies_of_six, public_names
from headwater.compat.old_names import Find, OldNames, constant, renamed


class _Splits:
    """Parts to train on and parts to test on, as `sklearn.cross_validation` iterated over them.

    Args:
        splitter: what makes them today.
        data: what it splits.
    """

    def __init__(self, splitter: Any, *data: Any) -> None:
        self._splitter = splitter
        self._data = data

    def __iter__(self) -> Iterator[Any]:
        return iter(self._splitter.split(*self._data))

    def __len__(self) -> int:
        return int(self._splitter.get_n_splits(*self._data))


def _cross_validation() -> dict[str, Any]:
    new = importlib.import_module("sklearn.model_selection")

    def k_fold(n: int, n_folds: int = 3, shuffle: bool = False, random_state: Any = None) -> Any:
        return _Splits(new.KFold(n_folds, shuffle=shuffle, random_state=random_state), range(n))

    def stratified_k_fold(
        y: Any, n_folds: int = 3, shuffle: bool = False, random_state: Any = None
    ) -> Any:
        folds = new.StratifiedKFold(n_folds, shuffle=shuffle, random_state=random_state)
        return _Splits(folds, np.zeros(len(y)), y)

    def shuffle_split(n: int, n_iter: int = 10, test_size: Any = 0.1, **kwargs: Any) -> Any:
        return _Splits(new.ShuffleSplit(n_iter, test_size=test_size, **kwargs), range(n))

    def stratified_shuffle_split(
        y: Any, n_iter: int = 10, test_size: Any = 0.1, **kwargs: Any
    ) -> Any:
        splits = new.StratifiedShuffleSplit(n_iter, test_size=test_size, **kwargs)
        return _Splits(splits, np.zeros(len(y)), y)

    def leave_one_out(n: int) -> Any:
        return _Splits(new.LeaveOneOut(), range(n))

    return {
        **public_names("sklearn.model_selection")(),
        "KFold": k_fold,
        "StratifiedKFold": stratified_k_fold,
        "ShuffleSplit": shuffle_split,
        "StratifiedShuffleSplit": stratified_shuffle_split,
        "LeaveOneOut": leave_one_out,
    }


def _linear_assignment() -> dict[str, Any]:
    def linear_assignment(X: Any) -> np.ndarray:
        """The pairs [row, column] of the smallest sum."""
        solve = importlib.import_module("scipy.optimize").linear_sum_assignment
        return np.stack(solve(X), axis=1)

    return {"linear_assignment": linear_assignment}


def _imputer(
    missing_values: Any = "NaN",
    strategy: str = "mean",
    axis: int = 0,
    verbose: int = 0,
    copy: bool = True,
) -> Any:
    """Returns what fills the gaps of columns."""
    if axis != 0:
        raise ValueError("Imputer fills the gaps of columns only: axis must be 0.")
    missing = np.nan if missing_values == "NaN" else missing_values
    # It imports sklearn.preprocessing itself.
    kind = importlib.import_module("sklearn.impute").SimpleImputer
    return kind(missing_values=missing, strategy=strategy, copy=copy)


def _scorers(module: ModuleType) -> Any:
    return {name: module.get_scorer(name) for name in module.get_scorer_names()}


def _metric(name: str) -> Find:
    """Finds a metric of pictures that once said `multichannel` and now names the axis."""

    def find(module: ModuleType) -> Any:
        function: Callable[..., Any] = getattr(importlib.import_module("skimage.metrics"), name)

        def metric(*args: Any, multichannel: bool = False, **kwargs: Any) -> Any:
            if multichannel:
                kwargs["channel_axis"] = -1
            return function(*args, **kwargs)

        return metric

    return find


def _gray_to_color(module: ModuleType) -> Any:
    return lambda image, alpha=None: module.gray2rgb(image)


_MODULES: dict[str, Contents] = {
    "sklearn.cross_validation": _cross_validation,
    "sklearn.datasets.base": public_names("sklearn.datasets"),
    "sklearn.datasets.samples_generator": public_names("sklearn.datasets"),
    "sklearn.externals": dict,
    "sklearn.externals.joblib": public_names("joblib"),
    **copies_of_six("sklearn.externals.six"),
    "sklearn.grid_search": public_names("sklearn.model_selection"),
    "sklearn.learning_curve": public_names("sklearn.model_selection"),
    "sklearn.metrics.classification": public_names("sklearn.metrics"),
    "sklearn.metrics.ranking": public_names("sklearn.metrics"),
    "sklearn.metrics.regression": public_names("sklearn.metrics"),
    "sklearn.preprocessing.data": public_names("sklearn.preprocessing"),
    "sklearn.preprocessing.label": public_names("sklearn.preprocessing"),
    "sklearn.utils.linear_assignment_": _linear_assignment,
}
_NAMES: dict[str, dict[str, Find]] = {
    "sklearn.metrics": {"SCORERS": _scorers},
    "sklearn.preprocessing": {"Imputer": constant(_imputer)},
    "skimage.color": {
        "grey2rgb": _gray_to_color,
        "rgb2grey": lambda module: module.rgb2gray,
    },
    "skimage.measure": {
        "compare_mse": _metric("mean_squared_error"),
        "compare_nrmse": _metric("normalized_root_mse"),
        "compare_psnr": _metric("peak_signal_noise_ratio"),
        "compare_ssim": _metric("structural_similarity"),
    },
    "skimage.util": {"pad": lambda module: np.pad},
}
_names = OldNames(
    _NAMES,
    _MODULES,
    changes={
        "sklearn.manifold._t_sne": {"TSNE.__init__": renamed(n_iter="max_iter")},
        "sklearn.preprocessing._encoders": {
            "OneHotEncoder.__init__": renamed(sparse="sparse_output")
        },
    },
)
add = _names.add
remove = _names.remove
