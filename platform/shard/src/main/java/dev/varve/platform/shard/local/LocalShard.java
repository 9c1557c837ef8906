package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.HostCores;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CachePartCallback;
import dev.varve.platform.shard.ComputeResource;
import dev.varve.platform.shard.DeviceTurn;
import dev.varve.platform.shard.ExpertCounts;
import dev.varve.platform.shard.GraphCounts;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardHealth;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.lora.AdapterChange;
import dev.varve.platform.shard.streaming.ExpertCache;

import java.util.List;
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

    private final LayerSplitAdapter model;
    private final LayerRange range;
    private final ShardDevices devices;
    private final ComputeDevice device;
    private final List<Object> locks;
    private final ShardAdapters adapters;

    /** Replaced with the devices' locks when adapters change. */
    private volatile ShardGraphContext context;

    private final BatchRunner batches;
    private final CacheChangeExecutor changes;

    /** Replaced with the context. */
    private volatile BatchCheck check;

    private final List<Integer> captures;

    /** Replaced with the context; group of all weights, including those of adapters. */
    private volatile int columnGroup;

    private final PartTensors partTensors;
    private volatile ShardMemory memory;

    /** Rings for activations from the previous shard and to the next one. */
    private Optional<ActivationRing> inbound = Optional.empty();

    private Optional<ActivationRing> outbound = Optional.empty();
    private boolean closed;

    /**
     * @param adapters those of the model are loaded already
     * @param context weights and caches, owned by the shard from now on
     */
    LocalShard(
            ModelRange part,
            ShardDevices devices,
            ShardOptions options,
            ShardAdapters adapters,
            ShardGraphContext context) {
        this.adapters = adapters;
        captures = options.captures();
        model = part.model();
        range = part.range();
        this.devices = devices;
        device = devices.own();
        locks = devices.locks();
        this.context = context;
        batches = new BatchRunner(model, range, device, context.trees());
        changes = new CacheChangeExecutor(device, context);
        check =
                new BatchCheck(
                        range,
                        model.shape().vocabularySize(),
                        model.boundaryLength(range.begin()),
                        context.caches().stateRows().ownLayers().values().stream()
                                .anyMatch(own -> !own.parts().isEmpty()),
                        options,
                        context.lora());
        partTensors = new PartTensors(context.caches(), check);
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
        return new LocalShardLoader(part, devices, options).load(progress, shelf);
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
        return batches.boundaryMillis();
    }

    @Override
    public long computeNanos() {
        return batches.computeNanos();
    }

    @Override
    public GraphCounts graphs() {
        return batches.counts();
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
                batches.bytes() + changes.bytes() + inbound.map(ActivationRing::bytes).orElse(0L),
                context.caches().pages().bytes()
                        + context.pageKeys().map(PageKeys::bytes).orElse(0L));
    }

    @Override
    public void keepLogits(int results) {
        batches.keepLogits(results);
    }

    @Override
    public CompletableFuture<ShardResult> forward(
            Batch batch, Optional<LayerActivations> boundary) {
        return done(() -> run(batch, boundary, BatchRunner.RunPurpose.COMPUTED));
    }

    @Override
    public boolean canWarmUp() {
        return true;
    }

    @Override
    public CompletableFuture<ShardResult> warmUp(Batch batch, Optional<LayerActivations> boundary) {
        return done(() -> run(batch, boundary, BatchRunner.RunPurpose.WARM_UP));
    }

    private static <T> CompletableFuture<T> done(Supplier<T> work) {
        try {
            return CompletableFuture.completedFuture(work.get());
        } catch (VarveException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private ShardResult run(
            Batch batch, Optional<LayerActivations> boundary, BatchRunner.RunPurpose purpose) {
        return locked(0, () -> runLocked(batch, boundary, purpose));
    }

    /** Runs work with the locks of all devices from the given one on. */
    private <T> T locked(int first, Supplier<T> work) {
        if (first == locks.size()) {
            return work.get();
        }
        return DeviceTurn.take(locks.get(first), () -> locked(first + 1, work));
    }

    private ShardResult runLocked(
            Batch batch, Optional<LayerActivations> boundary, BatchRunner.RunPurpose purpose) {
        // Inside the lock, so that the shard is not closed in between.
        requireOpen();
        check.require(batch, boundary);
        context.weights().requireWhole();
        if (purpose == BatchRunner.RunPurpose.COMPUTED) {
            changes.make(batch.changes());
        }
        ShardResult result = batches.run(context, batch, boundary, purpose, outbound);
        memory = measure();
        return result;
    }

    @Override
    public CompletableFuture<Void> change(CacheChanges requested) {
        return move(
                () -> {
                    check.require(requested);
                    changes.make(requested);
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
        batches.dropAdapter(number);
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
                batches.close();
                changes.close();
                inbound.ifPresent(ActivationRing::close);
                adapters.detachAll();
                context.close();
            }
        }
    }
}
