package dev.varve.conformance;

import static dev.varve.conformance.RandomDraft.TARGET;
import static dev.varve.conformance.RandomDraft.TINY;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.speculation.Draft;
import dev.varve.platform.draft.DflashSpeculator;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.testkit.Dflash2Model;
import dev.varve.testkit.DflashModel;
import dev.varve.testkit.DsparkModel;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.TensorData;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Draft models that choose each draft token after the one before draft the tokens that their
 * formulas give.
 */
@Timeout(300)
class WalkedDraftTest {
    private static final double CLOSE = 0.1;

    /** Chance below which a draft ends. */
    private static final double HOPELESS = 0.05;

    @TempDir static Path folder;

    private enum Spark {
        FROM_ANCHOR(DsparkModel.of(TINY, true)),
        IN_PLACE(DsparkModel.of(TINY, false)),
        FEWER_TOKENS(DsparkModel.of(RandomDraft.own(100), true)),
        SLIDING(DsparkModel.of(TINY.with(new DflashModel.Windows(20, List.of(), true)), false));

        private final DsparkModel model;

        Spark(DsparkModel model) {
            this.model = model;
        }
    }

    private enum Mixed {
        PLAIN(Dflash2Model.of(TINY)),
        THREE_TAPS(Dflash2Model.of(TINY).with(new Dflash2Model.Convolution(3, 64))),
        SLIDING(Dflash2Model.of(TINY.with(new DflashModel.Windows(20, List.of(), false))));

        private final Dflash2Model model;

        Mixed(Dflash2Model model) {
            this.model = model;
        }
    }

    private static RandomDraft draft(DsparkModel model) throws Exception {
        return RandomDraft.of(model, model.writer(), folder);
    }

    private static RandomDraft draft(Dflash2Model model) throws Exception {
        return RandomDraft.of(model, model.writer(), folder);
    }

    @ParameterizedTest
    @EnumSource(Spark.class)
    void dsparkMatchesItsFormulas(Spark spark) throws Exception {
        RandomDraft draft = draft(spark.model);
        for (FlashAttention attention : List.of(FlashAttention.ON, FlashAttention.OFF)) {
            try (DflashSpeculator speculator = draft.open(Cpu.device(), attention)) {
                dsparkGuesses(spark.model, draft, speculator);
            }
        }
    }

    private static void dsparkGuesses(
            DsparkModel model, RandomDraft draft, DflashSpeculator speculator) {
        DraftText text = new DraftText(TARGET.size(), 7);
        int first = model.fromAnchor() ? 0 : 1;
        int most = model.network().block().tokens() - first;
        for (int more : new int[] {17, 1, 30, 45, 20}) {
            speculator.observe(text.extend(more, TINY.captures()));
            int[] tokens = propose(speculator, text).tokens();
            assertEquals(most, tokens.length);
            double[][] states = draft.states(text);
            int before = text.tokens.getLast();
            for (int i = 0; i < most; i++) {
                double[] logits = draft.walk().biased(states[first + i], before);
                boolean fewer = model.network().weights().ownRows() > 0;
                int row = fewer ? tokens[i] / 2 : tokens[i];
                double best = Arrays.stream(logits).max().orElseThrow();
                assertEquals(best, logits[row], CLOSE, "guess " + i);
                before = tokens[i];
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = FlashAttention.class,
            names = {"ON", "OFF"})
    void sinksTakePartInAttention(FlashAttention attention) throws Exception {
        DsparkModel model = DsparkModel.of(TINY, true);
        RandomDraft draft = RandomDraft.of(model, TINY.sinking(model.writer()), folder);
        try (DflashSpeculator speculator = draft.open(Cpu.device(), attention)) {
            dsparkGuesses(model, draft, speculator);
        }
        requireEqual(draft(model), draft, false);
    }

    @ParameterizedTest
    @EnumSource(Mixed.class)
    void dflash2MatchesItsFormulas(Mixed mixed) throws Exception {
        RandomDraft draft = draft(mixed.model);
        for (FlashAttention attention : List.of(FlashAttention.ON, FlashAttention.OFF)) {
            try (DflashSpeculator speculator = draft.open(Cpu.device(), attention)) {
                dflash2Guesses(mixed.model, draft, speculator);
            }
        }
    }

    /** Every token of the vocabulary is tried, so the candidates are not taken for granted. */
    private static void dflash2Guesses(
            Dflash2Model model, RandomDraft draft, DflashSpeculator speculator) {
        DraftText text = new DraftText(TARGET.size(), 7);
        for (int more : new int[] {17, 1, 30, 45, 20}) {
            speculator.observe(text.extend(more, TINY.captures()));
            int[] tokens = propose(speculator, text).tokens();
            assertTrue(tokens.length > 0, "no guess");
            int most = model.network().block().tokens() - 1;
            double[][] states = draft.states(text);
            int before = text.tokens.getLast();
            double chance = 1;
            for (int i = 0; i < Math.min(tokens.length + 1, most); i++) {
                chance *= draft.walk().chance(model, states[i + 1], before);
                if (i == tokens.length) {
                    assertTrue(chance < HOPELESS + 0.01, "it ended with a chance of " + chance);
                    break;
                }
                assertTrue(i == 0 || chance > HOPELESS - 0.01, "it went on with " + chance);
                double[] unary = draft.walk().unary(model.scores(), states[i + 1]);
                double[] sorted = unary.clone();
                Arrays.sort(sorted);
                double least = sorted[sorted.length - model.selector().candidates()];
                assertTrue(unary[tokens[i]] >= least - CLOSE, "guess " + i + " is no candidate");
                double found =
                        unary[tokens[i]]
                                + draft.walk().transition(states[i + 1], before, tokens[i]);
                for (int token = 0; token < unary.length; token++) {
                    // Of those that are nearly as good as the last candidate, either may be it.
                    if (unary[token] >= least + CLOSE) {
                        double other =
                                unary[token]
                                        + draft.walk().transition(states[i + 1], before, token);
                        assertTrue(found >= other - CLOSE, "guess " + i + ": " + token);
                    }
                }
                before = tokens[i];
            }
        }
    }

    /**
     * Mesa's software renderer goes wrong with products of 2 to 8 columns and writes to memory that
     * was freed, so blocks are longer and nothing is closed.
     */
    @Tag("nightly")
    @Test
    void anotherDeviceDraftsTheSame() {
        // Skips where there is none.
        Vulkan.device();
        OwnProcess.call(WalkedDraftTest.class, "requireSameGuesses", folder);
    }

    static void requireSameGuesses(Path models) throws Exception {
        folder = models;
        DflashModel longer = TINY.with(new DflashModel.Block(16, 3));
        for (DflashModel network :
                List.of(
                        longer,
                        longer.with(new DflashModel.Weights(TensorType.F32, 100, false, 3)))) {
            DsparkModel spark = DsparkModel.of(network, true);
            RandomDraft draft = draft(spark);
            dsparkGuesses(spark, draft, draft.open(Vulkan.device(), FlashAttention.AUTO));
        }
        Dflash2Model mixed = Dflash2Model.of(longer);
        RandomDraft draft = draft(mixed);
        dflash2Guesses(mixed, draft, draft.open(Vulkan.device(), FlashAttention.AUTO));
    }

    @Test
    void sequencesAreIndependent() throws Exception {
        requireApart(draft(DsparkModel.of(TINY, true).with(new DsparkModel.Confidence(1, 1))));
        requireApart(draft(DsparkModel.of(RandomDraft.own(100), false)));
        requireApart(draft(Dflash2Model.of(TINY).with(new Dflash2Model.Convolution(3, 16))));
    }

    private static void requireApart(RandomDraft draft) {
        List<List<Draft>> alone = new ArrayList<>();
        for (long sequence = 1; sequence <= 3; sequence++) {
            try (DflashSpeculator speculator = draft.open()) {
                DraftText text = new DraftText(TARGET.size(), sequence);
                alone.add(new ArrayList<>());
                for (int step = 0; step < 4; step++) {
                    speculator.observe(text.extend(more(sequence, step), TINY.captures()));
                    alone.getLast().add(propose(speculator, text));
                }
            }
        }
        try (DflashSpeculator speculator = draft.open()) {
            List<DraftText> texts =
                    List.of(
                            new DraftText(TARGET.size(), 1),
                            new DraftText(TARGET.size(), 2),
                            new DraftText(TARGET.size(), 3));
            for (int step = 0; step < 4; step++) {
                for (DraftText text : texts) {
                    speculator.observe(text.extend(more(text.sequence, step), TINY.captures()));
                }
                List<Draft> together =
                        speculator.propose(texts.stream().map(text -> text.request(15)).toList());
                for (int i = 0; i < 3; i++) {
                    Draft expected = alone.get(i).get(step);
                    assertArrayEquals(expected.tokens(), together.get(i).tokens());
                    assertEquals(expected.grade(), together.get(i).grade());
                }
            }
        }
    }

    private static int more(long sequence, int step) {
        return step == 0 ? 16 + (int) sequence * 9 : 1 + (int) (sequence + step) % 4;
    }

    /** Each of a walk's parts can be set so that nothing is left of it. */
    @ParameterizedTest
    @ValueSource(strings = {"DSPARK", "DFLASH2", "ONE_CANDIDATE"})
    void withoutTransitionWeightsItDraftsLikeDflash(String kind) throws Exception {
        RandomDraft plain = RandomDraft.of(TINY, Optional.empty(), TINY.writer(), folder);
        GgufWriter writer;
        if (kind.equals("DSPARK")) {
            writer = DsparkModel.of(TINY, false).writer();
            constant(writer, "markov_w1.weight", 0, 8, RandomDraft.VOCABULARY);
        } else {
            Dflash2Model model = Dflash2Model.of(TINY);
            if (kind.equals("ONE_CANDIDATE")) {
                model = model.with(new Dflash2Model.Selector(8, 1));
            }
            writer = withoutMixing(model);
            if (kind.equals("DFLASH2")) {
                constant(writer, "selector_predecessor.weight", 0, 8, RandomDraft.VOCABULARY);
            }
        }
        RandomDraft other = RandomDraft.of(TINY, Optional.empty(), writer, folder);
        requireEqual(plain, other, true);
        RandomDraft whole =
                kind.equals("DSPARK")
                        ? draft(DsparkModel.of(TINY, false))
                        : draft(Dflash2Model.of(TINY));
        requireEqual(plain, whole, false);
    }

    private static GgufWriter withoutMixing(Dflash2Model model) {
        GgufWriter writer = model.writer();
        int width = RandomDraft.WIDTH;
        int kernel = model.convolution().kernel();
        // The first tap of both sides is one, all others are zero.
        float[] base = new float[width * kernel * 2];
        Arrays.fill(base, 0, width, 1);
        Arrays.fill(base, width * kernel, width * kernel + width, 1);
        for (int layer = 0; layer < model.network().network().layers(); layer++) {
            for (String part : List.of("attn", "ffn")) {
                String prefix = "blk." + layer + "." + part;
                writer.leaveOut(prefix + "_conv_base")
                        .tensor(
                                prefix + "_conv_base",
                                TensorType.F32,
                                List.of((long) width, (long) kernel, 2L),
                                TensorData.floats(base));
                int changes = 2 * kernel * (width / model.convolution().group());
                constant(writer, prefix + "_conv_proj.weight", 0, width, changes);
            }
        }
        return writer;
    }

    private static void constant(GgufWriter writer, String name, float value, long... shape) {
        writer.leaveOut(name)
                .tensor(
                        name,
                        TensorType.F32,
                        Arrays.stream(shape).boxed().toList(),
                        TensorData.constant(value));
    }

    private static void requireEqual(RandomDraft first, RandomDraft second, boolean equal) {
        try (DflashSpeculator one = first.open();
                DflashSpeculator other = second.open()) {
            DraftText text = new DraftText(TARGET.size(), 7);
            boolean all = true;
            for (int more : new int[] {17, 1, 30}) {
                var states = text.extend(more, TINY.captures());
                one.observe(states);
                other.observe(states);
                int[] expected = propose(one, text).tokens();
                int[] tokens = propose(other, text).tokens();
                // It may end earlier, where it is not sure enough.
                assertTrue(tokens.length > 0 && tokens.length <= expected.length);
                all &= Arrays.equals(Arrays.copyOf(expected, tokens.length), tokens);
            }
            assertEquals(equal, all);
        }
    }

    /** A block is always computed whole: its later slots are seen by the earlier ones. */
    @Test
    void shorterDraftIsAPrefixOfALongerOne() throws Exception {
        for (RandomDraft draft :
                List.of(draft(DsparkModel.of(TINY, true)), draft(Dflash2Model.of(TINY)))) {
            try (DflashSpeculator speculator = draft.open()) {
                DraftText text = new DraftText(TARGET.size(), 7);
                speculator.observe(text.extend(20, TINY.captures()));
                int[] all = propose(speculator, text).tokens();
                for (int most = 1; most < all.length; most++) {
                    int[] some =
                            speculator.propose(List.of(text.request(most))).getFirst().tokens();
                    assertArrayEquals(Arrays.copyOf(all, most), some);
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = TensorType.class,
            names = {"F16", "BF16", "Q8_0", "Q4_0", "Q4_K"})
    void matricesMayHaveAnyType(TensorType type) throws Exception {
        DflashModel network =
                DflashModel.tiny(TINY.target()).with(new DflashModel.Weights(type, 0, false, 5));
        int rank = 128;
        DsparkModel spark = new DsparkModel(network, rank, true, DsparkModel.Confidence.NONE);
        Dflash2Model mixed = Dflash2Model.of(network).with(new Dflash2Model.Selector(rank, 4));
        for (RandomDraft draft : List.of(draft(spark), draft(mixed))) {
            try (DflashSpeculator speculator = draft.open()) {
                DraftText text = new DraftText(TARGET.size(), 7);
                speculator.observe(text.extend(20, TINY.captures()));
                int[] tokens = propose(speculator, text).tokens();
                assertTrue(tokens.length >= 7);
                assertFalse(Arrays.stream(tokens).allMatch(token -> token == tokens[0]));
            }
        }
    }

    private static Draft propose(DflashSpeculator speculator, DraftText text) {
        return speculator.propose(List.of(text.request(16))).getFirst();
    }
}
