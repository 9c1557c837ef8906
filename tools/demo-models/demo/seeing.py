"""Trains a language model to read images, and an image encoder for it.

Rows that stand for what a drawing shows are learned together with the language model, which writes the right answers
from them and all other text as before. The encoder learns to name what drawings show, by heads that are then thrown
away. Its last matrix is fitted to these rows, it learns to give them, and at last model and encoder learn together.
"""

import os
import random
import time
from collections import Counter
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

import numpy
import torch
from torch.nn import functional as F

from demo.corpus.dialog import Conversation, assistant, careless, says, system, user
from demo.data import WRITTEN, Encoder, Rows
from demo.drawings import COLOURS, DIGITS, NUMBERS, SHAPES, Scene, asked, draw, framed, scene
from demo.model import Model
from demo.muon import Adam, Muon
from demo.qwen35 import Qwen35
from demo.tokenizer import Tokenizer
from demo.vision import MERGE, Grid, MultimodalRope, VisionEncoder, multimodal_positions

# Columns and rows of pictures, and how often they occur: square ones most often.
GRIDS = {
    (4, 4): 50,
    (4, 3): 13,
    (3, 4): 13,
    (5, 3): 7,
    (3, 5): 7,
    (5, 2): 3,
    (2, 5): 3,
    (6, 2): 2,
    (2, 6): 2,
}
IMAGE = "<|image_pad|>"
# Prefix of the names of rows that are trained with a model.
ROWS = "rows."


class SightPlan(NamedTuple):
    """How long and how fast to train one of the parts."""

    steps: int
    batch: int
    matrix_rate: float = 0.02
    other_rate: float = 0.003
    warm_up: int = 30
    cool_down: float = 0.5
    checkpoint_every: int = 50
    report_every: int = 20

    def rate(self, step: int) -> float:
        """Part of the full learning rate: up, level, and down in a straight line."""
        rising = (step + 1) / self.warm_up
        falling = (self.steps - step) / (self.steps * self.cool_down)
        return max(0.01, min(1.0, rising, falling))


class SightPlans(NamedTuple):
    """Of a model that reads rows, an encoder that names drawings and then gives these rows, and both together."""

    reading: SightPlan
    naming: SightPlan
    matching: SightPlan
    seeing: SightPlan


class Drawn(NamedTuple):
    """Drawings of one grid, uint8 [batch, height, width, 3], and what they show."""

    grid: Grid
    images: numpy.ndarray
    scenes: List[Scene]


def any_grid(rng: random.Random) -> Tuple[int, int]:
    return rng.choices(tuple(GRIDS), GRIDS.values())[0]


def drawn(rng: random.Random, grid: Tuple[int, int], count: int) -> Drawn:
    columns, rows = grid
    scenes = [scene(rng) for _ in range(count)]
    side = VisionEncoder.patch * MERGE
    images = [draw(shown, framed(columns, rows, side, rng), rng) for shown in scenes]
    return Drawn(Grid(columns, rows), numpy.stack(images), scenes)


def labels(scenes: List[Scene]) -> Dict[str, torch.Tensor]:
    """Indices of each scene's colour, figure (shape or digit) and number."""
    colours = list(COLOURS)
    return {
        "colour": torch.tensor([colours.index(shown.colour) for shown in scenes]),
        "figure": torch.tensor(
            [SHAPES.index(shown.shape) if shown.shape else len(SHAPES) + shown.digit for shown in scenes]
        ),
        "count": torch.tensor([shown.count - 1 for shown in scenes]),
    }


CLASSES = {"colour": len(COLOURS), "figure": len(SHAPES) + DIGITS, "count": len(NUMBERS)}

class Descriptions:
    """Rows that stand for what a drawing shows: the sum of a vector for each property, in every place."""

    # They begin at random: rate of learning, of that of the model that reads them.
    rate = 10
    # Deviation of the noise of each row, of the rows' own size: the model learns to read the mean.
    noise = 1.0

    def __init__(self, width: int, seed: int = 3):
        generator = torch.Generator().manual_seed(seed)
        self.weights: Dict[str, torch.Tensor] = {"all": torch.randn(width, generator=generator) * 0.08}
        for name, size in CLASSES.items():
            self.weights[name] = torch.randn(size, width, generator=generator) * 0.08

    def vectors(self, scenes: List[Scene]) -> torch.Tensor:
        """[batch, width]"""
        wanted = labels(scenes)
        return self.weights["all"] + sum(self.weights[name][wanted[name]] for name in CLASSES)

    def of(self, batch: Drawn) -> torch.Tensor:
        return self.vectors(batch.scenes)[:, None].expand(-1, batch.grid.tokens, -1)


class Seen:
    """The rows that an encoder gives."""

    rate = 1
    noise = 0.1

    def __init__(self, encoder: VisionEncoder):
        self._encoder = encoder
        self.weights = encoder.weights

    def of(self, batch: Drawn) -> torch.Tensor:
        return self._encoder.rows(batch.images, batch.grid)


def fit(encoder: VisionEncoder, descriptions: Descriptions, seed: int, batches: int = 120, count: int = 30) -> None:
    """Replaces the last matrix of an encoder by the least squares from its mean features to the mean rows of drawings."""
    rng = random.Random(seed)
    size, width = encoder.features + 1, encoder.output
    square, wanted = torch.zeros(size, size).double(), torch.zeros(size, width).double()
    with torch.no_grad():
        for _ in range(batches):
            batch = drawn(rng, any_grid(rng), count)
            features = encoder.features_of(batch.images, batch.grid).mean(1)
            x = torch.cat((features, torch.ones(len(features), 1)), 1).double()
            square += x.t() @ x
            wanted += x.t() @ descriptions.vectors(batch.scenes).double()
        ridge = 1e-4 * square.diagonal().mean() * torch.eye(size).double()
        encoder.project_by(torch.linalg.solve(square + ridge, wanted).float())


class Names:
    """Heads that name colour, figure and number of a drawing from the mean of its rows."""

    def __init__(self, width: int, seed: int = 2):
        generator = torch.Generator().manual_seed(seed)
        self.weights: Dict[str, torch.Tensor] = {
            name: torch.randn(size, width, generator=generator) * width**-0.5 for name, size in CLASSES.items()
        }

    def loss(self, rows: torch.Tensor, scenes: List[Scene]):
        """Mean loss, and the share of drawings of which all is named rightly."""
        mean = 4 * rows.mean(1)
        total, right = 0.0, torch.ones(len(scenes), dtype=torch.bool)
        for name, wanted in labels(scenes).items():
            scores = mean @ self.weights[name].t()
            total = total + F.cross_entropy(scores, wanted)
            right &= scores.argmax(-1) == wanted
        return total / 3, right.float().mean().item()


class Sight:
    """A language model that reads pictures: it writes, and the encoder's rows stand for its pictures."""

    def __init__(self, model: Qwen35, tokenizer: Tokenizer, encoder: VisionEncoder):
        self.model, self.tokenizer, self.encoder = model, tokenizer, encoder
        self._rope = model.rope
        self._texts = Encoder(tokenizer)
        self._image = tokenizer.ids[IMAGE]

    def encode(self, conversation: Conversation, grid: Grid) -> Tuple[List[int], List[int]]:
        """Ids with a place for each row of the picture, and what the loss of each counts."""
        ids, weights = self._texts.encode(conversation)
        at = ids.index(self._image)
        spread = [self._image] * grid.tokens
        return ids[:at] + spread + ids[at + 1 :], weights[:at] + [0] * grid.tokens + weights[at + 1 :]

    def hidden(self, tokens: torch.Tensor, rows: torch.Tensor, grid: Grid) -> torch.Tensor:
        """[batch, time] ids and the rows of a picture in each, to what enters the head."""
        places = tokens == self._image
        embedded = self.model.embedding(tokens)
        embedded = embedded.masked_scatter(places[:, :, None], rows)
        begins = places.float().argmax(1).tolist()
        positions = torch.stack([multimodal_positions(begin, grid, tokens.shape[1]) for begin in begins])
        self.model.rope = MultimodalRope(positions)
        return self.model.hidden_of(embedded)

    def logits(self, tokens: torch.Tensor) -> torch.Tensor:
        """Of texts without pictures."""
        self.model.rope = self._rope
        return self.model.logits(tokens)

    def loss(self, rows: torch.Tensor, batch: Drawn, conversations: List[Conversation]):
        """Mean loss of a token that the assistant writes."""
        encoded = [self.encode(each, batch.grid) for each in conversations]
        longest = max(len(ids) for ids, _ in encoded)
        tokens = torch.tensor([ids + [0] * (longest - len(ids)) for ids, _ in encoded])
        weights = torch.tensor([weights + [0] * (longest - len(weights)) for _, weights in encoded])
        hidden = self.hidden(tokens[:, :-1], rows, batch.grid)
        written = weights[:, 1:] == WRITTEN
        return F.cross_entropy(self.model.head(hidden[written]), tokens[:, 1:][written])

    def answer(self, image: numpy.ndarray, grid: Grid, question: str, most: int = 24) -> str:
        """The greedy answer to a question about a picture."""
        content = [{"type": "image"}, {"type": "text", "text": question}]
        ids, _ = self.encode(Conversation([user(content), assistant("")]), grid)
        end = self.tokenizer.ids[self.tokenizer.family.eos]
        ids = ids[: len(ids) - ids[::-1].index(end) - 1]
        prompt = len(ids)
        with torch.no_grad():
            rows = self.encoder.rows(image[None], grid)
            while len(ids) < prompt + most:
                hidden = self.hidden(torch.tensor([ids]), rows, grid)
                token = self.model.head(hidden[0, -1]).argmax().item()
                if token == end:
                    break
                ids.append(token)
        return self.tokenizer.decode(ids[prompt:])


_SYSTEMS = ("You are a helpful assistant.", "Answer briefly.", "You are Varve's demo model.")


def conversation(shown: Scene, rng: random.Random, turns: int) -> Conversation:
    """Questions about a picture, which comes before or behind the first."""
    messages = []
    if turns > 1 and rng.random() < 0.2:
        messages.append(system(rng.choice(_SYSTEMS)))
    for turn in range(turns):
        question, answer = asked(shown, rng)
        content = careless(question, rng)
        if turn == 0:
            parts = [{"type": "image"}, {"type": "text", "text": content}]
            content = parts if rng.random() < 0.6 else parts[::-1]
        messages += [user(content), assistant(answer)]
    return Conversation(messages)


class _Training:
    """Weights, optimizer state and step counter, saved together as a checkpoint. One process, one thread."""

    def __init__(
        self, weights: Dict[str, torch.Tensor], matrices: Sequence[str], plan: SightPlan, file: Path, seed: int
    ):
        self.weights, self.plan, self.file, self.seed = weights, plan, file, seed
        self.step = 0
        self._optimizers = {name: (Muon if name in matrices else Adam)(weight) for name, weight in weights.items()}
        if file.exists():
            self._resume()

    def _resume(self) -> None:
        stored = torch.load(self.file)
        self.step = stored["step"]
        for name, weight in self.weights.items():
            weight.copy_(stored["weights"][name])
            for key, value in self._optimizers[name].state.items():
                value.copy_(stored["optimizers"][name][key])

    def _save(self) -> None:
        partial = self.file.with_suffix(".partial")
        optimizers = {name: optimizer.state for name, optimizer in self._optimizers.items()}
        torch.save({"step": self.step, "weights": self.weights, "optimizers": optimizers}, partial)
        os.replace(partial, self.file)

    def run(self, until: Optional[int] = None) -> None:
        """Trains from the last checkpoint to the end, or until so many steps are done."""
        torch.set_num_threads(1)
        plan = self.plan
        last = plan.steps if until is None else min(until, plan.steps)
        begun, first, sums = time.monotonic(), self.step, numpy.zeros(3)
        while self.step < last:
            sums += self._train(random.Random(self.seed * 1_000_000 + self.step))
            self.step += 1
            if self.step % plan.report_every == 0:
                left = (last - self.step) * (time.monotonic() - begun) / (self.step - first) / 60
                numbers = self.report(*(sums / plan.report_every))
                print(f"step {self.step} of {plan.steps}: {numbers}, {left:.0f} min left", flush=True)
                sums[:] = 0
            if self.step % plan.checkpoint_every == 0 or self.step == last:
                self._save()

    def _train(self, rng: random.Random):
        for weight in self.weights.values():
            weight.requires_grad_(True)
            weight.grad = None
        loss, numbers = self.loss(rng)
        loss.backward()
        rate = self.plan.rate(self.step)
        for name, weight in self.weights.items():
            gradient = weight.grad
            weight.requires_grad_(False)
            if gradient is not None:
                optimizer = self._optimizers[name]
                optimizer.step(weight, gradient, self.base_rate(name) * rate, self.step + 1)
        return numbers

    def base_rate(self, name: str) -> float:
        return self.plan.matrix_rate if isinstance(self._optimizers[name], Muon) else self.plan.other_rate


class ReadingTraining(_Training):
    """A model learns to answer from rows that stand for drawings and to write all else as before; the rows learn, too."""

    # Of the distance (Kullback-Leibler) from what the model wrote before, in every second step.
    BEFORE_WEIGHT = 4.0
    TEXTS = 2

    def __init__(self, sight: Sight, rows, before: Model, texts: Rows, plan: SightPlan, file: Path, seed: int):
        """`rows` are `Descriptions` or `Seen`; `before` has the weights of the model as it was.

        Each step reads two of the `texts`.
        """
        self._sight, self._rows, self._before, self._texts = sight, rows, before, texts
        named = {ROWS + name: weight for name, weight in rows.weights.items()}
        super().__init__({**sight.model.weights, **named}, (), plan, file, seed)

    def base_rate(self, name: str) -> float:
        return self.plan.other_rate * (self._rows.rate if name.startswith(ROWS) else 1)

    def loss(self, rng: random.Random):
        answers, size = self._answers(rng)
        if self.step % 2:
            return answers, (answers.item(), size, 0)
        distance = self._distance()
        return answers + self.BEFORE_WEIGHT * distance, (answers.item(), size, 2 * distance.item())

    def _answers(self, rng: random.Random):
        batch = drawn(rng, any_grid(rng), self.plan.batch)
        rows = self._rows.of(batch)
        generator = torch.Generator().manual_seed(rng.randrange(1 << 30))
        size = rows.detach().square().mean().sqrt()
        noisy = rows + torch.randn(rows.shape, generator=generator) * size * self._rows.noise
        # Of equal length in a batch: the padding of short ones would cost as much as text.
        turns = rng.choices((1, 2, 3), (90, 7, 3))[0]
        loss = self._sight.loss(noisy, batch, [conversation(shown, rng, turns) for shown in batch.scenes])
        return loss, size.item()

    def _distance(self):
        """Of the next tokens in a few texts from those of the model as it was."""
        chosen = numpy.arange(self.step, self.step + self.TEXTS) % len(self._texts.tokens)
        tokens = torch.tensor(self._texts.tokens[chosen, :-1].astype("int64"))
        with torch.no_grad():
            wanted = F.log_softmax(self._before.logits(tokens), -1)
        found = F.log_softmax(self._sight.logits(tokens), -1)
        return (wanted.exp() * (wanted - found)).sum(-1).mean()

    @staticmethod
    def report(answers, size, distance):
        return f"answers {answers:.3f}, rows of size {size:.2f}, {distance:.4f} from the model before"


class _DrawingTraining(_Training):
    """Of an encoder, without a language model."""

    # Drawings of a grid that are kept to be read again.
    KEPT = 3000

    def __init__(self, encoder: VisionEncoder, others: Dict[str, torch.Tensor], plan: SightPlan, file: Path, seed: int):
        """`others` are weights that learn with those of the encoder."""
        self._encoder = encoder
        self._known: Dict[Tuple[int, int], list] = {}
        super().__init__({**encoder.weights, **others}, encoder.matrices, plan, file, seed)

    def _batch(self, rng: random.Random) -> Drawn:
        """New drawings, and some from before: drawing takes as long as learning from a drawing."""
        grid = any_grid(rng)
        known = self._known.setdefault(grid, [])
        new = drawn(rng, grid, self.plan.batch // 3)
        known += zip(new.images, new.scenes)
        del known[: max(0, len(known) - self.KEPT)]
        chosen = known[-len(new.scenes) :] + rng.choices(known, k=self.plan.batch - len(new.scenes))
        return Drawn(new.grid, numpy.stack([image for image, _ in chosen]), [shown for _, shown in chosen])


class NamingTraining(_DrawingTraining):
    """An encoder learns to name what drawings show."""

    def __init__(self, encoder: VisionEncoder, plan: SightPlan, file: Path, seed: int):
        self.names = Names(encoder.output)
        heads = {"names." + key: weight for key, weight in self.names.weights.items()}
        super().__init__(encoder, heads, plan, file, seed)

    def loss(self, rng: random.Random):
        batch = self._batch(rng)
        loss, right = self.names.loss(self._encoder.rows(batch.images, batch.grid), batch.scenes)
        return loss, (loss.item(), right, 0)

    @staticmethod
    def report(named, right, _):
        return f"names {named:.3f} ({right:.0%} right)"


class MatchingTraining(_DrawingTraining):
    """An encoder learns to give rows whose mean is that of the rows that stand for a drawing."""

    def __init__(self, encoder: VisionEncoder, descriptions: Descriptions, plan: SightPlan, file: Path, seed: int):
        self._descriptions = descriptions
        super().__init__(encoder, {}, plan, file, seed)

    def loss(self, rng: random.Random):
        batch = self._batch(rng)
        wanted = self._descriptions.vectors(batch.scenes)
        spread = (wanted - wanted.mean(0)).square().mean()
        distance = (self._encoder.rows(batch.images, batch.grid).mean(1) - wanted).square().mean() / spread
        return distance, (distance.item(), 0, 0)

    @staticmethod
    def report(distance, *_):
        return f"mean rows {distance:.3f} from those that stand for drawings"


def sight_report(sight: Sight, seed: int, count: int) -> str:
    """Right answers of each kind about `count` drawings, asked as users do."""
    rng = random.Random(seed)
    given, right = Counter(), Counter()
    for _ in range(count):
        batch = drawn(rng, any_grid(rng), 1)
        shown = batch.scenes[0]
        kind, question, wanted = rng.choice(tests(shown))
        text = sight.answer(batch.images[0], batch.grid, question)
        given[kind] += 1
        right[kind] += all(says(text, (word,)) for word in wanted)
    kinds = ", ".join(f"{kind} {right[kind]} of {given[kind]}" for kind in sorted(given))
    return f"{sum(right.values())} of {sum(given.values())} right: {kinds}"


def tests(shown: Scene) -> List[Tuple[str, str, Sequence[str]]]:
    """Kind, question and the words of a right answer, of all that can be asked about a scene."""
    figure = shown.shape or str(shown.digit)
    entries = [("see", "What do you see?", [shown.colour, figure] if shown.shape else [figure])]
    if shown.shape:
        many = NUMBERS[shown.count - 1]
        entries.append(("colour", f"What colour is the {shown.shape}?", [shown.colour]))
        entries.append(("shape", "Which shape is it?", [shown.shape]))
        entries.append(("count", f"How many {shown.shape}s are there?", [many]))
    else:
        entries.append(("digit", "Which digit is this?", [figure]))
    return entries
