"""Images of tf.contrib: what has no public name."""

from __future__ import annotations

from headwater.compat.internals import internal
from headwater.contrib.image import colours, splines, transforms, warps

_OPS = "tensorflow.contrib.image.python.ops"

for _path, _value in {
    "dense_image_warp._interpolate_bilinear": warps.interpolate_bilinear,
    "dense_image_warp.dense_image_warp": warps.dense_image_warp,
    "distort_image_ops.adjust_hsv_in_yiq": colours.adjust_hsv_in_yiq,
    "distort_image_ops.random_hsv_in_yiq": colours.random_hsv_in_yiq,
    "image_ops._IMAGE_DTYPES": transforms.IMAGE_DTYPES,
    "interpolate_spline.interpolate_spline": splines.interpolate_spline,
    "sparse_image_warp._add_zero_flow_controls_at_boundary": (
        warps.add_zero_flow_controls_at_boundary
    ),
    "sparse_image_warp._expand_to_minibatch": warps.expand_to_minibatch,
    "sparse_image_warp._get_boundary_locations": warps.boundary_locations,
    "sparse_image_warp._get_grid_locations": warps.grid_locations,
    "sparse_image_warp.sparse_image_warp": warps.sparse_image_warp,
}.items():
    internal(f"{_OPS}.{_path}")(_value)
