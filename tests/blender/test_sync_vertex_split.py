"""Corners share a vertex exactly where all their values agree."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fyn.addon.sync.gather import RUN, elect, gather, rows_differ
from fyn.addon.sync.vertex_split import MAX_ROUNDS, keep_corners, split_vertices


def distinct(points, *values):
    """How many different corners there are, by sorting."""
    columns = [points.astype(np.float64)[:, None], *(v.astype(np.float64) for v in values)]
    return len(np.unique(np.concatenate(columns, axis=1), axis=0))


def check(points, count, values):
    split = split_vertices(points, count, values)
    for value in [points[:, None], *values]:
        of_vertex = value[split.corner_of_vertex]
        assert np.array_equal(of_vertex[split.vertex_of_corner], value, equal_nan=True)
    assert set(split.vertex_of_corner.tolist()) == set(range(len(split.corner_of_vertex)))
    return split


def test_a_smooth_mesh_without_seams_keeps_its_points():
    points = np.array([0, 1, 2, 2, 1, 3], np.int32)
    uv = np.arange(8, dtype=np.float32).reshape(4, 2)[points]
    split = check(points, 4, [uv])
    assert split.keeps_points
    assert np.array_equal(split.vertex_of_corner, points)


def test_a_seam_doubles_only_its_own_points():
    points = np.array([0, 1, 2, 2, 1, 3], np.int32)
    uv = np.arange(8, dtype=np.float32).reshape(4, 2)[points]
    uv[4] += 0.5
    split = check(points, 4, [uv])
    assert not split.keeps_points
    assert len(split.corner_of_vertex) == 5


def test_points_that_no_corner_uses_are_dropped_and_counted():
    points = np.array([5, 1, 7, 7, 1, 9], np.int32)
    split = check(points, 12, [])
    assert len(split.corner_of_vertex) == 4
    assert split.dropped_points == 8


def test_not_a_number_equals_itself():
    points = np.zeros(4, np.int32)
    uv = np.full((4, 2), np.nan, np.float32)
    assert len(check(points, 1, [uv]).corner_of_vertex) == 1


def test_a_pole_with_more_versions_than_rounds_still_keeps_every_value():
    count = MAX_ROUNDS * 3
    points = np.zeros(count, np.int32)
    uv = np.random.default_rng(3).random((count, 2)).astype(np.float32)
    assert len(check(points, 1, [uv]).corner_of_vertex) == count


def test_every_corner_can_be_kept():
    split = keep_corners(np.array([0, 0, 1], np.int32), 3)
    assert split.dropped_points == 1
    assert split.vertex_of_corner.tolist() == split.corner_of_vertex.tolist() == [0, 1, 2]


@given(
    st.integers(1, 9).flatmap(
        lambda points: st.tuples(
            st.just(points),
            arrays(np.int32, st.integers(1, 60), elements=st.integers(0, points - 1)),
        )
    ),
    st.data(),
)
def test_the_number_of_vertices_is_the_number_of_distinct_corners(case, data):
    count, points = case
    size = len(points)
    few = st.sampled_from([0.0, 1.0, 2.0])
    uv = data.draw(arrays(np.float32, (size, 2), elements=few))
    normal = data.draw(arrays(np.float32, (size, 3), elements=few))
    split = check(points, count, [uv, normal])
    if len(split.corner_of_vertex) != distinct(points, uv, normal):
        # Only a point with more versions than there are rounds may keep some apart.
        versions = max(
            distinct(points[points == p], uv[points == p], normal[points == p])
            for p in np.unique(points)
        )
        assert versions > MAX_ROUNDS


def test_gathers_longer_than_a_run_are_whole():
    generator = np.random.default_rng(5)
    values = generator.random((1000, 3)).astype(np.float32)
    indices = generator.integers(0, 1000, RUN * 2 + 17)
    assert np.array_equal(gather(values, indices), values[indices])
    assert rows_differ(values[indices], values, indices) is None
    changed = values[indices]
    changed[RUN + 3] += 1
    assert np.flatnonzero(rows_differ(changed, values, indices)).tolist() == [RUN + 3]
    last = np.full(1000, -1)
    last[indices] = np.arange(len(indices))
    assert np.array_equal(elect(indices, 1000), last)
