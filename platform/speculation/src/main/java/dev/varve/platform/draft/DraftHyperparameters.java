package dev.varve.platform.draft;

import dev.varve.api.ggml.RopeOptions;

import java.util.List;
import java.util.OptionalInt;

/**
 * Sizes and rules of a draft network.
 *
 * @param sizes widths
 * @param heads of attention
 * @param rope rotary embedding of queries and keys, at the positions of the target
 * @param block tokens that are drafted at once
 * @param captures layers of the target whose input it reads, ascending; the target's number of
 *     layers means its last layer's output
 * @param rules attention rule of each layer
 * @param variant options of a network
 * @param method how hidden states are decoded into tokens
 */
record DraftHyperparameters(
        Sizes sizes,
        Heads heads,
        RopeOptions rope,
        Block block,
        List<Integer> captures,
        List<LayerAttention> rules,
        ArchitectureOptions variant,
        BlockDecoding method) {
    DraftHyperparameters {
        captures = List.copyOf(captures);
        rules = List.copyOf(rules);
    }

    /**
     * Widths.
     *
     * @param hidden width of the hidden state, as the target's
     * @param feedForward inner width of the feed-forward
     * @param vocabulary tokens of the target
     * @param epsilon of the norms
     */
    record Sizes(int hidden, int feedForward, int vocabulary, float epsilon) {}

    /**
     * Heads of attention.
     *
     * @param count query heads
     * @param kv heads of keys and values
     * @param length elements of a head
     * @param scale factor of the scores
     */
    record Heads(int count, int kv, int length, float scale) {
        int queryLength() {
            return count * length;
        }

        int keyLength() {
            return kv * length;
        }
    }

    /**
     * Block of tokens that are drafted at once.
     *
     * @param tokens slots of a block; the first one holds the known token
     * @param mask token for the slots to predict
     */
    record Block(int tokens, int mask) {}

    /**
     * Attention rule of a layer.
     *
     * @param window positions before a query, itself included; empty for all
     * @param causal whether a slot of the block attends to no later one
     * @param shared whether all queries attend as far back as the first one of the block
     */
    record LayerAttention(OptionalInt window, boolean causal, boolean shared) {
        static final LayerAttention FULL = new LayerAttention(OptionalInt.empty(), false, false);
    }

    /**
     * Options of a network.
     *
     * @param embeddingScale factor of the embeddings
     * @param gelu whether the feed-forward's gate is GELU rather than SiLU
     * @param normsContext whether each layer norms the context as it does its own input
     */
    record ArchitectureOptions(float embeddingScale, boolean gelu, boolean normsContext) {}

    int layers() {
        return rules.size();
    }

    /** Number of draft tokens of a block. */
    int draftTokens() {
        return block.tokens() - firstPredictingSlot();
    }

    /** Index of the first slot that predicts a token. */
    int firstPredictingSlot() {
        return method.predictsFromFirst() ? 0 : 1;
    }

    /** Elements of a token's hidden states, one capture after the other. */
    int featureLength() {
        return captures.size() * sizes.hidden();
    }
}
