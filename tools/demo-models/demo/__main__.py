"""Makes the demo models: `python3 -m demo STEP FAMILY`, or `all` for every step of every family."""

import argparse
import json
from pathlib import Path

import numpy
import torch

from demo import gguf
from demo.corpus import mixture
from demo.corpus.dialog import HELD_OUT, TRAIN
from demo.data import Packer, Rows, rendered_sample
from demo.evaluate import answers, report
from demo.export import export, reference_logits, rounded
from demo.families import FAMILIES
from demo.models import MODELS
from demo.tokenizer import Tokenizer
from demo.train import Plan, Training, held_out_loss

ROOT = Path(__file__).parent.parent
SEED = 20261121
VOCABULARY = 1536
SHORT, LONG = 512, 2048
PLANS = {
    "qwen35": Plan(steps=2400, long_steps=240),
    "gemma4": Plan(steps=2400, long_steps=240),
    "laguna": Plan(steps=2800, long_steps=280),
}


class Maker:
    """The steps of one family; intermediate results lie in `build/FAMILY`."""

    def __init__(self, name: str):
        self.family = FAMILIES[name]
        self.plan = PLANS[name]
        self.folder = ROOT / "build" / name
        self.folder.mkdir(parents=True, exist_ok=True)

    def prepare(self) -> None:
        """Learns the vocabulary, and generates and encodes the corpus."""
        sample = rendered_sample(self.family, SEED, TRAIN, 40_000)
        tokenizer = Tokenizer.learn(self.family, sample, VOCABULARY)
        tokenizer.save(self.folder / "tokenizer.json")
        plan = self.plan
        step_tokens = plan.workers * plan.tokens
        packer = Packer(tokenizer, SEED, TRAIN)
        packer.rows((plan.steps - plan.long_steps) * step_tokens // SHORT, SHORT).save(self.folder / "short.npz")
        packer.rows(plan.long_steps * step_tokens // LONG, LONG).save(self.folder / "long.npz")
        Packer(tokenizer, SEED, HELD_OUT).rows(64, SHORT).save(self.folder / "held_out.npz")
        print(f"{self.family.name}: corpus of {plan.steps * step_tokens} tokens")

    def train(self) -> None:
        """Trains; begins at the last checkpoint, if there is one."""
        torch.manual_seed(SEED)
        training = Training(MODELS[self.family.name](VOCABULARY), self.plan, self.folder)
        training.run(*(self.folder / f"{rows}.npz" for rows in ("short", "long", "held_out")))

    def export(self) -> None:
        """Writes the F16 file that is shipped, a Q8_0 file, and logits to compare other programs with."""
        tokenizer, model = self._trained()
        rounded(model)
        models = ROOT / "models"
        models.mkdir(exist_ok=True)
        export(model, tokenizer, gguf.F16, models / f"varve-demo-{self.family.name}.gguf")
        export(model, tokenizer, gguf.Q8_0, self.folder / f"varve-demo-{self.family.name}-q8_0.gguf")
        self._write_reference(model)

    def _write_reference(self, model) -> None:
        held_out = Rows.load(self.folder / "held_out.npz")
        tokens = held_out.tokens[0].tolist() + held_out.tokens[1, :87].tolist()
        positions = list(range(7, len(tokens), 12))
        name = ROOT / "evaluation" / f"{self.family.name}.logits"
        name.parent.mkdir(exist_ok=True)
        reference_logits(model, tokens, positions).astype("<f4").tofile(name.with_suffix(".logits.f32"))
        description = {"tokens": tokens, "positions": positions, "vocabulary": VOCABULARY}
        name.with_suffix(".logits.json").write_text(json.dumps(description) + "\n")

    def evaluate(self) -> None:
        """Losses on held-out text, and answers to held-out questions."""
        tokenizer, model = self._trained()
        rounded(model)
        held_out = Rows.load(self.folder / "held_out.npz")
        loss = held_out_loss(model, held_out)
        everything = Rows(held_out.tokens, numpy.full_like(held_out.weights, 255))
        whole = held_out_loss(model, everything)
        print(f"{self.family.name}: held-out answers {loss:.3f} nats per token, perplexity {numpy.exp(loss):.2f}")
        print(f"{self.family.name}: all held-out text {whole:.3f} nats per token, perplexity {numpy.exp(whole):.2f}")
        given = answers(model, tokenizer, list(mixture.questions(SEED, 40)))
        for answer in given:
            if not answer.right:
                wanted = answer.question.call or answer.question.accepted
                print(f"wrong: {answer.question.messages[-1]['content']!r} -> {answer.text!r}, expected {wanted}")
        print(f"{self.family.name}: {report(given)}")

    def _trained(self):
        tokenizer = Tokenizer.load(self.family, self.folder / "tokenizer.json")
        model = MODELS[self.family.name](VOCABULARY)
        for name, weight in torch.load(self.folder / "checkpoint.pt")["weights"].items():
            model.weights[name].copy_(weight)
        return tokenizer, model


def write_questions() -> None:
    """The closed questions as a file, for tests of a running server."""
    entries = []
    for index, question in enumerate(mixture.questions(SEED, 40)):
        entry = {"id": index, "kind": question.kind, "messages": list(question.messages)}
        if question.tools:
            entry["tools"] = [tool.declaration() for tool in question.tools]
        if question.call:
            entry["call"] = {"name": question.call.name, "arguments": dict(question.call.arguments)}
        else:
            entry["accepted"] = [list(words) for words in question.accepted]
        entries.append(entry)
    path = ROOT / "evaluation" / "questions.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(entries, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


STEPS = ("prepare", "train", "export", "evaluate")


def main() -> None:
    parser = argparse.ArgumentParser(prog="demo", description=__doc__)
    parser.add_argument("step", choices=(*STEPS, "questions", "all"))
    parser.add_argument("family", nargs="*", choices=[*FAMILIES, []], help="all families by default")
    arguments = parser.parse_args()
    if arguments.step in ("questions", "all"):
        write_questions()
    for name in arguments.family or FAMILIES:
        maker = Maker(name)
        for step in STEPS if arguments.step == "all" else [arguments.step]:
            if step in STEPS:
                getattr(maker, step)()


if __name__ == "__main__":
    main()
