package dev.varve.api.model;

import dev.varve.api.ggml.DeltaInputs;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;

import java.util.List;
import java.util.Optional;

/**
 * The platform's side of a shard's graph while a family records it. T is the number of tokens in
 * the batch. A family does not know how many sequences the tokens belong to: attention, convolution
 * and recurrent step process all T columns, and the platform reads and writes the state of each
 * sequence.
 *
 * <p>Shapes are in ggml order, the fastest running dimension first. One thread; valid only during
 * {@link LayerSplitAdapter#build}.
 *
 * <p>Grows: later versions may add to it, and existing parts stay.
 */
public interface ShardGraph {
    /** Element-wise and view operators on this graph's tensors. */
    Ops ops();

    /** Number of columns T: the tokens in the batch, fewer after {@link #lastColumns}. */
    int tokens();

    /** Position of each column's token in its sequence, {@code I32 [T]}. */
    Tensor positions();

    /**
     * Position after each column's token, {@code I32 [T]}: the position of the token to predict.
     */
    Tensor nextPositions();

    /**
     * Positions for multi-axis rotary embedding, {@code I32 [4 * T]}: time, height, width, extra;
     * text has 0 in extra.
     */
    Tensor axisPositions();

    /**
     * Activation that enters this range, {@code F32 [boundaryLength, T]}; available only if the
     * range begins above 0.
     */
    Tensor boundary();

    /** A loaded weight in the use it was selected for. The caller must have selected it. */
    Tensor weight(String name, TensorUse use);

    /** Returns whether a weight was selected for {@code use}. */
    boolean hasWeight(String name, TensorUse use);

    /**
     * A factor per column that grows with the position p of its token: {@code 1 + growth * ln(1 +
     * floor(p / interval))}, {@code F32 [1, 1, T]}. Models that were trained for long contexts
     * multiply their queries with it.
     *
     * @param interval positions of one step, from 1
     */
    Tensor positionFactor(int interval, float growth);

    /** Rows of a table by token id, {@code F32 [width, T]}; image tokens get the table's first. */
    Tensor embed(String table);

    /**
     * Puts the rows of images in place of those that {@link #embed} looked up for their tokens. A
     * family that serves an {@link dev.varve.api.vision.ImageEncoder} calls it in the range of the
     * first layer, after it has scaled the rows of text.
     *
     * @param embedded {@code F32 [width, T]}, which must not be used afterwards
     * @return the same shape
     */
    default Tensor withImages(Tensor embedded) {
        return embedded;
    }

    /**
     * Product with a weight {@code [in, out]}: {@code F32 [in, N] -> F32 [out, N]}, times the
     * weight's {@code .scale} companion and plus its {@code .bias} companion where they were
     * selected. {@code name} is without suffix ({@code blk.3.attn_q}).
     */
    Tensor matmul(String name, Tensor input);

    /**
     * Product with a weight alone, without companions: {@code F32 [in, N] -> F32 [out, N]}. {@code
     * name} is the whole name.
     */
    Tensor product(String name, Tensor input);

    /**
     * Product of each head with a matrix of its own: {@code F32 [in, N, heads]} times a weight
     * {@code [in, out, heads]}. {@code name} is without suffix; there are no companions.
     *
     * @return {@code F32 [out, N, heads]}
     */
    Tensor matmulPerHead(String name, Tensor input);

    /**
     * Several products of one input: with the parts' own weights, or with {@code fused}, split into
     * the parts, if that was selected. Names without suffix.
     *
     * @return per part {@code F32 [rows, T]}; rows are contiguous, columns need not be adjacent
     */
    List<Tensor> projections(Tensor input, String fused, List<Projection> parts);

    /** Reshapes columns to heads: {@code F32 [length * heads, T] -> F32 [length, heads, T]}. */
    Tensor heads(Tensor columns, int heads);

    /** Root-mean-square norm over the rows, times an element-wise weight. */
    Tensor norm(Tensor input, String weight, float epsilon);

    /**
     * Gated feed-forward: {@code down(activation(gate(x)) * up(x))} with the weights {@code
     * prefix_gate}, {@code prefix_up} and {@code prefix_down}, each followed by {@code suffix}.
     */
    Tensor gatedFeedForward(Tensor input, FeedForwardNames names, Activation activation);

    /**
     * Feed-forward without a gate: {@code down(activation(up(x)))} with the weights {@code
     * prefix_up} and {@code prefix_down}, each followed by {@code suffix}.
     */
    Tensor plainFeedForward(Tensor input, FeedForwardNames names, Activation activation);

    /**
     * Chooses experts per token.
     *
     * @param probabilities {@code F32 [experts, T]}; the router's logits themselves with {@link
     *     ExpertWeighting#SOFTMAX_OF_CHOSEN}
     * @param bias added for the choice only, {@code F32 [experts]}
     */
    ExpertChoice chooseExperts(Tensor probabilities, Optional<Tensor> bias, ExpertRouting routing);

    /**
     * Feed-forward of the chosen experts, summed with their weights: {@code prefix_gate_exps} and
     * {@code prefix_up_exps}, or {@code prefix_gate_up_exps} where that was selected, and {@code
     * prefix_down_exps}, with their {@code .scale} and {@code .bias} companions. Without a gate
     * among the selected weights the activation applies to the product with {@code prefix_up_exps}.
     *
     * @return {@code F32 [width, T]}
     */
    Tensor expertFeedForward(
            Tensor input, ExpertChoice choice, String prefix, Activation activation);

    /**
     * Writes K and V of the batch into the layer's cache and attends causally to the whole sequence
     * of each token, or to its window in a sliding layer.
     *
     * @param query {@code F32 [keyLength, heads, T]}, rows contiguous
     * @param key {@code F32 [keyLength, kvHeads, T]}
     * @param value {@code F32 [valueLength, kvHeads, T]}
     * @param scale factor of the scores, usually {@code 1 / sqrt(keyLength)}
     * @param sinks one more score per head, {@code F32 [heads]}: it takes part in the softmax
     *     without a factor and has no value
     * @return {@code F32 [valueLength * heads, T]}, contiguous
     */
    Tensor attention(
            int layer, Tensor query, Tensor key, Tensor value, float scale, Optional<Tensor> sinks);

    /** Attention without sinks. */
    default Tensor attention(int layer, Tensor query, Tensor key, Tensor value, float scale) {
        return attention(layer, query, key, value, scale, Optional.empty());
    }

    /**
     * Attention of a layer whose values are the first elements of its keys, see {@link
     * LayerState.ValueRows#IN_KEYS}: writes K of the batch into the layer's cache and attends as
     * {@link #attention} does.
     *
     * @param query {@code F32 [keyLength, heads, T]}, rows contiguous
     * @param key {@code F32 [keyLength, kvHeads, T]}
     * @param scale factor of the scores
     * @return {@code F32 [valueLength * heads, T]}, contiguous
     */
    Tensor latentAttention(int layer, Tensor query, Tensor key, float scale);

    /**
     * Records query and key of a layer before their rotary embedding; call it before its {@link
     * #attention}. Searches for distant positions compare these vectors; if a family does not call
     * this, they compare the rotated ones. Shapes as in {@link #attention}.
     */
    default void beforeRotation(int layer, Tensor query, Tensor key) {
        // Only the quality of those searches depends on it.
    }

    /**
     * Attends to the rows that another layer wrote in this batch and before, see {@link
     * LayerState.SharedAttention}. Shapes as in {@link #attention}.
     */
    Tensor sharedAttention(int layer, Tensor query, float scale);

    /**
     * Causal depth-wise convolution over each sequence, continuing from its state, which is
     * advanced.
     *
     * @param input {@code F32 [channels, T]}, contiguous
     * @param kernel {@code F32 [taps, channels]}
     * @return {@code F32 [channels, T]}, contiguous; no activation applied
     */
    Tensor causalConvolution(int layer, Tensor input, Tensor kernel);

    /**
     * Gated delta rule over each sequence, continuing from its matrix state, which is advanced.
     * Value head h uses key head h mod keyHeads; the operator scales queries by {@code 1 /
     * sqrt(stateSize)} itself.
     *
     * @param inputs of all T columns, as if they were of one sequence: queries and keys {@code F32
     *     [stateSize, keyHeads, T]} and values {@code F32 [stateSize, valueHeads, T]} with
     *     contiguous rows, decay and beta {@code F32 [valueHeads, T]}, contiguous
     * @return {@code F32 [stateSize, valueHeads, T]}
     */
    Tensor gatedDelta(int layer, DeltaInputs inputs);

    /**
     * Advances a layer's {@link LayerState.Custom} over each sequence, with operators of the
     * family. Once per layer that keeps such a state.
     *
     * @param columns inputs of the step for each token: {@code F32 [.., T]} of 2 or 3 dimensions,
     *     rows contiguous
     * @return {@code F32 [width, T]}, contiguous, where width is the elements of the step's output
     *     for each token
     */
    Tensor advanceState(int layer, List<Tensor> columns, StateStep step);

    /**
     * Restricts the following layers to the columns that the requested outputs depend on; for
     * layers that keep no state. After the first call, {@link #tokens}, {@link #positions} and the
     * queries of {@link #sharedAttention} are those columns; {@code F32 [width, T] -> F32 [width,
     * kept]}, the last ones. Every tensor that such layers read must pass through this method.
     */
    Tensor lastColumns(Tensor hidden);

    /**
     * Keeps the columns whose outputs are requested: {@code F32 [width, T] -> F32 [width,
     * outputs]}. Returns the input if it holds only those columns already, or if the last layer's
     * output is still to be captured. A family that drops columns early therefore calls it once
     * more before the head.
     */
    Tensor outputColumns(Tensor hidden);

    /**
     * Offers the input of {@code layer} to the readers of features; the layer count stands for the
     * last layer's output. A family calls it for every layer of its range, and for the layer after
     * it. A model whose family omits a requested capture is rejected when it is loaded.
     *
     * @param hidden {@code F32 [embeddingLength, T]}, all columns
     */
    void capture(int layer, Tensor hidden);

    /**
     * Offers the rows after the last norm, from which vectors of texts are pooled. {@link
     * DecoderBackbone#lastNorm} calls it.
     *
     * @param normed {@code F32 [embeddingLength, columns]}
     */
    default void lastNormed(Tensor normed) {
        // Only encoders of texts read them.
    }

    /** Ends a range below the last layer: {@code F32 [boundaryLength, T]}. */
    void boundaryOutput(Tensor hidden);

    /** Ends the last range: {@code F32 [vocabularySize, outputs]}. */
    void logits(Tensor logits);

    /** Function of a feed-forward: of its gate, or of its only product if it has no gate. */
    enum Activation {
        /** {@code x * sigmoid(x)}. */
        SILU,
        /** GELU in the tanh approximation. */
        GELU,
        /**
         * {@code x * sigmoid(1.702 * x)} with {@code x} at most 7, times {@code 1 + up} with {@code
         * up} between -7 and 7; only with a gate.
         */
        LIMITED_SWIGLU,
        /** {@code max(x, 0)^2}. */
        RELU_SQUARED
    }

    /**
     * One of several products of an input.
     *
     * @param name weight without suffix
     * @param rows its output rows
     */
    record Projection(String name, long rows) {
        /**
         * Queries, keys and values under their usual names, {@code blk.N.attn_q} and so on.
         *
         * @param keyRows rows of keys, and of values
         */
        public static List<Projection> attention(int layer, long queryRows, long keyRows) {
            return List.of(
                    new Projection(WeightSelector.block(layer, "attn_q"), queryRows),
                    new Projection(WeightSelector.block(layer, "attn_k"), keyRows),
                    new Projection(WeightSelector.block(layer, "attn_v"), keyRows));
        }
    }

    /** Weights of a gated feed-forward: {@code prefix_gate} + suffix and so on. */
    record FeedForwardNames(String prefix, String suffix) {
        /** The usual names, such as {@code blk.3.ffn_gate}. */
        public static FeedForwardNames of(String prefix) {
            return new FeedForwardNames(prefix, "");
        }

        /** Name of a matrix, {@code part} being {@code gate}, {@code up} or {@code down}. */
        public String name(String part) {
            return prefix + "_" + part + suffix;
        }
    }

    /** Weights of the chosen experts. */
    enum ExpertWeighting {
        /** Their probabilities. */
        PROBABILITIES,
        /** Softmax over the logits of the chosen experts alone. */
        SOFTMAX_OF_CHOSEN
    }

    /**
     * Groups of consecutive experts. Only experts of the best groups are chosen; the score of a
     * group is the sum of its two highest probabilities, with the bias.
     *
     * @param count number of groups, of equal size; 1 for none
     * @param used groups from which a token's experts are chosen
     */
    record ExpertGroups(int count, int used) {
        /** All experts in one group. */
        public static ExpertGroups none() {
            return new ExpertGroups(1, 1);
        }
    }

    /**
     * Number and weighting of the experts of a token.
     *
     * @param used experts per token
     * @param normalise whether the weights of a token are divided by their sum
     * @param scale factor of the weights afterwards; 0 or 1 for none
     */
    record ExpertRouting(
            int used,
            boolean normalise,
            float scale,
            ExpertWeighting weighting,
            ExpertGroups groups) {
        /** Weights by probability, without groups. */
        public ExpertRouting(int used, boolean normalise, float scale) {
            this(used, normalise, scale, ExpertWeighting.PROBABILITIES, ExpertGroups.none());
        }
    }

    /**
     * The experts of each token.
     *
     * @param ids {@code I32 [used, T]}, the best first
     * @param weights {@code F32 [1, used, T]}
     */
    record ExpertChoice(Tensor ids, Tensor weights) {}

    /** A weight that may be absent. */
    default Optional<Tensor> optionalWeight(String name, TensorUse use) {
        return hasWeight(name, use) ? Optional.of(weight(name, use)) : Optional.empty();
    }
}
