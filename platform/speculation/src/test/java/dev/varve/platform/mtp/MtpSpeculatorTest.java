package dev.varve.platform.mtp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.SpeculationTarget.Limits;
import dev.varve.platform.draft.DflashSpeculator.WeightResidency;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Draft tokens depend on all tokens and states since the last gap; the blocks hash their rows. */
class MtpSpeculatorTest {
    private static final int CONTEXT = 700;
    private static final int MOST = 4;
    private static final Limits LIMITS = new Limits(CONTEXT, 3, MOST);

    @TempDir static Path folder;

    private static MtpFile dense;
    private static MtpFile assistant;

    @BeforeAll
    static void readFiles() throws IOException {
        dense = SmallBlocks.DENSE.block(folder);
        assistant = SmallBlocks.assistant(folder);
    }

    static Stream<MtpFile> files() {
        return Stream.of(dense, assistant);
    }

    /** A speculator over shards that were loaded for it. */
    private static final class Rig {
        private final List<ColumnShard> loaded = new ArrayList<>();
        private final MtpSpeculator speculator;

        Rig(MtpFile file, Limits limits, WeightResidency residency) {
            speculator =
                    MtpSpeculator.open(
                            file,
                            limits,
                            residency,
                            () -> {
                                loaded.add(new ColumnShard(file));
                                return new MtpModel(file, loaded.getLast(), limits);
                            });
        }

        Rig(MtpFile file) {
            this(file, LIMITS, WeightResidency.PERSISTENT);
        }

        List<Batch> batches() {
            return loaded.getLast().batches;
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void draftTokensFollowFromEachTokenAndTheStatesBeforeIt(MtpFile file) {
        Rig rig = new Rig(file);
        MtpText text = new MtpText(file, 1, 40);

        text.show(rig.speculator, 0, 20);

        assertArrayEquals(text.expected(0, 20, MOST), text.guess(rig.speculator, 20, MOST));
    }

    @ParameterizedTest
    @MethodSource("files")
    void arrivalOfStatesMakesNoDifference(MtpFile file) {
        Rig rig = new Rig(file);
        MtpText text = new MtpText(file, 1, 400);

        int known = 0;
        // Some wait, some are computed at once, and some are more than are computed together.
        for (int count : new int[] {1, 15, 1, 16, 17, 2, 300, 1}) {
            text.show(rig.speculator, known, known + count);
            known += count;
            assertArrayEquals(
                    text.expected(0, known, MOST),
                    text.guess(rig.speculator, known, MOST),
                    "after " + known);
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void draftDoesNotChangeTheNextOne(MtpFile file) {
        Rig rig = new Rig(file);
        MtpText text = new MtpText(file, 1, 60);
        text.show(rig.speculator, 0, 30);

        for (int known = 30; known < 40; known++) {
            int[] once = text.guess(rig.speculator, known, 1 + known % MOST);
            int[] again = text.guess(rig.speculator, known, MOST);
            text.show(rig.speculator, known, known + 1);

            assertArrayEquals(text.expected(0, known, 1 + known % MOST), once, "at " + known);
            assertArrayEquals(text.expected(0, known, MOST), again, "again at " + known);
        }
    }

    @ParameterizedTest
    @MethodSource("files")
    void sequencesAreIndependent(MtpFile file) {
        Rig rig = new Rig(file);
        List<MtpText> texts =
                Stream.of(5L, 6L, 7L).map(number -> new MtpText(file, number, 90)).toList();
        int[] known = {17, 40, 60};
        for (int i = 0; i < 3; i++) {
            texts.get(i).show(rig.speculator, 0, known[i]);
        }

        List<DraftRequest> requests =
                IntStream.range(0, 3).mapToObj(i -> texts.get(i).request(known[i], i + 1)).toList();
        List<Draft> drafts = rig.speculator.propose(requests);

        for (int i = 0; i < 3; i++) {
            assertArrayEquals(
                    texts.get(i).expected(0, known[i], i + 1), drafts.get(i).tokens(), "text " + i);
        }
        Batch first = rig.batches().get(rig.batches().size() - 3);
        assertEquals(3, first.chunks().size(), "all are guessed together");
        assertEquals(3, first.chunks().stream().map(SequenceChunk::slots).distinct().count());
        assertEquals(3, first.chunks().stream().map(SequenceChunk::writeRow).distinct().count());
        assertEquals(1, rig.batches().getLast().chunks().size(), "the longest goes on alone");
    }

    @ParameterizedTest
    @MethodSource("files")
    void afterAGapDraftsUseTheLaterStates(MtpFile file) {
        Rig rig = new Rig(file);
        MtpText text = new MtpText(file, 1, 200);
        text.show(rig.speculator, 0, 30);

        text.show(rig.speculator, 50, 90);

        assertArrayEquals(text.expected(50, 90, MOST), text.guess(rig.speculator, 90, MOST));
    }

    @ParameterizedTest
    @ValueSource(ints = {15, 16, 17})
    void afterAGapDraftingNeedsEnoughPositions(int count) {
        Rig rig = new Rig(dense);
        MtpText text = new MtpText(dense, 1, 200);

        text.show(rig.speculator, 50, 50 + count);

        // The row of the first position lacks the state before it.
        boolean enough = count - 1 >= 16;
        int[] expected = enough ? text.expected(50, 50 + count, 2) : new int[0];
        assertArrayEquals(expected, text.guess(rig.speculator, 50 + count, 2));
    }

    @Test
    void afterAGapAssistantDraftingNeedsEnoughPositions() {
        Rig rig = new Rig(assistant);
        MtpText text = new MtpText(assistant, 1, 200);

        text.show(rig.speculator, 50, 65);
        assertEquals(0, text.guess(rig.speculator, 65, 2).length);
        text.show(rig.speculator, 65, 66);
        assertArrayEquals(text.expected(50, 66, 2), text.guess(rig.speculator, 66, 2));
    }

    @Test
    void shortTextIsDraftedFromItsStart() {
        Rig rig = new Rig(dense);
        MtpText text = new MtpText(dense, 1, 10);
        text.show(rig.speculator, 0, 1);

        assertArrayEquals(text.expected(0, 1, MOST), text.guess(rig.speculator, 1, MOST));
    }

    @Test
    void nothingIsDraftedWithoutTheLastStates() {
        Rig rig = new Rig(dense);
        MtpText text = new MtpText(dense, 1, 100);
        text.show(rig.speculator, 0, 30);

        assertSame(Draft.NONE, rig.speculator.propose(List.of(text.request(31, MOST))).getFirst());
        assertSame(Draft.NONE, rig.speculator.propose(List.of(text.request(29, MOST))).getFirst());
        DraftRequest unknown = new MtpText(dense, 2, 31).request(30, MOST);
        assertSame(Draft.NONE, rig.speculator.propose(List.of(unknown)).getFirst());
    }

    @Test
    void draftIsWithinTheLimits() {
        Rig rig = new Rig(dense);
        MtpText text = new MtpText(dense, 1, 100);
        text.show(rig.speculator, 0, 30);

        assertEquals(MOST, rig.speculator.mostTokens());
        assertEquals(MOST, text.guess(rig.speculator, 30, 50).length);
        assertEquals(dense.captures(), rig.speculator.captures());
    }

    @Test
    void invalidTokenEndsTheDraft() {
        Rig rig = new Rig(dense);
        MtpText text = new MtpText(dense, 1, 100);
        text.show(rig.speculator, 0, 30);
        rig.loaded.getLast().breakDown();

        assertSame(Draft.NONE, rig.speculator.propose(List.of(text.request(30, MOST))).getFirst());
    }

    @Test
    void manySequencesAreDraftedInGroups() {
        Limits limits = new Limits(64, 40, 2);
        Rig rig = new Rig(dense, limits, WeightResidency.PERSISTENT);
        List<MtpText> texts =
                IntStream.range(0, 35).mapToObj(i -> new MtpText(dense, i, 40)).toList();
        texts.forEach(text -> text.show(rig.speculator, 0, 8 + (int) text.sequence() % 8));
        List<DraftRequest> requests = new ArrayList<>();
        for (MtpText text : texts) {
            int known = 8 + (int) text.sequence() % 8;
            requests.add(text.request(text.sequence() % 7 == 3 ? known + 1 : known, 2));
        }

        List<Draft> drafts = rig.speculator.propose(requests);

        for (int i = 0; i < texts.size(); i++) {
            int[] expected = i % 7 == 3 ? new int[0] : texts.get(i).expected(0, 8 + i % 8, 2);
            assertArrayEquals(expected, drafts.get(i).tokens(), "text " + i);
        }
        List<Integer> groups = rig.batches().stream().map(batch -> batch.chunks().size()).toList();
        assertEquals(List.of(16, 16, 14, 14), groups);
    }

    @Test
    void fewRowsWaitForTheNextDraftAndManyAreComputedAtOnce() {
        Rig rig = new Rig(dense);
        MtpText text = new MtpText(dense, 1, 700);

        text.show(rig.speculator, 0, 16);
        assertEquals(0, rig.batches().size(), "16 rows wait");
        text.show(rig.speculator, 16, 17);
        assertEquals(1, rig.batches().size(), "17 rows do not");
        text.show(rig.speculator, 17, 17 + 256 + 20);
        List<Integer> tokens = rig.batches().stream().map(Batch::tokens).toList();
        assertEquals(List.of(17, 256, 20), tokens);
        for (Batch batch : rig.batches()) {
            assertEquals(Phase.PREFILL, batch.phase());
            assertEquals(RequestedOutput.NONE, batch.chunks().getFirst().outputs());
        }
        text.guess(rig.speculator, 293, 1);
        assertEquals(1, rig.batches().getLast().tokens(), "no row is computed twice");
        assertEquals(Phase.DECODE, rig.batches().getLast().phase());
    }

    @ParameterizedTest
    @MethodSource("files")
    void fullRegionRestarts(MtpFile file) {
        Limits limits = new Limits(100, 1, MOST);
        Rig rig = new Rig(file, limits, WeightResidency.PERSISTENT);
        MtpText text = new MtpText(file, 1, 600);
        // A region of 256 rows: positions are more than the limits say, as after a shift.
        text.show(rig.speculator, 0, 240);
        assertArrayEquals(text.expected(0, 240, MOST), text.guess(rig.speculator, 240, MOST));

        text.show(rig.speculator, 240, 280);

        assertArrayEquals(text.expected(240, 280, MOST), text.guess(rig.speculator, 280, MOST));
    }

    @Test
    void regionIsUsedToItsLastRow() {
        Limits limits = new Limits(252, 1, MOST);
        Rig rig = new Rig(dense, limits, WeightResidency.PERSISTENT);
        MtpText text = new MtpText(dense, 1, 600);

        text.show(rig.speculator, 0, 200);
        text.show(rig.speculator, 200, 252);

        assertArrayEquals(text.expected(0, 252, MOST), text.guess(rig.speculator, 252, MOST));
    }

    @Test
    void sequenceWithoutARegionGetsNoDraft() {
        Rig rig = new Rig(dense);
        List<MtpText> texts =
                IntStream.range(0, 4).mapToObj(i -> new MtpText(dense, i, 40)).toList();
        texts.forEach(text -> text.show(rig.speculator, 0, 20));

        assertEquals(0, texts.get(3).guess(rig.speculator, 20, 1).length);
        rig.speculator.forget(1);
        texts.get(3).show(rig.speculator, 0, 20);

        assertArrayEquals(
                texts.get(3).expected(0, 20, 2), texts.get(3).guess(rig.speculator, 20, 2));
        assertEquals(0, texts.get(1).guess(rig.speculator, 20, 1).length, "it is forgotten");
        assertArrayEquals(
                texts.get(2).expected(0, 20, 2), texts.get(2).guess(rig.speculator, 20, 2));
    }

    @Test
    void removingAnUnknownSequenceIsAllowed() {
        Rig rig = new Rig(dense);

        rig.speculator.forget(99);

        IntStream.range(0, 3)
                .mapToObj(i -> new MtpText(dense, i, 40))
                .forEach(text -> text.show(rig.speculator, 0, 20));
        assertEquals(0, new MtpText(dense, 4, 40).guess(rig.speculator, 20, 1).length);
    }

    @Test
    void persistentBlockStaysLoaded() {
        Rig rig = new Rig(dense);
        MtpText text = new MtpText(dense, 1, 40);
        text.show(rig.speculator, 0, 20);
        rig.speculator.forget(1);

        assertEquals(0, rig.loaded.getLast().timesClosed());
        assertEquals(1034, rig.speculator.bytes(), "what is mapped does not count");
        rig.speculator.close();
        rig.speculator.close();
        assertEquals(1, rig.loaded.getLast().timesClosed());
        assertEquals(1, rig.loaded.size());
        assertEquals(0, rig.speculator.bytes());
    }

    @Test
    void onDemandBlockIsLoadedWhileRequestsExist() {
        Rig rig = new Rig(dense, LIMITS, WeightResidency.REQUEST_SCOPED);
        assertEquals(1, rig.loaded.size(), "what does not fit is known at the start");
        assertEquals(1, rig.loaded.getFirst().timesClosed());
        assertEquals(0, rig.speculator.bytes());

        MtpText one = new MtpText(dense, 1, 40);
        MtpText two = new MtpText(dense, 2, 40);
        one.show(rig.speculator, 0, 20);
        two.show(rig.speculator, 0, 20);
        rig.speculator.forget(1);

        assertEquals(2, rig.loaded.size());
        assertEquals(0, rig.loaded.get(1).timesClosed(), "one sequence is left");
        assertArrayEquals(two.expected(0, 20, 2), two.guess(rig.speculator, 20, 2));
        rig.speculator.forget(2);
        assertEquals(1, rig.loaded.get(1).timesClosed());

        one.show(rig.speculator, 0, 20);
        assertArrayEquals(one.expected(0, 20, 2), one.guess(rig.speculator, 20, 2));
        assertNotEquals(0, rig.speculator.bytes());
    }

    @Test
    void cacheIsSizedForAllSequencesAndTheirDraftTokens() {
        long one = MtpSpeculator.cacheBytes(dense, new Limits(252, 1, 4));

        assertEquals(2 * one, MtpSpeculator.cacheBytes(dense, new Limits(252, 2, 4)));
        assertEquals(2 * one, MtpSpeculator.cacheBytes(dense, new Limits(253, 1, 4)));
        // K and V of 2 heads of 64, F16, of 256 positions.
        assertEquals(2 * 2 * 64 * 2 * 256, one);
        assertTrue(MtpSpeculator.cacheBytes(assistant, new Limits(252, 1, 4)) > 0);
    }
}
