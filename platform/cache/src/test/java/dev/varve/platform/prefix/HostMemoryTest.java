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

import dev.varve.api.VarveException;
import dev.varve.platform.prefix.CacheRig.Answer;
import dev.varve.platform.prefix.CacheRig.Kind;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.sequence.PrefixQuery;
import dev.varve.platform.shard.ShardLostException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Rows that the cache restores from host memory give the same numbers as computed rows. */
class HostMemoryTest {
    private static final int BLOCK = CachedBlock.TOKENS;
    private static final int LENGTH = 2 * BLOCK + 60;
    private static final int[] PROMPT = text(1, LENGTH);
    private static final CacheScope OTHER = new CacheScope("other");

    /** Bytes of the K and V rows of a token in three layers of heads of 4, F32. */
    private static final long TOKEN_BYTES = 3 * 2 * 4 * Float.BYTES;

    private static void assertAnswers(boolean forgets, int[] prompt, Answer answer) {
        assertArrayEquals(cold(forgets, prompt), answer.logits(), "computed another way");
    }

    private static void assertFrom(CacheSource source, int tokens, Answer answer) {
        assertEquals(Optional.of(source), answer.use().source(), () -> answer.use().toString());
        assertEquals(tokens, answer.use().tokens());
    }

    @ParameterizedTest
    @CsvSource({"false, 572", "false, 512", "false, 300", "false, 40", "true, 572", "true, 300"})
    void conversationResumesAtTheEndOfItsPrompt(boolean forgets, int length) {
        int[] prompt = text(7, length);
        int[] next = join(prompt, text(8, 30));
        try (CacheRig rig = new CacheRig(Kind.of(forgets))) {
            rig.finish(prompt);
            rig.pushOff();

            Answer answer = rig.finish(next);

            assertFrom(CacheSource.HOST, length, answer);
            assertAnswers(forgets, next, answer);
        }
    }

    /** Of whole blocks, of a part of one, and of what lies behind the last one. */
    @ParameterizedTest
    @ValueSource(ints = {20, 255, 256, 257, 400, 512, 540})
    void rowsAreReusedUpToTheDivergence(int shared) {
        int[] other = PROMPT.clone();
        other[shared] = (other[shared] + 1) % 61;
        try (CacheRig rig = new CacheRig(Kind.of(false))) {
            rig.finish(PROMPT);
            rig.pushOff();

            Answer answer = rig.finish(other);

            assertFrom(CacheSource.HOST, shared, answer);
            assertAnswers(false, other, answer);
        }
    }

    @Test
    void modelWithStateResumesFromItsCheckpoint() {
        int[] other = join(Arrays.copyOf(PROMPT, 420), text(9, 60));
        try (CacheRig rig = new CacheRig(Kind.of(true))) {
            rig.finish(PROMPT, 100, 300, 500);
            rig.pushOff();

            Answer answer = rig.finish(other);

            assertFrom(CacheSource.HOST, 300, answer);
            assertAnswers(true, other, answer);
        }
    }

    @Test
    void samePromptIsComputedFromItsLastToken() {
        try (CacheRig rig = new CacheRig(Kind.of(false))) {
            Answer first = rig.finish(PROMPT);
            rig.pushOff();

            Answer again = rig.finish(PROMPT);

            assertArrayEquals(first.logits(), again.logits());
            assertTrue(again.use().tokens() < LENGTH, () -> again.use().toString());
            assertTrue(again.use().tokens() >= 2 * BLOCK, () -> again.use().toString());
        }
    }

    @Test
    void deviceIsPreferredForEqualLengths() {
        int[] next = join(PROMPT, 5, 6);
        try (CacheRig rig = new CacheRig(Kind.of(false))) {
            rig.finish(PROMPT);

            PrefixCache.ResumePoint lookup = rig.cache().find(request(next, SCOPE), true);

            assertEquals(LENGTH, lookup.length());
            assertEquals(Optional.of(CacheSource.DEVICE), lookup.source());
            assertFrom(CacheSource.DEVICE, LENGTH, rig.finish(next));
        }
    }

    @Test
    void hostMemoryIsSkippedWhereItMayNotBeUsed() {
        try (CacheRig rig = new CacheRig(Kind.of(false))) {
            rig.finish(PROMPT);
            rig.pushOff();

            PrefixCache.ResumePoint lookup =
                    rig.cache().find(request(join(PROMPT, 5), SCOPE), false);

            assertEquals(0, lookup.length());
            assertEquals(Optional.empty(), lookup.source());
        }
    }

    @Test
    void scopesAreIsolated() {
        int[] next = join(PROMPT, 5, 6);
        try (CacheRig rig = new CacheRig(Kind.of(false))) {
            rig.finish(PROMPT);
            rig.pushOff();

            assertEquals(0, rig.finish(next, OTHER).use().tokens());
            assertEquals(LENGTH, rig.finish(next).use().tokens());
        }
    }

    @Test
    void uncachedRequestLeavesNothing() {
        try (CacheRig rig = new CacheRig(Kind.of(false))) {
            rig.finish(PROMPT, CacheScope.none());
            Answer again = rig.finish(PROMPT, CacheScope.none());

            assertEquals(Optional.of(MissReason.DISABLED), again.use().miss());
            assertEquals(0, rig.cache().status().host().usedBytes());
            assertEquals(0, rig.cache().commonPrefix(request(PROMPT, CacheScope.none())));
        }
    }

    @Test
    void missHasItsReason() {
        int[] known = text(3, 300);
        int[] parted = known.clone();
        parted[40]++;
        try (CacheRig rig = new CacheRig(Kind.of(true))) {
            rig.finish(known);
            rig.pushOff();

            assertEquals(Optional.of(MissReason.UNKNOWN), rig.finish(text(4, 300)).use().miss());
            assertEquals(
                    Optional.of(MissReason.BEFORE_CHECKPOINT), rig.finish(parted).use().miss());
            PrefixQuery failed = request(known, SCOPE);
            assertEquals(
                    Optional.of(MissReason.FAILED), rig.cache().started(failed, 0, true).miss());
            assertEquals(
                    Map.of(
                            MissReason.UNKNOWN, 2L,
                            MissReason.BEFORE_CHECKPOINT, 1L,
                            MissReason.FAILED, 1L),
                    rig.cache().status().counts().misses());
        }
    }

    /** Room for one prompt: each one that comes pushes off the one before. */
    @Test
    void lowestScoreIsEvictedWhenMemoryIsShort() {
        try (CacheRig rig = new CacheRig(Kind.of(false).host(96 << 10))) {
            for (int seed = 1; seed <= 4; seed++) {
                rig.finish(text(seed, LENGTH));
                rig.pushOff();
            }

            Answer lost = rig.finish(join(text(1, LENGTH), 5));
            Answer kept = rig.finish(join(text(4, LENGTH), 5));

            assertEquals(Optional.of(MissReason.EVICTED), lost.use().miss());
            assertAnswers(false, join(text(1, LENGTH), 5), lost);
            assertAnswers(false, join(text(4, LENGTH), 5), kept);
            PrefixCacheStatus status = rig.cache().status();
            assertTrue(status.counts().evictions() >= 3, status::toString);
            assertTrue(status.host().usedBytes() <= status.host().limitBytes(), status::toString);
        }
    }

    @Test
    void hitsAndCopiesAreCounted() {
        int[] next = join(PROMPT, 5, 6);
        try (CacheRig rig = new CacheRig(Kind.of(false))) {
            rig.finish(PROMPT);
            rig.finish(next);
            rig.pushOff();
            // Two tokens more than the first prompt are not worth a copy.
            Answer answer = rig.finish(join(next, 7));

            PrefixCacheStatus.Counts counts = rig.cache().status().counts();

            assertEquals(Map.of(CacheSource.DEVICE, 1L, CacheSource.HOST, 1L), counts.hits());
            assertEquals(
                    Map.of(
                            CacheSource.DEVICE, (long) LENGTH,
                            CacheSource.HOST, (long) LENGTH),
                    counts.savedTokens());
            assertEquals(1, counts.moved().restoreCount());
            assertEquals(LENGTH * TOKEN_BYTES, counts.moved().restoredBytes());
            assertEquals(counts.moved().restoredBytes(), answer.use().restored().bytes());
            assertEquals(LENGTH * TOKEN_BYTES, counts.moved().exportedBytes());
            assertEquals(
                    answer.use().restored().millis() / 1000, counts.moved().restoreSeconds(), 1e-9);
        }
    }

    @Test
    void entriesListRestorablePrefixes() {
        try (CacheRig rig = new CacheRig(Kind.of(false))) {
            rig.finish(PROMPT);
            rig.finish(text(2, 300), OTHER);

            List<CachedPrefixInfo> entries = rig.cache().entries();

            assertEquals(
                    List.of(300, LENGTH), entries.stream().map(CachedPrefixInfo::tokens).toList());
            assertEquals(
                    List.of(OTHER, SCOPE), entries.stream().map(CachedPrefixInfo::scope).toList());
            assertEquals(2, rig.cache().status().host().entries());
            assertEquals(LENGTH + 300, rig.cache().status().host().keptTokens());
        }
    }

    @Test
    void commonPrefixOfAScopeIsMeasured() {
        int[] parted = PROMPT.clone();
        parted[400]++;
        try (CacheRig rig = new CacheRig(Kind.of(true))) {
            rig.finish(PROMPT);

            assertEquals(400, rig.cache().commonPrefix(request(parted, SCOPE)));
            assertEquals(0, rig.cache().commonPrefix(request(parted, OTHER)));
        }
    }

    @Test
    void failedCopyIsAMissAndHoldsNothing() {
        int[] next = join(PROMPT, 5, 6);
        try (CacheRig rig = new CacheRig(Kind.of(false))) {
            rig.finish(PROMPT);
            rig.pushOff();
            PrefixCache.SequenceAllocation begun = rig.begin(request(next, SCOPE)).orElseThrow();
            rig.mover().fail(new VarveException(VarveException.Kind.BACKEND_FAILED, "broken"));

            rig.move();

            SnapshotImport snapshotImport = begun.snapshotImport().orElseThrow();
            assertTrue(snapshotImport.hasFailed());
            assertFalse(snapshotImport.isComplete());
            assertEquals(Optional.empty(), snapshotImport.lost());
            assertTrue(rig.cache().isIdle(), "it is given up");
            rig.cache().drop(begun.sequence());
            rig.mover().recover();
            Answer answer = rig.finish(next);
            assertFrom(CacheSource.HOST, LENGTH, answer);
            assertAnswers(false, next, answer);
            rig.cache().clear();
            assertEquals(0, rig.cache().status().host().usedBytes(), "nothing is pinned");
        }
    }

    @Test
    void shardLossFailsTheImport() {
        try (CacheRig rig = new CacheRig(Kind.of(false))) {
            rig.finish(PROMPT);
            rig.pushOff();
            PrefixCache.SequenceAllocation begun =
                    rig.begin(request(join(PROMPT, 5), SCOPE)).orElseThrow();
            ShardLostException loss = new ShardLostException("gone", new RuntimeException());
            rig.mover().fail(loss);

            rig.move();

            assertEquals(Optional.of(loss), begun.snapshotImport().orElseThrow().lost());
        }
    }

    @Test
    void nothingIsComputedBehindAPendingCopy() {
        try (CacheRig rig = new CacheRig(Kind.of(false))) {
            rig.finish(PROMPT);
            rig.pushOff();
            rig.mover().hold();
            PrefixCache.SequenceAllocation begun =
                    rig.begin(request(join(PROMPT, 5), SCOPE)).orElseThrow();

            rig.move();

            SnapshotImport snapshotImport = begun.snapshotImport().orElseThrow();
            assertFalse(snapshotImport.isComplete());
            assertFalse(snapshotImport.hasFailed());
            assertFalse(rig.cache().isIdle());
            rig.mover().letGo();
            rig.cache().await();
            assertTrue(snapshotImport.isComplete());
            rig.move();
            assertTrue(rig.cache().isIdle());
        }
    }

    @Test
    void cancelledImportReleasesItsBlocks() {
        try (CacheRig rig = new CacheRig(Kind.of(false))) {
            rig.finish(PROMPT);
            rig.pushOff();
            PrefixCache.SequenceAllocation begun =
                    rig.begin(request(join(PROMPT, 5), SCOPE)).orElseThrow();
            rig.cache().clear();
            assertTrue(rig.cache().status().host().usedBytes() > 0, "it is needed");

            rig.cache().drop(begun.sequence());
            rig.move();

            assertTrue(begun.snapshotImport().orElseThrow().isGivenUp());
            rig.cache().clear();
            assertEquals(0, rig.cache().status().host().usedBytes());
            assertEquals(0, rig.cache().devices().slotUse().running());
        }
    }

    @Test
    void hostMemorySurvivesTheLossOfTheDevices() {
        int[] next = join(PROMPT, 5, 6);
        try (CacheRig rig = new CacheRig(Kind.of(true))) {
            rig.finish(PROMPT);
            rig.pushOff();
            rig.begin(request(next, SCOPE)).orElseThrow();
            rig.run(text(5, 300), SCOPE);

            rig.cache().clearDevices();

            assertTrue(rig.cache().isIdle());
            Answer answer = rig.finish(next);
            assertFrom(CacheSource.HOST, LENGTH, answer);
            assertAnswers(true, next, answer);
            rig.cache().clear();
            assertEquals(0, rig.cache().status().host().usedBytes());
        }
    }

    @Test
    void preemptedSequenceResumesFromHostMemory() {
        int[] next = join(PROMPT, 5, 6);
        try (CacheRig rig = new CacheRig(Kind.of(true))) {
            Answer running = rig.run(PROMPT, SCOPE);

            rig.cache().preempt(running.sequence());
            rig.settle();

            assertEquals(0, rig.cache().devices().find(request(next, SCOPE)), "it left the device");
            Answer answer = rig.finish(next);
            assertFrom(CacheSource.HOST, LENGTH, answer);
            assertAnswers(true, next, answer);
        }
    }

    @Test
    void sequenceOfUnknownContentLeavesNothing() {
        try (CacheRig rig = new CacheRig(Kind.of(true))) {
            Answer running = rig.run(PROMPT, SCOPE, 300);

            rig.cache().drop(running.sequence());
            rig.settle();

            assertEquals(List.of(), rig.cache().entries());
            assertEquals(0, rig.finish(PROMPT).use().tokens());
        }
    }

    @Test
    void passedCheckpointIsAwaitedUntilItsCopyCompletes() {
        try (CacheRig rig = new CacheRig(Kind.of(true))) {
            Answer running = rig.run(PROMPT, SCOPE, 300);

            assertTrue(rig.cache().awaits(running.sequence(), 300));
            assertTrue(rig.cache().awaits(running.sequence(), LENGTH + 1), "not computed yet");
            assertFalse(rig.cache().awaits(running.sequence(), 301));
            rig.settle();
            assertFalse(rig.cache().awaits(running.sequence(), 300));
            assertEquals(
                    List.of(300),
                    rig.cache().entries().stream().map(CachedPrefixInfo::tokens).toList());
        }
    }

    @Test
    void clearedPrefixIsFreedAndNotFound() {
        try (CacheRig rig = new CacheRig(Kind.of(false))) {
            rig.finish(PROMPT);

            assertTrue(rig.cache().clear().isDone());

            assertEquals(0, rig.cache().status().host().usedBytes());
            assertEquals(0, rig.cache().devices().slotUse().resident());
            assertEquals(Optional.of(MissReason.UNKNOWN), rig.finish(PROMPT).use().miss());
        }
    }

    @Test
    void withoutHostMemoryOnlyDevicesAreUsed() {
        int[] next = join(PROMPT, 5, 6);
        try (CacheRig rig = new CacheRig(Kind.of(false).host(0))) {
            rig.finish(PROMPT);

            assertFalse(rig.cache().hasHost());
            assertFalse(rig.cache().hasBelow());
            assertFalse(rig.cache().hasEndedLoad());
            assertTrue(rig.cache().isIdle());
            assertEquals(Optional.empty(), rig.cache().disk());
            assertEquals(Optional.empty(), rig.cache().shared());
            assertEquals(List.of(), rig.cache().entries());
            assertFrom(CacheSource.DEVICE, LENGTH, rig.finish(next));
            assertEquals(1, rig.cache().status().counts().hits().get(CacheSource.DEVICE));
            rig.pushOff();
            assertEquals(0, rig.finish(next).use().tokens());
            rig.cache().clearDevices();
            assertEquals(0, rig.finish(next).use().tokens());
        }
    }

    @Test
    void exportDoesNotStartWithoutRoom() {
        try (CacheRig rig = new CacheRig(Kind.of(false).parallel(1))) {
            rig.finish(PROMPT);
            rig.pushOff();
            rig.run(text(2, 1000), SCOPE);

            assertEquals(Optional.empty(), rig.begin(request(join(PROMPT, 5), SCOPE)));

            rig.cache().clear();
            assertEquals(0, rig.cache().status().host().usedBytes(), "nothing stays pinned");
        }
    }

    @Test
    void exportsBeyondTheLimitWait() {
        try (CacheRig rig = new CacheRig(Kind.of(false))) {
            rig.run(PROMPT, SCOPE);
            rig.cache().retain(rig.run(text(2, LENGTH), SCOPE).sequence());
            rig.mover().hold();

            rig.cache().move(1_000_000_000, 1);
            long first = rig.cache().status().counts().moved().exportedBytes();
            rig.cache().move(1_000_000_000, 1);

            assertTrue(first > 0);
            assertEquals(first, rig.cache().status().counts().moved().exportedBytes());
            rig.mover().letGo();
            rig.settle();
            assertEquals(
                    LENGTH * TOKEN_BYTES, rig.cache().status().counts().moved().exportedBytes());
        }
    }

    @Test
    void checkpointBehindFewTokensIsNotKept() {
        try (CacheRig rig = new CacheRig(Kind.of(true))) {
            rig.finish(text(2, 7));
            assertEquals(List.of(), rig.cache().entries());
            rig.finish(text(3, 8));
            assertEquals(List.of(8), tokens(rig));
        }
    }

    /** Eight tokens more are worth a position of their own. */
    @ParameterizedTest
    @CsvSource({"7, 1", "8, 2"})
    void checkpointCloseBehindAnotherIsNotKept(int more, int expected) {
        try (CacheRig rig = new CacheRig(Kind.of(true))) {
            rig.finish(PROMPT);
            rig.finish(join(PROMPT, text(2, more)));

            assertEquals(expected, rig.cache().entries().size());
        }
    }

    /** Another prompt of as many tokens behind the same block is worth one. */
    @Test
    void checkpointsOfDivergingPromptsAreAllKept() {
        int[] other = PROMPT.clone();
        other[LENGTH - 1] = (other[LENGTH - 1] + 1) % 61;
        try (CacheRig rig = new CacheRig(Kind.of(true))) {
            rig.finish(PROMPT);
            rig.finish(other);

            assertEquals(List.of(LENGTH, LENGTH), tokens(rig));
            assertEquals(
                    2 * LENGTH - 2 * BLOCK,
                    rig.cache().status().host().keptTokens(),
                    "blocks are shared");
        }
    }

    private static List<Integer> tokens(CacheRig rig) {
        return rig.cache().entries().stream().map(CachedPrefixInfo::tokens).toList();
    }

    @Test
    void promptThatDoesNotFitIsNotCopied() {
        try (CacheRig rig = new CacheRig(Kind.of(false).host(LENGTH * TOKEN_BYTES - 1))) {
            rig.finish(PROMPT);

            assertEquals(0, rig.cache().status().counts().moved().exportedBytes());
            assertEquals(0, rig.cache().status().host().usedBytes());
            assertTrue(rig.cache().isIdle());
        }
    }

    /** Rows of states are few: each that is held is given back once its copy is there. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void stateRowsAreReleased(boolean stops) {
        try (CacheRig rig = new CacheRig(Kind.of(true).parallel(1))) {
            for (int seed = 1; seed <= 12; seed++) {
                int[] prompt = text(seed, 300);
                Answer answer = stops ? rig.run(prompt, SCOPE, 100, 200) : rig.run(prompt, SCOPE);
                if (seed % 3 == 0) {
                    rig.cache().drop(answer.sequence());
                } else {
                    rig.cache().retain(answer.sequence());
                }
                assertAnswers(true, prompt, answer);
            }
            rig.pushOff();
            assertTrue(tokens(rig).contains(300), () -> tokens(rig).toString());
            rig.cache().clearDevices();
            int[] next = join(text(11, 300), 5);
            assertAnswers(true, next, rig.finish(next));
        }
    }

    /** The sequence is computed on in its place while its beginning is still to be copied. */
    @Test
    void sequenceContinuedInPlaceIsExportedAsItWas() {
        int[] parted = PROMPT.clone();
        parted[400] = (parted[400] + 1) % 61;
        try (CacheRig rig = new CacheRig(Kind.of(false).parallel(1))) {
            rig.cache().retain(rig.run(PROMPT, SCOPE).sequence());

            // Nothing has been copied yet, and rows behind the shared tokens are overwritten.
            rig.cache().retain(rig.run(parted, SCOPE).sequence());
            rig.pushOff();

            int[] next = join(PROMPT, 5);
            Answer answer = rig.finish(next);
            assertFrom(CacheSource.HOST, LENGTH, answer);
            assertAnswers(false, next, answer);
            int[] other = join(parted, 5);
            Answer behind = rig.finish(other);
            assertEquals(LENGTH, behind.use().tokens());
            assertAnswers(false, other, behind);
        }
    }

    @Test
    void failedExportIsCountedAndHoldsNothing() {
        try (CacheRig rig = new CacheRig(Kind.of(true))) {
            Answer answer = rig.run(PROMPT, SCOPE, 300);
            rig.mover().fail(new VarveException(VarveException.Kind.BACKEND_FAILED, "broken"));

            rig.cache().retain(answer.sequence());
            rig.settle();

            assertEquals(List.of(), rig.cache().entries());
            assertEquals(0, rig.cache().status().host().usedBytes());
            rig.mover().recover();
            rig.finish(text(2, 300));
            assertEquals(List.of(300), tokens(rig));
        }
    }

    @Test
    void abandonedExportHoldsNothing() {
        try (CacheRig rig = new CacheRig(Kind.of(true))) {
            Answer answer = rig.run(PROMPT, SCOPE, 300);
            rig.mover().hold();
            rig.cache().retain(answer.sequence());
            rig.cache().move(1_000_000_000, 1);
            rig.mover().letGo();

            rig.cache().clearDevices();

            assertTrue(rig.cache().isIdle());
            assertEquals(List.of(), rig.cache().entries());
            assertEquals(0, rig.cache().status().host().usedBytes());
            assertAnswers(true, PROMPT, rig.finish(PROMPT));
        }
    }

    @Test
    void waitEndsWhenACopyCompletes() {
        try (CacheRig rig = new CacheRig(Kind.of(false))) {
            rig.finish(PROMPT);
            rig.pushOff();
            rig.mover().hold();
            PrefixCache.SequenceAllocation begun =
                    rig.begin(request(join(PROMPT, 5), SCOPE)).orElseThrow();
            rig.move();
            Thread.startVirtualThread(rig.mover()::letGo);

            rig.cache().await();

            assertTrue(begun.snapshotImport().orElseThrow().isComplete());
        }
    }

    /** Another prompt is computed where the sequence lay. */
    @Test
    void preemptedSequenceIsExportedBeforeItsSlotsAreReused() {
        int[] next = join(PROMPT, 5, 6);
        try (CacheRig rig = new CacheRig(Kind.of(true).parallel(1))) {
            rig.cache().preempt(rig.run(PROMPT, SCOPE).sequence());

            rig.cache().drop(rig.run(text(2, 900), SCOPE).sequence());
            rig.settle();

            Answer answer = rig.finish(next);
            assertFrom(CacheSource.HOST, LENGTH, answer);
            assertAnswers(true, next, answer);
        }
    }

    @Test
    void pendingExportIsClearedToo() {
        try (CacheRig rig = new CacheRig(Kind.of(true))) {
            rig.cache().retain(rig.run(PROMPT, SCOPE, 300).sequence());

            rig.cache().clear();

            assertTrue(rig.cache().isIdle());
            rig.settle();
            assertEquals(List.of(), rig.cache().entries());
            assertEquals(0, rig.cache().status().host().usedBytes());
        }
    }
}
