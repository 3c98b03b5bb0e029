"""Surface to Material: which factor, which picture, which channel of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ....engine_core.assets.material import Material, TextureSlot
from ..material_causes import MaterialCause
from .alpha import AlphaPlan, plan_alpha
from .node_reader import NodeReader
from .pictures import ImageSource, is_varying, samples_of, uses_vertex_colors
from .samples import ChannelSource, ImageSample, VertexColorSample
from .surface import NormalLayer, Surface
from .texture_slots import TextureBuilder, white
from .values import Color, Scalar, affine, as_product, constant, grey, sampled, whole_sample

Rgb = tuple[float, float, float]


@dataclass(frozen=True)
class _Painted:
    """A colour as factor, picture and vertex colours; `image` is the picture kept as it is."""

    factor: Rgb
    slot: TextureSlot | None = None
    vertex_colors: str | None = None
    image: ImageSample | None = None


@dataclass(frozen=True)
class _Bent:
    """What bends normals, as the fields of a Material."""

    slot: TextureSlot | None = None
    scale: float = 1.0
    bump_distance: float = 0.0
    bump_strength: float = 1.0


class Assembler:
    """Builds the Material of one surface."""

    def __init__(self, reader: NodeReader, images: ImageSource) -> None:
        self.reader = reader
        self.images = images
        self.textures = TextureBuilder(reader, images)

    def material(self, surface: Surface, name: str, blended: bool, double_sided: bool) -> Material:
        """Return the material; `blended` and `double_sided` are the Blender material's settings."""
        alpha = plan_alpha(surface.alpha, blended, self.images)
        base = self._base(surface.base, alpha)
        metallic, roughness, packed = self._metallic_roughness(surface)
        emission = self._paint(surface.emission, "Emission")
        strength = max(1.0, *emission.factor)
        emissive = tuple(min(max(x / strength, 0.0), 1.0) for x in emission.factor)
        normal = self._normal(surface.normal)
        occlusion, occlusion_strength = self._occlusion(surface.occlusion)
        red, green, blue = (max(x, 0.0) for x in surface.specular_tint)
        return Material(
            name=name,
            base_color=(*_unit(base.factor), alpha.factor),
            base_color_texture=base.slot,
            vertex_color_set=self._color_set(base.vertex_colors),
            metallic=metallic,
            roughness=roughness,
            metallic_roughness_texture=packed,
            ior=surface.ior,
            specular_tint=(red, green, blue),
            normal_texture=normal.slot,
            normal_scale=normal.scale,
            bump_distance=normal.bump_distance,
            bump_strength=normal.bump_strength,
            occlusion_texture=occlusion,
            occlusion_strength=occlusion_strength,
            emissive=emissive,
            emissive_strength=strength,
            emissive_texture=emission.slot,
            alpha_mode=alpha.mode,
            alpha_cutoff=alpha.cutoff,
            double_sided=double_sided if surface.double_sided is None else surface.double_sided,
            glass=surface.is_glass and alpha.mode == "blend",
            shading="lit" if surface.is_lit else "unlit",
        )

    def _base(self, color: Color, alpha: AlphaPlan) -> _Painted:
        """Paint the base colour, with the alpha that varies in the picture's fourth channel."""
        plain = self._paint(color, "Base Color", derive=False)
        varies = alpha.number is not None
        if plain is not None and not varies:
            opaque = alpha.mode == "opaque" or plain.image is None
            if opaque or self.images.alpha_kind(_alpha_of(plain.image)) == "opaque":
                return plain
        if plain is not None and varies and plain.image is not None:
            source = alpha.number.source if alpha.number else None
            is_own = source is not None and source.sample == plain.image and source.channel == "a"
            if is_own and alpha.number is not None and alpha.number.is_pure:
                return plain
        number = alpha.number if alpha.number is not None else white()
        if uses_vertex_colors(number):
            self.reader.warn(None, MaterialCause.MATERIAL_VERTEX_ALPHA)
            return plain or self._derive(color, white())
        return self._derive(color, number)

    def _paint(self, color: Color, label: str, derive: bool = True) -> Any:
        """Split a colour into factor, one picture and vertex colours.

        With `derive` false the answer is None if the picture would have to be computed.
        """
        if not is_varying(color):
            return _Painted((color.r.offset, color.g.offset, color.b.offset))
        product = as_product(color)
        wholes = [] if product is None else [whole_sample(item) for item in product.lookups]
        vertex = [s for s in wholes if isinstance(s, VertexColorSample)]
        pictures = [s for s in wholes if not isinstance(s, VertexColorSample)]
        simple = product is not None and len(vertex) <= 1 and len(pictures) <= 1
        if simple and product is not None and all(isinstance(s, ImageSample) for s in pictures):
            image = next((s for s in pictures if isinstance(s, ImageSample)), None)
            return _Painted(
                product.factors,
                self.textures.slot(image) if image else None,
                vertex[0].name if vertex else None,
                image,
            )
        if not derive:
            return None
        return self._derive(color, white(), label)

    def _derive(self, color: Color, alpha: Scalar, label: str = "Base Color") -> _Painted:
        """Compute a picture of what the colour's own pictures make, vertex colours aside."""
        vertex: str | None = None
        product = as_product(color)
        if uses_vertex_colors(*color):
            if product is None:
                self.reader.warn(None, MaterialCause.MATERIAL_VERTEX_COLORS, what=label)
                color = grey(constant(0.5))
            else:
                color, vertex = _without_vertex_colors(color)
        channels = (*color, alpha)
        if not samples_of(*channels):
            return _Painted((color.r.offset, color.g.offset, color.b.offset), None, vertex)
        factor = max(1.0, *(float(x.on_grid().max()) for x in color if not x.is_constant), 1.0)
        red, green, blue = (affine(x, 1 / factor, 0) for x in color) if factor > 1 else color
        slot = self.textures.derived((red, green, blue, alpha), True)
        return _Painted((factor, factor, factor), slot, vertex)

    def _metallic_roughness(self, surface: Surface) -> tuple[float, float, TextureSlot | None]:
        """Return factors and one picture: green is roughness, blue is metallic."""
        metallic = self._data(surface.metallic, "Metallic", 0.0)
        roughness = self._data(surface.roughness, "Roughness", 0.5)
        if metallic.is_constant and roughness.is_constant:
            return _clip(metallic.offset), _clip(roughness.offset), None
        image = self._packed_as_it_is(metallic, roughness)
        if image is not None:
            return _clip(metallic.scale), _clip(roughness.scale), self.textures.slot(image)
        slot = self.textures.derived((white(), roughness, metallic, white()), False)
        return 1.0, 1.0, slot

    def _packed_as_it_is(self, metallic: Scalar, roughness: Scalar) -> ImageSample | None:
        """Return the image whose green and blue already are roughness and metallic, if one is."""
        samples = samples_of(metallic, roughness)
        if len(samples) != 1 or not isinstance(samples[0], ImageSample):
            return None
        image = samples[0]
        for number, channel in ((roughness, "g"), (metallic, "b")):
            if number.is_constant:
                if channel == "b" and number.offset == 0:
                    continue
                return None
            if not number.is_pure or number.times or number.source is None:
                return None
            if number.source.channel != channel and not self._is_grey(number, image):
                return None
        return image

    def _is_grey(self, number: Scalar, image: ImageSample) -> bool:
        alpha = number.source is not None and number.source.channel == "a"
        return not alpha and self.images.is_grey(image)

    def _data(self, number: Scalar, label: str, stand_in: float) -> Scalar:
        """Return a number that a picture can hold: no vertex colours, no missing images."""
        if uses_vertex_colors(number):
            self.reader.warn(None, MaterialCause.MATERIAL_VERTEX_NUMBER, what=label)
            return constant(float(number.on_grid().mean()))
        return constant(stand_in) if self._any_missing(number) else number

    def _any_missing(self, *numbers: Scalar) -> bool:
        return any(
            isinstance(sample, ImageSample) and self.images.is_missing(sample)
            for sample in samples_of(*numbers)
        )

    def _normal(self, layer: NormalLayer | None) -> _Bent:
        if layer is None:
            return _Bent()
        color = layer.color
        if color is not None and (self._any_missing(*color) or uses_vertex_colors(*color)):
            color = None
        bump = None if layer.height is None else self._data(layer.height, "Bump", 0.0)
        if bump is not None and not bump.is_constant:
            slot, unit = self.textures.bump(bump, None if color is None else (color.r, color.g))
            return _Bent(slot, layer.strength, layer.distance * unit, layer.bump_strength)
        slot = None if color is None else self._normal_map(color)
        return _Bent(slot, layer.strength if slot else 1.0)

    def _normal_map(self, color: Color) -> TextureSlot | None:
        product = as_product(color)
        if product is not None and len(product.lookups) == 1 and product.factors == (1, 1, 1):
            sample = whole_sample(product.lookups[0])
            if isinstance(sample, ImageSample):
                return self.textures.slot(sample)
        if not samples_of(*color):
            return None
        return self.textures.derived((color.r, color.g, color.b, white()), False)

    def _occlusion(self, occlusion: Scalar | None) -> tuple[TextureSlot | None, float]:
        """Return picture and strength; glTF means 1 + strength * (red - 1)."""
        if occlusion is None:
            return None, 1.0
        number = self._data(occlusion, "Occlusion", 1.0)
        if number.is_constant:
            return None, 1.0
        source = number.source
        is_mix = number.table is None and not number.times and 0 <= number.scale <= 1
        is_mix = is_mix and abs(number.scale + number.offset - 1) < 1e-6
        image = source.sample if source is not None else None
        if is_mix and source is not None and isinstance(image, ImageSample):
            is_red = source.channel == "r" or self._is_grey(number, image)
            if is_red:
                return self.textures.slot(image), number.scale
        return self.textures.derived((number, number, number, white()), False), 1.0

    def _color_set(self, name: str | None) -> int | None:
        names = self.reader.layout.color_names
        if name is None:
            return None
        return names.index(name) if name in names else 0


def _without_vertex_colors(color: Color) -> tuple[Color, str | None]:
    """Split the vertex colours off a product; returns the rest and the attribute's name."""
    rest: list[Scalar] = []
    name: str | None = None
    for x in color:
        sources = [s for s in (x.source, *x.times) if s is not None]
        kept = [s for s in sources if not isinstance(s.sample, VertexColorSample)]
        for source in sources:
            if isinstance(source.sample, VertexColorSample):
                name = source.sample.name
        if kept:
            rest.append(Scalar(scale=x.scale, source=kept[0], times=tuple(kept[1:])))
        else:
            rest.append(constant(x.scale))
    return Color(*rest), name


def _alpha_of(image: ImageSample | None) -> Scalar:

    if image is None:
        return white()
    return sampled(ChannelSource(image, "a"))


def _clip(value: float) -> float:
    return min(max(value, 0.0), 1.0)


def _unit(rgb: Rgb) -> Rgb:
    r, g, b = (max(x, 0.0) for x in rgb)
    return (r, g, b)
