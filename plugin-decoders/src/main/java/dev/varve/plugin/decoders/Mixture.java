package dev.varve.plugin.decoders;

import static dev.varve.api.model.WeightSelector.block;

import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.ShardGraph.Activation;
import dev.varve.api.model.ShardGraph.ExpertChoice;
import dev.varve.api.model.ShardGraph.ExpertRouting;
import dev.varve.api.model.ShardGraph.ExpertWeighting;
import dev.varve.api.model.ShardGraph.FeedForwardNames;
import dev.varve.api.model.TensorUse;
import dev.varve.api.model.WeightSelector;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * Experts of which each token uses some, beside one that every token may use.
 *
 * @param inner inner width of an expert
 * @param latent width at which the experts compute, if it is not that of the model
 * @param router how the experts of a token are chosen
 */
record Mixture(
        int layer,
        int experts,
        int inner,
        OptionalInt latent,
        Router router,
        Activation activation,
        Optional<Shared> shared)
        implements FeedForward {

    /** Function of the router's logits. */
    enum Scoring {
        SOFTMAX,
        SIGMOID,
        /** None: the weights are a softmax over the chosen logits. */
        LOGITS
    }

    /** Whether a bias changes the choice of experts, but not their weights. */
    enum ChoiceBias {
        NONE,
        OPTIONAL,
        REQUIRED
    }

    /** Choice of the experts. */
    record Router(Scoring scoring, ChoiceBias bias, ExpertRouting routing) {
        /** Softmax over all experts, without bias. */
        static Router softmax(int used, boolean normalise) {
            return new Router(
                    Scoring.SOFTMAX, ChoiceBias.NONE, new ExpertRouting(used, normalise, 1));
        }
    }

    /**
     * The expert of every token.
     *
     * @param scaled whether its output is multiplied with the sigmoid of a product of the input
     */
    record Shared(int inner, boolean scaled) {}

    Mixture {
        if ((router.scoring() == Scoring.LOGITS)
                != (router.routing().weighting() == ExpertWeighting.SOFTMAX_OF_CHOSEN)) {
            throw new IllegalArgumentException(router + " weighs by what it does not compute");
        }
    }

    private boolean isPlain() {
        return activation == Activation.RELU_SQUARED;
    }

    private FeedForwardNames sharedNames() {
        return new FeedForwardNames(block(layer, "ffn"), "_shexp");
    }

    @Override
    public void select(WeightSelector weights, int width) {
        weights.matrix(block(layer, "ffn_gate_inp"), width, experts);
        String bias = block(layer, "exp_probs_b.bias");
        if (router.bias() == ChoiceBias.REQUIRED) {
            weights.vector(bias, experts);
        } else if (router.bias() == ChoiceBias.OPTIONAL) {
            weights.addIfPresent(bias, TensorUse.ELEMENTWISE, experts);
        }
        int outer = latent.orElse(width);
        if (latent.isPresent()) {
            weights.matrix(block(layer, "ffn_latent_down"), width, outer);
            weights.matrix(block(layer, "ffn_latent_up"), outer, width);
        }
        if (isPlain()) {
            weights.plainExperts(block(layer, "ffn"), outer, inner, experts);
        } else {
            weights.experts(block(layer, "ffn"), outer, inner, experts);
        }
        shared.ifPresent(expert -> selectShared(weights, width, expert));
    }

    private void selectShared(WeightSelector weights, int width, Shared expert) {
        if (isPlain()) {
            weights.plainFeedForward(sharedNames(), width, expert.inner());
        } else {
            weights.feedForward(sharedNames(), width, expert.inner());
        }
        if (expert.scaled()) {
            weights.matrix(block(layer, "ffn_gate_inp_shexp"), width, 1);
        }
    }

    @Override
    public Tensor record(ShardGraph graph, Tensor input) {
        Ops ops = graph.ops();
        Tensor logits = graph.matmul(block(layer, "ffn_gate_inp"), input);
        Tensor scores =
                switch (router.scoring()) {
                    case SOFTMAX -> ops.softMax(logits);
                    case SIGMOID -> ops.sigmoid(logits);
                    case LOGITS -> logits;
                };
        Optional<Tensor> bias =
                router.bias() == ChoiceBias.NONE
                        ? Optional.empty()
                        : graph.optionalWeight(
                                block(layer, "exp_probs_b.bias"), TensorUse.ELEMENTWISE);
        ExpertChoice choice = graph.chooseExperts(scores, bias, router.routing());
        Tensor routed =
                latent.isEmpty()
                        ? routed(graph, input, choice)
                        : graph.matmul(
                                block(layer, "ffn_latent_up"),
                                routed(
                                        graph,
                                        graph.matmul(block(layer, "ffn_latent_down"), input),
                                        choice));
        return shared.isEmpty() ? routed : ops.add(routed, shared(graph, input, shared.get()));
    }

    private Tensor routed(ShardGraph graph, Tensor input, ExpertChoice choice) {
        return graph.expertFeedForward(input, choice, block(layer, "ffn"), activation);
    }

    private Tensor shared(ShardGraph graph, Tensor input, Shared expert) {
        Tensor output =
                isPlain()
                        ? graph.plainFeedForward(input, sharedNames(), activation)
                        : graph.gatedFeedForward(input, sharedNames(), activation);
        if (!expert.scaled()) {
            return output;
        }
        Ops ops = graph.ops();
        Tensor gate = graph.matmul(block(layer, "ffn_gate_inp_shexp"), input);
        // The sigmoid, with the rounding of other implementations.
        return ops.mul(output, ops.div(ops.silu(gate), gate));
    }
}
