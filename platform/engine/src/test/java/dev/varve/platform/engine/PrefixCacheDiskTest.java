package dev.varve.platform.engine;

import static dev.varve.platform.engine.PlainEngine.CONTEXT;
import static dev.varve.platform.engine.PlainEngine.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.contracts.SlotStore;
import dev.varve.platform.engine.PlainEngine.Ask;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.prefix.DiskTierOptions;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.store.ArchiveMissException.Reason;
import dev.varve.platform.store.ArchiveSettings;
import dev.varve.platform.store.ArchiveStatus;
import dev.varve.platform.store.DiskArchive;
import dev.varve.platform.store.Namespace;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;

/** Tests prefixes that an earlier engine computed and that are loaded from disk. */
@Timeout(60)
class PrefixCacheDiskTest {
    private static final int BLOCKS = CONTEXT / KvSlotSpan.BLOCK;
    private static final long PLENTY = 64 << 20;
    private static final int[] PROMPT = text(1, 400);
    private static final int BOUNDARY = 300;
    private static final Ask ASK = Ask.of(PROMPT, 12, BOUNDARY);

    @TempDir private Path folder;

    private DiskTierOptions disk(StoreFaults faults) throws IOException {
        byte[] id = new byte[32];
        ArchiveSettings settings =
                new ArchiveSettings(
                        folder,
                        new Namespace(id, Map.of()),
                        1 << 16,
                        false,
                        new ArchiveSettings.Limits(PLENTY, 0, Optional.empty()),
                        Optional.empty(),
                        InstantSource.system());
        return new DiskTierOptions(
                DiskArchive.open(settings, faults.around(new SlotStore.Provider())), id, "");
    }

    private EngineCore start(PlainModel model, int parallel, int stages, StoreFaults faults)
            throws IOException {
        return start(model, parallel, stages, PLENTY, faults);
    }

    private EngineCore start(
            PlainModel model, int parallel, int stages, long host, StoreFaults faults)
            throws IOException {
        EngineOptions options = PlainEngine.options(parallel, 4 * BLOCKS);
        return PlainEngine.start(
                model, PlainEngine.withDisk(options, model, host, disk(faults)), stages);
    }

    /** Computes some prompts and stores their prefixes on disk. */
    private void compute(PlainModel model, int stages, Ask... asks) throws Exception {
        try (EngineCore engine = start(model, 1, stages, new StoreFaults())) {
            for (Ask ask : asks) {
                ask.ask(engine).await();
            }
        }
    }

    private static ArchiveStatus status(Engine engine) {
        return engine.status().cache().disk().orElseThrow();
    }

    private static void assertSame(Engine alone, Ask ask, Collected answer) throws Exception {
        assertEquals(ask.alone(alone), answer.await());
    }

    private static void assertFrom(CacheSource source, Collected answer) throws Exception {
        assertEquals(Optional.of(source), answer.end().cache().source(), answer.end()::toString);
    }

    @ParameterizedTest
    @CsvSource({"true, 1, 2", "true, 2, 1", "false, 3, 1", "false, 1, 3"})
    void prefixIsFoundByLaterRequests(boolean forgets, int before, int after) throws Exception {
        PlainModel model = PlainEngine.model(forgets);
        Ask other = Ask.of(PlainEngine.join(PROMPT, text(2, 30)), 8);
        compute(model, before, ASK);
        try (EngineCore engine = start(model, 2, after, new StoreFaults());
                EngineCore alone = PlainEngine.alone(model)) {
            Collected again = ASK.ask(engine);
            assertSame(alone, ASK, again);
            assertFrom(CacheSource.DISK, again);
            // Without recurrent states the cache finds whole blocks.
            int least = forgets ? BOUNDARY : 256;
            assertTrue(again.end().tokens().cached() >= least, again.end()::toString);

            Collected behind = other.ask(engine);
            assertSame(alone, other, behind);
            assertTrue(behind.end().tokens().cached() >= least, behind.end()::toString);

            Collected stranger = ASK.within(new CacheScope("another")).ask(engine);
            assertSame(alone, ASK, stranger);
            assertEquals(0, stranger.end().tokens().cached());
        }
    }

    /**
     * The disk is read during computation, and requests without a stored prefix do not wait for it.
     */
    @Test
    void otherRequestsContinueDuringDiskReads() throws Exception {
        PlainModel model = PlainEngine.model(true);
        compute(model, 1, ASK);
        StoreFaults faults = new StoreFaults();
        CountDownLatch mayRead = new CountDownLatch(1);
        faults.beforeReading(mayRead::await);
        try (EngineCore engine = start(model, 1, 1, faults);
                EngineCore alone = PlainEngine.alone(model)) {
            Ask other = Ask.of(text(9, 40), 12);
            Collected waiting = ASK.ask(engine);
            Await.until("a read has begun", () -> faults.reads() > 0);

            assertSame(alone, other, other.ask(engine));
            assertFalse(waiting.isOver());

            mayRead.countDown();
            assertSame(alone, ASK, waiting);
            assertFrom(CacheSource.DISK, waiting);
        }
    }

    /** Prefixes of queued requests are loaded to host memory meanwhile. */
    @Test
    void prefixesOfQueuedRequestsArePrefetched() throws Exception {
        PlainModel model = PlainEngine.model(true);
        List<Ask> asks = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            asks.add(Ask.of(text(20 + i, 400), 12, BOUNDARY));
        }
        compute(model, 1, asks.toArray(Ask[]::new));
        StoreFaults faults = new StoreFaults();
        try (EngineCore engine = start(model, 1, 1, faults);
                EngineCore alone = PlainEngine.alone(model)) {
            List<Collected> answers = PlainEngine.askAll(engine, asks);
            for (int i = 0; i < asks.size(); i++) {
                assertSame(alone, asks.get(i), answers.get(i));
                assertFrom(CacheSource.DISK, answers.get(i));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void unreadablePrefixIsComputed(boolean forgets) throws Exception {
        PlainModel model = PlainEngine.model(forgets);
        compute(model, 1, ASK);
        StoreFaults faults = new StoreFaults();
        faults.beforeReading(
                () -> {
                    throw new IOException("the disk is gone");
                });
        try (EngineCore engine = start(model, 2, 1, faults);
                EngineCore alone = PlainEngine.alone(model)) {
            Collected answer = ASK.ask(engine);

            assertSame(alone, ASK, answer);
            assertEquals(0, answer.end().tokens().cached());
            assertTrue(status(engine).traffic().misses().get(Reason.UNREADABLE) > 0);
            PlainEngine.assertNothingStays(engine);
        }
    }

    @Test
    void damagedPrefixIsComputedAndWrittenAgain() throws Exception {
        PlainModel model = PlainEngine.model(true);
        compute(model, 1, ASK);
        StoreFaults faults = new StoreFaults();
        faults.damageValues();
        try (EngineCore engine = start(model, 2, 1, faults);
                EngineCore alone = PlainEngine.alone(model)) {
            Collected answer = ASK.ask(engine);

            assertSame(alone, ASK, answer);
            assertEquals(0, answer.end().tokens().cached());
            assertTrue(status(engine).traffic().misses().get(Reason.CORRUPT) > 0);
        }
        try (EngineCore engine = start(model, 2, 1, new StoreFaults());
                EngineCore alone = PlainEngine.alone(model)) {
            Collected answer = ASK.ask(engine);
            assertSame(alone, ASK, answer);
            assertFrom(CacheSource.DISK, answer);
        }
    }

    @Test
    void requestCancelledDuringADiskReadLeavesNothing() throws Exception {
        PlainModel model = PlainEngine.model(true);
        compute(model, 1, ASK);
        StoreFaults faults = new StoreFaults();
        CountDownLatch mayRead = new CountDownLatch(1);
        faults.beforeReading(mayRead::await);
        try (EngineCore engine = start(model, 1, 1, faults);
                EngineCore alone = PlainEngine.alone(model)) {
            Collected gone = new Collected();
            GenerationHandle handle = engine.submit(ASK.request(), gone);
            Await.until("a read has begun", () -> faults.reads() > 0);
            handle.cancel();
            assertThrows(ExecutionException.class, gone::end);
            mayRead.countDown();

            Collected answer = ASK.ask(engine);
            assertSame(alone, ASK, answer);
            PlainEngine.assertNothingStays(engine);
        }
    }

    /** Host memory holds one of them at a time. */
    @Test
    void smallHostMemorySufficesToWriteAndRead() throws Exception {
        PlainModel model = PlainEngine.model(true);
        List<Ask> asks = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            asks.add(Ask.of(text(40 + i, 400), 4, BOUNDARY));
        }
        long little;
        try (EngineCore engine = start(model, 1, 1, new StoreFaults())) {
            asks.getFirst().ask(engine).await();
            Await.until("it is kept", () -> engine.status().cache().host().entries() > 1);
            little = 2 * engine.status().cache().host().usedBytes();
        }
        for (int round = 0; round < 2; round++) {
            try (EngineCore engine = start(model, 1, 1, little, new StoreFaults());
                    EngineCore alone = PlainEngine.alone(model)) {
                for (Ask ask : asks) {
                    assertSame(alone, ask, ask.ask(engine));
                }
                PlainEngine.assertNothingStays(engine);
            }
        }
    }
}
