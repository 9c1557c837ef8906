package dev.varve.platform.draft;

import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.local.ShardWeights;

import java.util.Optional;

/**
 * Decodes the hidden states of some blocks into tokens. If a token depends on the one before, all
 * slots are recorded one after the other, so that the device needs no round trip to the host in
 * between. States are slot after slot, and within a slot sequence after sequence.
 *
 * <p>For the formulas, see llama.cpp's DFlash models; as there, the first of equal largest elements
 * is chosen.
 */
final class BlockTokenDecoder {
    private static final int TENSORS_PER_SLOT = 32;
    private static final int TENSORS = 40;

    /**
     * Output tensors.
     *
     * @param rows of the head, {@code I32 [sequences * slots]}, slot after slot
     * @param probabilities that each is accepted if those before it are, {@code F32 [1, sequences *
     *     slots]}
     * @param lattice other candidates of each slot, if requested
     */
    record OutputTensors(
            Tensor rows, Optional<Tensor> probabilities, Optional<TokenLattice> lattice) {}

    /**
     * Inputs that are written before each computation.
     *
     * @param known tokens before the blocks, {@code I32 [sequences]}
     * @param targets the target's token of each row of the head, {@code I32 [1, rows]}; empty if
     *     they are the same
     */
    record InputTensors(Tensor known, Optional<Tensor> targets) {
        static InputTensors declare(GgmlContext context, int sequences, Optional<int[]> targets) {
            return new InputTensors(
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
    private final DraftOperators layers;
    private final DraftHyperparameters network;
    private final String head;
    private final int sequences;
    private final boolean branches;

    /**
     * @param head name of the matrix that computes logits
     * @param branches whether other candidates of each slot are requested
     */
    BlockTokenDecoder(
            DraftOperators layers,
            ShardWeights weights,
            String head,
            int sequences,
            boolean branches) {
        ops = layers.ops();
        this.weights = weights;
        this.layers = layers;
        network = layers.network();
        this.head = head;
        this.sequences = sequences;
        this.branches = branches;
    }

    /** Whether a token depends on the ones before it. */
    static boolean isWalk(BlockDecoding method) {
        return !(method instanceof BlockDecoding.Plain);
    }

    /** Maximum number of recorded tensors. */
    static int tensors(DraftHyperparameters network, ShardWeights weights, int sequences) {
        int lattice = TokenLattice.tensors(network.draftTokens());
        return isWalk(network.method())
                ? TENSORS
                        + lattice
                        + network.draftTokens()
                                * (TENSORS_PER_SLOT + weights.tensorsOfTiles(sequences))
                : TENSORS + lattice;
    }

    private PositionMajorLayout layout() {
        return new PositionMajorLayout(ops, network.draftTokens(), sequences);
    }

    /** Decodes each slot independently. */
    OutputTensors each(Tensor states) {
        Tensor logits = weights.multiplyFew(ops, head, states);
        return new OutputTensors(
                ops.argmax(logits),
                Optional.empty(),
                branches ? Optional.of(TokenLattice.of(layout(), logits)) : Optional.empty());
    }

    /** Decodes slot after slot; each token biases the next one. */
    OutputTensors follow(BlockDecoding.Markov method, Tensor states, InputTensors inputs) {
        PositionMajorLayout layout = layout();
        Tensor logits = scores(states, method.scores());
        Tensor before = inputs.known();
        Tensor rows = null;
        Tensor links = null;
        for (int slot = 0; slot < network.draftTokens(); slot++) {
            Tensor link = layers.rows(DraftTensorNames.MARKOV_TABLE, before);
            Tensor change = layers.multiplyTable(DraftTensorNames.MARKOV_HEAD, link);
            Tensor best = ops.argmax(ops.add(change, layout.columns(logits, slot)));
            rows = join(rows, best, 0);
            links = method.confident() ? join(links, link, 1) : null;
            before = targets(best, inputs);
        }
        Optional<Tensor> probabilities =
                Optional.ofNullable(links)
                        .map(all -> ops.concat(states, all, 0))
                        .map(all -> layers.multiply(DraftTensorNames.CONFIDENCE, all))
                        .map(ops::sigmoid);
        Tensor walked = rows;
        Optional<TokenLattice> lattice =
                branches
                        ? Optional.of(
                                TokenLattice.with(layout, logits, walked)
                                        .linked(
                                                inputs.known(),
                                                ids -> targets(ids, inputs),
                                                new MarkovTransitions(layers)))
                        : Optional.empty();
        return new OutputTensors(rows, probabilities, lattice);
    }

    /** The target's tokens for rows of the head, {@code I32 [n] -> I32 [n]}. */
    private Tensor targets(Tensor rows, InputTensors inputs) {
        return inputs.targets()
                .map(all -> ops.reshape2d(ops.getRows(all, rows), rows.elements(), 1))
                .orElse(rows);
    }

    /**
     * Decodes slot after slot: of the best tokens of each slot, the one that follows best on the
     * one before.
     */
    OutputTensors select(BlockDecoding.Selector method, Tensor states, InputTensors inputs) {
        PositionMajorLayout layout = layout();
        int count = method.candidates();
        TokenLattice.TopCandidates choice =
                TokenLattice.TopCandidates.of(layout, scores(states, method.scores()), count);
        SelectorTransitions links =
                new SelectorTransitions(
                        layers,
                        layout,
                        weights.multiplyFew(ops, DraftTensorNames.SELECTOR_HIDDEN, states));
        Tensor before = inputs.known();
        Tensor tokens = null;
        Tensor probabilities = null;
        for (int slot = 0; slot < network.draftTokens(); slot++) {
            Tensor candidates = layout.part(choice.candidates(), 1, count, slot);
            Tensor matches = links.between(slot, before, 1, layout.ids(choice.candidates(), slot));
            Tensor all = ops.add(matches, layout.part(choice.own(), count, 1, slot));
            Tensor columns = ops.reshape2d(all, count, sequences);
            Tensor best = ops.reshape2d(ops.argmax(columns), 1, sequences);
            Tensor chosen = ops.getRows(candidates, best);
            before = ops.reshape2d(chosen, sequences, 1);
            tokens = join(tokens, before, 0);
            Tensor shares = ops.reshape3d(ops.softMax(columns), 1, count, sequences);
            probabilities =
                    join(probabilities, ops.reshape2d(ops.getRows(shares, best), 1, sequences), 1);
        }
        Optional<TokenLattice> lattice =
                branches
                        ? Optional.of(
                                TokenLattice.of(layout, choice)
                                        .linked(inputs.known(), ids -> ids, links))
                        : Optional.empty();
        return new OutputTensors(tokens, Optional.of(probabilities), lattice);
    }

    private Tensor scores(Tensor states, BlockDecoding.LogitScaling rules) {
        Tensor logits = weights.multiplyFew(ops, head, states);
        Tensor scaled = rules.scale() == 1 ? logits : ops.scale(logits, rules.scale());
        float cap = rules.cap();
        return cap == 0 ? scaled : ops.scale(ops.tanh(ops.scale(scaled, 1 / cap)), cap);
    }

    private Tensor join(Tensor first, Tensor second, int dimension) {
        return first == null ? second : ops.concat(first, second, dimension);
    }
}
