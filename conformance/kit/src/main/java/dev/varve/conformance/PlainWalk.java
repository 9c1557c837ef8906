package dev.varve.conformance;

import dev.varve.api.gguf.GgufFile;
import dev.varve.testkit.Dflash2Model;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/** Computes the tokens of drafts that extend DFlash from a block's states, in plain arithmetic. */
final class PlainWalk {
    private final PlainDraft plain;
    private final GgufFile file;

    PlainWalk(PlainDraft plain, GgufFile file) {
        this.plain = plain;
        this.file = file;
    }

    /** Logits of a DSpark slot behind a token, one for each row of the head. */
    double[] biased(double[] state, int before) {
        double[] logits = plain.logits(state);
        double[] bias = plain.multiply("markov_w2", link(before));
        double scale =
                file.tensor("markov_w2.scale").map(tensor -> plain.row(tensor, 0)[0]).orElse(1.0);
        for (int i = 0; i < logits.length; i++) {
            logits[i] += scale * bias[i];
        }
        return logits;
    }

    private double[] link(int token) {
        return plain.row(file.requireTensor("markov_w1.weight"), token);
    }

    /** Returns the confidence of a DSpark slot after a token. */
    double confidence(double[] state, int before) {
        double[] link = link(before);
        double[] input = Arrays.copyOf(state, state.length + link.length);
        System.arraycopy(link, 0, input, state.length, link.length);
        double sum =
                plain.multiply("conf_proj", input)[0]
                        + plain.row(file.requireTensor("conf_proj.bias"), 0)[0];
        return 1 / (1 + Math.exp(-sum));
    }

    /** Logits of a DFlash2 slot, before tokens around it count. */
    double[] unary(Dflash2Model.Scores scores, double[] state) {
        double[] logits = plain.logits(state);
        for (int i = 0; i < logits.length; i++) {
            logits[i] *= scores.scale();
            if (scores.cap() > 0) {
                logits[i] = scores.cap() * Math.tanh(logits[i] / scores.cap());
            }
        }
        return logits;
    }

    /**
     * Returns the confidence of a DFlash2 slot in its choice after a token: its share of all
     * candidates.
     */
    double chance(Dflash2Model model, double[] state, int before) {
        double[] unary = unary(model.scores(), state);
        double[] scores =
                IntStream.range(0, unary.length)
                        .boxed()
                        .sorted(Comparator.comparingDouble(token -> -unary[token]))
                        .limit(model.selector().candidates())
                        .mapToDouble(token -> unary[token] + transition(state, before, token))
                        .toArray();
        double best = Arrays.stream(scores).max().orElseThrow();
        return 1 / Arrays.stream(scores).map(score -> Math.exp(score - best)).sum();
    }

    /**
     * Returns the transition score of a token after another one in a DFlash2 slot, which is added
     * to its own score.
     */
    double transition(double[] state, int before, int token) {
        double[] factors = plain.multiply("selector_hidden", state);
        double[] begins = plain.row(file.requireTensor("selector_predecessor.weight"), before);
        double[] ends = plain.row(file.requireTensor("selector_successor.weight"), token);
        double sum = 0;
        for (int i = 0; i < factors.length; i++) {
            sum += begins[i] * factors[i] * ends[i];
        }
        return sum;
    }
}
