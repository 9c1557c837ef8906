package dev.varve.platform.shard.local;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.lora.LoraFactor;
import dev.varve.platform.shard.lora.LoraTerm;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * Records operators for other devices while a family records the graph of a shard. Where a segment
 * begins, the shard's graph copies the activations to a block that goes to the other device; where
 * it ends, the graph continues with the result.
 */
final class SegmentRecorder implements AutoCloseable {
    /** Input of a segment that has the experts of each token. */
    private static final int IDS = 1;

    private final GgmlContext own;
    private final Graph graph;
    private final GraphKey key;
    private final ShardGraphContext graphContext;
    private final Map<ComputeDevice, DeviceSegments.Recording> recordings = new LinkedHashMap<>();
    private final Map<ComputeDevice, MoeBlock> experts = new IdentityHashMap<>();
    private final List<DeviceSegment> segments = new ArrayList<>();
    private final AdapterFactorSource factors;

    /** Factors of experts' adapters, in the order in which they are sent. */
    private final List<LoraFactor> sentFactors;

    /** Their tensors on the device of the segment that is being recorded. */
    private final Map<LoraFactor, Tensor> receivedFactors = new HashMap<>();

    /**
     * Whole rows of tensors that are the begin of each row: not every device copies strided ids.
     */
    private final Map<Tensor, Tensor> wholeRows = new IdentityHashMap<>();

    /**
     * @param factors source of the factors of adapters' terms in the shard's graph
     */
    SegmentRecorder(
            GgmlContext own,
            Graph graph,
            GraphKey key,
            ShardGraphContext graphContext,
            AdapterFactorSource factors) {
        this.own = own;
        this.graph = graph;
        this.key = key;
        this.graphContext = graphContext;
        this.factors = factors;
        sentFactors = factorsOfExperts(key, graphContext);
    }

    /** Returns the factors of the terms of experts that may be on other devices. */
    private static List<LoraFactor> factorsOfExperts(GraphKey key, ShardGraphContext context) {
        if (key.adapters().isEmpty() || !context.weights().isSpread()) {
            return List.of();
        }
        return context.lora().byWeight().entrySet().stream()
                .filter(each -> context.weights().elsewhere(each.getKey()).isPresent())
                .flatMap(each -> each.getValue().stream())
                .map(LoraTerm::factor)
                .filter(factor -> key.adapters().contains(factor.adapter()))
                .distinct()
                .sorted(
                        Comparator.comparingInt(LoraFactor::adapter)
                                .thenComparing(LoraFactor::rank))
                .toList();
    }

    /** Returns the device of a weight; empty if it is the shard's own. */
    Optional<ComputeDevice> elsewhere(String weight) {
        return graphContext.weights().elsewhere(weight);
    }

    /** Whether any weight of the shard is on another device. */
    boolean isNeeded() {
        return graphContext.weights().isSpread();
    }

    /** Registers a tensor of two dimensions as the begin of the rows of another one. */
    Tensor beginOf(Tensor rows, Tensor begin) {
        wholeRows.put(begin, rows);
        return begin;
    }

    /**
     * Records operators for a device.
     *
     * @param inputs activations of the shard's graph; the second one has the experts of each token
     * @param body records with the same activations on the other device, and returns the result
     * @return the result in the shard's graph
     */
    Tensor compute(
            ComputeDevice device,
            List<Tensor> inputs,
            BiFunction<MoeBlock, List<Tensor>, Tensor> body) {
        DeviceSegments.Recording there = recordings.computeIfAbsent(device, this::open);
        List<Tensor> whole = new ArrayList<>();
        inputs.forEach(input -> whole.add(wholeRows.getOrDefault(input, input)));
        long columns = inputs.get(IDS).ne(1);
        sentFactors.forEach(factor -> whole.add(factors.of(factor, columns)));
        Transfer sent = Transfer.declare(whole, own, there.context());
        for (int i = 0; i < whole.size(); i++) {
            graph.expand(own.ops().copy(whole.get(i), sent.sources().get(i)));
        }
        for (int i = 0; i < sentFactors.size(); i++) {
            receivedFactors.put(sentFactors.get(i), sent.targets().get(inputs.size() + i));
        }
        int begin = there.graph().nodes();
        Tensor result =
                body.apply(experts.get(device), received(there.context(), inputs, sent.targets()));
        Transfer returned = Transfer.declare(List.of(result), there.context(), own);
        there.graph().expand(there.context().ops().copy(result, returned.sources().getFirst()));
        segments.add(
                new DeviceSegment(
                        device,
                        there.graph(),
                        begin,
                        there.graph().nodes(),
                        graph.nodes(),
                        sent,
                        returned));
        // A copy: the results of all segments arrive at the same place.
        Tensor mine = own.ops().cont(returned.targets().getFirst());
        graph.expand(mine);
        return mine;
    }

    private static List<Tensor> received(
            GgmlContext context, List<Tensor> inputs, List<Tensor> targets) {
        List<Tensor> received = new ArrayList<>();
        for (int i = 0; i < inputs.size(); i++) {
            Tensor input = inputs.get(i);
            Tensor target = targets.get(i);
            received.add(
                    input.ne(0) == target.ne(0)
                            ? target
                            : context.ops()
                                    .view2d(target, input.ne(0), input.ne(1), target.nb(1), 0));
        }
        return received;
    }

    private DeviceSegments.Recording open(ComputeDevice device) {
        int tensors = graph.maxNodes();
        GgmlContext context = GgmlContext.open(tensors, tensors);
        Graph there = context.newGraph(tensors);
        experts.put(
                device,
                new MoeBlock(
                        context.ops(),
                        there,
                        graphContext.weights(),
                        new MatrixProducts(
                                context.ops(),
                                key,
                                graphContext.on(device),
                                (factor, columns) -> receivedFactors.get(factor)),
                        Optional.empty()));
        return new DeviceSegments.Recording(context, there);
    }

    /** Returns the recorded segments, which own the contexts from then on. */
    DeviceSegments recorded() {
        return recordings.isEmpty()
                ? DeviceSegments.NONE
                : new DeviceSegments(segments, recordings);
    }

    /** Frees the recordings of a graph that failed. */
    @Override
    public void close() {
        recorded().close();
    }
}
