package dev.varve.platform.draft;

import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.TensorUse;
import dev.varve.platform.shard.local.ShardWeights;

import java.util.Optional;

/**
 * Makes tokens of the hidden states of some blocks. Where a token depends on the one before, all
 * slots are recorded one after the other, so that a device needs no answer in between. States are
 * slot after slot, and within a slot sequence after sequence.
 *
 * <p>For the formulas, see llama.cpp's DFlash models; their first largest element wins.
 */
final class TokenWalk {
    private static final int TENSORS_PER_SLOT = 32;
    private static final int TENSORS = 40;

    /**
     * What comes out.
     *
     * @param rows of the head, {@code I32 [sequences * slots]}, slot after slot
     * @param chances that each is right if those before it are, {@code F32 [1, sequences * slots]}
     */
    record Guesses(Tensor rows, Optional<Tensor> chances) {}

    /**
     * Numbers that are written before each computation.
     *
     * @param known tokens in front of the blocks, {@code I32 [sequences]}
     * @param targets the target's token of each row of the head, {@code I32 [1, rows]}; empty where
     *     they are the same
     */
    record Inputs(Tensor known, Optional<Tensor> targets) {
        static Inputs declare(GgmlContext context, int sequences, Optional<int[]> targets) {
            return new Inputs(
                    context.newTensor(GgmlType.I32, sequences).markInput(),
                    targets.map(all -> context.newTensor(GgmlType.I32, 1, all.length).markInput()));
        }

        void write(int[] tokens, Optional<int[]> all) {
            known.write(tokens, 0, tokens.length, 0);
            all.ifPresent(ids -> targets.orElseThrow().write(ids, 0, ids.length, 0));
        }
    }

    private final Ops ops;
    private final ShardWeights weights;
    private final DraftLayers layers;
    private final DraftNetwork network;
    private final String head;
    private final int sequences;

    /**
     * @param head name of the matrix that makes logits
     */
    TokenWalk(DraftLayers layers, ShardWeights weights, String head, int sequences) {
        ops = layers.ops();
        this.weights = weights;
        this.layers = layers;
        network = layers.network();
        this.head = head;
        this.sequences = sequences;
    }

    /** Whether a token depends on the ones before it. */
    static boolean isWalk(DraftMethod method) {
        return !(method instanceof DraftMethod.Plain);
    }

    /** Tensors that are recorded at most. */
    static int tensors(DraftNetwork network, ShardWeights weights, int sequences) {
        return isWalk(network.method())
                ? TENSORS
                        + network.guesses() * (TENSORS_PER_SLOT + weights.tensorsOfTiles(sequences))
                : TENSORS;
    }

    /** Without a look at tokens before. */
    Guesses each(Tensor states) {
        return new Guesses(ops.argmax(weights.multiplyFew(ops, head, states)), Optional.empty());
    }

    /** Each token changes what is likely behind it. */
    Guesses follow(DraftMethod.Markov method, Tensor states, Inputs inputs) {
        Tensor logits = scores(states, method.scores());
        Tensor before = inputs.known();
        Tensor rows = null;
        Tensor links = null;
        for (int slot = 0; slot < network.guesses(); slot++) {
            Tensor link =
                    ops.getRows(
                            weights.get(DraftTensors.MARKOV_TABLE, TensorUse.COMPUTED_LOOKUP),
                            before);
            Tensor change = layers.multiply(DraftTensors.MARKOV_HEAD, link);
            Tensor best = ops.argmax(ops.add(change, slot(logits, slot)));
            rows = join(rows, best, 0);
            links = method.confident() ? join(links, link, 1) : null;
            before =
                    inputs.targets()
                            .map(all -> ops.reshape2d(ops.getRows(all, best), sequences, 1))
                            .orElse(best);
        }
        Optional<Tensor> chances =
                Optional.ofNullable(links)
                        .map(all -> ops.concat(states, all, 0))
                        .map(all -> layers.multiply(DraftTensors.CONFIDENCE, all))
                        .map(ops::sigmoid);
        return new Guesses(rows, chances);
    }

    /** Of the best tokens of each slot, the one that follows best on the one before. */
    Guesses select(DraftMethod.Selector method, Tensor states, Inputs inputs) {
        int count = method.candidates();
        Tensor scores = scores(states, method.scores());
        Tensor candidates = ops.topK(scores, count);
        Tensor own = ops.getRows(ops.reshape3d(scores, 1, scores.ne(0), scores.ne(1)), candidates);
        Tensor ends =
                ops.getRows(
                        weights.get(DraftTensors.SUCCESSOR, TensorUse.COMPUTED_LOOKUP),
                        ops.reshape2d(candidates, candidates.elements(), 1));
        Tensor factors = weights.multiplyFew(ops, DraftTensors.SELECTOR_HIDDEN, states);
        Tensor before = inputs.known();
        Tensor tokens = null;
        Tensor chances = null;
        for (int slot = 0; slot < network.guesses(); slot++) {
            Tensor begins =
                    ops.getRows(
                            weights.get(DraftTensors.PREDECESSOR, TensorUse.COMPUTED_LOOKUP),
                            before);
            Tensor weighted = ops.mul(begins, slot(factors, slot));
            Tensor matches =
                    ops.mulMat(
                            // Views of a product's operands are not for all devices.
                            ops.cont(part(ends, method.rank(), count, slot)),
                            ops.reshape3d(weighted, method.rank(), 1, sequences));
            Tensor all = ops.add(matches, part(own, count, 1, slot));
            Tensor columns = ops.reshape2d(all, count, sequences);
            Tensor best = ops.reshape2d(ops.argmax(columns), 1, sequences);
            Tensor chosen = ops.getRows(part(candidates, 1, count, slot), best);
            before = ops.reshape2d(chosen, sequences, 1);
            tokens = join(tokens, before, 0);
            Tensor shares = ops.reshape3d(ops.softMax(columns), 1, count, sequences);
            chances = join(chances, ops.reshape2d(ops.getRows(shares, best), 1, sequences), 1);
        }
        return new Guesses(tokens, Optional.of(chances));
    }

    private Tensor scores(Tensor states, DraftMethod.Scores rules) {
        Tensor logits = weights.multiplyFew(ops, head, states);
        Tensor scaled = rules.scale() == 1 ? logits : ops.scale(logits, rules.scale());
        float cap = rules.cap();
        return cap == 0 ? scaled : ops.scale(ops.tanh(ops.scale(scaled, 1 / cap)), cap);
    }

    /** The columns of a slot, one for each sequence. */
    private Tensor slot(Tensor all, int slot) {
        return ops.view2d(
                all, all.ne(0), sequences, all.nb(1), (long) slot * sequences * all.nb(1));
    }

    /** What a slot has of packed 4-byte elements: {@code [ne0, ne1, sequences]}. */
    private Tensor part(Tensor all, long ne0, long ne1, int slot) {
        long bytes = ne0 * ne1 * Float.BYTES;
        return ops.view(
                all,
                Extents.of(ne0, ne1, sequences),
                Strides.of(ne0 * Float.BYTES, bytes),
                slot * sequences * bytes);
    }

    private Tensor join(Tensor first, Tensor second, int dimension) {
        return first == null ? second : ops.concat(first, second, dimension);
    }
}
