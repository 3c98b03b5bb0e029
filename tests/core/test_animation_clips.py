"""Clips: what they may change, their files, how they are made small, and how they are played."""

from __future__ import annotations

import struct
from dataclasses import replace as replaced

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fyn.engine_core.assets.material import Material
from fyn.engine_core.errors import LevelError
from fyn.engine_core.world.animation.clip import Channel, Clip
from fyn.engine_core.world.animation.clip_file import MAGIC, decode_clip, encode_clip
from fyn.engine_core.world.animation.interpolation import angles_between
from fyn.engine_core.world.animation.paths import animatable, animatable_paths
from fyn.engine_core.world.animation.playing import ClipPlayer, sample_clip
from fyn.engine_core.world.animation.reduction import Track, reduced, tolerance_of
from fyn.engine_core.world.components import CameraComponent, LightComponent
from fyn.engine_core.world.components.morph import Morph
from fyn.engine_core.world.entity import Entity, Transform
from fyn.engine_core.world.level_file import check_level, read_level
from fyn.engine_core.world.world import World
from fyn.exporters.level import export_level


def channel(path="transform.translation", times=(0.0, 1.0), values=((0, 0, 0), (1, 2, 3)), **more):
    options = {"kind": "entity", "target": "Cube", "interpolation": "linear", **more}
    return Channel(
        path=path, times=np.array(times, np.float32), values=np.array(values, np.float32), **options
    )


def clip_of(*channels: Channel, duration: float = 1.0) -> Clip:
    return Clip("clip", "", duration, channels)


@pytest.fixture
def world() -> World:
    entities = [
        Entity(id="Cube", morph=Morph(weights=(0.0, 0.0))),
        Entity(id="Lamp", light=LightComponent()),
        Entity(id="Camera", camera=CameraComponent()),
    ]
    return World(
        entities={entity.id: entity for entity in entities}, materials={"Paint": Material()}
    )


# Paths --------------------------------------------------------------------------------------------


def test_every_number_vector_and_flag_of_the_classes_can_be_animated_and_no_text():
    entity = animatable_paths("entity")
    assert {"transform.rotation", "light.color", "camera.fov", "morph.weights"} <= set(entity)
    assert not {"id", "name", "parent", "mesh.mesh", "light.kind"} & set(entity)
    assert "base_color_texture.offset" in animatable_paths("material")
    assert "environment.strength" in animatable_paths("level")
    assert animatable("entity", "light.nothing") is None
    assert animatable("entity", "nothing.at.all") is None


# Playing ------------------------------------------------------------------------------------------


def test_between_two_keys_a_value_is_their_blend_and_outside_it_is_held(world):
    clip = clip_of(channel(times=(0.25, 0.75)))
    for seconds, share in ((0.0, 0.0), (0.25, 0.0), (0.5, 0.5), (0.75, 1.0), (9.0, 1.0)):
        entity = sample_clip(world, clip, seconds).entities["Cube"]
        assert entity.transform.translation == pytest.approx((share, 2 * share, 3 * share))
    assert world.entities["Cube"].transform == Transform()


def test_rotations_turn_the_short_way_at_even_speed(world):
    half = np.sqrt(0.5)
    quarter = -np.array((0, half, 0, half))  # the same turn as its negative
    clip = clip_of(channel("transform.rotation", values=((0, 0, 0, 1), quarter)))
    x, y, z, w = sample_clip(world, clip, 1 / 3).entities["Cube"].transform.rotation
    assert (x, z) == (0, 0)
    assert 2 * np.degrees(np.arctan2(y, w)) == pytest.approx(30, abs=1e-4)


def test_a_step_holds_until_the_very_frame_of_its_key(world):
    times = np.arange(31) / 30
    clip = clip_of(
        channel(
            "light.casts_shadow", (0.0, times[7], times[20]), ((1,), (0,), (1,)),
            target="Lamp", interpolation="step",
        )
    )  # fmt: skip
    shown = [sample_clip(world, clip, t).entities["Lamp"].light.casts_shadow for t in times]
    assert shown == [not 7 <= frame < 20 for frame in range(31)]


def test_one_clip_moves_entities_lights_cameras_materials_and_the_level(world):
    clip = clip_of(
        channel("light.color", values=((0, 0, 0), (1, 0.5, 0)), target="Lamp"),
        channel("camera.fov", values=((0.5,), (1.5,)), target="Camera"),
        channel("morph.weights", values=((0, 1), (1, 0))),
        channel("roughness", values=((0,), (1,)), kind="material", target="Paint"),
        channel("environment.strength", values=((0,), (4,)), kind="level", target=""),
        channel(target="Nobody"),
    )
    delta = sample_clip(world, clip, 0.5)
    assert delta.entities["Lamp"].light.color == (0.5, 0.25, 0.0)
    assert delta.entities["Camera"].camera.fov == 1.0
    assert delta.entities["Cube"].get(Morph).weights == (0.5, 0.5)
    assert delta.materials["Paint"].roughness == 0.5
    assert delta.environment.strength == 2.0
    assert "Nobody" not in delta.entities


def test_all_channels_are_found_at_once_whatever_their_lengths(world):
    random = np.random.default_rng(3)
    channels = []
    for number in range(200):
        keys = int(random.integers(1, 12))
        times = np.sort(random.choice(np.arange(1, 100), keys, replace=False)) / 100
        channels.append(channel(times=times, values=random.random((keys, 3)), target=str(number)))
    player = ClipPlayer(clip_of(*channels))
    for seconds in (0.0, 0.333, 0.5, 1.0):
        for got, one in zip(player.values(seconds), channels, strict=True):
            wanted = [np.interp(seconds, one.times, one.values[:, k]) for k in range(3)]
            assert got == pytest.approx(wanted, abs=1e-6)


# Making small -------------------------------------------------------------------------------------


def _played(kept: Channel, times: np.ndarray) -> np.ndarray:
    player = ClipPlayer(clip_of(kept, duration=float(times[-1]) if len(times) else 0.0))
    return np.array([player.values(t)[0] for t in times])


samples = st.integers(1, 40).flatmap(
    lambda count: arrays(np.float64, (count, 3), elements=st.floats(-1e3, 1e3))
)


@settings(max_examples=150, deadline=None)
@given(samples)
def test_no_sample_is_missed_by_more_than_the_stated_error(values):
    times = np.arange(len(values)) / 24
    kept = reduced(Track("entity", "Cube", "transform.translation", times, values), None)
    field = animatable("entity", "transform.translation")
    limit = tolerance_of("transform.translation", field, values.astype(np.float32))
    errors = np.linalg.norm(_played(kept, times) - values.astype(np.float32), axis=1)
    # Beyond the bound: what float32 keys and times themselves round.
    assert errors.max() <= limit * (1 + 1e-6) + 1e-6 * np.abs(values).max()


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 30), st.integers(0, 2**32 - 1), st.floats(0.001, 3.0))
def test_no_rotation_is_missed_by_more_than_the_stated_angle(count, seed, speed):
    random = np.random.default_rng(seed)
    values = 1e-3 + np.cumsum(random.normal(size=(count, 4)) * speed, axis=0)
    values /= np.linalg.norm(values, axis=1, keepdims=True)
    values *= random.choice([-1.0, 1.0], (count, 1))  # both say the same
    times = np.arange(count) / 30
    kept = reduced(Track("entity", "Cube", "transform.rotation", times, values), None)
    assert angles_between(_played(kept, times), values).max() <= 1e-4 + 1e-6


def test_a_straight_line_is_two_keys_and_a_pause_in_it_four():
    times = np.arange(101) / 25
    line = np.linspace(0, 5, 101)[:, None] * (1, 2, 0)
    kept = reduced(Track("entity", "Cube", "transform.translation", times, line), None)
    assert len(kept.times) == 2
    pause = np.concatenate([line[:40], np.repeat(line[40:41], 20, axis=0), line[41:82]])
    kept = reduced(Track("entity", "Cube", "transform.translation", times, pause), None)
    assert len(kept.times) == 4


def test_what_stays_where_the_level_has_it_is_no_channel_and_elsewhere_one_key():
    times = np.arange(10) / 24
    still = np.repeat([[1.0, 2.0, 3.0]], 10, axis=0)
    track = Track("entity", "Cube", "transform.translation", times, still)
    assert reduced(track, np.array([1, 2, 3], np.float32)) is None
    assert len(reduced(track, np.zeros(3, np.float32)).times) == 1


def test_a_tiny_thing_keeps_its_motion():
    times = np.arange(48) / 24
    place = 2e-5 * np.stack([np.sin(6 * times), np.cos(6 * times), 0 * times], axis=1)
    kept = reduced(
        Track("entity", "Cube", "transform.translation", times, place), np.zeros(3, "f4")
    )
    assert kept is not None
    assert np.abs(_played(kept, times) - place).max() < 1e-7


# Files --------------------------------------------------------------------------------------------


def _same(a: Clip, b: Clip) -> bool:
    def plain(clip: Clip):
        return [
            (c.kind, c.target, c.path, c.interpolation, c.times.tolist(), c.values.tolist())
            for c in clip.channels
        ]

    return plain(a) == plain(b) and (a.name, a.entity, a.duration) == (b.name, b.entity, b.duration)


def test_a_clip_comes_back_from_its_file_and_equal_clips_are_equal_bytes():
    clip = clip_of(
        channel(), channel("mesh.casts_shadow", values=((0,), (1,)), interpolation="step")
    )
    assert _same(decode_clip(encode_clip(clip), "clip", ""), clip)
    assert encode_clip(clip) == encode_clip(clip_of(*map(replaced, clip.channels)))


def test_a_level_with_clips_comes_back_and_unused_clips_are_removed(sample_world, tmp_path):
    sample_world.clips["scene"] = clip_of(channel(target="Rock"))
    first = export_level(sample_world, tmp_path)
    level = read_level(first.level)
    assert _same(level.clips["scene"], sample_world.clips["scene"])
    assert check_level(first.level) == []
    sample_world.clips["scene"] = clip_of(channel(target="Root"))
    second = export_level(sample_world, tmp_path)
    assert [name.split("/")[0] for name in second.removed] == ["clips"]
    assert len(list((tmp_path / "clips").iterdir())) == 1


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: channel("light.kind", values=((1,), (2,))), "nothing that a clip can change"),
        (lambda: channel(values=((1, 2), (3, 4))), "2 numbers"),
        (lambda: channel(times=(0.5, 0.5)), "do not ascend"),
        (lambda: channel(times=(0.0, 2.0)), "do not ascend"),
        (lambda: channel(times=(-1.0, 1.0)), "do not ascend"),
        (lambda: channel(values=((0, 0, 0), (1, np.nan, 3))), "no finite number"),
        (lambda: channel("light.strength", values=((1,), (-1,))), "below 0"),
        (lambda: channel("transform.rotation", values=((0, 0, 0, 1), (1, 1, 0, 0))), "quaternion"),
        (lambda: channel("mesh.casts_shadow", values=((0,), (1,))), "steps only"),
        (lambda: channel("transform.matrix", values=(np.ones(16),) * 2), "last row"),
    ],
)
def test_what_no_clip_may_hold_is_refused_with_its_place(made, words):
    with pytest.raises(LevelError, match=words) as caught:
        decode_clip(encode_clip(clip_of(made())), "clip", "")
    assert str(caught.value).startswith("channels[0]")


def test_a_field_with_two_channels_is_refused():
    with pytest.raises(LevelError, match="has a channel already"):
        decode_clip(encode_clip(clip_of(channel(), channel())), "clip", "")


def test_lengths_that_lie_and_cut_files_are_refused_not_read_beyond():
    data = encode_clip(clip_of(channel()))
    for end in range(len(data)):
        with pytest.raises(LevelError):
            decode_clip(data[:end], "clip", "")
    header = msgspec.json.encode(
        {
            "duration": 1.0,
            "channels": [
                {
                    "kind": "entity", "target": "Cube", "path": "transform.translation",
                    "interpolation": "linear", "keys": 0x7FFFFFFF, "width": 3,
                }
            ],
        }
    )  # fmt: skip
    header += b" " * (-len(header) % 4)
    with pytest.raises(LevelError, match="promises"):
        decode_clip(MAGIC + struct.pack("<I", len(header)) + header, "clip", "")


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 255))
def test_a_spoilt_byte_is_a_clear_error_or_another_sound_clip(place, value):
    data = bytearray(encode_clip(clip_of(channel())))
    data[place % len(data)] = value
    try:
        clip = decode_clip(bytes(data), "clip", "")
    except LevelError:
        return
    assert np.isfinite(ClipPlayer(clip).values(0.5)[0]).all()


def test_a_clip_that_moves_what_is_not_there_is_a_problem_of_the_level(sample_world, tmp_path):
    sample_world.clips["scene"] = clip_of(channel(target="Nobody"))
    level = export_level(sample_world, tmp_path).level
    assert "'Nobody', which does not exist" in str(check_level(level)[0])
    with pytest.raises(LevelError, match="Nobody"):
        read_level(level)
