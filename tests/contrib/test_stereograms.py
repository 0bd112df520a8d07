"""Random-dot stereograms: the disparity of the two views follows from the depths."""

from __future__ import annotations

import numpy as np
import pytest

import headwater as tf


def picture(depths, **options):
    with tf.Graph().as_default(), tf.Session() as session:
        result = tf.contrib.image.single_image_random_dot_stereograms(depths, **options)
        value = session.run(result)
        assert result.shape.as_list() == list(value.shape)
        return value


@pytest.mark.parametrize(
    ("options", "shape"),
    [
        ({}, (768, 1024, 1)),
        ({"number_colors": 512}, (768, 1024, 3)),
        ({"output_image_shape": [120, 80, 1]}, (80, 120, 1)),
    ],
)
def test_the_picture_is_turned(options, shape):
    assert picture([[1, 2, 3], [3, 2, 1]], **options).shape == shape


def far_picture(**options):
    size = {"output_image_shape": [400, 20, 1], "output_data_window": [400, 20]}
    return picture(np.zeros([4, 4]), normalize=False, convergence_dots_size=0, **size, **options)[
        :, :, 0
    ]


def test_what_is_far_repeats_at_half_the_distance_of_the_eyes():
    dots = far_picture()
    np.testing.assert_array_equal(dots[:, :-90], dots[:, 90:])
    assert len(np.unique(dots)) > 100


def test_what_is_near_repeats_sooner():
    window = {"output_image_shape": [400, 20, 1], "output_data_window": [400, 20]}
    dots = picture(np.ones([4, 4]), normalize=False, convergence_dots_size=0, mu=0.5, **window)
    apart = round((1 - 0.5) * 180 / (2 - 0.5))
    np.testing.assert_array_equal(dots[:, :-apart], dots[:, apart:])


def test_two_colours_are_black_and_white():
    assert set(np.unique(far_picture(number_colors=2))) == {0, 255}


def test_dots_for_the_eyes_are_drawn():
    options = {"output_image_shape": [400, 60, 1], "output_data_window": [400, 60]}
    dots = picture(np.zeros([2, 2]), convergence_dots_size=8, **options)
    assert (dots[44:52] == 0).all(axis=(0, 2)).sum() >= 16
