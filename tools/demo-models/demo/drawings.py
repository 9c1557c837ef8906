"""Draws pictures of shapes, of several of them and of digits, and asks about them.

Coordinates of figures are pixels; a figure is an outline of points, from whose distance every pixel gets its share of
the colour.
"""

import math
import random
from typing import List, NamedTuple, Tuple

import numpy

# Hue in degrees, saturation and brightness of each colour, from and to.
COLOURS = {
    "red": ((-9, 9), (0.75, 1), (0.7, 1)),
    "orange": ((20, 41), (0.9, 1), (0.85, 1)),
    "yellow": ((49, 62), (0.75, 1), (0.85, 1)),
    "green": ((92, 148), (0.6, 1), (0.4, 0.9)),
    "blue": ((206, 246), (0.65, 1), (0.5, 1)),
    "purple": ((265, 304), (0.5, 1), (0.4, 0.85)),
    "black": ((0, 360), (0, 0.3), (0, 0.16)),
}
SHAPES = ("circle", "square", "triangle", "star")
NUMBERS = ("one", "two", "three", "four", "five")
DIGITS = 10
# Least distance of a figure's colour from the background, of 0 to 1 in each channel.
_CONTRAST = 0.55

# Strokes of the digits in a box of 1 x 2, y downwards: lists of points, and arcs as (centre x, centre y, radius x,
# radius y, from, to) with angles in degrees, clockwise from the right.
_GLYPHS = {
    0: [[[(0.5, 1, 0.5, 1, 0, 360)]], [[(0.5, 0.5, 0.5, 0.5, 180, 360), (0.5, 1.5, 0.5, 0.5, 0, 180), (0, 0.5)]]],
    1: [
        [[(0.15, 0.4), (0.6, 0), (0.6, 2)]],
        [[(0.5, 0), (0.5, 2)]],
        [[(0.1, 0.4), (0.55, 0), (0.55, 2)], [(0.1, 2), (1, 2)]],
    ],
    2: [
        [[(0.5, 0.55, 0.5, 0.55, 190, 390), (0, 2), (1, 2)]],
        [[(0, 0), (1, 0), (1, 1), (0, 1), (0, 2), (1, 2)]],
        [[(0.5, 0.5, 0.5, 0.5, 200, 405), (0.05, 2), (1, 2)]],
    ],
    3: [
        [[(0.48, 0.48, 0.45, 0.48, 200, 440), (0.46, 1.47, 0.54, 0.53, 280, 515)]],
        [[(0, 0), (1, 0), (0.42, 0.8), (0.46, 1.4, 0.54, 0.6, 290, 515)]],
        [[(0, 0), (1, 0), (1, 2), (0, 2)], [(0.1, 1), (1, 1)]],
    ],
    4: [
        [[(0.75, 2), (0.75, 0), (0, 1.4), (1, 1.4)]],
        [[(0, 0), (0, 1), (1, 1)], [(1, 0), (1, 2)]],
        [[(0.3, 0), (0, 1.2), (1, 1.2)], [(0.75, 0.6), (0.75, 2)]],
    ],
    5: [
        [[(0.92, 0), (0.12, 0), (0.05, 0.9), (0.46, 1.35, 0.54, 0.62, 215, 510)]],
        [[(1, 0), (0, 0), (0, 1), (1, 1), (1, 2), (0, 2)]],
    ],
    6: [
        [[(0.95, 0.25), (0.55, 0.75, 0.55, 0.75, 310, 180), (0.5, 1.4, 0.5, 0.6, 180, 540)]],
        [[(0.7, 0), (0.2, 0.8), (0.5, 1.42, 0.5, 0.58, 200, 560)]],
        [[(1, 0), (0, 0), (0, 2), (1, 2), (1, 1), (0, 1)]],
    ],
    7: [
        [[(0, 0), (1, 0), (0.35, 2)]],
        [[(0, 0), (1, 0), (1, 2)]],
        [[(0, 0), (1, 0), (0.4, 2)], [(0.3, 1), (0.9, 1)]],
    ],
    8: [
        [[(0.5, 0.48, 0.43, 0.48, 0, 360)], [(0.5, 1.46, 0.5, 0.54, 0, 360)]],
        [[(0, 0), (1, 0), (1, 2), (0, 2), (0, 0)], [(0, 1), (1, 1)]],
    ],
    9: [
        [[(0.5, 0.6, 0.5, 0.6, 0, 360), (0.45, 1.25, 0.55, 0.75, 0, 130)]],
        [[(0.5, 0.58, 0.5, 0.58, 20, 380), (0.8, 1.2), (0.6, 2)]],
        [[(1, 1), (0, 1), (0, 0), (1, 0), (1, 2), (0, 2)]],
    ],
}


class Scene(NamedTuple):
    """What a drawing shows: `count` figures of one shape, or a digit (`shape` is then empty), in one colour."""

    colour: str
    shape: str
    count: int
    digit: int

    @property
    def noun(self) -> str:
        return self.shape if self.count == 1 else self.shape + "s"


class Frame(NamedTuple):
    """Size of a drawing and of the part of it that is not padded, in pixels."""

    width: int
    height: int
    inner_width: int
    inner_height: int


def framed(columns: int, rows: int, side: int, rng: random.Random) -> Frame:
    """A frame of so many squares; two in five have bars, as pictures of other proportions get them."""
    width, height = columns * side, rows * side
    cut = rng.randrange(side) if rng.random() < 0.4 else 0
    if rng.random() < 0.5:
        return Frame(width, height, width - cut, height)
    return Frame(width, height, width, height - cut)


def scene(rng: random.Random) -> Scene:
    """One shape, several ones or a digit, a third of the time each."""
    colour = rng.choice(tuple(COLOURS))
    kind = rng.random()
    if kind < 0.34:
        return Scene(colour, "", 1, rng.randrange(DIGITS))
    count = 1 if kind < 0.6 else rng.randint(2, len(NUMBERS))
    return Scene(colour, rng.choice(SHAPES), count, -1)


def draw(shown: Scene, frame: Frame, rng: random.Random) -> numpy.ndarray:
    """Pixels, uint8 [height, width, 3]."""
    colour = _colour(shown.colour, rng)
    paper = _paper(colour, rng)
    canvas = numpy.empty((frame.inner_height, frame.inner_width, 3), numpy.float32)
    canvas[:] = paper
    if shown.shape:
        _draw_shapes(canvas, shown, colour, rng)
    else:
        _draw_digit(canvas, shown.digit, colour, rng)
    if rng.random() < 0.3:
        noise = numpy.random.default_rng(rng.randrange(1 << 30)).standard_normal(canvas.shape, numpy.float32)
        canvas += noise * rng.uniform(0, 0.04)
    whole = numpy.zeros((frame.height, frame.width, 3), numpy.float32)
    top, left = (frame.height - frame.inner_height) // 2, (frame.width - frame.inner_width) // 2
    whole[top : top + frame.inner_height, left : left + frame.inner_width] = canvas
    return (whole.clip(0, 1) * 255 + 0.5).astype(numpy.uint8)


def _colour(name: str, rng: random.Random) -> numpy.ndarray:
    hue, saturation, value = (rng.uniform(*bounds) for bounds in COLOURS[name])
    return _rgb(hue, saturation, value)


def _rgb(hue: float, saturation: float, value: float) -> numpy.ndarray:
    channels = []
    for offset in (5, 3, 1):
        at = (offset + hue / 60) % 6
        channels.append(value - value * saturation * max(0.0, min(at, 4 - at, 1)))
    return numpy.array(channels, numpy.float32)


def _paper(colour: numpy.ndarray, rng: random.Random) -> numpy.ndarray:
    """Mostly white, else another light colour, or a dark one."""
    while True:
        kind = rng.random()
        if kind < 0.6:
            paper = numpy.full(3, rng.uniform(0.94, 1), numpy.float32)
        elif kind < 0.9:
            paper = _rgb(rng.uniform(0, 360), rng.uniform(0, 0.25), rng.uniform(0.75, 1))
        else:
            paper = _rgb(rng.uniform(0, 360), rng.uniform(0, 0.3), rng.uniform(0, 0.3))
        if numpy.abs(paper - colour).max() > _CONTRAST:
            return paper


def _draw_shapes(canvas, shown: Scene, colour, rng: random.Random) -> None:
    height, width, _ = canvas.shape
    least = min(width, height)
    if shown.count == 1:
        radius = least * rng.uniform(0.18, 0.46)
        places = [(_within(width, radius, rng), _within(height, radius, rng))]
    else:
        places, radius = _scattered(width, height, shown.count, least, rng)
    stroke = max(1.5, radius * rng.uniform(0.12, 0.35)) if rng.random() < 0.3 else 0
    rim = (rng.uniform(0, 0.15), max(1.0, radius * 0.08)) if not stroke and rng.random() < 0.15 else None
    turn = rng.uniform(-180, 180) if rng.random() < 0.12 else rng.uniform(-12, 12)
    for x, y in places:
        own = radius * rng.uniform(0.85, 1)
        points = _outline(shown.shape, own, turn + rng.uniform(-6, 6), rng)
        distance, window = _signed_distance(points + (x, y), canvas.shape)
        inside = numpy.abs(distance) - stroke / 2 if stroke else distance
        if rim is not None and numpy.abs(colour - rim[0]).max() > 0.3:
            _blend(canvas, window, distance - rim[1], numpy.full(3, rim[0], numpy.float32))
        _blend(canvas, window, inside, colour)


def _within(length: float, radius: float, rng: random.Random) -> float:
    return rng.uniform(radius, length - radius)


def _scattered(width, height, count, least, rng) -> Tuple[List[Tuple[float, float]], float]:
    """Centres of figures that do not touch, and their radius."""
    radius = min(least * rng.uniform(0.12, 0.24), math.sqrt(width * height / count) * 0.36)
    if rng.random() < 0.25:
        along = width >= height
        radius = min(radius, max(width, height) / count * 0.42, least * 0.45)
        step = max(width, height) / count
        across = least / 2 + rng.uniform(-1, 1) * (least / 2 - radius)
        line = [(step * (index + 0.5), across) for index in range(count)]
        return [place if along else place[::-1] for place in line], radius
    tries = 0
    places: List[Tuple[float, float]] = []
    while len(places) < count:
        place = _within(width, radius, rng), _within(height, radius, rng)
        if all(math.dist(place, other) > 2.4 * radius for other in places):
            places.append(place)
        tries += 1
        if tries % 60 == 0:
            places, radius = [], radius * 0.93
    return places, radius


def _outline(shape: str, radius: float, turn: float, rng: random.Random) -> numpy.ndarray:
    """Corners of a figure around 0, with the irregularities of a drawing by hand."""
    if shape == "circle":
        angles = numpy.arange(28) * (2 * math.pi / 28)
        distances = 1 + sum(
            rng.uniform(0, 0.04) * numpy.cos(order * angles + rng.uniform(0, 6.3)) for order in (2, 3, 4)
        )
    elif shape == "square":
        angles = math.pi / 4 + numpy.arange(4) * (math.pi / 2)
        distances = numpy.array([1.05 * rng.uniform(0.95, 1.03) for _ in range(4)])
    elif shape == "triangle":
        angles = -math.pi / 2 + numpy.arange(3) * (2 * math.pi / 3)
        distances = numpy.array([rng.uniform(0.88, 1.08) for _ in range(3)])
    else:
        angles = -math.pi / 2 + numpy.arange(10) * (math.pi / 5)
        depth = rng.uniform(0.36, 0.52)
        distances = numpy.array([(1.06 if index % 2 == 0 else depth) * rng.uniform(0.95, 1.04) for index in range(10)])
    points = numpy.stack((numpy.cos(angles) * distances, numpy.sin(angles) * distances), 1) * radius
    points[:, rng.randrange(2)] *= rng.uniform(0.88, 1)
    radians = math.radians(turn)
    rotation = numpy.array(
        ((math.cos(radians), math.sin(radians)), (-math.sin(radians), math.cos(radians)))
    )
    return (points @ rotation).astype(numpy.float32)


def _draw_digit(canvas, digit: int, colour, rng: random.Random) -> None:
    height, width, _ = canvas.shape
    tall = height * rng.uniform(0.5, 0.88)
    wide = min(tall * rng.uniform(0.4, 0.66), width * 0.9)
    thickness = tall * rng.uniform(0.07, 0.2)
    lean = rng.uniform(-0.15, 0.3) if rng.random() < 0.5 else 0
    room = [max(0.0, (length - own - thickness) / 2) for length, own in ((width, wide), (height, tall))]
    centre = [length / 2 + rng.uniform(-1, 1) * slack for length, slack in zip((width, height), room)]
    distance = None
    for stroke in rng.choice(_GLYPHS[digit]):
        points = _traced(stroke)
        points += numpy.array([[rng.gauss(0, 0.03), rng.gauss(0, 0.03)]]) + _wobble(len(points), rng)
        x = (points[:, 0] - 0.5) * (wide - thickness) + (1 - points[:, 1]) * lean * tall / 2 + centre[0]
        y = (points[:, 1] / 2 - 0.5) * (tall - thickness) + centre[1]
        near, window = _distance(numpy.stack((x, y), 1).astype(numpy.float32), canvas.shape, thickness)
        _blend(canvas, window, near - thickness / 2, colour)


def _wobble(count: int, rng: random.Random) -> numpy.ndarray:
    """A slow deviation of a stroke."""
    at = numpy.linspace(0, 1, count)[:, None]
    return sum(
        numpy.array([[rng.gauss(0, 0.02), rng.gauss(0, 0.03)]]) * numpy.sin(order * 3 * at + rng.uniform(0, 6.3))
        for order in (1, 2)
    )


def _traced(stroke) -> numpy.ndarray:
    points = []
    for part in stroke:
        if len(part) == 2:
            points.append(part)
        else:
            x, y, wide, high, begin, end = part
            for angle in numpy.linspace(math.radians(begin), math.radians(end), max(3, int(abs(end - begin) / 25) + 1)):
                points.append((x + wide * math.cos(angle), y + high * math.sin(angle)))
    return numpy.array(points, numpy.float64)


def _window(points, shape, margin: float):
    """The pixels around some points: slices, and their centres, [rows, columns, 2]."""
    low = numpy.maximum(numpy.floor(points.min(0) - margin).astype(int), 0)
    high = numpy.minimum(numpy.ceil(points.max(0) + margin).astype(int) + 1, (shape[1], shape[0]))
    high = numpy.maximum(high, low + 1)
    rows, columns = slice(low[1], high[1]), slice(low[0], high[0])
    y, x = numpy.mgrid[low[1] : high[1], low[0] : high[0]]
    return (rows, columns), numpy.stack((x + 0.5, y + 0.5), -1).astype(numpy.float32)


def _to_segments(pixels, begin, end):
    """Distances of pixels from the nearest of some segments, [rows, columns]."""
    along = end - begin
    x, y = (pixels[..., axis, None] - begin[:, axis] for axis in (0, 1))
    share = (x * along[:, 0] + y * along[:, 1]) / numpy.maximum((along**2).sum(-1), 1e-6)
    numpy.clip(share, 0, 1, out=share)
    x -= share * along[:, 0]
    y -= share * along[:, 1]
    return numpy.sqrt((x * x + y * y).min(-1))


def _distance(points, shape, thickness: float):
    """Distance of the pixels around a line from it."""
    window, pixels = _window(points, shape, thickness / 2 + 2)
    return _to_segments(pixels, points[:-1], points[1:]), window


def _signed_distance(points, shape):
    """Distance of the pixels around a closed figure from its outline, negative inside."""
    window, pixels = _window(points, shape, 8)
    begin, end = points, numpy.roll(points, -1, 0)
    distance = _to_segments(pixels, begin, end)
    x, y = pixels[..., 0, None], pixels[..., 1, None]
    crosses = (begin[:, 1] > y) != (end[:, 1] > y)
    rise = numpy.where(end[:, 1] == begin[:, 1], 1, end[:, 1] - begin[:, 1])
    crossing = (y - begin[:, 1]) / rise * (end[:, 0] - begin[:, 0]) + begin[:, 0]
    inside = (crosses & (x < crossing)).sum(-1) % 2 == 1
    return numpy.where(inside, -distance, distance), window


def _blend(canvas, window, distance, colour) -> None:
    """Paints where the distance is negative, and its share at the edge."""
    share = (0.5 - distance).clip(0, 1)[..., None]
    canvas[window] = canvas[window] * (1 - share) + colour * share


_ASKED = {
    "see": (
        "What do you see?",
        "What is this?",
        "What is in the picture?",
        "What is in this image?",
        "What does the image show?",
        "Describe the picture.",
        "What do you see in the picture?",
        "What is on this drawing?",
    ),
    "colour": (
        "What colour is the {noun}?",
        "What colour is it?",
        "What color is the {noun}?",
        "Which colour do you see?",
        "What is the colour of the {noun}?",
        "What colour is this?",
    ),
    "shape": (
        "Which shape is it?",
        "What shape do you see?",
        "What shape is this?",
        "Which shape is in the picture?",
        "Which shape do you see?",
        "What is the shape?",
    ),
    "count": (
        "How many {plural} are there?",
        "How many {plural} do you see?",
        "How many {plural} are in the picture?",
        "How many shapes are there?",
        "How many shapes do you see?",
        "Count the {plural}.",
    ),
    "digit": (
        "Which digit is this?",
        "What digit do you see?",
        "Which number do you see?",
        "What number is this?",
        "Which digit is in the picture?",
        "Read the digit.",
    ),
}


def asked(shown: Scene, rng: random.Random) -> Tuple[str, str]:
    """A question about a scene, and its answer."""
    kinds = ("see", "colour", "shape", "count") if shown.shape else ("see", "colour", "digit", "digit")
    kind = rng.choice(kinds)
    noun = shown.noun if shown.shape else rng.choice(("digit", "number"))
    if kind == "colour" and shown.shape and rng.random() < 0.3:
        noun = "shape" if shown.count == 1 else "shapes"
    question = rng.choice(_ASKED[kind]).format(noun=noun, plural=shown.shape + "s")
    if shown.count > 1:
        question = question.replace("is the " + noun, "are the " + noun)
    return question, answer(shown, kind)


def answer(shown: Scene, kind: str) -> str:
    many = shown.count > 1
    if kind == "digit":
        return f"It is the digit {shown.digit}."
    if kind == "see":
        if not shown.shape:
            return f"I see the digit {shown.digit}. It is {shown.colour}."
        if many:
            return f"I see {NUMBERS[shown.count - 1]} {shown.colour} {shown.noun}."
        return f"I see {'an' if shown.colour == 'orange' else 'a'} {shown.colour} {shown.noun}."
    if kind == "colour":
        return f"They are {shown.colour}." if many else f"It is {shown.colour}."
    if kind == "shape":
        return f"They are {shown.noun}." if many else f"It is a {shown.noun}."
    return f"There {'are' if many else 'is'} {NUMBERS[shown.count - 1]} {shown.noun}."
