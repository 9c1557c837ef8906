package dev.varve.platform.engine;

import static dev.varve.platform.engine.PlainEngine.CONTEXT;
import static dev.varve.platform.engine.PlainEngine.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.snapshot.SharedStore;
import dev.varve.contracts.MemorySharedStore;
import dev.varve.contracts.SlotStore;
import dev.varve.platform.engine.PlainEngine.Ask;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.prefix.DiskTierOptions;
import dev.varve.platform.prefix.SharedTierOptions;
import dev.varve.platform.prefix.StorageTierOptions;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.store.ArchiveMissException.Reason;
import dev.varve.platform.store.ArchiveSettings;
import dev.varve.platform.store.DiskArchive;
import dev.varve.platform.store.Namespace;
import dev.varve.platform.store.SharedArchive;
import dev.varve.platform.store.SharedArchiveSettings;
import dev.varve.platform.store.SharedArchiveStatus;
import dev.varve.platform.store.SharedArchiveStatus.SearchOutcome;
import dev.varve.testkit.Await;
import dev.varve.testkit.ByDay;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;

/** Tests prefixes that another server computed and that are loaded from a shared store. */
@Timeout(60)
class PrefixCacheSharedTest {
    private static final int BLOCKS = CONTEXT / KvSlotSpan.BLOCK;
    private static final long PLENTY = 64 << 20;
    private static final int[] PROMPT = text(1, 700);
    private static final int BOUNDARY = 600;
    private static final Ask ASK = Ask.of(PROMPT, 12, BOUNDARY);
    private static final byte[] ID = new byte[32];

    private final Map<String, byte[]> values = new ConcurrentHashMap<>();

    private static SharedTierOptions shared(SharedStore store, Duration limit) {
        SharedArchiveSettings settings =
                new SharedArchiveSettings(
                        "memory://test",
                        new Namespace(ID, Map.of()),
                        false,
                        limit,
                        Optional.empty());
        return new SharedTierOptions(SharedArchive.open(settings, store), ID, "");
    }

    private SharedTierOptions shared() {
        return shared(new MemorySharedStore(values), Duration.ofSeconds(20));
    }

    private static EngineCore start(PlainModel model, int stages, StorageTierOptions stores) {
        EngineOptions options = PlainEngine.options(2, 4 * BLOCKS);
        return PlainEngine.start(
                model, PlainEngine.withStores(options, model, PLENTY, stores), stages);
    }

    private static EngineCore start(PlainModel model, int stages, SharedTierOptions shared) {
        return start(model, stages, new StorageTierOptions(Optional.empty(), Optional.of(shared)));
    }

    /** Computes prompts on another server, which writes them to the store. */
    private void compute(PlainModel model, int stages, Ask... asks) throws Exception {
        try (EngineCore engine = start(model, stages, shared())) {
            for (Ask ask : asks) {
                ask.ask(engine).await();
            }
        }
        assertFalse(values.isEmpty());
    }

    private static SharedArchiveStatus status(Engine engine) {
        return engine.status().cache().shared().orElseThrow();
    }

    private static void assertSame(Engine alone, Ask ask, Collected answer) throws Exception {
        assertEquals(ask.alone(alone), answer.await());
    }

    private static int cached(Collected answer) throws Exception {
        return answer.end().tokens().cached();
    }

    @ParameterizedTest
    @CsvSource({"true, 1, 2", "true, 2, 1", "false, 3, 1", "false, 1, 3"})
    @ByDay({1, 4})
    void prefixIsFoundByAnotherServerInItsScope(boolean forgets, int before, int after)
            throws Exception {
        PlainModel model = PlainEngine.model(forgets);
        compute(model, before, ASK);
        // Two engines: after a prefill, an engine limits a search to the time that computing takes.
        try (EngineCore engine = start(model, after, readOnly());
                EngineCore alone = PlainEngine.alone(model)) {
            Collected stranger = ASK.within(new CacheScope("another")).ask(engine);
            assertSame(alone, ASK, stranger);
            assertEquals(0, cached(stranger));
            assertEquals(1, status(engine).searches().get(SearchOutcome.NOTHING));
        }
        try (EngineCore engine = start(model, after, shared());
                EngineCore alone = PlainEngine.alone(model)) {
            Collected again = ASK.ask(engine);

            assertSame(alone, ASK, again);
            assertEquals(Optional.of(CacheSource.SHARED), again.end().cache().source());
            assertTrue(cached(again) >= (forgets ? BOUNDARY : 512), again.end()::toString);
            assertEquals(1, status(engine).searches().get(SearchOutcome.FOUND));
            assertTrue(status(engine).readBytes() > 0);
            PlainEngine.assertNothingStays(engine);
        }
    }

    @Test
    void divergingPromptResumesAtTheDivergence() throws Exception {
        PlainModel model = PlainEngine.model(true);
        compute(model, 1, ASK);
        Ask other = Ask.of(PlainEngine.join(Arrays.copyOf(PROMPT, BOUNDARY), text(5, 300)), 8);
        try (EngineCore engine = start(model, 1, shared());
                EngineCore alone = PlainEngine.alone(model)) {
            Collected answer = other.ask(engine);

            assertSame(alone, other, answer);
            assertEquals(BOUNDARY, cached(answer));
        }
    }

    /** Closer tiers are used first. */
    @Test
    void diskIsReadBeforeTheSharedStore(@TempDir Path folder) throws Exception {
        PlainModel model = PlainEngine.model(true);
        Ask beginning = Ask.of(Arrays.copyOf(PROMPT, 300), 4, 280);
        try (EngineCore engine =
                start(model, 1, StorageTierOptions.of(Optional.of(disk(folder))))) {
            beginning.ask(engine).await();
        }
        compute(model, 1, ASK);
        StorageTierOptions both =
                new StorageTierOptions(Optional.of(disk(folder)), Optional.of(shared()));
        try (EngineCore engine = start(model, 1, both);
                EngineCore alone = PlainEngine.alone(model)) {
            Collected first = beginning.ask(engine);
            assertSame(alone, beginning, first);
            assertEquals(Optional.of(CacheSource.DISK), first.end().cache().source());

            Collected whole = ASK.ask(engine);

            assertSame(alone, ASK, whole);
            assertEquals(Optional.of(CacheSource.SHARED), whole.end().cache().source());
            assertTrue(cached(whole) >= BOUNDARY, whole.end()::toString);
        }
    }

    private static DiskTierOptions disk(Path folder) throws IOException {
        ArchiveSettings settings =
                new ArchiveSettings(
                        folder,
                        new Namespace(ID, Map.of()),
                        1 << 16,
                        false,
                        new ArchiveSettings.Limits(PLENTY, 0, Optional.empty()),
                        Optional.empty(),
                        InstantSource.system());
        return new DiskTierOptions(DiskArchive.open(settings, new SlotStore.Provider()), ID, "");
    }

    private enum Damage {
        NOISE,
        EMPTY,
        SHORT,
        LONG,
        ONE_BIT,
        ANOTHER_KEYS
    }

    /** The store may contain arbitrary data of other writers. */
    @ParameterizedTest
    @EnumSource
    @ByDay({1, 4, 6})
    void changedValueIsComputed(Damage damage) throws Exception {
        PlainModel model = PlainEngine.model(false);
        compute(model, 1, ASK);
        Map<String, byte[]> sound = new HashMap<>(values);
        List<byte[]> rotated = new ArrayList<>(sound.values());
        Random random = new Random(damage.ordinal());
        int next = 0;
        for (String key : sound.keySet()) {
            next++;
            byte[] was = sound.get(key);
            values.put(
                    key,
                    switch (damage) {
                        case NOISE -> noise(random, was.length);
                        case EMPTY -> new byte[0];
                        case SHORT -> Arrays.copyOf(was, was.length - 1);
                        case LONG -> Arrays.copyOf(was, was.length + 1);
                        case ONE_BIT -> flipped(was, random.nextInt(8 * was.length));
                        case ANOTHER_KEYS -> rotated.get(next % rotated.size());
                    });
        }
        try (EngineCore engine = start(model, 1, shared());
                EngineCore alone = PlainEngine.alone(model)) {
            Collected answer = ASK.ask(engine);

            assertSame(alone, ASK, answer);
            assertEquals(0, cached(answer));
        }
        try (EngineCore engine = start(model, 1, shared());
                EngineCore alone = PlainEngine.alone(model)) {
            Collected answer = ASK.ask(engine);

            assertSame(alone, ASK, answer);
            assertTrue(cached(answer) > 0, "it was written anew");
        }
    }

    private static byte[] noise(Random random, int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] flipped(byte[] bytes, int bit) {
        byte[] changed = bytes.clone();
        changed[bit / 8] ^= (byte) (1 << bit % 8);
        return changed;
    }

    /** A full store evicts single values. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @ByDay(1)
    void prefixBeforeAMissingBlockIsFound(boolean forgets) throws Exception {
        PlainModel model = PlainEngine.model(forgets);
        compute(model, 1, Ask.of(PROMPT, 12, 300, BOUNDARY));
        for (String key : List.copyOf(values.keySet())) {
            if (key.endsWith(":0")) {
                byte[] gone = values.remove(key);
                try (EngineCore engine = start(model, 1, readOnly());
                        EngineCore alone = PlainEngine.alone(model)) {
                    Collected answer = ASK.ask(engine);

                    assertSame(alone, ASK, answer);
                    assertEquals(0, status(engine).misses().get(Reason.ABSENT));
                    PlainEngine.assertNothingStays(engine);
                }
                values.put(key, gone);
            }
        }
    }

    private SharedTierOptions readOnly() {
        SharedArchiveSettings settings =
                new SharedArchiveSettings(
                        "memory://test",
                        new Namespace(ID, Map.of()),
                        true,
                        Duration.ofSeconds(20),
                        Optional.empty());
        return new SharedTierOptions(
                SharedArchive.open(settings, new MemorySharedStore(values)), ID, "");
    }

    @Test
    void failingStoreIsSuspendedAndResumed() throws Exception {
        PlainModel model = PlainEngine.model(true);
        compute(model, 1, ASK);
        FaultySharedStore faulty = new FaultySharedStore(values);
        try (EngineCore engine = start(model, 1, shared(faulty, Duration.ofSeconds(20)));
                EngineCore alone = PlainEngine.alone(model)) {
            faulty.fails(true);
            Collected answer = ASK.ask(engine);
            assertSame(alone, ASK, answer);
            assertEquals(0, cached(answer));
            assertEquals(1, status(engine).searches().get(SearchOutcome.FAILED));
            assertFalse(status(engine).available());
            Ask other = Ask.of(text(3, 400), 4);
            assertSame(alone, other, other.ask(engine));
            assertEquals(1, status(engine).searches().get(SearchOutcome.SKIPPED));

            faulty.fails(false);
            Await.until("it is asked again", () -> status(engine).available());
            engine.clearCache().get();
            assertTrue(values.isEmpty(), "what is shared is forgotten as well");
        }
    }

    /** The store fails between the lookup and the read. */
    @Test
    void storeFailureDuringAReadIsAMiss() throws Exception {
        PlainModel model = PlainEngine.model(true);
        compute(model, 1, ASK);
        FaultySharedStore faulty = new FaultySharedStore(values);
        try (EngineCore engine = start(model, 1, shared(faulty, Duration.ofSeconds(20)));
                EngineCore alone = PlainEngine.alone(model)) {
            faulty.failsToRead(true);

            Collected answer = ASK.ask(engine);

            assertSame(alone, ASK, answer);
            assertEquals(0, cached(answer));
            assertEquals(1, status(engine).searches().get(SearchOutcome.FOUND));
            assertTrue(status(engine).misses().get(Reason.UNREADABLE) > 0);
            PlainEngine.assertNothingStays(engine);
        }
    }

    /** Values of another model or another key are not found. */
    @Test
    void foreignValuesAreIgnored() throws Exception {
        PlainModel model = PlainEngine.model(true);
        compute(model, 1, ASK);
        Map<String, byte[]> theirs = new ConcurrentHashMap<>(values);
        theirs.replaceAll((key, value) -> ByteBuffer.allocate(2 << 20).array());
        try (EngineCore engine =
                        start(
                                model,
                                1,
                                shared(new MemorySharedStore(theirs), Duration.ofSeconds(20)));
                EngineCore alone = PlainEngine.alone(model)) {
            Collected answer = ASK.ask(engine);

            assertSame(alone, ASK, answer);
            assertEquals(0, cached(answer));
        }
    }
}
