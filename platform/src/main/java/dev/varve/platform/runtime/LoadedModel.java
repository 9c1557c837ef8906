package dev.varve.platform.runtime;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.EngineOptions;
import dev.varve.platform.engine.Scheduler;
import dev.varve.platform.engine.ShardPipeline;
import dev.varve.platform.engine.ShardStatus;
import dev.varve.platform.engine.TeacherForcing;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.sequence.CacheCapacity;
import dev.varve.platform.shard.LoadProgress;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.local.LocalShard;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

/**
 * A model on its devices, ready to generate. Owns its shards and, once started, its engine; the
 * devices belong to the caller, who closes them afterwards.
 */
public final class LoadedModel implements AutoCloseable {
    private final GgufFile file;
    private final LayerSplitAdapter adapter;
    private final MemoryPlan plan;
    private final ModelSettings settings;
    private final ShardPipeline pipeline;
    private Engine engine;

    private LoadedModel(
            GgufFile file,
            LayerSplitAdapter adapter,
            MemoryPlan plan,
            ModelSettings settings,
            ShardPipeline pipeline) {
        this.file = file;
        this.adapter = adapter;
        this.plan = plan;
        this.settings = settings;
        this.pipeline = pipeline;
    }

    /**
     * Loads a model as one shard.
     *
     * @param planned hears the memory plan before the weights are loaded
     */
    public static LoadedModel load(
            GgufFile file,
            ModelFamilyProvider family,
            ComputeDevice device,
            ModelSettings settings,
            LoadProgress progress,
            Consumer<MemoryPlan> planned) {
        LayerSplitAdapter adapter = family.open(file, settings.model());
        return load(
                file,
                adapter,
                device,
                settings,
                List.of(adapter.shape().allLayers()),
                progress,
                planned);
    }

    /**
     * Loads a model as several shards of one device; the ranges follow each other and cover all
     * layers.
     */
    public static LoadedModel load(
            GgufFile file,
            LayerSplitAdapter adapter,
            ComputeDevice device,
            ModelSettings settings,
            List<LayerRange> ranges,
            LoadProgress progress,
            Consumer<MemoryPlan> planned) {
        SplitPlan plan =
                SplitPlan.of(
                        adapter,
                        Placement.of(
                                Collections.nCopies(
                                        ranges.size(), DeviceReference.parse(device.info().name())),
                                ranges),
                        reference -> device.info(),
                        settings);
        planned.accept(plan.total());
        return load(
                file,
                adapter,
                plan,
                (part, options, report) ->
                        LocalShard.load(
                                new ModelRange(file, adapter, part.range()),
                                device,
                                options,
                                report),
                settings,
                progress);
    }

    /**
     * Loads a model as planned.
     *
     * @param factory opens the shards, which belong to the model from then on
     */
    public static LoadedModel load(
            GgufFile file,
            LayerSplitAdapter adapter,
            SplitPlan plan,
            ShardFactory factory,
            ModelSettings settings,
            LoadProgress progress) {
        List<Shard> shards = new ShardLoading(factory, plan, settings, progress).run();
        return new LoadedModel(file, adapter, plan.total(), settings, new ShardPipeline(shards));
    }

    /** The shards, their memory, health and times. */
    public List<ShardStatus> shards() {
        return pipeline.status();
    }

    /** The model file. */
    public GgufFile file() {
        return file;
    }

    /** The model as its family sees it. */
    public LayerSplitAdapter adapter() {
        return adapter;
    }

    /** The sizes that were chosen. */
    public MemoryPlan plan() {
        return plan;
    }

    /** What was asked for. */
    public ModelSettings settings() {
        return settings;
    }

    /** Starts the engine at the first call; the same one afterwards. */
    public synchronized Engine engine() {
        if (engine == null) {
            int[] suppressed =
                    file.metadata().findIntegers("tokenizer.ggml.suppress_tokens").stream()
                            .flatMapToInt(ids -> Arrays.stream(ids).mapToInt(id -> (int) id))
                            .filter(id -> id >= 0 && id < adapter.shape().vocabularySize())
                            .toArray();
            engine =
                    Scheduler.start(
                            pipeline,
                            adapter.shape(),
                            new EngineOptions(
                                    new EngineOptions.Capacity(
                                            plan.contextTokens(),
                                            settings.parallel(),
                                            new CacheCapacity(plan.slots(), plan.stateRows())),
                                    settings.queueLimit(),
                                    suppressed,
                                    settings.shardPatience()));
        }
        return engine;
    }

    /**
     * Computes the logits of every given token. Not to be mixed with the engine.
     *
     * @throws VarveException of kind CONTEXT_OVERFLOW if there are more tokens than the context
     *     holds
     */
    public synchronized void logits(int[] tokens, TeacherForcing.LogitsSink sink) {
        if (engine != null) {
            throw new IllegalStateException("the engine has the shards already");
        }
        TeacherForcing.run(pipeline, tokens, plan.slots(), adapter.shape().vocabularySize(), sink);
    }

    @Override
    public synchronized void close() {
        if (engine != null) {
            engine.close();
        } else {
            pipeline.close();
        }
    }
}
