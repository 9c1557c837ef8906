"""Makes the demo models: one step, or all of them, for some families or for all."""

import argparse
import hashlib
import json
import zlib
from pathlib import Path

import numpy
import torch

from demo import gguf
from demo.corpus import mixture
from demo.corpus.dialog import HELD_OUT, TRAIN
from demo.corpus.mixture import LONG, SHORT
from demo.data import Packer, rendered_sample
from demo.draft import Draft, Guessing
from demo.evaluate import report
from demo.export import export, export_draft
from demo.families import FAMILIES
from demo.model import Model
from demo.models import MODELS
from demo.release import LENGTH, Release
from demo.tokenizer import Tokenizer
from demo.train import Plan, Training

ROOT = Path(__file__).parent.parent
SEED = 20261121
VOCABULARY = 1536
PLANS = {
    "qwen35": Plan(steps=700, long_steps=80, matrix_rate=0.01, other_rate=0.0015),
    "gemma4": Plan(steps=2500, long_steps=250),
    "laguna": Plan(steps=2800, long_steps=280),
}
DRAFT_PLAN = Plan(steps=1200, long_steps=0, evaluate_every=100)


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
        # Weights of an earlier round, from which this one goes on.
        self.start = root / "rounds" / f"{name}.gguf"
        self.draft_file = root / "models" / f"varve-demo-{name}-draft.gguf"
        for folder in (self.draft_folder, self.model_file.parent, self.evaluation):
            folder.mkdir(parents=True, exist_ok=True)

    def prepare(self) -> None:
        """Learns the vocabulary, and generates and encodes the corpus."""
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
        Packer(tokenizer, seed, TRAIN, mixture.of_long_rows()).rows(long_rows, LONG).save(self.folder / "long.npz")
        Packer(tokenizer, SEED, HELD_OUT).rows(64, LENGTH).save(self.folder / "held_out.npz")
        print(f"{self.family.name}: corpus of {short_rows * SHORT + long_rows * LONG} tokens")

    def train(self) -> None:
        """Trains; begins at the last checkpoint, if there is one."""
        files = [self.folder / f"{rows}.npz" for rows in ("short", "long", "held_out")]
        corpus = hashlib.sha256()
        for file in (self.folder / "tokenizer.json", *files):
            corpus.update(file.read_bytes())
        training = Training(self.initial(), self.plan, self.folder, corpus.hexdigest())
        training.run(*files)

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
        export(model, tokenizer, gguf.F16, self.model_file)
        export(model, tokenizer, gguf.Q8_0, self.folder / f"varve-demo-{self.family.name}-q8_0.gguf")

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
        files = [self.folder / f"{rows}.npz" for rows in ("short", "short", "held_out")]
        training = Training(self._draft(), self.draft_plan, self.draft_folder, digest.hexdigest(), Guessing(SEED))
        training.run(*files)

    def export_draft(self) -> None:
        """Writes the F16 file of the draft."""
        draft = self._draft()
        for name, weight in torch.load(self.draft_folder / "checkpoint.pt")["weights"].items():
            draft.weights[name].copy_(weight)
        export_draft(draft, Release(self.family, self.model_file, SEED).tokenizer, gguf.F16, self.draft_file)

    def _draft(self) -> Draft:
        target = Release(self.family, self.model_file, SEED)
        return Draft(target.model, target.tokenizer.ids[self.family.padding])


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


def main() -> None:
    parser = argparse.ArgumentParser(prog="make", description=__doc__)
    parser.add_argument("step", nargs="?", choices=(*STEPS, "questions", "all"), default="all")
    parser.add_argument("--family", action="append", choices=FAMILIES, help="all families by default")
    arguments = parser.parse_args()
    if arguments.step in ("questions", "all"):
        write_questions(ROOT / "evaluation")
    for name in arguments.family or FAMILIES:
        for step in STEPS if arguments.step == "all" else [arguments.step]:
            if step in STEPS:
                getattr(Maker(name, PLANS[name]), step.replace("-", "_"))()


if __name__ == "__main__":
    main()
