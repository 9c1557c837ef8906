package dev.varve.platform.replica;

import dev.varve.api.model.LayerRange;
import dev.varve.platform.engine.EngineCore;
import dev.varve.platform.engine.EngineOptions;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.engine.ShardPipeline;
import dev.varve.platform.sampling.AdvancedSampling;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.sampling.SequenceBreakers;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.platform.shard.lora.AdapterChange;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Pools over plain shards that a test can make fail, and the reference engine. */
final class PlainReplicas {
    static final int CONTEXT = 4 * KvSlotSpan.BLOCK;
    static final PlainModel MODEL = PlainModel.attentionOnly(1, CONTEXT);

    private final Supplier<EngineOptions> engineOptions;
    private final List<Shard> shards = Collections.synchronizedList(new ArrayList<>());
    private volatile Optional<RuntimeException> refusal = Optional.empty();

    PlainReplicas(EngineOptions options) {
        this(() -> options);
    }

    /** Creates replicas whose stores each engine closes. */
    PlainReplicas(Supplier<EngineOptions> engineOptions) {
        this.engineOptions = engineOptions;
    }

    static EngineOptions options(int parallel, int blocks) {
        return new EngineOptions(
                EngineOptions.Capacity.of(CONTEXT, parallel, blocks * KvSlotSpan.BLOCK), 64);
    }

    /** A shard that can run an action before a batch. */
    static final class Shard extends PlainShard {
        /** Changes of adapters so far. */
        final List<AdapterChange> changes = Collections.synchronizedList(new ArrayList<>());

        private volatile Consumer<Batch> trap = batch -> {};

        Shard(EngineOptions options) {
            super(
                    MODEL,
                    new LayerRange(0, MODEL.shape().layerCount()),
                    new PlainShard.Sizes(
                            options.capacity().caches().slots(),
                            options.capacity().caches().stateRows()));
        }

        void trap(Consumer<Batch> what) {
            trap = what;
        }

        @Override
        public CompletableFuture<Void> adapt(AdapterChange change) {
            changes.add(change);
            return CompletableFuture.completedFuture(null);
        }

        @Override
        protected void beforeBatch(Batch batch) {
            trap.accept(batch);
        }
    }

    EnginePool pool(int count) {
        List<LoadedEngine> members = IntStream.range(0, count).mapToObj(this::open).toList();
        return EnginePool.of(members, this::open, Duration.ofMillis(5), Duration.ofMillis(50));
    }

    private LoadedEngine open(int replica) {
        refusal.ifPresent(
                reason -> {
                    throw reason;
                });
        EngineOptions options = engineOptions.get();
        Shard shard = new Shard(options);
        EngineCore engine =
                EngineCore.start(new ShardPipeline(List.of(shard)), MODEL.shape(), options);
        shards.add(shard);
        return new LoadedEngine(engine, engine);
    }

    /** Makes all later attempts to open an engine fail. */
    void refuse(RuntimeException reason) {
        refusal = Optional.of(reason);
    }

    void resume() {
        refusal = Optional.empty();
    }

    /** Returns the shard of the n-th engine that was opened. */
    Shard shard(int opened) {
        return shards.get(opened);
    }

    int opened() {
        return shards.size();
    }

    /** Returns the response of one engine without faults. */
    static List<Integer> alone(GenerationRequest request) {
        EngineOptions sizes = options(1, CONTEXT / KvSlotSpan.BLOCK);
        try (EngineCore engine =
                EngineCore.start(
                        new ShardPipeline(List.of(new Shard(sizes))), MODEL.shape(), sizes)) {
            Answer answer = new Answer();
            engine.submit(request.within(CacheScope.none()), answer);
            return answer.await();
        }
    }

    static int[] text(long seed, int length) {
        return new SplittableRandom(seed).ints(length, 0, 61).toArray();
    }

    static int[] join(int[] first, int[] second) {
        return IntStream.concat(IntStream.of(first), IntStream.of(second)).toArray();
    }

    static GenerationRequest greedy(int[] prompt, int tokens) {
        return GenerationRequest.greedy(prompt, tokens);
    }

    /** Returns a request that samples with state: its choices depend on all earlier ones. */
    static GenerationRequest drawn(int[] prompt, int tokens, long seed) {
        return new GenerationRequest(
                GenerationRequest.Prompt.of(prompt),
                new GenerationRequest.Ending(tokens, Set.of()),
                GenerationRequest.Choice.of(
                        new SamplingOptions(
                                1.3f,
                                SamplingOptions.Cutoffs.NONE,
                                new SamplingOptions.Penalties(1.1f, 0.2f, 0.1f),
                                new AdvancedSampling(
                                        -1,
                                        1,
                                        AdvancedSampling.Xtc.OFF,
                                        new AdvancedSampling.Dry(
                                                0.5f, 1.5f, 1, -1, SequenceBreakers.NONE),
                                        new AdvancedSampling.Mirostat(2, 3, 0.5f),
                                        AdvancedSampling.EndDelay.NONE),
                                OptionalLong.of(seed),
                                Map.of())));
    }
}
