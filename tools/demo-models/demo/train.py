"""Training on the processor: two or more processes, each with one thread, share the weights and average gradients."""

import os
import time
from pathlib import Path
from typing import NamedTuple, Optional

import numpy
import torch
import torch.multiprocessing as multiprocessing
from torch.nn import functional as F

from demo import layers
from demo.data import Rows
from demo.model import Model
from demo.muon import Adam, Muon


class Plan(NamedTuple):
    """How long and how fast to train. A step takes `tokens` tokens per worker."""

    steps: int
    long_steps: int
    workers: int = 2
    tokens: int = 2048
    matrix_rate: float = 0.02
    other_rate: float = 0.003
    warm_up: int = 60
    cool_down: float = 0.5
    checkpoint_every: int = 100
    report_every: int = 20
    evaluate_every: int = 300

    def rows(self, length: int) -> int:
        """Rows of a step and worker: one at least, though it be longer than a step should be."""
        return max(1, self.tokens // length)

    def rate(self, step: int) -> float:
        """Part of the full learning rate: up, level, and down in a straight line."""
        rising = (step + 1) / self.warm_up
        falling = (self.steps - step) / (self.steps * self.cool_down)
        return max(0.01, min(1.0, rising, falling))


class Training:
    """Weights, optimizer state and step counter in shared memory, saved together as a checkpoint."""

    def __init__(self, model: Model, plan: Plan, folder: Path, corpus: str = "", objective=None):
        """`corpus` tells the data apart: a checkpoint of other data or another plan is refused.

        An objective has a `loss` as below, a `report` of how well a model does on held-out rows, and the type of its
        `rows`, of which the loss takes the fields.
        """
        self._belongs_to = f"{corpus} {plan}"
        self._objective = Writing() if objective is None else objective
        self.model = model
        self.plan = plan
        self.folder = folder
        self.step = 0
        matrices = set(model.matrices)
        self.optimizers = {
            name: (Muon if name in matrices else Adam)(weight) for name, weight in model.weights.items()
        }
        self._gradients = [
            {name: torch.zeros_like(weight).share_memory_() for name, weight in model.weights.items()}
            for _ in range(plan.workers)
        ]
        self._statistics = [model.statistics() for _ in range(plan.workers)]
        self._losses = torch.zeros(plan.workers, 2).share_memory_()
        if self.checkpoint.exists():
            self._resume()
        for tensor in self._shared():
            tensor.share_memory_()

    @property
    def checkpoint(self) -> Path:
        return self.folder / "checkpoint.pt"

    def _shared(self):
        yield from self.model.weights.values()
        for optimizer in self.optimizers.values():
            yield from optimizer.state.values()
        yield from (numbers for numbers in self._statistics if numbers is not None)

    def _resume(self):
        stored = torch.load(self.checkpoint)
        if stored.get("belongs_to") != self._belongs_to:
            raise SystemExit(
                f"{self.checkpoint}: expected a checkpoint of this corpus and plan, found another's;"
                " remove it to train from the beginning"
            )
        self.step = stored["step"]
        for name, weight in self.model.weights.items():
            weight.copy_(stored["weights"][name])
            for key, value in self.optimizers[name].state.items():
                value.copy_(stored["optimizers"][name][key])

    def _save(self, step: int):
        content = {
            "step": step,
            "belongs_to": self._belongs_to,
            "weights": self.model.weights,
            "optimizers": {name: optimizer.state for name, optimizer in self.optimizers.items()},
        }
        partial = self.checkpoint.with_suffix(".partial")
        torch.save(content, partial)
        os.replace(partial, self.checkpoint)

    def run(self, short: Path, long: Path, held_out: Path, until: Optional[int] = None) -> None:
        """Trains from the last checkpoint to the end, or until so many steps are done."""
        last = self.plan.steps if until is None else until
        barrier = multiprocessing.get_context("fork").Barrier(self.plan.workers)
        paths = short, long, held_out
        workers = [
            multiprocessing.get_context("fork").Process(target=self._work, args=(rank, barrier, paths, last))
            for rank in range(self.plan.workers)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        if any(worker.exitcode for worker in workers):
            raise SystemExit("a training process failed; start again to go on from the last checkpoint")

    def _work(self, rank, barrier, paths, last):
        torch.set_num_threads(1)
        layers.half_products(True)
        short, long, held_out = (self._objective.rows.load(path) for path in paths)
        model, plan = self.model, self.plan
        own = self._owned(rank)
        begun = time.monotonic()
        first = self.step
        read = 0
        try:
            for step in range(self.step, last):
                is_long = step >= plan.steps - plan.long_steps
                offset = step - (plan.steps - plan.long_steps) if is_long else step
                batch = self._batch(long if is_long else short, offset, rank)
                read += plan.workers * batch[0].size
                self._gradient(rank, batch)
                barrier.wait()
                self._update(own, step)
                if rank == 0 and self._statistics[0] is not None:
                    model.after_step(sum(self._statistics))
                barrier.wait()
                if rank == 0:
                    self._report(step, time.monotonic() - begun, (first, read), held_out)
                if step + 1 == last or (step + 1) % plan.checkpoint_every == 0:
                    barrier.wait()
                    if rank == 0:
                        self._save(step + 1)
                    barrier.wait()
        except BaseException:
            barrier.abort()
            raise

    def _owned(self, rank):
        """Names whose update this worker computes: every n-th by size."""
        names = sorted(self.model.weights, key=lambda name: -self.model.weights[name].numel())
        return names[rank :: self.plan.workers]

    def _batch(self, rows, offset: int, rank: int):
        """Rows of this step and worker; beyond the last row they begin again."""
        count = self.plan.rows(rows.tokens.shape[1] - 1)
        begin = (offset * self.plan.workers + rank) * count
        chosen = numpy.arange(begin, begin + count) % len(rows.tokens)
        return tuple(field[chosen] for field in rows)

    def _gradient(self, rank, batch):
        weights = self.model.weights
        leaves = {name: weight.detach().requires_grad_(True) for name, weight in weights.items()}
        self.model.weights = leaves
        _, mean = self._objective.loss(self.model, *batch)
        mean.backward()
        self.model.weights = weights
        for name, leaf in leaves.items():
            target = self._gradients[rank][name]
            target.zero_() if leaf.grad is None else target.copy_(leaf.grad)
        self._losses[rank, 0] = mean.detach()
        counted = self.model.statistics()
        if counted is not None:
            self._statistics[rank].copy_(counted)

    def _update(self, own, step):
        rate = self.plan.rate(step)
        with torch.no_grad():
            for name in own:
                gradient = sum(gradients[name] for gradients in self._gradients) / self.plan.workers
                base = self.plan.matrix_rate if isinstance(self.optimizers[name], Muon) else self.plan.other_rate
                self.optimizers[name].step(self.model.weights[name], gradient, base * rate, step + 1)

    def _report(self, step, seconds, done, held_out):
        """`done` is the step that this run began with and the tokens that it has read."""
        plan = self.plan
        first, read = done
        if (step + 1) % plan.report_every == 0:
            left = (plan.steps - step - 1) * seconds / (step + 1 - first) / 60
            speed = read / seconds
            print(
                f"step {step + 1} of {plan.steps}: loss {self._losses[:, 0].mean():.3f},"
                f" {speed:.0f} tokens/s, {left:.0f} min left",
                flush=True,
            )
        if (step + 1) % plan.evaluate_every == 0 or step + 1 == plan.steps:
            print(f"step {step + 1}: held out: {self._objective.report(self.model, held_out)}", flush=True)


class Writing:
    """What a language model is trained for: the next token."""

    rows = Rows

    def loss(self, model: Model, tokens, weights):
        return loss(model, tokens, weights)

    def report(self, model: Model, rows: Rows) -> str:
        return f"loss {held_out_loss(model, rows):.3f}"


def loss(model: Model, tokens, weights):
    """Weighted cross entropy of a batch: its sum, and its mean over the weights, in nats."""
    tokens = torch.from_numpy(tokens.astype(numpy.int64))
    weights = torch.from_numpy(weights[:, 1:].astype(numpy.float32)) / 255
    logits = model.logits(tokens[:, :-1])
    each = F.cross_entropy(logits.reshape(-1, logits.shape[-1]), tokens[:, 1:].reshape(-1), reduction="none")
    total = (each * weights.reshape(-1)).sum()
    return total, total / weights.sum()


def held_out_loss(model: Model, rows: Rows, batch: int = 4) -> float:
    """Nats per token of what assistants write in held-out text."""
    written = numpy.where(rows.weights == 255, rows.weights, 0)
    total = 0.0
    with torch.no_grad():
        for begin in range(0, len(rows.tokens), batch):
            part = slice(begin, begin + batch)
            total += loss(model, rows.tokens[part], written[part])[0].item()
    return total / (written[:, 1:].sum() / 255)
