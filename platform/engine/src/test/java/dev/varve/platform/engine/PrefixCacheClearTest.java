package dev.varve.platform.engine;

import static dev.varve.platform.engine.PlainEngine.CONTEXT;
import static dev.varve.platform.engine.PlainEngine.join;
import static dev.varve.platform.engine.PlainEngine.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.PlainEngine.Ask;
import dev.varve.platform.prefix.CachedPrefixInfo;
import dev.varve.platform.prefix.MissReason;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.testkit.Await;
import dev.varve.testkit.ByDay;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/** Tests listing and clearing the cache during all activities of an engine. */
@Timeout(60)
class PrefixCacheClearTest {
    private static final int BLOCKS = CONTEXT / KvSlotSpan.BLOCK;
    private static final PlainModel MODEL = PlainEngine.model(true);
    private static final EngineOptions OPTIONS =
            PlainEngine.withHost(PlainEngine.options(4, 4 * BLOCKS), MODEL, 16 << 20);

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    @ByDay(1)
    void clearingDoesNotDisturbRunningRequests(int stages) throws Exception {
        try (EngineCore engine = PlainEngine.start(MODEL, OPTIONS, stages);
                EngineCore alone = PlainEngine.alone(MODEL)) {
            int[] head = text(1, 300);
            List<Ask> asks = new ArrayList<>();
            List<CompletableFuture<?>> questions = new ArrayList<>();
            List<Engine.NewRequest> submissions = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                asks.add(Ask.of(join(head, text(i, 40 + 30 * i)), 20 + i, head.length));
                submissions.add(
                        new Engine.NewRequest(
                                asks.getLast().request(), clearing(engine, questions)));
            }

            engine.submit(submissions);

            for (int i = 0; i < asks.size(); i++) {
                Collected answer = (Collected) submissions.get(i).listener();
                assertEquals(asks.get(i).alone(alone), answer.await(), "request " + i);
            }
            assertEquals(4 * asks.size(), questions.size());
            questions.forEach(Await::result);
            PlainEngine.assertNothingStays(engine);
        }
    }

    /** Clears the cache in the middle of each response. Called only on the engine's thread. */
    private static Collected clearing(Engine engine, List<CompletableFuture<?>> questions) {
        return new Collected() {
            private int tokens;

            @Override
            public void onStart(int cached) {
                questions.add(engine.clearCache());
            }

            @Override
            public boolean onToken(GeneratedToken token) {
                if (++tokens == 3) {
                    questions.add(engine.cacheEntries());
                    questions.add(engine.clearCache());
                    questions.add(engine.clearCache());
                }
                return super.onToken(token);
            }
        };
    }

    @Test
    void entriesAreListedMostRecentlyUsedFirst() throws Exception {
        try (EngineCore engine = PlainEngine.start(MODEL, OPTIONS, 1)) {
            for (int i = 0; i < 3; i++) {
                int entries = i + 1;
                Ask.of(text(i, 50 + i), 1).ask(engine).await();
                Await.until(
                        entries + " entries",
                        () -> engine.status().cache().host().entries() == entries);
            }

            List<CachedPrefixInfo> entries = Await.result(engine.cacheEntries());

            assertEquals(
                    List.of(52, 51, 50), entries.stream().map(CachedPrefixInfo::tokens).toList());
            long bytes = entries.stream().mapToLong(CachedPrefixInfo::bytes).sum();
            assertEquals(PlainEngine.status(engine).cache().host().usedBytes(), bytes);
        }
    }

    @Test
    void clearedPrefixIsNotFound() throws Exception {
        try (EngineCore engine = PlainEngine.start(MODEL, OPTIONS, 2)) {
            Ask ask = Ask.of(text(1, 400), 5, 300);
            ask.ask(engine).await();

            Await.result(engine.clearCache());

            assertEquals(Optional.of(MissReason.UNKNOWN), ask.ask(engine).end().cache().miss());
        }
    }

    @Test
    void closedEngineRefusesQueries() {
        EngineCore engine = PlainEngine.start(MODEL, OPTIONS, 1);
        engine.close();

        assertUnavailable(engine.cacheEntries());
        assertUnavailable(engine.clearCache());
    }

    private static void assertUnavailable(CompletableFuture<?> question) {
        VarveException failure = assertInstanceOf(VarveException.class, Await.failure(question));
        assertEquals(VarveException.Kind.UNAVAILABLE, failure.kind());
    }

    @Test
    void pendingQueriesEndWhenTheEngineCloses() throws Exception {
        CountDownLatch inStep = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        PlainShard shard =
                new PlainShard(MODEL, MODEL.shape().allLayers(), PlainEngine.sizes(OPTIONS)) {
                    @Override
                    protected void beforeBatch(Batch batch) {
                        inStep.countDown();
                        Await.latch(goOn);
                    }
                };
        EngineCore engine = PlainEngine.start(MODEL, OPTIONS, List.of(shard));
        Ask.of(text(1, 20), 5).ask(engine);
        Await.latch(inStep);
        CompletableFuture<?> entries = engine.cacheEntries();
        CompletableFuture<?> cleared = engine.clearCache();
        Thread closing = Thread.ofPlatform().start(engine::close);
        Await.until("it is closing", () -> engine.clearCache().isCompletedExceptionally());
        goOn.countDown();
        closing.join();

        assertTrue(entries.isDone() && cleared.isDone());
    }

    /** Otherwise the call would wait until the shard is back. */
    @Test
    void queriesWorkWhileAShardIsLost() throws Exception {
        AtomicReference<String> loss = new AtomicReference<>("");
        PlainShard shard =
                new PlainShard(MODEL, MODEL.shape().allLayers(), PlainEngine.sizes(OPTIONS)) {
                    @Override
                    protected void beforeBatch(Batch batch) {
                        if (!loss.get().isEmpty()) {
                            lose(loss.getAndSet(""));
                        }
                    }
                };
        try (EngineCore engine = PlainEngine.start(MODEL, OPTIONS, List.of(shard));
                EngineCore alone = PlainEngine.alone(MODEL)) {
            Ask kept = Ask.of(text(1, 50), 1);
            kept.ask(engine).await();
            Await.until("it is kept", () -> engine.status().cache().host().entries() == 1);
            loss.set("pulled out");
            Ask ask = Ask.of(text(2, 50), 5);
            Collected answer = ask.ask(engine);
            Await.until("it is lost", () -> !engine.status().missingShards().isEmpty());

            assertEquals(1, Await.result(engine.cacheEntries()).size());
            PlainEngine.assertNothingStays(engine);

            shard.comeBack();
            assertEquals(ask.alone(alone), answer.await());
        }
    }
}
