package dev.varve.platform.shard.local;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.Tensor;

import java.util.ArrayList;
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
    private final GgmlContext own;
    private final Graph graph;
    private final GraphKey key;
    private final ShardGraphContext graphContext;
    private final Map<ComputeDevice, DeviceSegments.Recording> recordings = new LinkedHashMap<>();
    private final Map<ComputeDevice, MoeBlock> experts = new IdentityHashMap<>();
    private final List<DeviceSegment> segments = new ArrayList<>();

    /**
     * Whole rows of tensors that are the begin of each row: not every device copies strided ids.
     */
    private final Map<Tensor, Tensor> wholeRows = new IdentityHashMap<>();

    SegmentRecorder(GgmlContext own, Graph graph, GraphKey key, ShardGraphContext graphContext) {
        this.own = own;
        this.graph = graph;
        this.key = key;
        this.graphContext = graphContext;
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
     * @param inputs activations of the shard's graph
     * @param body records with the same activations on the other device, and returns the result
     * @return the result in the shard's graph
     */
    Tensor compute(
            ComputeDevice device,
            List<Tensor> inputs,
            BiFunction<MoeBlock, List<Tensor>, Tensor> body) {
        DeviceSegments.Recording there = recordings.computeIfAbsent(device, this::open);
        List<Tensor> whole =
                inputs.stream().map(input -> wholeRows.getOrDefault(input, input)).toList();
        Transfer sent = Transfer.declare(whole, own, there.context());
        for (int i = 0; i < whole.size(); i++) {
            graph.expand(own.ops().copy(whole.get(i), sent.sources().get(i)));
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
                        new MatrixProducts(context.ops(), key, graphContext.on(device)),
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
