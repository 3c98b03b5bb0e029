"""The reflection model against closed forms and brute-force integrals."""

from __future__ import annotations

import numpy as np
import pytest

from fyn.engine_core.render import brdf
from fyn.engine_core.render.lobe_tables import DFG_SIZE, dfg_table, lobe_tables, sample_dfg

UP = np.array([0.0, 0.0, 1.0])


def hemisphere(rings=300, around=800):
    """Directions (N, 3) of the upper half and their solid angles (N,)."""
    z, weight = np.polynomial.legendre.leggauss(rings)
    z, weight = (z + 1) / 2, weight / 2
    phi = (np.arange(around) + 0.5) / around * 2 * np.pi
    z, angle = (grid.ravel() for grid in np.meshgrid(z, phi, indexing="ij"))
    flat = np.sqrt(1 - z * z)
    directions = np.stack([flat * np.cos(angle), flat * np.sin(angle), z], axis=1)
    return directions, np.repeat(weight, around) * 2 * np.pi / around


def view_at(cosine):
    return np.array([np.sqrt(1 - cosine**2), 0.0, cosine])


@pytest.mark.parametrize("alpha", [0.1, 0.3, 0.6, 1.0])
def test_the_microfacets_of_a_surface_cover_it_exactly_once(alpha):
    normals, solid_angle = hemisphere()
    projected = brdf.distribution_ggx(normals[:, 2], alpha) / np.pi * normals[:, 2]
    assert (projected * solid_angle).sum() == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize("reach", [0.02, 0.1, 0.5])
@pytest.mark.parametrize("alpha", [0.02, 0.2, 0.8])
def test_a_lobe_averaged_over_a_disc_is_the_mean_of_the_lobe_in_slopes(alpha, reach):
    def slope_density(x, y):
        return alpha**2 / (x * x + y * y + alpha**2) ** 2

    # Points that fill a disc evenly: Vogel's spiral.
    count = np.arange(200_000)
    radius, turn = reach * np.sqrt((count + 0.5) / len(count)), count * np.pi * (3 - np.sqrt(5))
    for slope in (0.0, 0.05, 0.3, 1.0):
        mean = slope_density(slope + radius * np.cos(turn), radius * np.sin(turn)).mean()
        cosine = 1 / np.sqrt(1 + slope**2)
        found = brdf.distribution_ggx(np.array(cosine), alpha, reach) * cosine**4
        assert found == pytest.approx(mean, rel=2e-3), slope


def test_a_disc_without_size_leaves_the_lobe_as_it_is():
    cosine = np.linspace(0.01, 1, 100)
    plain = 0.09 / (cosine**2 * (0.09 - 1) + 1) ** 2
    np.testing.assert_allclose(brdf.distribution_ggx(cosine, 0.3), plain, rtol=1e-6)


def test_light_and_viewer_can_change_places():
    a, b = np.array(0.3), np.array(0.8)
    for visibility in (brdf.visibility_smith_correlated, brdf.visibility_smith_schlick):
        assert visibility(a, b, 0.4) == pytest.approx(visibility(b, a, 0.4))


def test_smith_schlick_uses_the_classic_k_of_games():
    k = (0.5 + 1) ** 2 / 8
    g = (0.3 / (0.3 * (1 - k) + k)) * (0.8 / (0.8 * (1 - k) + k))
    found = brdf.visibility_smith_schlick(np.array(0.3), 0.8, 0.5)
    assert found == pytest.approx(g / (4 * 0.3 * 0.8))


def test_the_roughest_lobe_seen_from_above_returns_what_its_integral_says():
    # D and G are elementary for alpha 1 and n·v 1; the integral is 1 - ln 2.
    assert dfg_table()[-1, -1].sum() == pytest.approx(1 - np.log(2), abs=1e-3)


@pytest.mark.parametrize("roughness", [10 / 31, 20 / 31, 1.0])
@pytest.mark.parametrize("cosine", [6 / 31, 16 / 31, 1.0])
def test_the_albedo_table_equals_a_brute_force_integral(roughness, cosine):
    light, solid_angle = hemisphere()
    view = view_at(cosine)
    halfway = light + view
    halfway /= np.linalg.norm(halfway, axis=1, keepdims=True)
    alpha = roughness**2
    lobe = brdf.distribution_ggx(halfway[:, 2], alpha) / np.pi * light[:, 2] * solid_angle
    lobe *= brdf.visibility_smith_correlated(light[:, 2], cosine, alpha)
    grazing = (1 - halfway @ view) ** 5
    expected = [(lobe * (1 - grazing)).sum(), (lobe * grazing).sum()]
    found = sample_dfg(np.array([cosine]), np.array([roughness]))[0]
    np.testing.assert_allclose(found, expected, atol=3e-3)


def test_the_fitted_average_albedo_follows_the_table():
    roughness = np.linspace(0, 1, DFG_SIZE)
    cosine = np.linspace(0, 1, DFG_SIZE)
    single = dfg_table().sum(axis=2)
    average = np.trapz(single * cosine, cosine, axis=1) / np.trapz(cosine, cosine)
    np.testing.assert_allclose(brdf.average_albedo(roughness), average, atol=2.5e-3)


def test_a_white_metal_with_all_its_bounces_absorbs_nothing():
    roughness = np.linspace(0, 1, 32)[:, None]
    cosine = np.linspace(0.05, 1, 32)[None, :]
    roughness, cosine = np.broadcast_arrays(roughness, cosine)
    dfg = sample_dfg(cosine, roughness)
    white = np.ones((32, 32, 3))
    lobes = brdf.Lobes.prepare(white, np.ones((32, 32, 1)), roughness[..., None], dfg)
    albedo = lobes.f0 * dfg[..., :1] + lobes.f90 * dfg[..., 1:]
    np.testing.assert_allclose(albedo, 1, atol=1e-3)


@pytest.mark.parametrize("metallic", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("roughness", [0.3, 0.6, 1.0])
def test_no_surface_returns_more_light_than_it_gets(roughness, metallic):
    light, solid_angle = hemisphere()
    for cosine in (0.1, 0.4, 0.9):
        view = view_at(cosine)
        dfg = sample_dfg(np.array([cosine]), np.array([roughness]))[0]
        lobes = brdf.Lobes.prepare(np.ones(3), np.array([metallic]), np.array([roughness]), dfg)
        returned = (lobes.reflect(UP, view, light) / np.pi * solid_angle[:, None]).sum(axis=0)
        assert returned.max() < 1.01, cosine


def test_area_lobes_have_the_height_of_the_lobe_where_it_is_highest():
    table = lobe_tables()[DFG_SIZE : 2 * DFG_SIZE]
    for row in range(8, DFG_SIZE):
        alpha = (row / (DFG_SIZE - 1)) ** 2
        a, b, c, d = table[row, 0].astype(float)
        peak = abs(a * d - b * c) / d**3 / np.pi
        # From straight above: the lobe's value over its albedo.
        lobe = alpha**-2 / np.pi * brdf.visibility_smith_correlated(1.0, 1.0, alpha)
        albedo = dfg_table()[row, -1].sum()
        assert peak == pytest.approx(lobe / albedo, rel=0.05), row
