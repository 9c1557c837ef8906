package dev.varve.platform.engine;

import static dev.varve.platform.engine.PlainEngine.CONTEXT;
import static dev.varve.platform.engine.PlainEngine.text;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.contracts.MemorySharedStore;
import dev.varve.platform.engine.PlainEngine.Ask;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.prefix.RecentPrefix;
import dev.varve.platform.prefix.SharedTierOptions;
import dev.varve.platform.prefix.StorageTierOptions;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.store.Namespace;
import dev.varve.platform.store.SharedArchive;
import dev.varve.platform.store.SharedArchiveSettings;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;

/** Tests the load of prefixes of another engine from a store that both share. */
@Timeout(60)
class PrefixWarmupTest {
    private static final int BLOCKS = CONTEXT / KvSlotSpan.BLOCK;
    private static final int LONG_CONTEXT = 32 * KvSlotSpan.BLOCK;
    private static final long PLENTY = 64 << 20;
    private static final byte[] ID = new byte[32];
    private static final Ask FIRST = Ask.of(text(1, 700), 2);
    private static final Ask SECOND = Ask.of(text(2, 600), 2);

    private final Map<String, byte[]> values = new ConcurrentHashMap<>();
    private final List<RecentPrefix> loaded = Collections.synchronizedList(new ArrayList<>());

    private EngineCore start(PlainModel model, long hostBytes, Consumer<Batch> beforeBatch) {
        return start(model, PlainEngine.options(1, 2 * BLOCKS), hostBytes, beforeBatch);
    }

    private EngineCore start(
            PlainModel model, EngineOptions sizes, long hostBytes, Consumer<Batch> beforeBatch) {
        SharedArchive archive =
                SharedArchive.open(
                        new SharedArchiveSettings(
                                "memory://test",
                                new Namespace(ID, Map.of()),
                                false,
                                Duration.ofSeconds(20),
                                Optional.empty()),
                        new MemorySharedStore(values));
        EngineOptions options =
                PlainEngine.withStores(
                        sizes,
                        model,
                        hostBytes,
                        new StorageTierOptions(
                                Optional.empty(),
                                Optional.of(new SharedTierOptions(archive, ID, "", true))));
        PlainShard shard =
                new PlainShard(
                        model,
                        PlainEngine.ranges(model, 1).getFirst(),
                        PlainEngine.sizes(options)) {
                    @Override
                    protected void beforeBatch(Batch batch) {
                        beforeBatch.accept(batch);
                    }
                };
        return PlainEngine.start(model, options, List.of(shard));
    }

    /** Returns the recent prefixes of an engine that has computed both prompts. */
    private List<RecentPrefix> prefixes(PlainModel model) throws Exception {
        try (EngineCore engine = start(model, PLENTY, batch -> {})) {
            FIRST.ask(engine).await();
            SECOND.ask(engine).await();
            Await.result(engine.saveCache());
            return Await.result(engine.recentPrefixes(8));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void mostRecentPrefixIsLoadedFirst(boolean forgets) throws Exception {
        PlainModel model = PlainEngine.model(forgets);
        List<RecentPrefix> recent = prefixes(model);
        assertEquals(2, recent.size());
        assertArrayEquals(
                SECOND.prompt(), Arrays.copyOf(recent.getFirst().tokens(), 600), "the latest one");
        try (EngineCore engine = start(model, PLENTY, batch -> {});
                EngineCore alone = PlainEngine.alone(model)) {
            Await.result(engine.warm(recent, loaded::add));

            Await.until("both are loaded", () -> loaded.size() == 2);
            for (int i = 0; i < 2; i++) {
                assertArrayEquals(recent.get(i).tokens(), loaded.get(i).tokens(), "prefix " + i);
            }
            Collected answer = FIRST.ask(engine);
            assertEquals(FIRST.alone(alone), answer.await());
            assertEquals(Optional.of(CacheSource.SHARED), answer.end().cache().source());
            PlainEngine.assertNothingStays(engine);
        }
    }

    @Test
    void noLoadBeginsWhileARequestIsQueued() throws Exception {
        PlainModel model = PlainEngine.model(true);
        List<RecentPrefix> recent = prefixes(model);
        CountDownLatch gate = new CountDownLatch(1);
        Ask second = Ask.of(text(4, 40), 1);
        List<Integer> loadedBefore = Collections.synchronizedList(new ArrayList<>());
        Consumer<Batch> beforeBatch =
                batch -> {
                    Await.latch(gate);
                    if (batch.chunks().stream().anyMatch(chunk -> begins(chunk, second))) {
                        loadedBefore.add(loaded.size());
                    }
                };
        try (EngineCore engine = start(model, PLENTY, beforeBatch)) {
            Ask.of(text(3, 40), 20).ask(engine);
            Collected waiting = second.ask(engine);
            engine.warm(recent, loaded::add);
            gate.countDown();

            waiting.await();

            Await.until("both are loaded", () -> loaded.size() == 2);
            assertEquals(List.of(0), loadedBefore, "prefixes before its first chunk");
        }
    }

    private static boolean begins(SequenceChunk chunk, Ask ask) {
        int[] tokens = chunk.tokens();
        return tokens.length > 8
                && Arrays.equals(tokens, Arrays.copyOf(ask.prompt(), tokens.length));
    }

    @Test
    void halfOfHostMemoryIsLeftToRequests() throws Exception {
        PlainModel model = PlainEngine.model(false);
        List<RecentPrefix> recent = prefixes(model);
        long one;
        try (EngineCore engine = start(model, PLENTY, batch -> {})) {
            Await.result(engine.warm(recent.subList(0, 1), loaded::add));
            Await.until("one is loaded", () -> loaded.size() == 1);
            one = PlainEngine.status(engine).cache().host().usedBytes();
            loaded.clear();
        }
        try (EngineCore engine = start(model, one * 3 / 2, batch -> {})) {
            Await.result(engine.warm(recent, loaded::add));

            Await.until("the warm-up has ended", () -> isIdle(engine));
            assertEquals(1, loaded.size());
        }
    }

    private EngineCore startLong(PlainModel model, long hostBytes) {
        EngineOptions sizes =
                new EngineOptions(
                        EngineOptions.Capacity.of(LONG_CONTEXT, 1, 2 * LONG_CONTEXT), 4096);
        return start(model, sizes, hostBytes, batch -> {});
    }

    /** The second step begins behind the blocks of the first one. */
    @Test
    void longPrefixIsLoadedInStepsUntilMemoryIsHalfFull() throws Exception {
        PlainModel model = PlainModel.attentionOnly(1, LONG_CONTEXT);
        Ask ask = Ask.of(text(5, PrefixWarmup.STEP_TOKENS + 600), 2);
        List<Integer> expected;
        List<RecentPrefix> recent;
        try (EngineCore engine = startLong(model, PLENTY)) {
            expected = ask.ask(engine).await();
            Await.result(engine.saveCache());
            recent = Await.result(engine.recentPrefixes(8));
        }
        long whole;
        try (EngineCore engine = startLong(model, PLENTY)) {
            Await.result(engine.warm(recent, loaded::add));
            Await.until("it is loaded", () -> loaded.size() == 1);
            assertArrayEquals(recent.getFirst().tokens(), loaded.getFirst().tokens());
            whole = PlainEngine.status(engine).cache().host().usedBytes();
            Collected answer = ask.ask(engine);
            assertEquals(expected, answer.await());
            assertTrue(answer.end().tokens().cached() > PrefixWarmup.STEP_TOKENS);
        }
        loaded.clear();
        try (EngineCore engine = startLong(model, whole * 5 / 4)) {
            Await.result(engine.warm(recent, loaded::add));

            Await.until("the warm-up has ended", () -> isIdle(engine));
            assertEquals(1, loaded.size());
            assertEquals(PrefixWarmup.STEP_TOKENS, loaded.getFirst().tokens().length);
        }
    }

    /** An engine that drains returns once it has neither requests nor prefixes to load. */
    private static boolean isIdle(EngineCore engine) {
        return engine.drain(Await.LIMIT);
    }
}
