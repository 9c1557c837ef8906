package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.api.speculation.SpeculationTarget;
import dev.varve.api.speculation.Speculator;
import dev.varve.platform.draft.DflashSpeculator;
import dev.varve.platform.draft.DflashSpeculator.DflashSettings;
import dev.varve.platform.draft.DflashSpeculator.WeightResidency;
import dev.varve.platform.draft.DraftFile;
import dev.varve.platform.engine.SpeculationOptions;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SpeculationRequirements;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.DflashModel;
import dev.varve.testkit.DflashModel.Form;
import dev.varve.testkit.DflashModel.Windows;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/** A draft model drafts the tokens that another evaluation of its network gives. */
@Timeout(300)
class DraftModelTest {
    private static final Qwen35Model TARGET = Qwen35Model.tiny();
    private static final int WIDTH = TARGET.size().embedding();
    private static final int VOCABULARY = TARGET.size().vocabulary();
    private static final int CONTEXT = 96;

    /** Logits of a random network lie several units apart; rows in half precision cost this. */
    private static final double CLOSE = 0.05;

    @TempDir static Path folder;

    private static final DflashModel TINY =
            DflashModel.tiny(new DflashModel.Target(WIDTH, VOCABULARY));

    private enum Case {
        PLAIN(TINY),
        REFERENCE(TINY.in(Form.REFERENCE)),
        WINDOW(TINY.with(new Windows(20, List.of(), false))),
        WINDOW_IN_SOME(TINY.with(new Windows(20, List.of(true, false, true), false))),
        CAUSAL(TINY.with(new Windows(20, List.of(true, true, false), true))),
        REFERENCE_WINDOW(
                TINY.with(new Windows(20, List.of(true, true, false), false)).in(Form.REFERENCE)),
        GATED(TINY.with(new DflashModel.Weights(TensorType.F32, 0, true, 2)).in(Form.REFERENCE)),
        OWN_HEAD(TINY.with(new DflashModel.Weights(TensorType.F32, 100, false, 3)));

        private final DflashModel model;

        Case(DflashModel model) {
            this.model = model;
        }
    }

    private record Opened(DflashSpeculator speculator, PlainDraft plain, DflashModel model)
            implements AutoCloseable {
        static Opened of(DflashModel model, WeightResidency residency) throws Exception {
            return of(model, Cpu.device(), new DflashSettings(residency, FlashAttention.AUTO));
        }

        static Opened of(DflashModel model, ComputeDevice device, DflashSettings settings)
                throws Exception {
            GgufFile target = GgufFile.open(TARGET.write(folder));
            GgufFile file = GgufFile.open(model.write(folder));
            DraftFile draft =
                    DraftFile.of(
                            file,
                            target,
                            Cpu.family(target).open(target, ModelOptions.defaults()).shape());
            return new Opened(
                    DflashSpeculator.open(
                            draft, new SpeculationTarget.Limits(CONTEXT, 3, 15), device, settings),
                    new PlainDraft(model, file, target),
                    model);
        }

        @Override
        public void close() {
            speculator.close();
        }
    }

    @ParameterizedTest
    @EnumSource(Case.class)
    @ByDay({1, 3, 5, 7})
    void draftTokensMatchTheReference(Case each) throws Exception {
        for (FlashAttention attention : List.of(FlashAttention.ON, FlashAttention.OFF)) {
            guessesLikePlainArithmetic(each.model, attention);
        }
    }

    private static void guessesLikePlainArithmetic(DflashModel model, FlashAttention attention)
            throws Exception {
        try (Opened opened =
                Opened.of(
                        model,
                        Cpu.device(),
                        new DflashSettings(WeightResidency.PERSISTENT, attention))) {
            guessesLikePlainArithmetic(opened);
        }
    }

    private static void guessesLikePlainArithmetic(Opened opened) {
        DraftText text = new DraftText(TARGET.size(), 7);
        // Through the first pass around the ring and beyond.
        for (int more : new int[] {17, 1, 1, 4, 30, 8, 30, 5, 20, 1}) {
            opened.speculator().observe(text.extend(more, opened.model().captures()));
            int most = opened.model().block().tokens() - 1;
            Draft draft = opened.speculator().propose(List.of(text.request(most))).getFirst();
            int end = text.features.size();
            int begin = Math.max(0, end - CONTEXT);
            double[][] logits =
                    opened.plain()
                            .logits(
                                    text.features.subList(begin, end).toArray(float[][]::new),
                                    begin,
                                    text.tokens.getLast());
            assertEquals(most, draft.tokens().length);
            for (int i = 0; i < most; i++) {
                double best = Arrays.stream(logits[i]).max().orElseThrow();
                int row = draft.tokens()[i];
                if (opened.model().weights().ownRows() > 0) {
                    assertEquals(1, row % 2, "the head has every second token");
                    row /= 2;
                }
                double deviation =
                        Math.sqrt(Arrays.stream(logits[i]).map(x -> x * x).average().orElse(0));
                assertTrue(deviation > 1, "logits are flat: " + deviation);
                assertEquals(best, logits[i][row], CLOSE, "guess " + i + " at position " + end);
            }
        }
    }

    /** They are normed behind the product, so their size alone changes nothing. */
    @Test
    void statesBeyondF16RangeGiveTheSameDraftTokens() throws Exception {
        DflashModel model = TINY.with(new DflashModel.Weights(TensorType.F16, 0, false, 1));
        try (Opened opened = Opened.of(model, WeightResidency.PERSISTENT)) {
            int most = model.block().tokens() - 1;
            DraftText usual = new DraftText(TARGET.size(), 1, 7, 1);
            DraftText giant = new DraftText(TARGET.size(), 2, 7, 1 << 20);
            for (int more : new int[] {17, 1, 6, 30}) {
                opened.speculator().observe(usual.extend(more, model.captures()));
                opened.speculator().observe(giant.extend(more, model.captures()));

                List<Draft> drafts =
                        opened.speculator()
                                .propose(List.of(usual.request(most), giant.request(most)));

                assertEquals(most, drafts.getFirst().tokens().length);
                assertArrayEquals(drafts.getFirst().tokens(), drafts.getLast().tokens());
            }
        }
    }

    /**
     * Mesa's software renderer goes wrong with products of 2 to 8 columns and writes to memory that
     * was freed, so blocks are longer and nothing is closed.
     */
    @Test
    @Tag("nightly")
    void anotherDeviceDraftsTheSameAndDoesNotChangeTheOutput() {
        // Skips where there is none.
        Vulkan.device();
        OwnProcess.call(DraftModelTest.class, "requireSameGuessesAndTokens", folder);
    }

    static void requireSameGuessesAndTokens(Path models) throws Exception {
        folder = models;
        Opened opened =
                Opened.of(
                        TINY.with(new DflashModel.Block(16, 3)),
                        Vulkan.device(),
                        new DflashSettings(WeightResidency.PERSISTENT, FlashAttention.AUTO));
        guessesLikePlainArithmetic(opened);
        opened.speculator().forget(7);

        Path file = TARGET.write(folder);
        int[] prompt = TARGET.randomTokens(40, 5);
        ModelSettings settings = Cpu.settings(CONTEXT, 3, Cpu.F16);
        settings = settings.with(settings.computation().with(BatchInvariance.ON));
        Answer plain = Answer.of(prompt, 30, SamplingOptions.greedy());
        try (LoadedModel model = Cpu.load(file, settings)) {
            Answer.submit(model.engine(), List.of(plain));
            plain.tokens();
        }
        Answer guessed = Answer.of(prompt, 30, SamplingOptions.greedy());
        try (LoadedModel model =
                Cpu.load(
                        file,
                        settings.with(new SpeculationRequirements(15, captures())),
                        new LoadedModel.EngineComponents(
                                Optional.empty(),
                                Optional.of(
                                        new SpeculationOptions(
                                                new Kept(opened.speculator()),
                                                15,
                                                OptionalInt.of(15)))))) {
            Answer.submit(model.engine(), List.of(guessed));
            guessed.tokens();
        }
        assertArrayEquals(plain.tokens(), guessed.tokens());
        assertTrue(guessed.end().speculation().drafted() > 100, guessed.end().toString());
    }

    /** One that the engine may close, and that stays. */
    private record Kept(Speculator speculator) implements Speculator {
        @Override
        public List<Integer> captures() {
            return speculator.captures();
        }

        @Override
        public int mostTokens() {
            return speculator.mostTokens();
        }

        @Override
        public List<Draft> propose(List<DraftRequest> sequences) {
            return speculator.propose(sequences);
        }

        @Override
        public void observe(HiddenStates states) {
            speculator.observe(states);
        }

        @Override
        public void forget(long sequence) {
            speculator.forget(sequence);
        }

        @Override
        public void close() {
            // See the test.
        }
    }

    @Test
    void sequencesAreIndependent() throws Exception {
        List<List<int[]>> alone = new ArrayList<>();
        for (long sequence = 1; sequence <= 3; sequence++) {
            try (Opened opened = Opened.of(TINY, WeightResidency.PERSISTENT)) {
                DraftText text = new DraftText(TARGET.size(), sequence);
                alone.add(new ArrayList<>());
                for (int step = 0; step < 5; step++) {
                    opened.speculator().observe(text.extend(more(sequence, step), captures()));
                    alone.getLast()
                            .add(
                                    opened.speculator()
                                            .propose(List.of(text.request(7)))
                                            .getFirst()
                                            .tokens());
                }
            }
        }
        try (Opened opened = Opened.of(TINY, WeightResidency.PERSISTENT)) {
            // A sequence does not see the rows that earlier sequences left in its region.
            DraftText earlier = new DraftText(TARGET.size(), 99);
            opened.speculator().observe(earlier.extend(90, captures()));
            opened.speculator().forget(99);
            List<DraftText> texts =
                    List.of(
                            new DraftText(TARGET.size(), 1),
                            new DraftText(TARGET.size(), 2),
                            new DraftText(TARGET.size(), 3));
            for (int step = 0; step < 5; step++) {
                int now = step;
                texts.forEach(
                        text ->
                                opened.speculator()
                                        .observe(
                                                text.extend(more(text.sequence, now), captures())));
                List<Draft> drafts =
                        opened.speculator()
                                .propose(texts.stream().map(text -> text.request(7)).toList());
                for (int i = 0; i < 3; i++) {
                    assertArrayEquals(alone.get(i).get(step), drafts.get(i).tokens());
                }
            }
        }
    }

    private static int more(long sequence, int step) {
        return step == 0 ? 16 + (int) sequence * 9 : 1 + (int) (sequence + step) % 4;
    }

    private static List<Integer> captures() {
        return TINY.captures();
    }

    @ParameterizedTest
    @EnumSource(WeightResidency.class)
    void afterAGapNothingIsDraftedUntilEnoughFeaturesAreKnown(WeightResidency residency)
            throws Exception {
        try (Opened opened = Opened.of(TINY, residency)) {
            DflashSpeculator speculator = opened.speculator();
            DraftText text = new DraftText(TARGET.size(), 5);
            assertEquals(0, length(speculator, text), "nothing was seen");
            HiddenStates first = text.extend(40, captures());
            assertEquals(0, length(speculator, text), "nothing was seen");
            speculator.observe(first);
            assertEquals(7, length(speculator, text));
            text.extend(1, captures());
            assertEquals(0, length(speculator, text), "the last token was not seen");
            for (int i = 1; i <= 16; i++) {
                speculator.observe(text.extend(1, captures()));
                assertEquals(i < 16 ? 0 : 7, length(speculator, text), i + " behind the gap");
            }
            assertTrue(speculator.bytes() > 0);
            speculator.forget(5);
            assertEquals(residency == WeightResidency.PERSISTENT, speculator.bytes() > 0);
            assertEquals(0, length(speculator, text), "it was forgotten");
        }
    }

    private static int length(DflashSpeculator speculator, DraftText text) {
        return speculator.propose(List.of(text.request(9))).getFirst().tokens().length;
    }

    @Test
    void sequencesBeyondTheRegionsGetNoDraft() throws Exception {
        try (Opened opened = Opened.of(TINY, WeightResidency.PERSISTENT)) {
            List<DraftText> texts =
                    IntStream.range(0, 4)
                            .mapToObj(sequence -> new DraftText(TARGET.size(), sequence))
                            .toList();
            texts.forEach(text -> opened.speculator().observe(text.extend(20, captures())));
            List<Draft> drafts =
                    opened.speculator()
                            .propose(texts.stream().map(text -> text.request(3)).toList());
            assertEquals(
                    List.of(3, 3, 3, 0),
                    drafts.stream().map(draft -> draft.tokens().length).toList());
            opened.speculator().forget(0);
            texts.get(3).random.nextInt();
            opened.speculator().observe(texts.get(3).extend(20, captures()));
            assertEquals(7, length(opened.speculator(), texts.get(3)));
        }
    }
}
