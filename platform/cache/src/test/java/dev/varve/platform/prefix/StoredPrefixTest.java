package dev.varve.platform.prefix;

import static dev.varve.platform.prefix.CacheRig.SCOPE;
import static dev.varve.platform.prefix.CacheRig.cold;
import static dev.varve.platform.prefix.CacheRig.join;
import static dev.varve.platform.prefix.CacheRig.request;
import static dev.varve.platform.prefix.CacheRig.text;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.contracts.MemorySharedStore;
import dev.varve.contracts.SlotStore;
import dev.varve.platform.prefix.CacheRig.Answer;
import dev.varve.platform.prefix.CacheRig.Kind;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.sequence.ChunkHistory;
import dev.varve.platform.sequence.PrefixQuery;
import dev.varve.platform.sequence.TokenList;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.store.ArchiveInspector;
import dev.varve.platform.store.ArchiveSettings;
import dev.varve.platform.store.DiskArchive;
import dev.varve.platform.store.Namespace;
import dev.varve.platform.store.SharedArchive;
import dev.varve.platform.store.SharedArchiveSettings;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Another cache finds behind its host memory what an earlier one left there. */
class StoredPrefixTest {
    private static final int BLOCK = CachedBlock.TOKENS;
    private static final int LENGTH = 2 * BLOCK + 60;
    private static final int[] PROMPT = text(1, LENGTH);
    private static final byte[] ID = new byte[32];
    private static final long PLENTY = 64 << 20;

    @TempDir private Path folder;

    private final Map<String, byte[]> values = new ConcurrentHashMap<>();

    /** The storage level below host memory. */
    enum Below {
        DISK(CacheSource.DISK),
        SHARED(CacheSource.SHARED);

        private final CacheSource source;

        Below(CacheSource source) {
            this.source = source;
        }
    }

    private StorageTierOptions stores(Below below, byte[] id) throws IOException {
        Namespace namespace = new Namespace(id, Map.of());
        if (below == Below.SHARED) {
            SharedArchiveSettings settings =
                    new SharedArchiveSettings(
                            "memory://test",
                            namespace,
                            false,
                            Duration.ofSeconds(20),
                            Optional.empty());
            SharedArchive archive = SharedArchive.open(settings, new MemorySharedStore(values));
            return new StorageTierOptions(
                    Optional.empty(), Optional.of(new SharedTierOptions(archive, id, "")));
        }
        ArchiveSettings settings =
                new ArchiveSettings(
                        folder,
                        namespace,
                        1 << 16,
                        false,
                        new ArchiveSettings.Limits(PLENTY, 0, Optional.empty()),
                        Optional.empty(),
                        InstantSource.system());
        DiskArchive archive = DiskArchive.open(settings, new SlotStore.Provider());
        return StorageTierOptions.of(Optional.of(new DiskTierOptions(archive, id, "")));
    }

    private CacheRig open(Below below, Kind kind) throws IOException {
        return new CacheRig(kind, stores(below, ID), Optional.empty());
    }

    /** Computes prompts and leaves them in the store. */
    private void leave(Below below, Kind kind, int[] prompt, int... stops) throws IOException {
        try (CacheRig rig = open(below, kind)) {
            rig.finish(prompt, stops);
            rig.pushOff();
        }
    }

    private static Optional<? extends PrefixPrefetch> load(
            CacheRig rig, Below below, PrefixQuery request, int known) {
        return below == Below.DISK
                ? rig.cache().load(request, known, false, () -> true)
                : rig.cache().loadShared(request, known, () -> true);
    }

    /** Reads what the store has of a prompt, and answers it. */
    private static Answer answer(CacheRig rig, Below below, int[] prompt) {
        load(rig, below, request(prompt, SCOPE), 0).ifPresent(rig::await);
        return rig.finish(prompt);
    }

    @ParameterizedTest
    @CsvSource({
        "DISK, false, 572, 572",
        "DISK, false, 512, 512",
        "DISK, true, 572, 572",
        "DISK, true, 100, 100",
        "SHARED, false, 572, 572",
        "SHARED, false, 512, 512",
        "SHARED, true, 572, 572"
    })
    void anotherCacheResumesAtTheEndOfAPrompt(
            Below below, boolean forgets, int length, int expected) throws IOException {
        int[] prompt = text(5, length);
        int[] next = join(prompt, text(6, 300));
        leave(below, Kind.of(forgets), prompt);
        try (CacheRig rig = open(below, Kind.of(forgets))) {
            Answer answer = answer(rig, below, next);

            assertEquals(Optional.of(below.source), answer.use().source());
            assertEquals(expected, answer.use().tokens());
            assertArrayEquals(cold(forgets, next), answer.logits());
            // From now on it is in host memory as if it had been computed there.
            rig.pushOff();
            assertEquals(Optional.of(CacheSource.HOST), rig.finish(join(next, 5)).use().source());
        }
    }

    @ParameterizedTest
    @EnumSource
    void deepestStoredCheckpointIsUsed(Below below) throws IOException {
        int[] other = join(Arrays.copyOf(PROMPT, 420), text(9, 400));
        leave(below, Kind.of(true), PROMPT, 100, 270, 400, 450);
        try (CacheRig rig = open(below, Kind.of(true))) {
            Answer answer = answer(rig, below, other);

            assertEquals(Optional.of(below.source), answer.use().source());
            assertEquals(400, answer.use().tokens());
            assertArrayEquals(cold(true, other), answer.logits());
        }
    }

    /** Without states whole blocks are of use. */
    @ParameterizedTest
    @EnumSource
    void blocksBeforeTheDivergenceAreUsed(Below below) throws IOException {
        int[] other = join(Arrays.copyOf(PROMPT, 420), text(9, 400));
        leave(below, Kind.of(false), PROMPT);
        try (CacheRig rig = open(below, Kind.of(false))) {
            Answer answer = answer(rig, below, other);

            assertEquals(Optional.of(below.source), answer.use().source());
            assertEquals(BLOCK, answer.use().tokens());
            assertArrayEquals(cold(false, other), answer.logits());
        }
    }

    @ParameterizedTest
    @EnumSource
    void otherModelsAndScopesFindNothing(Below below) throws IOException {
        int[] next = join(PROMPT, text(6, 300));
        leave(below, Kind.of(false), PROMPT);
        byte[] otherId = ID.clone();
        otherId[0] = 1;
        try (CacheRig rig =
                new CacheRig(Kind.of(false), stores(below, otherId), Optional.empty())) {
            assertEquals(0, answer(rig, below, next).use().tokens());
        }
        try (CacheRig rig = open(below, Kind.of(false))) {
            PrefixQuery stranger = request(next, new CacheScope("stranger"));
            load(rig, below, stranger, 0).ifPresent(rig::await);
            assertEquals(0, rig.cache().find(stranger, true).length());
            PrefixQuery none = request(next, CacheScope.none());
            assertEquals(Optional.empty(), load(rig, below, none, 0));
        }
    }

    @Test
    void diskIsNotReadForAFewMoreTokens() throws IOException {
        PrefixQuery next = request(join(PROMPT, text(6, 300)), SCOPE);
        leave(Below.DISK, Kind.of(false), PROMPT);
        try (CacheRig rig = open(Below.DISK, Kind.of(false))) {
            assertEquals(Optional.empty(), load(rig, Below.DISK, next, LENGTH - 31));
            assertTrue(load(rig, Below.DISK, next, LENGTH - 32).isPresent());
        }
    }

    @Test
    void sharedStoreIsNotQueriedForLessThanABlock() throws IOException {
        int[] next = join(PROMPT, text(6, 300));
        leave(Below.SHARED, Kind.of(false), PROMPT);
        try (CacheRig rig = open(Below.SHARED, Kind.of(false))) {
            PrefixQuery request = request(next, SCOPE);
            assertEquals(Optional.empty(), load(rig, Below.SHARED, request, next.length - BLOCK));
            PrefixPrefetch read =
                    load(rig, Below.SHARED, request, next.length - BLOCK - 1).orElseThrow();
            rig.await(read);
        }
    }

    @ParameterizedTest
    @EnumSource
    void otherNamespacesAreNotSearched(Below below) throws IOException {
        int[] next = join(PROMPT, text(6, 300));
        leave(below, Kind.of(false), PROMPT);
        try (CacheRig rig = open(below, Kind.of(false))) {
            PrefixQuery replayed =
                    new PrefixQuery(
                            new TokenList(next),
                            ChunkHistory.ofWindows(100, 300),
                            SCOPE,
                            RequestedOutput.LAST);

            assertEquals(Optional.empty(), load(rig, below, replayed, 0));
        }
    }

    @ParameterizedTest
    @EnumSource
    void prefetchNobodyWaitsForMayBeEvicted(Below below) throws IOException {
        int[] next = join(PROMPT, text(6, 300));
        leave(below, Kind.of(false), PROMPT);
        try (CacheRig rig = open(below, Kind.of(false))) {
            boolean[] waits = {true};
            PrefixQuery request = request(next, SCOPE);
            PrefixPrefetch read =
                    below == Below.DISK
                            ? rig.cache().load(request, 0, false, () -> waits[0]).orElseThrow()
                            : rig.cache().loadShared(request, 0, () -> waits[0]).orElseThrow();
            rig.await(read);
            assertEquals(LENGTH, rig.cache().find(request, true).length());
            rig.cache().clearHost();
            assertEquals(LENGTH, rig.cache().find(request, true).length(), "somebody waits");

            waits[0] = false;
            rig.cache().clearHost();

            assertEquals(0, rig.cache().find(request, true).length());
            assertEquals(0, rig.cache().status().host().usedBytes());
        }
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsReadWithoutEnoughHostMemory(Below below) throws IOException {
        int[] next = join(PROMPT, text(6, 300));
        leave(below, Kind.of(false), PROMPT);
        try (CacheRig rig = open(below, Kind.of(false).host(40 << 10))) {
            load(rig, below, request(next, SCOPE), 0).ifPresent(rig::await);

            assertEquals(0, rig.cache().find(request(next, SCOPE), true).length());
            assertEquals(0, rig.cache().status().host().usedBytes());
        }
    }

    @ParameterizedTest
    @EnumSource
    void clearingAlsoClearsTheLowerTiers(Below below) throws IOException {
        int[] next = join(PROMPT, text(6, 300));
        leave(below, Kind.of(false), PROMPT);
        try (CacheRig rig = open(below, Kind.of(false))) {
            Await.result(rig.cache().clear());

            assertEquals(0, answer(rig, below, next).use().tokens());
        }
    }

    @Test
    void statusListsTheLowerTiers() throws IOException {
        leave(Below.DISK, Kind.of(false), PROMPT);
        leave(Below.SHARED, Kind.of(false), PROMPT);
        try (CacheRig rig = open(Below.DISK, Kind.of(false))) {
            assertTrue(rig.cache().hasBelow());
            assertTrue(rig.cache().disk().isPresent());
            assertFalse(rig.cache().shared().isPresent());
        }
        try (CacheRig rig = open(Below.SHARED, Kind.of(false))) {
            assertTrue(rig.cache().hasBelow());
            assertFalse(rig.cache().disk().isPresent());
            assertTrue(rig.cache().shared().isPresent());
        }
    }

    /** Two blocks are in host memory, and the checkpoint behind them on disk alone. */
    @Test
    void onlyPartsMissingInHostMemoryAreRead() throws IOException {
        int[] longer = join(PROMPT, text(6, 250));
        int[] next = join(longer, text(7, 100));
        leave(Below.DISK, Kind.of(true), longer);
        try (CacheRig rig = open(Below.DISK, Kind.of(true))) {
            rig.finish(PROMPT);
            rig.pushOff();

            Answer answer = answer(rig, Below.DISK, next);

            assertEquals(Optional.of(CacheSource.DISK), answer.use().source());
            assertEquals(longer.length, answer.use().tokens());
            assertArrayEquals(cold(true, next), answer.logits());
        }
    }

    /**
     * A request that uses draft tokens loads hidden states with the rows. They equal computed
     * states.
     */
    @ParameterizedTest
    @CsvSource({"572", "512", "300"})
    void hiddenStatesAreRestoredFromDisk(int length) throws IOException {
        int[] prompt = text(5, length);
        int[] next = join(prompt, text(6, 300));
        leave(Below.DISK, Kind.of(false).withFeatures(), prompt);
        TrailingFeatures computed;
        try (CacheRig rig = new CacheRig(Kind.of(false).withFeatures());
                CacheRig other = open(Below.DISK, Kind.of(false).withFeatures())) {
            Answer cold = rig.run(next, SCOPE);
            computed = rig.cache().features(cold.sequence()).orElseThrow();
            PrefixQuery request = request(next, SCOPE);
            other.await(other.cache().load(request, 0, true, () -> true).orElseThrow());

            Answer restored = other.run(next, SCOPE);

            assertEquals(length, restored.use().tokens());
            TrailingFeatures read = other.cache().features(restored.sequence()).orElseThrow();
            assertEquals(0, read.begin());
            assertEquals(next.length, read.end());
            for (int layer = 0; layer < 2; layer++) {
                assertArrayEquals(
                        computed.read(0, next.length).orElseThrow().get(layer),
                        read.read(0, next.length).orElseThrow().get(layer),
                        "layer " + layer);
            }
        }
    }

    @Test
    void unneededHiddenStatesStayOnDisk() throws IOException {
        int[] next = join(PROMPT, text(6, 300));
        leave(Below.DISK, Kind.of(false).withFeatures(), PROMPT);
        try (CacheRig rig = open(Below.DISK, Kind.of(false).withFeatures())) {
            rig.await(rig.cache().load(request(next, SCOPE), 0, false, () -> true).orElseThrow());

            Answer answer = rig.run(PROMPT, SCOPE);

            assertTrue(answer.use().tokens() > 0);
            TrailingFeatures read = rig.cache().features(answer.sequence()).orElseThrow();
            assertEquals(answer.use().tokens(), read.begin());
        }
    }

    /** The rows are there, and their states had to go. */
    @Test
    void onlyHiddenStatesAreReadWhenRowsAreInHostMemory() throws IOException {
        int[] next = join(PROMPT, text(6, 300));
        leave(Below.DISK, Kind.of(false).withFeatures(), PROMPT);
        try (CacheRig rig = open(Below.DISK, Kind.of(false).withFeatures())) {
            PrefixQuery request = request(next, SCOPE);
            rig.await(rig.cache().load(request, 0, false, () -> true).orElseThrow());

            rig.await(rig.cache().load(request, LENGTH, true, () -> true).orElseThrow());

            Answer answer = rig.run(next, SCOPE);
            assertEquals(LENGTH, answer.use().tokens());
            assertEquals(0, rig.cache().features(answer.sequence()).orElseThrow().begin());
            assertEquals(
                    Optional.empty(),
                    rig.cache().load(request, LENGTH, true, () -> true),
                    "they are there now");
        }
    }

    /** Its last token is computed in any case, and not alone if it belongs to a window. */
    @ParameterizedTest
    @CsvSource({
        "DISK, 513, 512",
        "DISK, 512, 256",
        "DISK, 257, 255",
        "SHARED, 513, 512",
        "SHARED, 512, 256",
        "SHARED, 300, 256"
    })
    void samePromptIsReadUpToItsLastToken(Below below, int length, int expected)
            throws IOException {
        int[] prompt = text(5, length);
        leave(below, Kind.of(false), prompt);
        try (CacheRig rig = open(below, Kind.of(false))) {
            Answer answer = answer(rig, below, prompt);

            assertEquals(expected, answer.use().tokens());
            assertArrayEquals(cold(false, prompt), answer.logits());
        }
    }

    @Test
    void anyEvictedPartOfASharedPromptKeepsTheResultCorrect() throws IOException {
        int[] next = join(PROMPT, text(6, 300));
        leave(Below.SHARED, Kind.of(false), PROMPT);
        Map<String, byte[]> all = Map.copyOf(values);
        float[] expected = cold(false, next);
        int[] tokens = new int[LENGTH + 1];
        for (String gone : all.keySet()) {
            values.clear();
            values.putAll(all);
            values.remove(gone);
            try (CacheRig rig = open(Below.SHARED, Kind.of(false))) {
                Answer answer = answer(rig, Below.SHARED, next);

                assertArrayEquals(expected, answer.logits(), gone);
                tokens[answer.use().tokens()]++;
            }
        }
        // Head or part of the first block, of the second one, and of what lies behind both; and
        // which positions lie behind the second one.
        assertEquals(2, tokens[0], "the first block");
        assertEquals(2, tokens[BLOCK], "the second block");
        assertTrue(tokens[2 * BLOCK] >= 2, "the checkpoint");
    }

    @Test
    void diskReadCountsAsAUse() throws IOException {
        int[] next = join(PROMPT, text(6, 300));
        leave(Below.DISK, Kind.of(false), PROMPT);
        try (CacheRig rig = open(Below.DISK, Kind.of(false))) {
            assertFalse(rig.cache().hasEndedLoad());
            answer(rig, Below.DISK, next);
            assertFalse(rig.cache().hasEndedLoad(), "it was taken in");
        }
        assertEquals(
                1,
                new ArchiveInspector(folder, InstantSource.system())
                        .namespaces()
                        .getFirst()
                        .uses());
    }

    @Test
    void statesAreReadOnlyForTheKnownPosition() throws IOException {
        int[] next = join(PROMPT, text(6, 300));
        leave(Below.DISK, Kind.of(false).withFeatures(), PROMPT);
        try (CacheRig rig = open(Below.DISK, Kind.of(false).withFeatures())) {
            PrefixQuery request = request(next, SCOPE);
            rig.await(rig.cache().load(request, 0, false, () -> true).orElseThrow());

            assertEquals(Optional.empty(), rig.cache().load(request, LENGTH - 5, true, () -> true));
            assertEquals(Optional.empty(), rig.cache().load(request, LENGTH, false, () -> true));
        }
    }

    @ParameterizedTest
    @EnumSource
    void storedEntryMayLeaveHostMemory(Below below) throws IOException {
        try (CacheRig rig = open(below, Kind.of(true).withFeatures())) {
            rig.finish(PROMPT, 300);
            rig.pushOff();

            Await.until(
                    "nothing is kept for a writer",
                    () -> {
                        rig.cache().clearHost();
                        return rig.cache().status().host().usedBytes() == 0;
                    });
        }
        try (CacheRig rig = open(below, Kind.of(true))) {
            assertEquals(LENGTH, answer(rig, below, join(PROMPT, text(6, 300))).use().tokens());
        }
    }

    /** Their rows are in host memory, and needed with them. */
    @Test
    void entryIsPinnedWhileARequestWaitsForItsHiddenStates() throws IOException {
        int[] next = join(PROMPT, text(6, 300));
        leave(Below.DISK, Kind.of(true).withFeatures(), PROMPT);
        try (CacheRig rig = open(Below.DISK, Kind.of(true).withFeatures())) {
            boolean[] waits = {true};
            PrefixQuery request = request(next, SCOPE);
            rig.await(rig.cache().load(request, 0, false, () -> false).orElseThrow());
            PrefixPrefetch states =
                    rig.cache().load(request, LENGTH, true, () -> waits[0]).orElseThrow();
            rig.await(states);

            rig.cache().clearHost();
            assertEquals(LENGTH, rig.cache().find(request, true).length());
            waits[0] = false;
            rig.cache().clearHost();

            assertEquals(0, rig.cache().find(request, true).length());
            assertEquals(0, rig.cache().status().host().usedBytes());
        }
    }

    @Test
    void nothingIsPinnedWithoutStoredStates() throws IOException {
        int[] next = join(PROMPT, text(6, 300));
        leave(Below.DISK, Kind.of(true), PROMPT);
        try (CacheRig rig = open(Below.DISK, Kind.of(true).withFeatures())) {
            PrefixQuery request = request(next, SCOPE);
            rig.await(rig.cache().load(request, 0, true, () -> false).orElseThrow());

            assertEquals(Optional.empty(), rig.cache().load(request, LENGTH, true, () -> true));

            rig.cache().clearHost();
            assertEquals(0, rig.cache().status().host().usedBytes());
        }
    }
}
