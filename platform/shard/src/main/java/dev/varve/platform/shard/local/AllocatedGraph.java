package dev.varve.platform.shard.local;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.GraphAllocator;
import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.CapturedFeature;
import dev.varve.platform.shard.HostActivations;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.streaming.ExpertCache;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A graph with its memory plan. It computes any number of batches of its {@link GraphKey}. */
final class AllocatedGraph implements AutoCloseable {
    private final GraphKey key;
    private final UnallocatedGraph recording;
    private final Optional<InputArena> arena;
    private final SegmentMemory segments;
    private final List<Segment> parts;
    private final Optional<StreamedGraph> streamed;

    /**
     * A segment on another device between operators of the own graph.
     *
     * @param before own operators up to the segment
     * @param there operators of the segment
     * @param after own operators from the segment to the next one
     */
    private record Segment(DeviceSegment segment, Graph before, Graph there, Graph after) {}

    /** Batch whose inputs are written already, except those that depend on its tokens. */
    private Optional<PlacedBatch> prepared = Optional.empty();

    /**
     * Takes ownership of the recording and allocates memory for its results.
     *
     * @param memory used for this graph until it is closed
     * @param experts cache of experts, if they are not in memory
     */
    AllocatedGraph(
            GraphKey key,
            UnallocatedGraph recording,
            GraphMemory memory,
            Optional<ExpertCache> experts) {
        this.key = key;
        this.recording = recording;
        arena = memory.inputs();
        segments = memory.segments();
        GraphAllocator allocator = memory.results();
        try {
            arena.ifPresent(inputs -> inputs.place(recording.inputs().exceptBoundary()));
            segments.place(recording.segments());
            // The allocator compares counts only, so a graph of another topology needs its own
            // plan.
            allocator.reserve(recording.graph());
            allocator.allocate(recording.graph());
            parts = cut();
            streamed =
                    experts.filter(cache -> !recording.experts().isEmpty())
                            .map(
                                    cache ->
                                            new StreamedGraph(
                                                    recording.graph(), recording.experts(), cache));
        } catch (RuntimeException | Error e) {
            recording.close();
            throw e;
        }
    }

    GraphKey key() {
        return key;
    }

    void writeBoundary(LayerActivations activation) {
        recording.inputs().writeBoundary(activation);
    }

    /** Writes all inputs of a batch except the activation. */
    void fill(PlacedBatch placed) {
        if (prepared.filter(batch -> batch.hasPlacesOf(placed)).isEmpty()) {
            recording.inputs().fillPlaces(placed, this::written);
        }
        prepared = Optional.empty();
        recording.inputs().fillTokens(placed.batch(), this::written);
    }

    /** The tensor into which the host writes an input. */
    private Tensor written(Tensor input) {
        return arena.isPresent() ? arena.get().host(input) : input;
    }

    /** Computes the batch whose inputs and activation were written before. */
    void compute(PlacedBatch placed, ComputeDevice device) {
        if (streamed.isPresent()) {
            streamed.get().compute(device, placed.batch().phase());
            return;
        }
        if (parts.isEmpty()) {
            begin(recording.graph(), placed, device);
            return;
        }
        begin(parts.getFirst().before(), placed, device);
        for (Segment part : parts) {
            compute(part, placed.batch().phase(), device);
        }
    }

    private void begin(Graph graph, PlacedBatch placed, ComputeDevice device) {
        if (arena.isEmpty()) {
            device.compute(graph, placed.batch().phase());
            return;
        }
        device.compute(
                graph, placed.batch().phase(), arena.get().upload(() -> prepare(placed.next())));
    }

    /** Computes a segment on its device, and then the own operators up to the next segment. */
    private void compute(Segment part, Phase phase, ComputeDevice device) {
        ComputeDevice other = part.segment().device();
        part.segment()
                .sent()
                .computeAfter(other, part.there(), phase, segments.isOwnSideHost(other));
        part.segment()
                .returned()
                .computeAfter(device, part.after(), phase, segments.isOtherSideHost(other));
    }

    /** Cuts the own operators at the segments on other devices. */
    private List<Segment> cut() {
        List<DeviceSegment> all = recording.segments().segments();
        Graph own = recording.graph();
        List<Segment> cut = new ArrayList<>(all.size());
        for (int i = 0; i < all.size(); i++) {
            DeviceSegment segment = all.get(i);
            int end = i + 1 < all.size() ? all.get(i + 1).after() : own.nodes();
            cut.add(
                    new Segment(
                            segment,
                            i == 0 ? own.range(0, segment.after()) : cut.getLast().after(),
                            segment.graph().range(segment.begin(), segment.end()),
                            own.range(segment.after(), end)));
        }
        return List.copyOf(cut);
    }

    private void prepare(Optional<PlacedBatch> next) {
        next.ifPresent(batch -> recording.inputs().fillPlaces(batch, this::written));
        prepared = next;
    }

    /** Computes some of its operators, after those before them; none if both are equal. */
    void compute(int begin, int end, PlacedBatch placed, ComputeDevice device) {
        if (begin == end) {
            return;
        }
        device.compute(recording.graph().range(begin, end), placed.batch().phase());
    }

    /** Place at which the graph stops for the selection of keys. */
    Optional<SparseGraphBreak> blocks() {
        return recording.blocks();
    }

    /** Number of operators. */
    int nodes() {
        return recording.graph().nodes();
    }

    /**
     * Logits of all requested tokens, {@code F32 [vocabularySize, outputs]}, in the order of the
     * chunks.
     */
    Optional<Tensor> logits() {
        return recording.logits();
    }

    /** The best token of each row of logits, if the device finds it. */
    Optional<DeviceArgmax> maxima() {
        return recording.maxima();
    }

    /** The best tokens of each row of logits, if requested and the device finds them. */
    Optional<DeviceTopTokens> top() {
        return recording.top();
    }

    /**
     * Reads the activation that leaves the range.
     *
     * @param ring ring of the next shard that receives it; empty: host memory
     */
    Optional<LayerActivations> readBoundary(Optional<ActivationRing> ring) {
        return recording
                .boundary()
                .map(
                        tensor ->
                                ring.isPresent() && ring.get().fits(key.tokens())
                                        ? ring.get().put(tensor)
                                        : new HostActivations(valuesOf(tensor), key.tokens()));
    }

    List<CapturedFeature> readFeatures() {
        if (recording.features().isEmpty()) {
            return List.of();
        }
        List<CapturedFeature> read = new ArrayList<>(recording.features().size());
        recording
                .features()
                .forEach(
                        (layer, tensor) ->
                                read.add(
                                        new CapturedFeature(
                                                layer, valuesOf(tensor), key.tokens())));
        return read;
    }

    /** Queries of full attention, see {@link UnallocatedGraph#queries}. */
    Map<Integer, List<Tensor>> queries() {
        return recording.queries();
    }

    private static float[] valuesOf(Tensor tensor) {
        float[] values = new float[Math.toIntExact(tensor.elements())];
        tensor.read(values, 0, values.length, 0);
        return values;
    }

    @Override
    public void close() {
        recording.close();
    }
}
