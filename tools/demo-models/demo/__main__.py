"""Makes the demo models: one step, or all of them, for some families or for all."""

import argparse
import hashlib
import json
import shutil
import zlib
from pathlib import Path
from typing import Optional, Sequence

import numpy
import torch

from demo import gguf
from demo.corpus import mixture
from demo.corpus.dialog import HELD_OUT, TRAIN
from demo.corpus.mixture import LONG, SHORT
from demo.data import Packer, Rows, rendered_sample
from demo.draft import Draft, Guessing
from demo.evaluate import report
from demo.export import export, export_draft, export_next_token, export_projector, tokenizer_metadata
from demo.families import DRAFTER, FAMILIES
from demo.looking import Looking, pack, sought_texts
from demo.model import Model
from demo.models import MODELS
from demo.nexttoken import Continuing, NextToken
from demo.qwen3 import Qwen3
from demo.qwen35 import Qwen35
from demo.release import LENGTH, Release
from demo.seeing import (
    ROWS,
    Descriptions,
    MatchingTraining,
    NamingTraining,
    ReadingTraining,
    Seen,
    Sight,
    SightPlan,
    SightPlans,
    fit,
    sight_report,
)
from demo.survival import LENGTHS as SURVIVAL_LENGTHS
from demo.survival import survival
from demo.tokenizer import Tokenizer
from demo.train import Plan, Training, Writing
from demo.vision import VisionEncoder

ROOT = Path(__file__).parent.parent
SEED = 20261121
VOCABULARY = 1536
# Rows of texts in which something is sought; a drafter needs no longer ones to find it in longer texts.
SOUGHT_SHORT, SOUGHT_LONG = 512, 2048
PLANS = {
    "qwen35": Plan(steps=5600, long_steps=350),
    "gemma4": Plan(steps=5000, long_steps=350),
    "laguna": Plan(steps=5000, long_steps=350),
    "drafter": Plan(steps=1600, long_steps=200, tokens=1024, evaluate_every=100),
}
# A block is small, and one process is enough for it.
NEXT_TOKEN_PLAN = Plan(steps=800, long_steps=0, workers=1, evaluate_every=100)
# One process each. On a core that does nothing else, a step takes about 2 s, of an encoder alone half a second.
SIGHT_PLANS = SightPlans(
    reading=SightPlan(steps=260, batch=12, other_rate=0.0006, cool_down=0.6),
    naming=SightPlan(steps=9000, batch=60),
    matching=SightPlan(steps=300, batch=60, matrix_rate=0.006, other_rate=0.001, cool_down=0.7),
    seeing=SightPlan(steps=2400, batch=16, other_rate=0.0004, cool_down=0.6),
)
# Tokens of a text in which a model that learns to read images should write as before.
BEFORE_LENGTH = 256
DRAFT_PLAN = Plan(steps=2800, long_steps=0, evaluate_every=100)


class Maker:
    """The steps of one family; what only the training needs lies in `build/FAMILY` below the root."""

    def __init__(self, name: str, plan: Plan, root: Path = ROOT, draft_plan: Plan = DRAFT_PLAN):
        self.family = FAMILIES[name]
        self.plan = plan
        self.draft_plan = draft_plan
        self.folder = root / "build" / name
        self.model_file = root / "models" / f"varve-demo-{name}.gguf"
        self.evaluation = root / "evaluation"
        self.draft_folder = self.folder / "draft"
        # Weights from which a further round of training goes on.
        self.start = self.folder / "start.gguf"
        self.sight_folder = self.folder / "sight"
        self.projector_file = root / "models" / f"varve-demo-{name}-mmproj.gguf"
        self.draft_file = root / "models" / f"varve-demo-{name}-draft.gguf"
        for folder in (self.draft_folder, self.model_file.parent, self.evaluation):
            folder.mkdir(parents=True, exist_ok=True)

    def prepare(self, weights: Optional[Path] = None, far: float = 0) -> None:
        """Learns the vocabulary, and generates and encodes the corpus; for a further round, takes `weights` over.

        `far` is the share of far needles in long rows.
        """
        if weights is None:
            self.start.unlink(missing_ok=True)
        else:
            shutil.copyfile(weights, self.start)
        if self.start.exists():
            tokenizer = Tokenizer.of_metadata(self.family, gguf.read(self.start)[0])
            # Each round reads what none before it has read.
            seed = SEED + zlib.crc32(self.start.read_bytes())
        else:
            sample = rendered_sample(self.family, SEED, TRAIN, 40_000)
            tokenizer = Tokenizer.learn(self.family, sample, VOCABULARY)
            seed = SEED
        tokenizer.save(self.folder / "tokenizer.json")
        plan = self.plan
        short_rows = (plan.steps - plan.long_steps) * plan.workers * plan.rows(SHORT)
        long_rows = plan.long_steps * plan.workers * plan.rows(LONG)
        Packer(tokenizer, seed, TRAIN).rows(short_rows, SHORT).save(self.folder / "short.npz")
        sources = mixture.of_long_rows(far)
        Packer(tokenizer, seed, TRAIN, sources, far > 0).rows(long_rows, LONG).save(self.folder / "long.npz")
        Packer(tokenizer, SEED, HELD_OUT).rows(64, LENGTH).save(self.folder / "held_out.npz")
        print(f"{self.family.name}: corpus of {short_rows * SHORT + long_rows * LONG} tokens")

    def train(self) -> None:
        """Trains; begins at the last checkpoint, if there is one."""
        files = [self.folder / f"{rows}.npz" for rows in ("short", "long", "held_out")]
        corpus = hashlib.sha256()
        for file in (self.folder / "tokenizer.json", *files):
            corpus.update(file.read_bytes())
        training = Training(self.initial(), self.plan, self.folder, corpus.hexdigest(), self.objective())
        training.run(*files)

    def objective(self):
        """What the model is trained for."""
        return Writing()

    def initial(self) -> Model:
        """What the training begins with."""
        model = MODELS[self.family.name](VOCABULARY)
        if self.start.exists():
            model.load(gguf.read(self.start)[1])
        return model

    def export(self) -> None:
        """Writes the F16 file that is shipped, and a Q8_0 file."""
        tokenizer = Tokenizer.load(self.family, self.folder / "tokenizer.json")
        model = MODELS[self.family.name](VOCABULARY)
        for name, weight in torch.load(self.folder / "checkpoint.pt")["weights"].items():
            model.weights[name].copy_(weight)
        self._write(model, tokenizer)

    def _write(self, model: Model, tokenizer: Tokenizer) -> None:
        export(model, tokenizer, gguf.F16, self.model_file)
        export(model, tokenizer, gguf.Q8_0, self.folder / f"varve-demo-{self.family.name}-q8_0.gguf")

    def average(self, files: Sequence[Path]) -> None:
        """Writes the mean of what several rounds ended with, which is often better than each of them."""
        read = [gguf.read(file) for file in files]
        mean = {name: sum(tensors[name] for _, tensors in read) / len(read) for name in read[0][1]}
        model = MODELS[self.family.name](VOCABULARY)
        model.load(mean)
        self._write(model, Tokenizer.of_metadata(self.family, read[0][0]))

    def evaluate(self, part: float = 1) -> None:
        """Losses on held-out text, answers to held-out questions, and logits to compare other programs with."""
        release = Release(self.family, self.model_file, SEED)
        losses = release.losses()
        for text, loss in (("answers", losses.written), ("all text", losses.all)):
            print(f"{release.name}: held-out {text}: {loss:.3f} nats per token, perplexity {numpy.exp(loss):.2f}")
        given = release.answers(list(mixture.questions(SEED, part)))
        for answer in given:
            if not answer.right:
                wanted = answer.question.call or answer.question.accepted
                print(f"wrong: {answer.question.messages[-1]['content']!r} -> {answer.text!r}, expected {wanted}")
        print(f"{release.name}: {report(given)}")
        release.write_reference(self.evaluation)

    def train_draft(self) -> None:
        """Trains a draft for the model file; begins at the last checkpoint, if there is one."""
        digest = hashlib.sha256(self.model_file.read_bytes())
        rows, held_out = self.draft_folder / "rows.npz", self.folder / "held_out.npz"
        if not rows.exists():
            tokenizer = Tokenizer.of_metadata(self.family, gguf.read(self.model_file)[0])
            plan = self.draft_plan
            count = plan.steps * plan.workers * plan.rows(SHORT)
            Packer(tokenizer, SEED + 1, TRAIN, mixture.of_draft_rows()).rows(count, SHORT).save(rows)
        training = Training(self._draft(), self.draft_plan, self.draft_folder, digest.hexdigest(), Guessing(SEED))
        training.run(rows, rows, held_out)

    def export_draft(self) -> None:
        """Writes the F16 file of the draft."""
        draft = self._draft()
        for name, weight in torch.load(self.draft_folder / "checkpoint.pt")["weights"].items():
            draft.weights[name].copy_(weight)
        export_draft(draft, Release(self.family, self.model_file, SEED).tokenizer, gguf.F16, self.draft_file)

    def next_token(self, plan: Plan = NEXT_TOKEN_PLAN) -> None:
        """Trains a block for multi-token prediction and writes it beside what only the training needs."""
        target = Release(self.family, self.model_file, SEED)
        if not isinstance(target.model, Qwen35):
            raise SystemExit(f"next-token: expected --family qwen35, found {self.family.name}")
        folder = self.folder / "next-token"
        folder.mkdir(exist_ok=True)
        rows, held_out = folder / "rows.npz", folder / "held_out.npz"
        if not rows.exists():
            count = plan.steps * plan.workers * plan.rows(SHORT)
            Packer(target.tokenizer, SEED + 1, TRAIN, mixture.of_draft_rows()).rows(count, SHORT).save(rows)
            Packer(target.tokenizer, SEED, HELD_OUT).rows(64, LENGTH).save(held_out)
        block = NextToken(target.model)
        digest = hashlib.sha256(self.model_file.read_bytes())
        training = Training(block, plan, folder, digest.hexdigest(), Continuing())
        training.run(rows, rows, held_out)
        export_next_token(block, target.tokenizer, gguf.F16, self.folder / f"varve-demo-{self.family.name}-mtp.gguf")

    def mark(self) -> None:
        """Gives the vocabulary and the template of the model file the marks of images; its weights stay as they are."""
        metadata, _ = gguf.read(self.model_file)
        tokenizer = Tokenizer.of_metadata(self.family, metadata).with_marks()
        gguf.replace_metadata(self.model_file, {**metadata, **tokenizer_metadata(tokenizer)})

    def train_sight(self, plans: SightPlans = SIGHT_PLANS) -> None:
        """Trains the model file to read images, and an image encoder for it; begins at the last checkpoints."""
        folder = self.sight_folder
        folder.mkdir(exist_ok=True)
        before, texts = folder / "before.gguf", folder / "texts.npz"
        if not before.exists():
            shutil.copyfile(self.model_file, before)
        sight = self._sight(before)
        if not texts.exists():
            Packer(sight.tokenizer, SEED + 2, TRAIN).rows(plans.reading.steps, BEFORE_LENGTH).save(texts)
        known = Release(self.family, before, SEED).model, Rows.load(texts)
        descriptions = Descriptions(sight.model.width)
        ReadingTraining(sight, descriptions, *known, plans.reading, folder / "reading.pt", SEED).run()
        NamingTraining(sight.encoder, plans.naming, folder / "naming.pt", SEED + 1).run()
        fit(sight.encoder, descriptions, SEED + 3)
        MatchingTraining(sight.encoder, descriptions, plans.matching, folder / "matching.pt", SEED + 5).run()
        ReadingTraining(sight, Seen(sight.encoder), *known, plans.seeing, folder / "seeing.pt", SEED + 4).run()

    def export_sight(self) -> None:
        """Writes the files of the model that reads images, and the F16 file of the image encoder."""
        sight = self._sight(self.sight_folder / "before.gguf")
        for name, weight in torch.load(self.sight_folder / "seeing.pt")["weights"].items():
            ours = sight.encoder if name.startswith(ROWS) else sight.model
            ours.weights[name.removeprefix(ROWS)].copy_(weight)
        self._write(sight.model, sight.tokenizer)
        export_projector(sight.encoder, self.family.name, gguf.F16, self.projector_file)

    def look(self, count: int = 200) -> None:
        """Asks about drawings that no training has seen."""
        sight = self._sight(self.model_file)
        sight.encoder.load(gguf.read(self.projector_file)[1])
        print(f"{self.family.name}: {sight_report(sight, SEED + 2, count)}")

    def _sight(self, file: Path) -> Sight:
        release = Release(self.family, file, SEED)
        if not isinstance(release.model, Qwen35):
            raise SystemExit(f"sight: expected --family qwen35, found {self.family.name}")
        return Sight(release.model, release.tokenizer, VisionEncoder(release.model.width))

    def _draft(self) -> Draft:
        target = Release(self.family, self.model_file, SEED)
        return Draft(target.model, target.tokenizer.ids[self.family.padding])


class DrafterMaker(Maker):
    """The steps of the drafter, which begins with the vocabulary and the embedding of `demo:qwen35`."""

    def __init__(self, name: str, plan: Plan, root: Path = ROOT):
        super().__init__(name, plan, root)
        self.origin = root / "models" / "varve-demo-qwen35.gguf"

    def prepare(self, weights: Optional[Path] = None, far: float = 0) -> None:
        """Generates and encodes texts in which something is sought; for a further round, takes `weights` over."""
        seed = SEED
        if weights is None:
            self.start.unlink(missing_ok=True)
        else:
            shutil.copyfile(weights, self.start)
            seed += zlib.crc32(self.start.read_bytes())
        origin = self.start if self.start.exists() else self.origin
        tokenizer = Tokenizer.of_metadata(self.family, gguf.read(origin)[0])
        tokenizer.save(self.folder / "tokenizer.json")
        plan = self.plan
        for name, steps, length in (
            ("short", plan.steps - plan.long_steps, SOUGHT_SHORT),
            ("long", plan.long_steps, SOUGHT_LONG),
        ):
            count = steps * plan.workers * plan.rows(length)
            pack(sought_texts(tokenizer, seed, TRAIN, length), count, length).save(self.folder / f"{name}.npz")
            print(f"{self.family.name}: {count} rows of {length} tokens")
        pack(sought_texts(tokenizer, SEED, HELD_OUT, 1024), 16, 1024).save(self.folder / "held_out.npz")

    def initial(self) -> Qwen3:
        model = super().initial()
        if not self.start.exists():
            _, tensors = gguf.read(self.origin)
            for name in ("token_embd.weight", "output_norm.weight"):
                model.weights[name].copy_(torch.from_numpy(tensors[name]))
            model.prime()
        return model

    def objective(self) -> Looking:
        return Looking()

    def survive(self, lengths: Sequence[int] = SURVIVAL_LENGTHS, count: int = 100) -> None:
        """How often what is asked for stays in a prompt of which a tenth is kept."""
        release = Release(self.family, self.model_file, SEED)
        for tokens in lengths:
            found = survival(release.model, release.tokenizer, SEED, tokens, count)
            print(f"{release.name}: texts of {tokens} tokens: {found}", flush=True)


def maker_of(name: str, plan: Plan) -> Maker:
    return (DrafterMaker if FAMILIES[name] is DRAFTER else Maker)(name, plan)


def write_questions(folder: Path) -> None:
    """The closed questions as a file, for tests of a running server."""
    entries = []
    for index, question in enumerate(mixture.questions(SEED)):
        entry = {"id": index, "kind": question.kind, "messages": list(question.messages)}
        if question.tools:
            entry["tools"] = [tool.declaration() for tool in question.tools]
        if question.call:
            entry["call"] = {"name": question.call.name, "arguments": dict(question.call.arguments)}
        else:
            entry["accepted"] = [list(words) for words in question.accepted]
        entries.append(entry)
    text = json.dumps(entries, indent=1, ensure_ascii=False)
    folder.mkdir(exist_ok=True)
    (folder / "questions.json").write_text(text + "\n", encoding="utf-8")


STEPS = ("prepare", "train", "export", "evaluate", "train-draft", "export-draft")
# Of the family with an image encoder, behind the others.
SIGHT_STEPS = ("train-sight", "export-sight", "look")
DRAFTER_STEPS = ("prepare", "train", "export", "evaluate", "survive")


def main() -> None:
    parser = argparse.ArgumentParser(prog="make", description=__doc__)
    others = *SIGHT_STEPS, "mark", "survive", "average", "questions", "next-token", "all"
    parser.add_argument("step", nargs="?", choices=(*STEPS, *others), default="all")
    parser.add_argument("--family", action="append", choices=FAMILIES, help="all families by default")
    further = parser.add_argument_group("a further round of training")
    further.add_argument(
        "--from",
        dest="files",
        type=Path,
        action="append",
        metavar="FILE",
        help="prepare: begin with the weights of this GGUF file; average: the mean of several is the model",
    )
    further.add_argument("--steps", type=int, help="how many to prepare and train")
    further.add_argument(
        "--long-steps", type=int, help="how many of them, the last ones, read long rows; a tenth by default"
    )
    further.add_argument("--rate", type=float, default=1, metavar="PART", help="of the full learning rates")
    further.add_argument(
        "--far-needles",
        dest="far",
        type=float,
        default=0,
        metavar="PART",
        help="prepare: of the long rows, for texts of thousands of tokens that are asked for all that they hold",
    )
    arguments = parser.parse_args()
    if not 0 <= arguments.far <= mixture.LONG_NEEDLES:
        parser.error(f"--far-needles: expected 0 to {mixture.LONG_NEEDLES}, found {arguments.far}")
    files = arguments.files or []
    if (len(files) < 2) == (arguments.step == "average"):
        parser.error("--from: expected several with average, and at most one with other steps")
    for name in arguments.family or FAMILIES:
        plan = planned(name, arguments.steps, arguments.long_steps, arguments.rate)
        if not 0 <= plan.long_steps <= plan.steps:
            parser.error(f"--long-steps: expected 0 to {plan.steps}, found {plan.long_steps}")
    if arguments.step in ("questions", "all"):
        write_questions(ROOT / "evaluation")
    for name in arguments.family or FAMILIES:
        maker = maker_of(name, planned(name, arguments.steps, arguments.long_steps, arguments.rate))
        steps = steps_of(name)
        if arguments.step not in (*steps, "mark", "average", "questions", "next-token", "all"):
            parser.error(f"{arguments.step}: not a step of --family {name}")
        for step in steps if arguments.step == "all" else [arguments.step]:
            if step == "prepare":
                maker.prepare(*files, far=arguments.far)
            elif step == "mark":
                maker.mark()
            elif step == "average":
                maker.average(files)
            elif step == "next-token":
                maker.next_token()
            elif step in steps:
                getattr(maker, step.replace("-", "_"))()


def steps_of(name: str) -> Sequence[str]:
    if FAMILIES[name] is DRAFTER:
        return DRAFTER_STEPS
    return (*STEPS, *SIGHT_STEPS) if name == "qwen35" else STEPS


def planned(name: str, steps: Optional[int], long_steps: Optional[int], part: float) -> Plan:
    """The plan of a family, or that of a round of so many steps, at a part of its rates."""
    plan = PLANS[name]
    if steps is not None:
        plan = plan._replace(steps=steps, long_steps=steps // 10)
    if long_steps is not None:
        plan = plan._replace(long_steps=long_steps)
    return plan._replace(matrix_rate=plan.matrix_rate * part, other_rate=plan.other_rate * part)


if __name__ == "__main__":
    main()
