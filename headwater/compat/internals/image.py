"""Images: the functions that programs take from their modules."""

from __future__ import annotations

from typing import Any

from headwater.compat.internals import internal
from headwater.contrib.image import colours, splines, transforms, warps
from headwater.graph import Operation, Tensor, build
from headwater.ops.image.measures import comparable


@internal("ops.image_ops_impl._verify_compatible_image_shapes")
def verify_compatible_image_shapes(img1: Any, img2: Any) -> tuple[Tensor, Tensor, list[Operation]]:
    """Returns the shapes of two images as tensors, and the ops that check that they fit."""
    (shape1, shape2), checks = comparable(img1, img2)
    return shape1, shape2, checks


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

_GENERATED = {
    "contrib.image.ops.gen_image_ops": {
        "bipartite_match": build.BipartiteMatch,
        "image_connected_components": build.ImageConnectedComponents,
        "image_projective_transform": build.ImageProjectiveTransform,
        "image_projective_transform_v2": build.ImageProjectiveTransformV2,
    },
    "contrib.image.ops.gen_distort_image_ops": {"adjust_hsv_in_yiq": build.AdjustHsvInYiq},
    "contrib.image.ops.gen_single_image_random_dot_stereograms_ops": {
        "single_image_random_dot_stereograms": build.SingleImageRandomDotStereograms,
    },
    "contrib.resampler.ops.gen_resampler_ops": {
        "resampler": build.Resampler,
        "resampler_grad": build.ResamplerGrad,
    },
    "contrib.ffmpeg.ops.gen_decode_audio_op_py": {"decode_audio_v2": build.DecodeAudioV2},
    "contrib.ffmpeg.ops.gen_encode_audio_op_py": {"encode_audio_v2": build.EncodeAudioV2},
    "contrib.ffmpeg.ops.gen_decode_video_op_py": {"decode_video": build.DecodeVideo},
}

for _module, _names in _GENERATED.items():
    for _name, _value in _names.items():
        internal(f"tensorflow.{_module}.{_name}")(_value)
