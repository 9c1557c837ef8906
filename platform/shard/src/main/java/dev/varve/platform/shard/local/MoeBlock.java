package dev.varve.platform.shard.local;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.ShardGraph.Activation;
import dev.varve.api.model.ShardGraph.ExpertChoice;
import dev.varve.api.model.ShardGraph.ExpertGroups;
import dev.varve.api.model.ShardGraph.ExpertRouting;
import dev.varve.api.model.ShardGraph.ExpertWeighting;
import dev.varve.api.model.TensorUse;
import dev.varve.platform.shard.streaming.ExpertGroup;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Mixture of experts: selects the experts of each token, and computes their feed-forward networks.
 */
final class MoeBlock {
    /** Smallest half-precision normal number: minimum of a sum that is a divisor. */
    private static final float MIN_SUM = 6.103515625e-5f;

    private static final String WEIGHT = ".weight";
    private static final String DOWN = "_down_exps";

    private static final List<String> MATRICES =
            List.of("_up_exps", "_gate_exps", "_gate_up_exps", "_down_exps");

    private static final String ROUTER = "_gate_inp.weight";
    private static final Pattern LAYER = Pattern.compile("blk\\.([0-9]{1,6})(\\..*)");

    /** Experts whose ranks make the rank of a group. */
    private static final int RANKED_PER_GROUP = 2;

    private final Ops ops;
    private final Graph graph;
    private final ShardWeights weights;
    private final MatrixProducts products;
    private final Optional<SegmentRecorder> segments;
    private final List<ExpertBreak> breaks = new ArrayList<>();

    /**
     * @param segments recorder for experts on other devices; empty if this graph is for the device
     *     of the experts
     */
    MoeBlock(
            Ops ops,
            Graph graph,
            ShardWeights weights,
            MatrixProducts products,
            Optional<SegmentRecorder> segments) {
        this.segments = segments;
        this.products = products;
        this.ops = ops;
        this.graph = graph;
        this.weights = weights;
    }

    ExpertChoice choose(Tensor probabilities, Optional<Tensor> bias, ExpertRouting routing) {
        long experts = probabilities.ne(0);
        long tokens = probabilities.ne(1);
        Tensor ranked = bias.isPresent() ? ops.add(probabilities, bias.get()) : probabilities;
        if (routing.groups().count() > 1) {
            ranked = withinBestGroups(ranked, routing.groups());
        }
        Tensor ids = best(ranked, routing.used());
        Tensor chosen = ops.getRows(ops.reshape3d(probabilities, 1, experts, tokens), ids);
        if (routing.weighting() == ExpertWeighting.SOFTMAX_OF_CHOSEN) {
            Tensor rows = ops.reshape2d(chosen, routing.used(), tokens);
            chosen = ops.reshape3d(ops.softMax(rows), 1, routing.used(), tokens);
        }
        if (routing.normalise()) {
            Tensor rows = ops.reshape2d(chosen, routing.used(), tokens);
            Tensor sum = ops.clamp(ops.sumRows(rows), MIN_SUM, Float.POSITIVE_INFINITY);
            chosen = ops.reshape3d(ops.div(rows, sum), 1, routing.used(), tokens);
        }
        if (routing.scale() != 0 && routing.scale() != 1) {
            chosen = ops.scale(chosen, routing.scale());
        }
        // Before the products, where accelerators expect it to fuse the selection.
        graph.expand(chosen);
        return new ExpertChoice(ids, chosen);
    }

    /** Returns the ids of the experts with the highest ranks, in order. */
    private Tensor best(Tensor ranked, int used) {
        if (segments.filter(SegmentRecorder::isNeeded).isEmpty()) {
            return ops.argsortTopK(ranked, used);
        }
        Tensor all = ops.argsortTopK(ranked, (int) ranked.ne(0));
        return segments.get().beginOf(all, ops.view2d(all, used, all.ne(1), all.nb(1), 0));
    }

    /** Replaces the ranks of experts outside a token's best groups by minus infinity. */
    private Tensor withinBestGroups(Tensor ranked, ExpertGroups groups) {
        long experts = ranked.ne(0);
        long tokens = ranked.ne(1);
        long size = experts / groups.count();
        Tensor grouped = ops.reshape3d(ranked, size, groups.count(), tokens);
        Tensor best = ops.argsortTopK(grouped, RANKED_PER_GROUP);
        Tensor pairs = ops.getRows(ops.reshape4d(grouped, 1, size, groups.count(), tokens), best);
        Tensor sums = ops.sumRows(ops.reshape3d(pairs, RANKED_PER_GROUP, groups.count(), tokens));
        Tensor chosen = ops.argsortTopK(ops.reshape2d(sums, groups.count(), tokens), groups.used());
        Tensor kept = ops.getRows(grouped, chosen);
        Tensor none = ops.fill(grouped, Float.NEGATIVE_INFINITY);
        return ops.reshape2d(ops.setRows(none, kept, chosen), experts, tokens);
    }

    Tensor feedForward(Tensor input, ExpertChoice choice, String prefix, Activation activation) {
        Optional<ComputeDevice> other = commonDevice(prefix);
        if (other.isPresent()) {
            return segments.orElseThrow()
                    .compute(
                            other.get(),
                            List.of(input, choice.ids(), choice.weights()),
                            (there, sent) ->
                                    there.feedForward(
                                            sent.get(0),
                                            new ExpertChoice(sent.get(1), sent.get(2)),
                                            prefix,
                                            activation));
        }
        Tensor outputs =
                weights.streamed(prefix)
                        .map(group -> streamed(group, input, choice.ids(), prefix, activation))
                        .orElseGet(
                                () ->
                                        product(
                                                prefix + DOWN,
                                                inner(input, choice.ids(), prefix, activation),
                                                choice.ids()));
        return sum(ops.mul(outputs, choice.weights()));
    }

    /** Records the experts as operators of their own, before which the graph stops. */
    private Tensor streamed(
            ExpertGroup group, Tensor input, Tensor ids, String prefix, Activation activation) {
        Tensor ownIds = ops.cont(ids);
        Tensor ownInput = ops.cont(input);
        graph.expand(ownIds);
        graph.expand(ownInput);
        // Last, so that no operator uses its memory before the host reads it.
        Optional<ExpertBreak.Guess> next = guess(prefix, ownInput, (int) ids.ne(0));
        int begin = graph.nodes();
        Tensor inner = inner(ownInput, ownIds, prefix, activation);
        graph.expand(inner);
        int middle = graph.nodes();
        Tensor outputs = product(prefix + DOWN, inner, ownIds);
        graph.expand(outputs);
        int end = graph.nodes();
        breaks.add(new ExpertBreak(group, begin, middle, end, ownIds, ownInput, next, outputs));
        return outputs;
    }

    /**
     * Guesses the experts of the next layer: hidden states change little from layer to layer, so
     * its router mostly chooses the same experts for the input of this one.
     */
    private Optional<ExpertBreak.Guess> guess(String prefix, Tensor input, int used) {
        Matcher name = LAYER.matcher(prefix);
        if (!name.matches()) {
            return Optional.empty();
        }
        String next = "blk." + (Integer.parseInt(name.group(1)) + 1) + name.group(2);
        String router = next + ROUTER;
        Optional<ExpertGroup> group = weights.streamed(next);
        if (group.isEmpty() || !weights.has(router, TensorUse.MATMUL)) {
            return Optional.empty();
        }
        Tensor matrix = weights.get(router, TensorUse.MATMUL);
        if (matrix.ne(0) != input.ne(0) || matrix.ne(1) != group.get().experts()) {
            return Optional.empty();
        }
        Tensor ranks = ops.mulMat(matrix, input);
        Tensor best = ops.argsortTopK(ops.reshape2d(ranks, ranks.ne(0), input.ne(1)), used);
        Tensor guessed = ops.cont(best);
        int begin = graph.nodes();
        graph.expand(guessed);
        return Optional.of(new ExpertBreak.Guess(group.get(), begin, guessed));
    }

    /** Returns the places at which the graph stops for experts, in the order of computation. */
    List<ExpertBreak> breaks() {
        return List.copyOf(breaks);
    }

    /** Returns the input of the down matrix, {@code F32 [inner, used, T]}. */
    private Tensor inner(Tensor input, Tensor ids, String prefix, Activation activation) {
        long width = input.ne(0);
        long tokens = input.ne(1);
        Tensor column = ops.reshape3d(input, width, 1, tokens);
        if (isPlain(prefix)) {
            Tensor up = product(prefix + "_up_exps", column, ids);
            return FeedForwardActivation.of(ops, activation, up);
        }
        Tensor gate;
        Tensor up;
        String fused = prefix + "_gate_up_exps";
        if (weights.has(fused + WEIGHT, TensorUse.EXPERT_MATMUL)) {
            Tensor both = product(fused, column, ids);
            long inner = both.ne(0) / 2;
            gate = half(both, inner, 0);
            up = half(both, inner, inner);
        } else {
            up = product(prefix + "_up_exps", column, ids);
            gate = product(prefix + "_gate_exps", column, ids);
        }
        return FeedForwardActivation.of(ops, activation, gate, up);
    }

    /** Returns the other device that holds all matrices of the experts; empty if none does. */
    private Optional<ComputeDevice> commonDevice(String prefix) {
        if (segments.isEmpty()) {
            return Optional.empty();
        }
        List<Optional<ComputeDevice>> devices =
                MATRICES.stream()
                        .map(matrix -> prefix + matrix + WEIGHT)
                        .filter(name -> weights.has(name, TensorUse.EXPERT_MATMUL))
                        .map(segments.get()::elsewhere)
                        .distinct()
                        .toList();
        return devices.size() == 1 ? devices.getFirst() : Optional.empty();
    }

    private boolean isPlain(String prefix) {
        return !weights.has(prefix + "_gate_exps" + WEIGHT, TensorUse.EXPERT_MATMUL)
                && !weights.has(prefix + "_gate_up_exps" + WEIGHT, TensorUse.EXPERT_MATMUL);
    }

    private Tensor half(Tensor both, long inner, long first) {
        return ops.view(
                both,
                Extents.of(inner, both.ne(1), both.ne(2)),
                Strides.of(both.nb(1), both.nb(2)),
                first * Float.BYTES);
    }

    /** Returns {@code F32 [out, used, T]}, with the experts' scales and biases, if present. */
    private Tensor product(String name, Tensor input, Tensor ids) {
        Optional<ComputeDevice> other =
                segments.flatMap(recorder -> recorder.elsewhere(name + WEIGHT));
        if (other.isPresent()) {
            return segments.orElseThrow()
                    .compute(
                            other.get(),
                            List.of(input, ids),
                            (there, sent) -> there.product(name, sent.get(0), sent.get(1)));
        }
        Tensor product = scaled(name, products.multiplyExperts(name + WEIGHT, input, ids), ids);
        String bias = name + ".bias";
        return weights.has(bias, TensorUse.ELEMENTWISE)
                ? ops.addId(product, weights.get(bias, TensorUse.ELEMENTWISE), ids)
                : product;
    }

    private Tensor scaled(String name, Tensor product, Tensor ids) {
        String scale = name + ".scale";
        if (!weights.has(scale, TensorUse.ELEMENTWISE)) {
            return product;
        }
        Tensor scales = weights.get(scale, TensorUse.ELEMENTWISE);
        long experts = scales.ne(0);
        long tokens = ids.ne(1);
        Tensor perToken = ops.repeat4d(ops.reshape3d(scales, 1, experts, 1), 1, experts, tokens, 1);
        return ops.mul(product, ops.getRows(perToken, ids));
    }

    /** Sums over the experts of each token, the best first. */
    private Tensor sum(Tensor outputs) {
        long width = outputs.ne(0);
        int used = (int) outputs.ne(1);
        long tokens = outputs.ne(2);
        Tensor[] parts = new Tensor[used];
        for (int i = 0; i < used; i++) {
            parts[i] = ops.view2d(outputs, width, tokens, outputs.nb(2), i * outputs.nb(1));
            graph.expand(parts[i]);
        }
        Tensor sum = parts[0];
        for (int i = 1; i < used; i++) {
            sum = ops.add(sum, parts[i]);
        }
        return used == 1 ? ops.cont(sum) : sum;
    }
}
