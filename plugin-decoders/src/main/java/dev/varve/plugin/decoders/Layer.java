package dev.varve.plugin.decoders;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.WeightSelector;

import java.util.Optional;

/**
 * A layer: a mixer of tokens and a feed-forward, each added to the hidden state. One of them may be
 * missing.
 *
 * @param number of the layer
 * @param epsilon of its norms
 * @param residualScale factor of both parts before they are added; 1 for none
 */
record Layer(
        int number,
        Optional<Mixer> mixer,
        Optional<FeedForward> feedForward,
        Norms norms,
        float epsilon,
        float residualScale) {

    /**
     * Names of the norms of a layer, without number and suffix.
     *
     * @param mixer of the mixer's input
     * @param mixed of its output
     * @param feedForward of the input of the feed-forward
     * @param fed of its output
     */
    record Norms(
            Optional<String> mixer,
            Optional<String> mixed,
            Optional<String> feedForward,
            Optional<String> fed) {
        /** Norms of the inputs, by their usual names. */
        static final Norms BEFORE = before("ffn_norm");

        /** Norms of the inputs and the outputs. */
        static final Norms BOTH =
                new Norms(
                        BEFORE.mixer,
                        Optional.of("post_attention_norm"),
                        BEFORE.feedForward,
                        Optional.of("post_ffw_norm"));

        /** Norms of the outputs alone. */
        static final Norms AFTER =
                new Norms(Optional.empty(), BOTH.mixed, Optional.empty(), BOTH.fed);

        /** Norms of the inputs, with another name for that of the feed-forward. */
        static Norms before(String feedForward) {
            return new Norms(
                    Optional.of("attn_norm"),
                    Optional.empty(),
                    Optional.of(feedForward),
                    Optional.empty());
        }
    }

    /** The state that the mixer keeps. */
    LayerState state() {
        return mixer.isPresent() ? mixer.get().state() : LayerState.Custom.nothing();
    }

    void select(WeightSelector weights, int width) {
        mixer.ifPresent(
                part -> {
                    selectNorm(weights, norms.mixer(), width);
                    part.select(weights, width);
                    selectNorm(weights, norms.mixed(), width);
                });
        feedForward.ifPresent(
                part -> {
                    selectNorm(weights, norms.feedForward(), width);
                    part.select(weights, width);
                    selectNorm(weights, norms.fed(), width);
                });
    }

    private void selectNorm(WeightSelector weights, Optional<String> name, int width) {
        name.ifPresent(norm -> weights.vector(block(number, norm + ".weight"), width));
    }

    /**
     * Returns the output of the layer.
     *
     * @param last whether no layer follows, so that only requested columns continue after the mixer
     */
    Tensor record(ShardGraph graph, Tensor hidden, boolean last) {
        Tensor result = hidden;
        if (mixer.isPresent()) {
            Tensor mixed = mixer.get().mix(graph, norm(graph, norms.mixer(), hidden));
            if (last) {
                mixed = graph.outputColumns(mixed);
                result = graph.outputColumns(hidden);
            }
            Tensor output = norm(graph, norms.mixed(), mixer.get().project(graph, mixed));
            result = add(graph, output, result);
        } else if (last) {
            result = graph.outputColumns(hidden);
        }
        if (feedForward.isEmpty()) {
            return result;
        }
        Tensor fed = feedForward.get().record(graph, norm(graph, norms.feedForward(), result));
        return add(graph, norm(graph, norms.fed(), fed), result);
    }

    private Tensor norm(ShardGraph graph, Optional<String> name, Tensor input) {
        return name.isPresent()
                ? graph.norm(input, block(number, name.get() + ".weight"), epsilon)
                : input;
    }

    private Tensor add(ShardGraph graph, Tensor part, Tensor hidden) {
        Ops ops = graph.ops();
        return ops.add(residualScale == 1 ? part : ops.scale(part, residualScale), hidden);
    }
}
