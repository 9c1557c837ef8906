package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.HostCores;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.TensorSelection;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CachePartCallback;
import dev.varve.platform.shard.CacheUnitBytes;
import dev.varve.platform.shard.ComputeResource;
import dev.varve.platform.shard.DeviceTurn;
import dev.varve.platform.shard.ExpertCacheShare;
import dev.varve.platform.shard.ExpertCounts;
import dev.varve.platform.shard.GraphCounts;
import dev.varve.platform.shard.HostPageFree;
import dev.varve.platform.shard.KvRowOperation;
import dev.varve.platform.shard.KvSlotCopy;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.PageMove;
import dev.varve.platform.shard.PageScores;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.StateCommit;
import dev.varve.platform.shard.TopTokens;
import dev.varve.platform.shard.lora.AdaptedModel;
import dev.varve.platform.shard.lora.AdapterChange;
import dev.varve.platform.shard.lora.LoraScales;
import dev.varve.platform.shard.streaming.ExpertCache;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * A shard in this process. The calling thread computes batches and is also ggml's first worker; a
 * step needs no handover between threads.
 */
public final class LocalShard implements Shard {
    /** Maximum tokens of a batch whose activation fits the ring between two devices. */
    private static final int LONGEST_BATCH = 512;

    /** How a batch is run. */
    private enum RunPurpose {
        COMPUTED,
        WARM_UP
    }

    private final LayerSplitAdapter model;
    private final LayerRange range;
    private final ShardDevices devices;
    private final ComputeDevice device;
    private final List<Object> locks;
    private final ShardAdapters adapters;

    /** Replaced with the devices' locks when adapters change. */
    private volatile ShardGraphContext context;

    private final GraphCache graphs;
    private final CommitGraphs commits;
    private final LogitsReader logits;

    /** Replaced with the context. */
    private volatile BatchCheck check;

    private final List<Integer> captures;

    /** Replaced with the context; group of all weights, including those of adapters. */
    private volatile int columnGroup;

    private final PartTensors partTensors;
    private final TreeEncoding.TreeMode trees;
    private volatile ShardMemory memory;
    private final ActivationTransferTimer boundaries;

    /** Rings for activations from the previous shard and to the next one. */
    private Optional<ActivationRing> inbound = Optional.empty();

    private Optional<ActivationRing> outbound = Optional.empty();
    private boolean closed;

    /** Written with the device's lock. */
    private volatile long computeNanos;

    private LocalShard(
            LayerSplitAdapter model,
            LayerRange range,
            ShardDevices devices,
            ShardOptions options,
            ShardAdapters adapters,
            ShardGraphContext context) {
        this.adapters = adapters;
        captures = options.captures();
        this.model = model;
        this.range = range;
        this.devices = devices;
        device = devices.own();
        locks = devices.locks();
        this.context = context;
        boundaries = new ActivationTransferTimer(device.info().name(), range);
        graphs = new GraphCache(device);
        commits =
                new CommitGraphs(
                        device.bufferType(), context.caches(), context.arithmetic().recurrent());
        int vocabulary = model.shape().vocabularySize();
        logits = new LogitsReader(device.bufferType(), vocabulary);
        check =
                new BatchCheck(
                        range,
                        vocabulary,
                        model.boundaryLength(range.begin()),
                        context.caches().stateRows().ownLayers().values().stream()
                                .anyMatch(own -> !own.parts().isEmpty()),
                        options,
                        context.lora());
        partTensors = new PartTensors(context.caches(), check);
        trees = context.trees();
        memory = measure();
        columnGroup = context.weights().columnGroup();
    }

    /**
     * Loads a range onto a device.
     *
     * @throws VarveException of kind OUT_OF_MEMORY if weights or caches do not fit, INVALID_REQUEST
     *     if the cache types do not fit the model's heads or the model does not have the captured
     *     layers, UNSUPPORTED_MODEL if its family does not offer the captures
     */
    public static LocalShard load(
            ModelRange part,
            ComputeDevice device,
            ShardOptions options,
            LoadProgressListener progress) {
        return load(part, ShardDevices.of(device), options, progress, new WeightCache());
    }

    /**
     * Loads a range onto devices, with the weights of another shard of the same range on the same
     * devices if one exists.
     *
     * @param shelf cache of weights that shards may share
     * @throws VarveException likewise, and of kind INVALID_REQUEST if other weights than experts
     *     are on another device
     */
    public static LocalShard load(
            ModelRange part,
            ShardDevices devices,
            ShardOptions options,
            LoadProgressListener progress,
            WeightCache shelf) {
        ComputeDevice device = devices.own();
        LayerSplitAdapter model = part.model();
        LayerRange range = part.range();
        boolean flash =
                new CacheTypeCheck(model.shape(), range, device)
                        .require(
                                part.file().path(),
                                options.cacheTypes(),
                                options.numerics().flashAttention());
        GraphDryRun.requireLayers(model, options.captures());
        devices.requireExperts(model.tensors(range));
        requireMemory(model, range, device, options);
        TensorSelection plain = AdaptedModel.base(model).tensors(range);
        ShardWeights weights =
                shelf.acquire(
                        WeightCache.Key.of(part, devices, options.weights()),
                        () ->
                                ShardWeights.load(
                                        plain,
                                        devices,
                                        options.weights(),
                                        ExpertCacheShare.of(
                                                model, range, options.expertCacheBytes()),
                                        shelf.useFolder(),
                                        progress));
        ShardAdapters adapters = new ShardAdapters(part, devices, options.weights(), weights);
        try {
            adapters.attachAll();
        } catch (RuntimeException | Error e) {
            weights.close();
            throw e;
        }
        try {
            ShardGraphContext context = open(part, weights, options, device, flash);
            return new LocalShard(model, range, devices, options, adapters, context);
        } catch (RuntimeException | Error e) {
            adapters.detachAll();
            throw e;
        }
    }

    /** Allocates the caches and records the first graphs; closes the weights if that fails. */
    private static ShardGraphContext open(
            ModelRange part,
            ShardWeights weights,
            ShardOptions options,
            ComputeDevice device,
            boolean flash) {
        ShardGraphContext context =
                ShardGraphContext.open(weights, part.model(), part.range(), options, device, flash);
        try {
            GraphDryRun.require(part.model(), part.range(), context, device, options.captures());
            return context;
        } catch (RuntimeException | Error e) {
            context.close();
            throw e;
        }
    }

    /**
     * Connects this shard to the next one, so that activations need not pass through the host, if
     * both devices have their own memory. Call it before the first batch; the next shard must
     * outlive this one.
     *
     * @param underWay maximum number of batches in flight between the two
     */
    public void connect(LocalShard next, int underWay) {
        boolean direct = !device.bufferType().isHost() && !next.device.bufferType().isHost();
        if (direct && next.range.begin() == range.end() && next.inbound.isEmpty()) {
            next.inbound =
                    Optional.of(
                            new ActivationRing(
                                    next.device.bufferType(),
                                    model.boundaryLength(range.end()),
                                    LONGEST_BATCH,
                                    underWay + 1));
            outbound = next.inbound;
            next.memory = next.measure();
        }
    }

    /**
     * Caches are cleared, so the system would take their memory from other processes rather than
     * fail; and their sizes may come from another process.
     */
    private static void requireMemory(
            LayerSplitAdapter model, LayerRange range, ComputeDevice device, ShardOptions options) {
        long free = device.info().memoryFreeBytes();
        long bytes =
                CacheUnitBytes.cacheBytes(
                        model.shape(), range, options.cacheTypes(), options.capacities());
        if (bytes > free) {
            throw new VarveException(
                    VarveException.Kind.OUT_OF_MEMORY,
                    device.info().name()
                            + ": caches of "
                            + bytes
                            + " bytes for "
                            + options.capacities().slots()
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
    public ComputeResource computesOn() {
        ComputeResource resource = new ComputeResource(device.lock());
        ComputeResource own =
                device.info().hostCores() ? resource.only(HostCores.processors()) : resource;
        return own.and(devices.others().stream().map(ComputeDevice::lock).toList());
    }

    @Override
    public int columnGroup() {
        return columnGroup;
    }

    @Override
    public double boundaryMillis() {
        return boundaries.millis();
    }

    @Override
    public long computeNanos() {
        return computeNanos;
    }

    @Override
    public GraphCounts graphs() {
        return graphs.counts();
    }

    @Override
    public ExpertCounts experts() {
        return context.weights().experts().map(ExpertCache::counts).orElse(ExpertCounts.NONE);
    }

    @Override
    public ShardHealth health() {
        return ShardHealth.ready();
    }

    @Override
    public ShardMemory memory() {
        return memory.withWeightsOf(Math.max(1, context.weights().users()));
    }

    private ShardMemory measure() {
        return new ShardMemory(
                context.weights().bufferBytes()
                        + context.weights().experts().map(ExpertCache::residentBytes).orElse(0L),
                context.weights().mappedBytes(),
                context.caches().bytes(),
                graphs.bytes() + commits.bytes() + inbound.map(ActivationRing::bytes).orElse(0L),
                context.caches().pages().bytes()
                        + context.pageKeys().map(PageKeys::bytes).orElse(0L));
    }

    @Override
    public void keepLogits(int results) {
        logits.keep(results);
    }

    @Override
    public CompletableFuture<ShardResult> forward(
            Batch batch, Optional<LayerActivations> boundary) {
        return done(() -> run(batch, boundary, RunPurpose.COMPUTED));
    }

    @Override
    public boolean canWarmUp() {
        return true;
    }

    @Override
    public CompletableFuture<ShardResult> warmUp(Batch batch, Optional<LayerActivations> boundary) {
        return done(() -> run(batch, boundary, RunPurpose.WARM_UP));
    }

    private static <T> CompletableFuture<T> done(Supplier<T> work) {
        try {
            return CompletableFuture.completedFuture(work.get());
        } catch (VarveException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private ShardResult run(Batch batch, Optional<LayerActivations> boundary, RunPurpose step) {
        return locked(0, () -> runLocked(batch, boundary, step));
    }

    /** Runs work with the locks of all devices from the given one on. */
    private <T> T locked(int first, Supplier<T> work) {
        if (first == locks.size()) {
            return work.get();
        }
        return DeviceTurn.take(locks.get(first), () -> locked(first + 1, work));
    }

    private ShardResult runLocked(
            Batch batch, Optional<LayerActivations> boundary, RunPurpose step) {
        // Inside the lock, so that the shard is not closed in between.
        requireOpen();
        check.require(batch, boundary);
        context.weights().requireWhole();
        if (step == RunPurpose.COMPUTED) {
            make(batch.changes());
        }
        TemporaryPositionOrder order = TemporaryPositionOrder.of(batch);
        PlacedBatch placed = PlacedBatch.place(order.batch(), context.caches().windows());
        AllocatedGraph graph =
                graphs.find(
                        key(placed, step),
                        batch.phase(),
                        (key, memory) ->
                                new AllocatedGraph(
                                        key,
                                        UnallocatedGraph.of(key, model, range, context, device),
                                        memory,
                                        context.weights().experts()));
        boundaries.moveIn(boundary, graph::writeBoundary);
        graph.fill(placed);
        if (step == RunPurpose.COMPUTED) {
            compute(graph, placed, order);
        }
        Optional<Tensor> rows = graph.logits();
        int[] best = new int[batch.outputs()];
        Map<Integer, TopTokens> top =
                rows.map(tensor -> logits.read(batch, tensor, graph, best)).orElse(Map.of());
        memory = measure();
        return new ShardResult(
                logits.logits(),
                best,
                rows.isPresent() ? best.length : 0,
                boundaries.moveOut(() -> graph.readBoundary(outbound)),
                graph.readFeatures(),
                top,
                step == RunPurpose.COMPUTED ? scores(batch, graph) : List.of());
    }

    /** Host memory needs no copy, so the host reads whole rows there. */
    private GraphKey key(PlacedBatch placed, RunPurpose step) {
        GraphKey key = GraphKey.of(placed, trees).adapting(activeAdapters(placed, step));
        if (device.bufferType().isHost()) {
            return key;
        }
        for (SequenceChunk chunk : placed.batch().chunks()) {
            if (chunk.outputs().isTop()) {
                return key.withTop();
            }
        }
        return key;
    }

    /** Warm-up allocates the memory for all adapters, which later requests may use. */
    private List<Integer> activeAdapters(PlacedBatch placed, RunPurpose step) {
        if (context.lora().loaded().isEmpty()) {
            return List.of();
        }
        return step == RunPurpose.WARM_UP
                ? context.lora().adapters()
                : context.lora().active(scales(placed.batch()));
    }

    private static List<LoraScales> scales(Batch batch) {
        return batch.chunks().stream().map(SequenceChunk::lora).toList();
    }

    private void compute(AllocatedGraph graph, PlacedBatch placed, TemporaryPositionOrder order) {
        order.arrange(context.caches().kvPool());
        long begin = System.nanoTime();
        try {
            graph.compute(placed, device);
        } finally {
            computeNanos += System.nanoTime() - begin;
            order.restore(context.caches().kvPool());
        }
    }

    private void make(CacheChanges changes) {
        for (StateCommit commit : changes.commits()) {
            if (!context.caches().rollbackBuffer().isEmpty()) {
                context.caches().rollbackBuffer().gather(commit.rollbackBuffer(), commit.path());
                commits.find(CommitGraph.Key.of(commit)).compute(device);
            }
            context.caches().windows().commit(commit);
        }
        for (KvRowOperation move : changes.moves()) {
            make(move);
        }
    }

    private void make(KvRowOperation move) {
        HostPages pages = context.caches().pages();
        switch (move) {
            case KvSlotCopy copy ->
                    context.caches().kvPool().move(copy.from(), copy.to(), copy.count());
            case PageMove page -> {
                pages.move(page);
                if (page.direction() == PageMove.Direction.OUT) {
                    context.pageKeys().ifPresent(keys -> keys.load(page.page()));
                }
            }
            case HostPageFree page -> {
                pages.drop(page.page());
                context.pageKeys().ifPresent(keys -> keys.remove(page.page()));
            }
        }
    }

    /** Computes the page scores that a batch requests, after the batch is computed. */
    private List<PageScores> scores(Batch batch, AllocatedGraph graph) {
        List<PageScores> scores = new ArrayList<>();
        for (int i = 0; i < batch.queries().size(); i++) {
            scores.addAll(
                    context.pageKeys()
                            .orElseThrow()
                            .score(i, batch.queries().get(i), graph.queries()));
        }
        return scores;
    }

    @Override
    public CompletableFuture<Void> change(CacheChanges changes) {
        return move(
                () -> {
                    check.require(changes);
                    make(changes);
                    memory = measure();
                });
    }

    @Override
    public CompletableFuture<Void> export(List<CachePart> parts, CachePartCallback target) {
        return move(() -> partTensors.export(parts, target));
    }

    @Override
    public CompletableFuture<Void> adopt(List<CachePart> parts, CachePartCallback source) {
        return move(() -> partTensors.adopt(parts, source));
    }

    @Override
    public CompletableFuture<Void> adapt(AdapterChange change) {
        return done(
                () ->
                        locked(
                                0,
                                () -> {
                                    requireOpen();
                                    remove(change.number());
                                    if (change instanceof AdapterChange.Add add) {
                                        add(add);
                                    }
                                    memory = measure();
                                    return null;
                                }));
    }

    /** Loads an adapter, and records the graphs with it as at load. */
    private void add(AdapterChange.Add add) {
        int number = add.number();
        adapters.attach(number, add.adapter());
        try {
            ShardGraphContext adapted = context.with(context.lora().with(number, add.adapter()));
            GraphDryRun.require(model, range, adapted, device, captures);
            use(adapted);
        } catch (RuntimeException | Error e) {
            adapters.detach(number);
            throw e;
        }
    }

    private void remove(int number) {
        graphs.dropAdapter(number);
        use(context.with(context.lora().without(number)));
        adapters.detach(number);
    }

    private void use(ShardGraphContext adapted) {
        context = adapted;
        columnGroup = adapted.weights().columnGroup();
        check = check.with(adapted.lora());
    }

    private CompletableFuture<Void> move(Runnable copy) {
        return done(
                () ->
                        DeviceTurn.take(
                                device.lock(),
                                () -> {
                                    requireOpen();
                                    copy.run();
                                    return null;
                                }));
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("shard " + range + " is closed");
        }
    }

    @Override
    public CompletableFuture<Void> recover() {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void close() {
        // A running computation must not lose its buffers.
        synchronized (device.lock()) {
            if (!closed) {
                closed = true;
                graphs.close();
                commits.close();
                inbound.ifPresent(ActivationRing::close);
                adapters.detachAll();
                context.close();
            }
        }
    }
}
