package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.api.ggml.GgmlType;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.prefix.DiskTierOptions;
import dev.varve.platform.prefix.StorageTierOptions;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.testkit.Await;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** Engines over plain shards, whose results do not depend on how requests are batched. */
final class PlainEngine {
    static final int CONTEXT = 4 * KvSlotSpan.BLOCK;

    private static final CacheTypes F32 = new CacheTypes(GgmlType.F32, GgmlType.F32);

    private PlainEngine() {}

    static PlainModel model(boolean forgets) {
        return forgets ? PlainModel.mixed(CONTEXT) : PlainModel.attentionOnly(3, CONTEXT);
    }

    static EngineOptions options(int parallel, int blocks) {
        return new EngineOptions(
                EngineOptions.Capacity.of(CONTEXT, parallel, blocks * KvSlotSpan.BLOCK), 4096);
    }

    static EngineOptions withHost(EngineOptions options, PlainModel model, long bytes) {
        return ChangedOptions.withHostCache(options, new HostCacheOptions(layout(model), bytes));
    }

    static EngineOptions withDisk(
            EngineOptions options, PlainModel model, long bytes, DiskTierOptions disk) {
        return withStores(options, model, bytes, StorageTierOptions.of(Optional.of(disk)));
    }

    static EngineOptions withStores(
            EngineOptions options, PlainModel model, long bytes, StorageTierOptions stores) {
        return ChangedOptions.withHostCache(
                options, new HostCacheOptions(layout(model), bytes, stores));
    }

    private static CacheLayout layout(PlainModel model) {
        return CacheLayout.of(model.shape(), model.shape().allLayers(), F32, 2 * KvSlotSpan.BLOCK);
    }

    static PlainShard.Sizes sizes(EngineOptions options) {
        return new PlainShard.Sizes(
                options.capacity().caches().slots(),
                options.capacity().caches().stateRows(),
                List.of(),
                options.capacity().caches().rollbackBuffers());
    }

    /** Returns the layer ranges of equal stages. */
    static List<LayerRange> ranges(PlainModel model, int stages) {
        int layers = model.shape().layerCount();
        return IntStream.range(0, stages)
                .mapToObj(i -> new LayerRange(i * layers / stages, (i + 1) * layers / stages))
                .toList();
    }

    static EngineCore start(PlainModel model, EngineOptions options, int stages) {
        PlainShard.Sizes sizes = sizes(options);
        return start(
                model,
                options,
                ranges(model, stages).stream()
                        .map(range -> new PlainShard(model, range, sizes))
                        .toList());
    }

    static EngineCore start(
            PlainModel model, EngineOptions options, List<? extends PlainShard> shards) {
        return EngineCore.start(new ShardPipeline(shards), model.shape(), options);
    }

    /** Starts an engine for one request at a time, without a host cache. */
    static EngineCore alone(PlainModel model) {
        return start(model, options(1, CONTEXT / KvSlotSpan.BLOCK), 1);
    }

    static int[] text(long seed, int length) {
        return new SplittableRandom(seed).ints(length, 0, 61).toArray();
    }

    static int[] join(int[] first, int[] second) {
        int[] joined = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, joined, first.length, second.length);
        return joined;
    }

    /** A prompt, with the positions at which other prompts are likely to diverge. */
    record Ask(int[] prompt, int[] boundaries, int count, CacheScope scope) {
        static Ask of(int[] prompt, int count, int... boundaries) {
            return new Ask(prompt, boundaries, count, CacheScope.common());
        }

        Ask within(CacheScope other) {
            return new Ask(prompt, boundaries, count, other);
        }

        /** Returns the same conversation with its response and further tokens. */
        Ask next(List<Integer> answer, int[] more) {
            int[] said = answer.stream().mapToInt(Integer::intValue).toArray();
            int[] before = join(prompt, said);
            return new Ask(join(before, more), new int[] {before.length}, count, scope);
        }

        GenerationRequest request() {
            return new GenerationRequest(
                    new GenerationRequest.Prompt(prompt, boundaries, scope),
                    new GenerationRequest.Ending(count, Set.of()),
                    GenerationRequest.Choice.of(SamplingOptions.greedy()));
        }

        Collected ask(Engine engine) {
            Collected collected = new Collected();
            engine.submit(request(), collected);
            return collected;
        }

        /** Returns the tokens of the response without a cached prefix. */
        List<Integer> alone(Engine engine) throws Exception {
            return new Ask(prompt, new int[0], count, CacheScope.none()).ask(engine).await();
        }
    }

    /** Submits all requests at once. */
    static List<Collected> askAll(Engine engine, List<Ask> asks) {
        List<Collected> answers = asks.stream().map(ask -> new Collected()).toList();
        engine.submit(
                IntStream.range(0, asks.size())
                        .mapToObj(i -> new Engine.NewRequest(asks.get(i).request(), answers.get(i)))
                        .toList());
        return answers;
    }

    /**
     * Returns the status that is published after the step that ended the last request. Its listener
     * is called during that step.
     */
    static EngineStatus status(Engine engine) throws Exception {
        // The engine runs a call at the beginning of a later step.
        Await.result(engine.cacheEntries());
        return engine.status();
    }

    /** Evicts all finished sequences from the devices, and keeps no sequence of its own. */
    static void pushOff(Engine engine) throws Exception {
        int count = (int) engine.status().slots().total() / CONTEXT;
        Ask large = Ask.of(text(-1, CONTEXT - 1), 1).within(CacheScope.none());
        for (Collected answer : askAll(engine, Collections.nCopies(count, large))) {
            answer.await();
        }
        Await.until("no residents", () -> engine.status().slots().resident() == 0);
    }

    /**
     * Checks that nothing is held after the cache is cleared: again, if blocks arrived from a store
     * after it had been.
     */
    static void assertNothingStays(Engine engine) throws Exception {
        EngineStatus status =
                Await.value(
                        "everything is free",
                        () -> {
                            Await.result(engine.clearCache());
                            return engine.status();
                        },
                        now -> now.slots().resident() == 0 && now.cache().host().usedBytes() == 0);
        assertEquals(List.of(), Await.result(engine.cacheEntries()));
        assertEquals(0, status.slots().running());
        assertEquals(0, status.cache().host().entries());
        assertEquals(0, status.cache().host().keptTokens());
    }
}
