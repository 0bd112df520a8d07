"""The best logits of nodes of boosted trees, and what they gain.

Source: Chen, Guestrin, "XGBoost: a scalable tree boosting system", KDD 2016, section 2.2.
"""

from __future__ import annotations

import numpy as np

_F = np.float32
TINY = 1e-15


def weights_and_gains(
    gradients: np.ndarray, hessians: np.ndarray, l1: np.ndarray, l2: np.ndarray, tiny: float = TINY
) -> tuple[np.ndarray, np.ndarray]:
    """The best logits of nodes and what they gain.

    Args:
        gradients: sums of gradients, [..., logits].
        hessians: sums of hessians, [..., logits], or [..., logits * logits] for full matrices.
        l1: the L1 regularization; of one logit only.
        l2: the L2 regularization.
        tiny: nodes of one logit with a smaller hessian predict nothing.

    Returns:
        The logits [..., logits] and the gains [...].
    """
    logits = gradients.shape[-1]
    if logits == 1:
        shrunk = np.sign(gradients) * np.maximum(np.abs(gradients) - l1, _F(0))
        regular = hessians + l2
        flat = regular <= _F(tiny)
        weights = np.where(flat, _F(0), -shrunk / np.where(flat, _F(1), regular))
        return weights.astype(_F), (-shrunk * weights)[..., 0]
    if hessians.shape[-1] == logits:
        regular = hessians + l2
        flat = regular == 0
        weights = np.where(flat, _F(0), -gradients / np.where(flat, _F(1), regular))
    else:
        matrix = hessians.reshape(*hessians.shape[:-1], logits, logits)
        matrix = matrix + np.eye(logits, dtype=_F) * l2
        flat = np.linalg.matrix_rank(matrix) < logits
        matrix = np.where(flat[..., None, None], np.eye(logits, dtype=_F), matrix)
        weights = -np.linalg.solve(matrix, gradients[..., None])[..., 0]
        weights = np.where(flat[..., None], _F(0), weights)
    return weights.astype(_F), -(gradients * weights).sum(-1)
