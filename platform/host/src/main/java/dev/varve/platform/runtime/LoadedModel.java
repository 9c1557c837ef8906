package dev.varve.platform.runtime;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.engine.EngineCore;
import dev.varve.platform.engine.EngineOptions;
import dev.varve.platform.engine.HostCacheOptions;
import dev.varve.platform.engine.ShardPipeline;
import dev.varve.platform.engine.ShardStatus;
import dev.varve.platform.engine.SpeculationOptions;
import dev.varve.platform.engine.TeacherForcing;
import dev.varve.platform.paging.AsyncPageScorer;
import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.prefix.CacheEventPublisher;
import dev.varve.platform.prefix.DiskTierOptions;
import dev.varve.platform.prefix.StorageTierOptions;
import dev.varve.platform.sequence.KvCacheConfig;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.Pages;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.local.LocalShard;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * A model on its devices, ready to generate. Owns its shards and, once started, its engine; the
 * caller owns the devices and closes them afterwards.
 */
public final class LoadedModel implements AutoCloseable {
    private final OpenedModel model;
    private final SplitMemoryPlan plan;
    private final ModelSettings settings;
    private final ShardPipeline pipeline;
    private final StorageTierOptions stores;
    private final Optional<CacheEventPublisher> eventPublisher;
    private final Optional<SpeculationOptions> speculation;
    private final Optional<AsyncPageScorer> pages;
    private Optional<EngineCore> engine = Optional.empty();

    /**
     * Optional parts of the engine beside the shards.
     *
     * @param stores stores of cached prefixes behind host memory
     * @param speculation speculative decoding
     * @param pages scores pages of a sequence
     * @param eventPublisher publishes cache events
     */
    public record EngineComponents(
            StorageTierOptions stores,
            Optional<SpeculationOptions> speculation,
            Optional<AsyncPageScorer> pages,
            Optional<CacheEventPublisher> eventPublisher) {
        /** No extras. */
        public static final EngineComponents NONE =
                new EngineComponents(Optional.empty(), Optional.empty());

        /** Creates extras without cache events. */
        public EngineComponents(
                StorageTierOptions stores,
                Optional<SpeculationOptions> speculation,
                Optional<AsyncPageScorer> pages) {
            this(stores, speculation, pages, Optional.empty());
        }

        /** Creates extras without a page scorer. */
        public EngineComponents(
                Optional<DiskTierOptions> disk, Optional<SpeculationOptions> speculation) {
            this(StorageTierOptions.of(disk), speculation, Optional.empty());
        }

        /** Returns a copy with a page scorer. */
        public EngineComponents with(AsyncPageScorer reader) {
            return new EngineComponents(stores, speculation, Optional.of(reader), eventPublisher);
        }

        /** Closes all parts; for extras that no engine owns. */
        public void close() {
            stores.close();
            speculation.ifPresent(opened -> opened.speculator().close());
            pages.ifPresent(AsyncPageScorer::close);
            eventPublisher.ifPresent(CacheEventPublisher::close);
        }
    }

    private LoadedModel(
            OpenedModel model,
            SplitMemoryPlan plan,
            ModelSettings settings,
            ShardPipeline pipeline,
            EngineComponents extras) {
        stores = extras.stores();
        eventPublisher = extras.eventPublisher();
        speculation = extras.speculation();
        pages = extras.pages();
        this.model = model;
        this.plan = plan;
        this.settings = settings;
        this.pipeline = pipeline;
    }

    /**
     * Loads a model as one shard on a device that the caller opened.
     *
     * @throws VarveException of kind OUT_OF_MEMORY if it does not fit
     */
    public static LoadedModel load(
            OpenedModel model, ComputeDevice device, ModelSettings settings) {
        return load(model, device, settings, List.of(model.shape().allLayers()));
    }

    /**
     * Loads a model as several shards of one device that the caller opened.
     *
     * @param ranges follow each other and cover all layers
     * @throws VarveException of kind OUT_OF_MEMORY if they do not fit
     */
    public static LoadedModel load(
            OpenedModel model,
            ComputeDevice device,
            ModelSettings settings,
            List<LayerRange> ranges) {
        return load(model, device, settings, ranges, EngineComponents.NONE);
    }

    /**
     * Loads a model as several shards of one device, with extras.
     *
     * @param extras optional parts of the engine
     */
    public static LoadedModel load(
            OpenedModel model,
            ComputeDevice device,
            ModelSettings settings,
            List<LayerRange> ranges,
            EngineComponents extras) {
        DeviceReference name = DeviceReference.parse(device.info().name());
        SplitMemoryPlan plan =
                SplitMemoryPlan.of(
                        model.adapter(),
                        Placement.of(Collections.nCopies(ranges.size(), name), ranges),
                        reference -> device.info(),
                        settings);
        ShardFactory factory =
                (part, options, progress) ->
                        LocalShard.load(model.range(part.range()), device, options, progress);
        return load(model, plan, factory, settings, extras, LoadProgressListener.silent());
    }

    /** Loads a model as planned, without a disk store. */
    public static LoadedModel load(
            OpenedModel model,
            SplitMemoryPlan plan,
            ShardFactory factory,
            ModelSettings settings,
            LoadProgressListener progress) {
        return load(model, plan, factory, settings, EngineComponents.NONE, progress);
    }

    /**
     * Loads a model as planned. If a shard cannot be loaded, the others are closed.
     *
     * @param factory opens the shards, which the model owns from then on
     * @param extras optional parts of the engine; owned by the engine once it runs
     * @throws VarveException as the factory does
     * @throws IllegalArgumentException if pages are selected by a scorer that is missing
     */
    public static LoadedModel load(
            OpenedModel model,
            SplitMemoryPlan plan,
            ShardFactory factory,
            ModelSettings settings,
            EngineComponents extras,
            LoadProgressListener progress) {
        requireReader(plan, extras);
        List<Shard> shards = new ShardLoader(factory, plan, settings, progress).run();
        return new LoadedModel(model, plan, settings, new ShardPipeline(shards), extras);
    }

    private static void requireReader(SplitMemoryPlan plan, EngineComponents extras) {
        boolean reads =
                plan.pool()
                        .options()
                        .filter(bounded -> bounded.policy() == PagePolicy.DRAFTER)
                        .isPresent();
        if (reads && extras.pages().isEmpty()) {
            throw PagePolicy.withoutDrafter();
        }
    }

    /** Returns the shards with their memory, health and times. */
    public List<ShardStatus> shards() {
        return pipeline.status();
    }

    /** Returns the model file. */
    public GgufFile file() {
        return model.file();
    }

    /** Returns the family's adapter. */
    public LayerSplitAdapter adapter() {
        return model.adapter();
    }

    /** Returns the chosen sizes. */
    public MemoryPlan plan() {
        return plan.total();
    }

    /** Returns the sizes of each shard. */
    public SplitMemoryPlan splitPlan() {
        return plan;
    }

    /** Returns the settings. */
    public ModelSettings settings() {
        return settings;
    }

    /** Returns the engine; the first call starts it. */
    public synchronized EngineCore engine() {
        EngineCore running = engine.orElseGet(this::start);
        engine = Optional.of(running);
        return running;
    }

    private EngineCore start() {
        return EngineCore.start(pipeline, model.shape(), engineOptions(), speculation, pages);
    }

    /** Returns the options of the engine. */
    EngineOptions engineOptions() {
        int[] suppressed =
                file().metadata().findIntegers("tokenizer.ggml.suppress_tokens").stream()
                        .flatMapToInt(ids -> Arrays.stream(ids).mapToInt(id -> (int) id))
                        .filter(id -> id >= 0 && id < model.shape().vocabularySize())
                        .toArray();
        MemoryPlan total = plan.total();
        return new EngineOptions(
                new EngineOptions.Capacity(
                        total.contextTokens(), settings.sequences().parallel(), caches(total)),
                settings.waiting().queueLimit(),
                suppressed,
                settings.waiting().shardPatience(),
                settings.waiting().pace(),
                hostCache(total.capacities().regionSlots()),
                eventPublisher);
    }

    private KvCacheConfig caches(MemoryPlan total) {
        CacheCapacities capacities = total.capacities();
        KvCacheConfig caches =
                new KvCacheConfig(
                        capacities.slots(), capacities.stateRows(), capacities.rollbackBuffers());
        long pageBytes = total.need().kvBytes() / capacities.slots() * Pages.TOKENS;
        return plan.pool()
                .options()
                .map(bounded -> caches.with(bounded.withPageBytes(pageBytes)))
                .orElse(caches);
    }

    private Optional<HostCacheOptions> hostCache(int regionSlots) {
        return Optional.of(plan.hostCache())
                .filter(HostCachePlan::isPresent)
                .map(
                        memory ->
                                new HostCacheOptions(
                                        CacheLayout.of(
                                                model.shape(),
                                                model.shape().allLayers(),
                                                settings.computation().cacheTypes(),
                                                regionSlots),
                                        memory.bytes() / plan.replicas(),
                                        stores));
    }

    /**
     * Computes the logits of every given token. Not to be used together with the engine.
     *
     * @throws VarveException of kind CONTEXT_OVERFLOW if there are more tokens than the context
     *     holds
     */
    public synchronized void logits(int[] tokens, TeacherForcing.LogitsSink sink) {
        if (engine.isPresent()) {
            throw new IllegalStateException("the engine already uses the shards");
        }
        TeacherForcing.run(
                pipeline,
                tokens,
                plan.total().capacities().slots(),
                model.shape().vocabularySize(),
                sink);
    }

    /** Cancels all requests and frees weights and caches. */
    @Override
    public synchronized void close() {
        try {
            engine.ifPresentOrElse(EngineCore::close, this::closeUnused);
        } finally {
            pages.ifPresent(AsyncPageScorer::close);
        }
    }

    private void closeUnused() {
        pipeline.close();
        new EngineComponents(stores, speculation, Optional.empty(), eventPublisher).close();
    }
}
