package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.Boundary;
import dev.varve.platform.shard.ComputeUnit;
import dev.varve.platform.shard.HostBoundary;
import dev.varve.platform.shard.LoadProgress;
import dev.varve.platform.shard.OutputRows;
import dev.varve.platform.shard.SequencePlace;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardFootprint;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.ShardSnapshot;
import dev.varve.platform.shard.Slice;
import dev.varve.platform.shard.SlotCopy;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * A shard in this process. Batches are computed on the calling thread, which is also ggml's first
 * worker; nothing is handed over between threads in a step.
 */
public final class LocalShard implements Shard {
    /** Tokens of a batch whose activation fits the ring between two devices. */
    private static final int LONGEST_BATCH = 512;

    private final LayerSplitAdapter model;
    private final LayerRange range;
    private final ComputeDevice device;
    private final ShardOptions options;
    private final ShardState state;
    private final GraphCache graphs;
    private final RowArgmax argmax;
    private float[] logits = new float[0];
    private volatile ShardMemory memory;
    private final BoundaryClock boundaries;

    /** Where activations come in from the shard before, and where they go. */
    private Optional<BoundaryRing> inbound = Optional.empty();

    private Optional<BoundaryRing> outbound = Optional.empty();
    private boolean closed;

    private LocalShard(
            LayerSplitAdapter model,
            LayerRange range,
            ComputeDevice device,
            ShardOptions options,
            ShardState state) {
        this.model = model;
        this.range = range;
        this.device = device;
        this.options = options;
        this.state = state;
        boundaries = new BoundaryClock(device.info().name(), range);
        graphs = new GraphCache(device.bufferType());
        argmax = new RowArgmax(device.bufferType(), model.shape().vocabularySize());
        memory = measure();
    }

    /**
     * Loads a range onto a device.
     *
     * @throws VarveException of kind OUT_OF_MEMORY if weights or caches do not fit, INVALID_REQUEST
     *     if the cache types do not fit the model's heads or it has not the captured layers,
     *     UNSUPPORTED_MODEL if its family does not offer the captures
     */
    public static LocalShard load(
            GgufFile file,
            LayerSplitAdapter model,
            LayerRange range,
            ComputeDevice device,
            ShardOptions options,
            LoadProgress progress) {
        boolean flash =
                new CacheTypeCheck(model.shape(), range, device)
                        .require(
                                file.path(),
                                options.cacheTypes(),
                                options.numerics().flashAttention());
        BuildCheck.requireLayers(model, options.captures());
        requireRoom(model, range, device, options);
        ShardWeights weights = ShardWeights.load(model.tensors(range), device, options, progress);
        ShardState state = ShardState.open(weights, model.shape(), range, options, device, flash);
        try {
            BuildCheck.require(model, range, state, device, options.captures());
        } catch (RuntimeException | Error e) {
            state.close();
            throw e;
        }
        return new LocalShard(model, range, device, options, state);
    }

    /**
     * Lets activations go to the next shard without passing through the host, where both devices
     * have memory of their own. To be called before the first batch; the next shard must outlive
     * this one.
     *
     * @param underWay most batches under way between the two
     */
    public void connect(LocalShard next, int underWay) {
        boolean direct = !device.bufferType().isHost() && !next.device.bufferType().isHost();
        if (direct && next.range.begin() == range.end() && next.inbound.isEmpty()) {
            next.inbound =
                    Optional.of(
                            new BoundaryRing(
                                    next.device.bufferType(),
                                    model.boundaryLength(range.end()),
                                    LONGEST_BATCH,
                                    underWay + 1));
            outbound = next.inbound;
            next.memory = next.measure();
        }
    }

    /**
     * Caches are cleared, so the system would take them from whatever runs on the machine rather
     * than refuse them; and their sizes may come from another process.
     */
    private static void requireRoom(
            LayerSplitAdapter model, LayerRange range, ComputeDevice device, ShardOptions options) {
        long free = device.info().memoryFreeBytes();
        long bytes =
                ShardFootprint.cacheBytes(
                        model.shape(), range, options.cacheTypes(), options.sizes());
        if (bytes > free) {
            throw new VarveException(
                    VarveException.Kind.OUT_OF_MEMORY,
                    device.info().name()
                            + ": caches of "
                            + bytes
                            + " bytes for "
                            + options.sizes().slots()
                            + " tokens in layers "
                            + range
                            + " exceed the "
                            + free
                            + " bytes that are free");
        }
    }

    @Override
    public LayerRange range() {
        return range;
    }

    @Override
    public String device() {
        return device.info().name();
    }

    @Override
    public ComputeUnit computesOn() {
        return new ComputeUnit(device.lock());
    }

    @Override
    public double boundaryMillis() {
        return boundaries.millis();
    }

    @Override
    public ShardHealth health() {
        return ShardHealth.ready();
    }

    @Override
    public ShardMemory memory() {
        return memory;
    }

    private ShardMemory measure() {
        return new ShardMemory(
                state.weights().bufferBytes(),
                state.weights().mappedBytes(),
                state.cacheBytes(),
                graphs.bytes() + inbound.map(BoundaryRing::bytes).orElse(0L));
    }

    @Override
    public CompletableFuture<ShardResult> forward(Batch batch, Optional<Boundary> boundary) {
        return done(() -> run(batch, boundary));
    }

    private static <T> CompletableFuture<T> done(Supplier<T> work) {
        try {
            return CompletableFuture.completedFuture(work.get());
        } catch (VarveException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private ShardResult run(Batch batch, Optional<Boundary> boundary) {
        synchronized (device.lock()) {
            // Inside, so that it is not closed in between.
            requireValid(batch, boundary);
            for (SlotCopy copy : batch.copies()) {
                state.kvPool().move(copy.from(), copy.to(), copy.count());
            }
            PlacedBatch placed = PlacedBatch.place(batch, state.windows());
            RecordedGraph graph =
                    graphs.find(
                            GraphKey.of(placed),
                            batch.phase(),
                            (key, allocator) ->
                                    new RecordedGraph(
                                            key,
                                            Recording.of(key, model, range, state, device),
                                            allocator));
            boundaries.moveIn(boundary, graph);
            graph.compute(placed, device);
            Optional<Tensor> rows = graph.logits();
            int[] best = new int[batch.outputs()];
            rows.ifPresent(tensor -> readLogits(batch, tensor, best));
            memory = measure();
            return new ShardResult(
                    logits,
                    best,
                    rows.isPresent() ? best.length : 0,
                    boundaries.moveOut(graph, outbound),
                    graph.readFeatures());
        }
    }

    /**
     * Copies the rows that somebody wants to see, and finds the best token of the others where they
     * lie.
     */
    private void readLogits(Batch batch, Tensor tensor, int[] best) {
        int vocabulary = model.shape().vocabularySize();
        int size = Math.multiplyExact(best.length, vocabulary);
        int row = 0;
        for (Slice slice : batch.slices()) {
            int count = slice.outputCount();
            if (slice.outputs() == OutputRows.BEST) {
                best[row] = argmax.find(tensor, (long) row * vocabulary, vocabulary);
            } else if (count > 0) {
                if (logits.length < size) {
                    logits = new float[size];
                }
                tensor.read(logits, row * vocabulary, count * vocabulary, (long) row * vocabulary);
            }
            row += count;
        }
    }

    /** Everything that ggml would answer with an abort. */
    private void requireValid(Batch batch, Optional<Boundary> boundary) {
        if (closed) {
            throw new IllegalStateException("shard " + range + " is closed");
        }
        for (SlotCopy copy : batch.copies()) {
            if (copy.end() > options.sizes().slots()) {
                throw new IllegalArgumentException(
                        copy + " leaves the pool of " + options.sizes().slots() + " slots");
            }
        }
        if (!options.captures().containsAll(batch.captures())) {
            throw new IllegalArgumentException(
                    "captures of layers "
                            + batch.captures()
                            + " from a shard that was loaded for captures of "
                            + options.captures());
        }
        int vocabulary = model.shape().vocabularySize();
        for (Slice slice : batch.slices()) {
            for (int token : slice.tokens()) {
                if (token < 0 || token >= vocabulary) {
                    throw new IllegalArgumentException(
                            "token " + token + " is outside the vocabulary of " + vocabulary);
                }
            }
            if (slice.slots().end() > options.sizes().slots()) {
                throw new IllegalArgumentException(
                        "slots up to "
                                + slice.slots().end()
                                + " exceed the pool of "
                                + options.sizes().slots());
            }
            if (Math.max(slice.readRow(), slice.writeRow()) >= options.sizes().stateRows()) {
                throw new IllegalArgumentException(
                        "state row "
                                + Math.max(slice.readRow(), slice.writeRow())
                                + " exceeds the "
                                + options.sizes().stateRows()
                                + " rows");
            }
        }
        if (boundary.isPresent() != (range.begin() > 0)) {
            throw new IllegalArgumentException(
                    "range "
                            + range
                            + (range.begin() > 0 ? " needs" : " takes no")
                            + " boundary activation");
        }
        boundary.ifPresent(
                given -> {
                    long expected = (long) batch.tokens() * model.boundaryLength(range.begin());
                    if (given.tokens() != batch.tokens()
                            || (given instanceof HostBoundary(float[] values, int tokens)
                                    && values.length < expected)) {
                        throw new IllegalArgumentException(
                                "boundary activation of "
                                        + given.tokens()
                                        + " tokens for a batch of "
                                        + batch.tokens());
                    }
                });
    }

    @Override
    public CompletableFuture<ShardSnapshot> save(SequencePlace place) {
        return done(
                () -> {
                    synchronized (device.lock()) {
                        return new SequenceTensors(state, requireOwn(place)).save();
                    }
                });
    }

    @Override
    public CompletableFuture<Void> restore(SequencePlace place, ShardSnapshot snapshot) {
        return done(
                () -> {
                    synchronized (device.lock()) {
                        new SequenceTensors(state, requireOwn(place)).restore(snapshot);
                    }
                    return null;
                });
    }

    private SequencePlace requireOwn(SequencePlace place) {
        if (closed) {
            throw new IllegalStateException("shard " + range + " is closed");
        }
        if (place.slots().end() > options.sizes().slots()
                || place.stateRow() >= options.sizes().stateRows()) {
            throw new IllegalArgumentException(
                    "sequence in slots up to "
                            + place.slots().end()
                            + " of "
                            + options.sizes().slots()
                            + ", state row "
                            + place.stateRow()
                            + " of "
                            + options.sizes().stateRows());
        }
        return place;
    }

    @Override
    public CompletableFuture<Void> recover() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void close() {
        // What computes here must not lose its buffers.
        synchronized (device.lock()) {
            if (!closed) {
                closed = true;
                graphs.close();
                inbound.ifPresent(BoundaryRing::close);
                state.close();
            }
        }
    }
}
