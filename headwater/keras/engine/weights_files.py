"""Values of models in checkpoints and HDF5 files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from headwater.base import errors
from headwater.keras.backend.graph_state import get_session
from headwater.keras.engine import hdf5
from headwater.train.checkpoints.checkpoint_state import (
    checkpoint_exists,
    update_checkpoint_state,
)
from headwater.train.objects.graph_view import ObjectGraphView
from headwater.train.objects.object_saver import TrackableSaver


def is_hdf5(filepath: str) -> bool:
    """Whether the name of a file says that it is an HDF5 file."""
    return filepath.endswith((".h5", ".keras", ".hdf5"))


def save_weights(
    model: Any, filepath: str, overwrite: bool = True, save_format: str | None = None
) -> None:
    """Saves the values of a model's variables; see `Network.save_weights`."""
    filepath = os.fspath(filepath)
    form = save_format.lower().strip() if save_format else None
    if form is None:
        form = "h5" if is_hdf5(filepath) else "tf"
    elif form in ("tensorflow", "tf"):
        form = "tf"
    elif form in ("hdf5", "h5", "keras"):
        form = "h5"
    else:
        raise ValueError(f'Unknown format "{save_format}". Was expecting one of {{"tf", "h5"}}.')
    if form == "tf" and is_hdf5(filepath):
        raise ValueError(
            'save_weights got save_format="tf"/"tensorflow", but the filepath ("'
            f'{filepath}") looks like an HDF5 file. Omit the ".h5"/".keras" when saving in '
            "TensorFlow format."
        )
    target = f"{filepath}.index" if form == "tf" else filepath
    if not overwrite and Path(target).is_file() and not hdf5.ask_to_overwrite(target):
        return
    if not model.built:
        raise ValueError(
            f"Unable to save weights of model {model.name}: its variables do not exist yet."
        )
    if form == "h5":
        with hdf5.opened(filepath, "w") as file:
            hdf5.save_weights(file, model.layers)
        return
    session = get_session()
    saver = TrackableSaver(ObjectGraphView(model))
    saver.save(filepath, session=session)
    update_checkpoint_state(
        str(Path(filepath).parent),
        filepath,
        all_model_checkpoint_paths=[filepath],
    )


def load_weights(model: Any, filepath: str, by_name: bool = False) -> Any:
    """Loads the values of a model's variables; see `Network.load_weights`."""
    filepath = os.fspath(filepath)
    if not is_hdf5(filepath) and not checkpoint_exists(filepath) and not Path(filepath).exists():
        raise errors.NotFoundError(
            None,
            None,
            "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for "
            f"{filepath}",
        )
    if is_hdf5(filepath) or not checkpoint_exists(filepath):
        if not model.built:
            raise ValueError(
                "Unable to load weights saved in HDF5 format into a subclassed Model which has not "
                "created its variables yet. Call the Model first, then load the weights."
            )
        with hdf5.opened(filepath, "r") as file:
            group = file["model_weights"] if "layer_names" not in file.attrs else file
            if by_name:
                hdf5.load_weights_by_name(group, model.layers)
            else:
                hdf5.load_weights(group, model.layers)
        return None
    if by_name:
        raise NotImplementedError(
            "Weights may only be loaded based on topology into Models when loading "
            "TensorFlow-formatted weights (got by_name=True to load_weights)."
        )
    session = get_session()
    status = TrackableSaver(ObjectGraphView(model)).restore(filepath)
    status.initialize_or_restore(session)
    return status
