package dev.varve.platform.draft;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.api.speculation.SpeculationTarget.Limits;
import dev.varve.api.speculation.TokenHistory;
import dev.varve.platform.draft.DflashSpeculator.DflashSettings;
import dev.varve.platform.draft.DflashSpeculator.WeightResidency;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.plugin.qwen35.Qwen35Family;
import dev.varve.testkit.DflashModel;
import dev.varve.testkit.DsparkModel;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Draft tokens depend on the context rows of a sequence; the draft model hashes these rows. */
class DflashSpeculatorTest {
    private static final Qwen35Model TARGET = Qwen35Model.tiny();
    private static final int WIDTH = TARGET.size().embedding();
    private static final int VOCABULARY = TARGET.size().vocabulary();
    private static final DflashModel TINY =
            DflashModel.tiny(new DflashModel.Target(WIDTH, VOCABULARY));
    private static final float[] SILENT = {};

    @TempDir static Path folder;

    private static GgufFile target;
    private static DraftFile plain;

    @BeforeAll
    static void writeFiles() throws IOException {
        target = GgufFile.open(TARGET.write(folder));
        plain = read(TINY.write(folder));
    }

    private static DraftFile read(Path file) {
        return DraftFile.of(
                GgufFile.open(file),
                target,
                new Qwen35Family().open(target, ModelOptions.defaults()).shape());
    }

    /** A speculator over networks that were loaded for it. */
    private static final class Rig {
        private final List<HashingDraftModel> loaded = new ArrayList<>();
        private final DraftRegions regions;
        private final HashingDraftModel.Kind kind;
        private final DflashSpeculator speculator;

        Rig(
                DraftFile file,
                int sequences,
                int capacity,
                float[] probabilities,
                WeightResidency residency) {
            int rows = file.tokens().map(tokens -> (int) tokens.ne(0)).orElse(VOCABULARY);
            regions = new DraftRegions(sequences, file.network().block().tokens(), capacity);
            kind = new HashingDraftModel.Kind(file.network().draftTokens(), rows, probabilities);
            speculator =
                    DflashSpeculator.open(
                            file,
                            regions,
                            residency,
                            ids -> {
                                loaded.add(new HashingDraftModel(regions, kind));
                                return loaded.getLast();
                            });
        }

        Rig(int sequences, int capacity) {
            this(plain, sequences, capacity, SILENT, WeightResidency.PERSISTENT);
        }

        HashingDraftModel network() {
            return loaded.getLast();
        }

        /** The draft tokens of the network behind a text of which it has some positions. */
        BlockDraftGraph.BlockDraft found(Text text, int begin, int known, boolean branches) {
            int from = Math.max(begin, known - regions.capacity());
            List<float[]> context = IntStream.range(from, known).mapToObj(text::allStates).toList();
            return HashingDraftModel.guess(kind, text.tokens[known], known, context, branches);
        }
    }

    /** A random text and its hidden states. */
    private static final class Text {
        private final long sequence;
        private final int[] tokens;
        private final float[][] states;

        Text(long sequence, int length) {
            this.sequence = sequence;
            Random random = new Random(sequence);
            tokens = random.ints(length, 0, VOCABULARY).toArray();
            states = new float[length][3 * WIDTH];
            for (float[] position : states) {
                for (int i = 0; i < position.length; i++) {
                    position[i] = random.nextFloat();
                }
            }
        }

        private float[] allStates(int position) {
            return states[position];
        }

        void show(Rig rig, int begin, int end) {
            List<HiddenStates.Layer> layers = new ArrayList<>();
            for (int layer = 0; layer < 3; layer++) {
                float[] values = new float[(layer + end - begin) * WIDTH];
                for (int i = begin; i < end; i++) {
                    System.arraycopy(
                            states[i], layer * WIDTH, values, (layer + i - begin) * WIDTH, WIDTH);
                }
                layers.add(new HiddenStates.Layer(plain.captures().get(layer), values, layer));
            }
            rig.speculator.observe(new HiddenStates(sequence, begin, end - begin, layers));
        }

        DraftRequest request(int known, int most, int branched) {
            TokenHistory history =
                    new TokenHistory() {
                        @Override
                        public int size() {
                            return known + 1;
                        }

                        @Override
                        public int get(int position) {
                            return tokens[position];
                        }
                    };
            return new DraftRequest(sequence, history, most, branched);
        }

        Draft guess(Rig rig, int known, int most) {
            return rig.speculator.propose(List.of(request(known, most, 0))).getFirst();
        }
    }

    @Test
    void draftTokensFollowFromTheLastTokenAndTheContext() {
        Rig rig = new Rig(2, 96);
        Text text = new Text(1, 60);

        text.show(rig, 0, 20);

        assertArrayEquals(rig.found(text, 0, 20, false).rows(), text.guess(rig, 20, 7).tokens());
        assertEquals(List.of(20), rig.network().takenIn);
    }

    @ParameterizedTest
    @ValueSource(ints = {20, 96, 300})
    void longTextIsLimitedToTheContext(int capacity) {
        Rig rig = new Rig(2, capacity);
        Text text = new Text(1, 900);
        int known = 0;
        for (int count : new int[] {1, 30, 31, 32, 33, 500, 2}) {
            text.show(rig, known, known + count);
            known += count;

            assertArrayEquals(
                    rig.found(text, 0, known, false).rows(),
                    text.guess(rig, known, 7).tokens(),
                    "after " + known);
        }
    }

    @Test
    void fewStatesWaitForADraftAndManyAreAddedAtOnce() {
        Rig rig = new Rig(2, 1000);
        Text text = new Text(1, 900);

        text.show(rig, 0, 31);
        assertEquals(List.of(), rig.network().takenIn);
        text.show(rig, 31, 32);
        assertEquals(List.of(32), rig.network().takenIn);
        text.show(rig, 32, 32 + 256 + 5);
        assertEquals(List.of(32, 256), rig.network().takenIn);
        text.guess(rig, 32 + 256 + 5, 1);
        assertEquals(List.of(32, 256, 5), rig.network().takenIn);
        text.guess(rig, 32 + 256 + 5, 1);
        assertEquals(List.of(32, 256, 5), rig.network().takenIn, "nothing waits");
    }

    @Test
    void unreadySequenceKeepsItsStatesPending() {
        Rig rig = new Rig(2, 96);
        Text text = new Text(1, 60);
        text.show(rig, 0, 20);

        assertSame(Draft.NONE, text.guess(rig, 21, 7));
        assertSame(Draft.NONE, text.guess(rig, 19, 7));
        assertSame(Draft.NONE, new Text(2, 60).guess(rig, 20, 7));
        assertEquals(List.of(), rig.network().takenIn);
        assertEquals(List.of(), rig.network().guessed);
    }

    @Test
    void afterAGapDraftingNeedsSixteenPositions() {
        Rig rig = new Rig(2, 96);
        Text text = new Text(1, 90);
        text.show(rig, 0, 20);

        text.show(rig, 30, 45);
        assertSame(Draft.NONE, text.guess(rig, 45, 7));
        text.show(rig, 45, 46);

        assertArrayEquals(rig.found(text, 30, 46, false).rows(), text.guess(rig, 46, 7).tokens());
        assertEquals(List.of(16), rig.network().takenIn, "what waited before the gap is dropped");
    }

    @Test
    void sequenceWithoutARegionGetsNoDraft() {
        Rig rig = new Rig(2, 96);
        List<Text> texts = IntStream.range(0, 3).mapToObj(i -> new Text(i, 60)).toList();
        texts.forEach(text -> text.show(rig, 0, 10));
        assertSame(Draft.NONE, texts.get(2).guess(rig, 10, 7));

        rig.speculator.forget(0);
        texts.get(2).show(rig, 0, 10);

        assertArrayEquals(
                rig.found(texts.get(2), 0, 10, false).rows(),
                texts.get(2).guess(rig, 10, 7).tokens());
        assertSame(Draft.NONE, texts.get(0).guess(rig, 10, 7));
        assertEquals(List.of(20), rig.network().takenIn, "what waited of the first is dropped");
    }

    @Test
    void manySequencesAreDraftedInGroupsInOrder() {
        Rig rig = new Rig(40, 64);
        List<Text> texts = IntStream.range(0, 35).mapToObj(i -> new Text(i, 30)).toList();
        texts.forEach(text -> text.show(rig, 0, 10 + (int) text.sequence % 5));
        List<DraftRequest> requests = new ArrayList<>();
        for (Text text : texts) {
            int known = 10 + (int) text.sequence % 5;
            requests.add(text.request(text.sequence % 9 == 4 ? known + 1 : known, 3, 0));
        }

        List<Draft> drafts = rig.speculator.propose(requests);

        for (int i = 0; i < 35; i++) {
            int[] expected =
                    i % 9 == 4
                            ? new int[0]
                            : Arrays.copyOf(
                                    rig.found(texts.get(i), 0, 10 + i % 5, false).rows(), 3);
            assertArrayEquals(expected, drafts.get(i).tokens(), "text " + i);
        }
        assertEquals(List.of(16, 15), rig.network().guessed.stream().map(List::size).toList());
        assertEquals(31, rig.network().guessed.stream().flatMap(List::stream).distinct().count());
    }

    @Test
    void improbableDraftTokensAreDroppedAndTheGradeIsTheConfidence() {
        float[] probabilities = {0.9f, 0.9f, 0.9f, 0.01f, 0.9f, 0.9f, 0.9f};
        Rig rig = new Rig(plain, 2, 96, probabilities, WeightResidency.PERSISTENT);
        Text text = new Text(1, 60);
        text.show(rig, 0, 20);

        Draft draft = text.guess(rig, 20, 7);

        assertArrayEquals(Arrays.copyOf(rig.found(text, 0, 20, false).rows(), 3), draft.tokens());
        assertEquals(DraftConfidence.of(probabilities, 7).grade(), draft.grade());
        assertEquals(2, text.guess(rig, 20, 2).tokens().length);
        assertEquals(DraftConfidence.of(probabilities, 2).grade(), text.guess(rig, 20, 2).grade());
    }

    @Test
    void treesAreProposedOnRequest() {
        Rig rig = new Rig(2, 96);
        Text text = new Text(1, 60);
        text.show(rig, 0, 20);
        BlockDraftGraph.BlockDraft found = rig.found(text, 0, 20, true);
        DraftTree tree =
                DraftTree.of(found.slots().orElseThrow(), Arrays.copyOf(found.rows(), 3), 3, 6);

        Draft draft = rig.speculator.propose(List.of(text.request(20, 3, 6))).getFirst();

        assertTrue(rig.speculator.branches());
        assertArrayEquals(tree.rows(), draft.tokens());
        assertArrayEquals(tree.parents(), draft.parents());
        // As many as one after the other: nothing to grow.
        Draft chain = rig.speculator.propose(List.of(text.request(20, 3, 3))).getFirst();
        assertArrayEquals(Arrays.copyOf(found.rows(), 3), chain.tokens());
        assertEquals(0, chain.parents().length);
        text.guess(rig, 20, 3);
        assertEquals(List.of(true, true, false), rig.network().branched);
    }

    @Test
    void rowsOfASmallerHeadMapToTargetTokens() throws IOException {
        DflashModel own = TINY.with(new DflashModel.Weights(TensorType.F32, 100, false, 3));
        DraftFile file = read(own.write(folder));
        int[] ids = DraftVocabulary.of(file).targets().orElseThrow();
        Rig rig = new Rig(file, 2, 96, SILENT, WeightResidency.PERSISTENT);
        Text text = new Text(1, 60);
        text.show(rig, 0, 20);

        int[] rows = rig.found(text, 0, 20, false).rows();

        assertEquals(100, ids.length);
        assertArrayEquals(
                Arrays.stream(rows).map(row -> ids[row]).toArray(),
                text.guess(rig, 20, 7).tokens());
    }

    @Test
    void dflashSuccessorProposesOneMoreToken() throws IOException {
        DraftFile spark = read(DsparkModel.of(TINY, true).write(folder));
        Rig rig = new Rig(spark, 2, 96, SILENT, WeightResidency.PERSISTENT);
        Text text = new Text(1, 60);
        text.show(rig, 0, 20);

        assertEquals(8, rig.speculator.mostTokens());
        assertEquals(8, text.guess(rig, 20, 50).tokens().length);
        assertEquals(spark.captures(), rig.speculator.captures());
    }

    @Test
    void persistentDraftStaysLoaded() {
        Rig rig = new Rig(2, 96);
        new Text(1, 60).show(rig, 0, 20);
        rig.speculator.forget(1);

        assertEquals(0, rig.network().timesClosed());
        assertEquals(77, rig.speculator.bytes());
        rig.speculator.close();
        rig.speculator.close();
        assertEquals(1, rig.network().timesClosed());
        assertEquals(1, rig.loaded.size());
        assertEquals(0, rig.speculator.bytes());
    }

    @Test
    void onDemandDraftIsLoadedWhileRequestsExist() {
        Rig rig = new Rig(plain, 2, 96, SILENT, WeightResidency.REQUEST_SCOPED);
        assertEquals(1, rig.network().timesClosed(), "loaded once to see that it fits");
        assertEquals(0, rig.speculator.bytes());
        List<Text> texts = Stream.of(1L, 2L).map(number -> new Text(number, 60)).toList();
        texts.forEach(text -> text.show(rig, 0, 20));

        rig.speculator.forget(1);
        assertEquals(0, rig.network().timesClosed(), "one sequence is left");
        rig.speculator.forget(2);
        assertEquals(1, rig.network().timesClosed());
        assertEquals(2, rig.loaded.size());

        texts.getFirst().show(rig, 0, 20);
        assertArrayEquals(
                rig.found(texts.getFirst(), 0, 20, false).rows(),
                texts.getFirst().guess(rig, 20, 7).tokens());
        assertEquals(List.of(20), rig.network().takenIn, "nothing waits from before");
    }

    @Test
    void cacheIsSizedForTheKeptContext() {
        Limits limits = new Limits(100, 3, 8);
        // K and V of 2 heads of 32, F16, in 3 layers.
        long row = 2 * 3 * 2 * 32 * 2;

        assertEquals((3 * 128 + 64) * row, DflashSpeculator.cacheBytes(plain, limits, 4096), "all");
        assertEquals((3 * 64 + 64) * row, DflashSpeculator.cacheBytes(plain, limits, 50), "some");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, DflashSpeculator.LARGEST_CONTEXT + 1})
    void emptyOrTooLongContextIsRefused(int context) {
        IllegalArgumentException thrown =
                assertThrows(
                        IllegalArgumentException.class,
                        () ->
                                new DflashSettings(
                                        WeightResidency.PERSISTENT, FlashAttention.AUTO, context));
        assertTrue(thrown.getMessage().contains(String.valueOf(context)), thrown.getMessage());
    }

    @Test
    void defaultContextIsThatOfTheTraining() {
        assertEquals(
                4096,
                new DflashSettings(WeightResidency.PERSISTENT, FlashAttention.AUTO).context());
        int most = DflashSpeculator.LARGEST_CONTEXT;
        assertEquals(
                most,
                new DflashSettings(WeightResidency.PERSISTENT, FlashAttention.ON, most).context());
        assertEquals(
                1, new DflashSettings(WeightResidency.PERSISTENT, FlashAttention.ON, 1).context());
    }
}
