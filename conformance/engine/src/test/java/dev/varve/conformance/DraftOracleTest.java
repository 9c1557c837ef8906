package dev.varve.conformance;

import static dev.varve.conformance.RandomDraft.TARGET;
import static dev.varve.conformance.RandomDraft.VOCABULARY;
import static dev.varve.conformance.RandomDraft.WIDTH;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.speculation.Draft;
import dev.varve.platform.draft.DflashSpeculator;
import dev.varve.testkit.Comparison;
import dev.varve.testkit.Dflash2Model;
import dev.varve.testkit.DflashModel;
import dev.varve.testkit.DraftOracle;
import dev.varve.testkit.DsparkModel;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.TensorData;
import dev.varve.testkit.TensorType;

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
 * Draft networks against libllama's. libllama computes the logits that the formulas give. Our draft
 * models draft the tokens that its logits give.
 */
@Timeout(300)
class DraftOracleTest {
    /** Of numbers that differ by several units; both sides but one compute in single precision. */
    private static final double SAME = 2e-2;

    /** Of draft tokens, which the network computes from context rows in half precision. */
    private static final double CLOSE = 0.1;

    private static final int SEEN = 20;
    private static final DflashModel OWN = RandomDraft.own(VOCABULARY);

    @TempDir static Path folder;

    private enum Spark {
        FROM_ANCHOR(DsparkModel.of(OWN, true)),
        IN_PLACE(DsparkModel.of(OWN, false)),
        CONFIDENT(DsparkModel.of(OWN, true).with(new DsparkModel.Confidence(1, -0.5))),
        CONFIDENT_IN_PLACE(DsparkModel.of(OWN, false).with(new DsparkModel.Confidence(1, 4))),
        FEWER_TOKENS(DsparkModel.of(RandomDraft.own(100), true)),
        SLIDING(
                DsparkModel.of(
                        OWN.with(new DflashModel.Windows(12, List.of(true, false, true), false)),
                        false)),
        SINKING(DsparkModel.of(OWN, true)),
        SCALED(DsparkModel.of(OWN, true));

        private final DsparkModel model;

        Spark(DsparkModel model) {
            this.model = model;
        }

        private GgufWriter writer() {
            GgufWriter writer = model.writer();
            if (this == SCALED) {
                writer.tensor(
                        "markov_w2.scale", TensorType.F32, List.of(1L), TensorData.constant(0.5f));
            }
            return this == SINKING ? OWN.sinking(writer) : writer;
        }
    }

    private enum Mixed {
        PLAIN(Dflash2Model.of(OWN)),
        ONE_TAP(Dflash2Model.of(OWN).with(new Dflash2Model.Convolution(1, 128))),
        MORE_TAPS_THAN_ROWS(
                Dflash2Model.of(OWN.with(new DflashModel.Block(3, 3)))
                        .with(new Dflash2Model.Convolution(5, 32))),
        MORE_CANDIDATES(Dflash2Model.of(OWN).with(new Dflash2Model.Selector(16, 9))),
        SCALED_AND_CAPPED(Dflash2Model.of(OWN).with(new Dflash2Model.Scores(0.7f, 9))),
        SLIDING(
                Dflash2Model.of(
                        OWN.with(new DflashModel.Windows(12, List.of(true, false, true), false)))),
        SINKING(Dflash2Model.of(OWN));

        private final Dflash2Model model;

        Mixed(Dflash2Model model) {
            this.model = model;
        }

        private GgufWriter writer() {
            return this == SINKING ? OWN.sinking(model.writer()) : model.writer();
        }
    }

    private static DraftText text(DflashSpeculator speculator) {
        DraftText text = new DraftText(TARGET.size(), 7);
        speculator.observe(text.extend(SEEN, OWN.captures()));
        return text;
    }

    private static DraftOracle.Row[] oracle(RandomDraft draft, DraftText text, boolean masked) {
        int[] tokens = new int[draft.network().block().tokens()];
        Arrays.fill(tokens, OWN.block().mask());
        tokens[0] = text.tokens.getLast();
        try (DraftOracle oracle = DraftOracle.open(draft.file().path(), WIDTH, 2 * SEEN, masked)) {
            return oracle.block(text.features.toArray(float[][]::new), tokens);
        }
    }

    private static void requireSame(double[] formula, float[] oracle, String what) {
        for (int i = 0; i < formula.length; i++) {
            assertEquals(oracle[i], formula[i], SAME, what + ", element " + i);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void dflashMatchesLibllama(boolean all) throws Exception {
        DflashModel model = all ? OWN : RandomDraft.own(100);
        GgufWriter writer = DraftOracle.complete(model.writer(), VOCABULARY);
        RandomDraft draft = RandomDraft.of(model, Optional.empty(), writer, folder);
        try (DflashSpeculator speculator = draft.open()) {
            DraftText text = text(speculator);
            DraftOracle.Row[] rows = oracle(draft, text, true);
            int[] tokens = guess(speculator, text).tokens();
            assertEquals(7, tokens.length);
            for (int i = 0; i < tokens.length; i++) {
                float[] logits = rows[i + 1].logits();
                assertEquals(max(logits), logits[tokens[i]], CLOSE, "guess " + i);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Spark.class)
    void dsparkMatchesLibllama(Spark spark) throws Exception {
        GgufWriter writer = DraftOracle.complete(spark.writer(), VOCABULARY);
        RandomDraft draft = RandomDraft.of(spark.model, writer, folder);
        boolean confident = spark.model.confidence().deviation() > 0;
        try (DflashSpeculator speculator = draft.open()) {
            DraftText text = text(speculator);
            DraftOracle.Row[] rows = oracle(draft, text, true);
            double[][] states = draft.states(text);
            int[] tokens = guess(speculator, text).tokens();
            int first = spark.model.fromAnchor() ? 0 : 1;
            int before = text.tokens.getLast();
            Cutoff cutoff = new Cutoff(rows.length - first);
            for (int row = first; row < rows.length; row++) {
                float[] logits = rows[row].logits();
                requireSame(
                        draft.walk().biased(states[row], before),
                        ofHead(spark.model, logits),
                        "row " + row);
                if (confident) {
                    double sure = draft.walk().confidence(states[row], before);
                    assertEquals(rows[row].staged()[0], sure, 5e-3, "confidence of row " + row);
                    cutoff.multiply(rows[row].staged()[0], row - first);
                }
                // libllama continues from the best token of its own logits.
                before = Comparison.argmax(logits);
                if (row - first < tokens.length && before != tokens[row - first]) {
                    assertEquals(
                            logits[before],
                            logits[tokens[row - first]],
                            CLOSE,
                            "guess of row " + row);
                    // A tie: libllama continues from another token, so its later rows do not
                    // compare.
                    return;
                }
            }
            cutoff.require(tokens.length);
            assertEquals(spark != Spark.CONFIDENT, cutoff.most == rows.length - first);
        }
    }

    /** Of the tokens that the head has; all others cannot be. */
    private static float[] ofHead(DsparkModel model, float[] logits) {
        int rows = model.network().weights().ownRows();
        if (rows == logits.length) {
            return logits;
        }
        float[] own = new float[rows];
        for (int i = 0; i < logits.length; i++) {
            if (i % 2 == 1 && i / 2 < rows) {
                own[i / 2] = logits[i];
            } else {
                assertTrue(logits[i] < -1e9, "token " + i + " has " + logits[i]);
            }
        }
        return own;
    }

    @ParameterizedTest
    @EnumSource(Mixed.class)
    void dflash2MatchesLibllama(Mixed mixed) throws Exception {
        GgufWriter writer = DraftOracle.complete(mixed.writer(), VOCABULARY);
        RandomDraft draft = RandomDraft.of(mixed.model, writer, folder);
        int count = mixed.model.selector().candidates();
        try (DflashSpeculator speculator = draft.open()) {
            DraftText text = text(speculator);
            DraftOracle.Row[] rows = oracle(draft, text, false);
            double[][] states = draft.states(text);
            int[] tokens = guess(speculator, text).tokens();
            int known = text.tokens.getLast();
            int before = known;
            Cutoff cutoff = new Cutoff(rows.length - 1);
            for (int row = 1; row < rows.length; row++) {
                double[] unary = draft.walk().unary(mixed.model.scores(), states[row]);
                requireSame(unary, rows[row].logits(), "row " + row);
                float[] lattice = rows[row].staged();
                int best = -1;
                float guessed = Float.NaN;
                float most = Float.NEGATIVE_INFINITY;
                List<Float> following = new ArrayList<>();
                for (int p = 0; p < count; p++) {
                    int from = row == 1 ? known : (int) rows[row - 1].staged()[p];
                    for (int c = 0; c < count; c++) {
                        int to = (int) lattice[c];
                        float score = lattice[count + p * count + c];
                        assertEquals(
                                score,
                                unary[to] + draft.walk().transition(states[row], from, to),
                                SAME,
                                "row " + row + ": " + from + " to " + to);
                        // In the first slot, all lattice rows have the same scores.
                        if (from == before && following.size() < count) {
                            following.add(score);
                            best = score > most ? to : best;
                            most = Math.max(most, score);
                            guessed =
                                    row <= tokens.length && to == tokens[row - 1] ? score : guessed;
                        }
                    }
                }
                float top = most;
                cutoff.multiply(
                        1 / following.stream().mapToDouble(each -> Math.exp(each - top)).sum(),
                        row - 1);
                before = best;
                if (row <= tokens.length) {
                    assertEquals(most, guessed, CLOSE, "guess of row " + row);
                    before = tokens[row - 1];
                }
            }
            cutoff.require(tokens.length);
        }
    }

    /** Draft lengths that are right: the tokens' joint probability must stay above 0.05. */
    private static final class Cutoff {
        private static final double CHANCE = 0.05;

        /** Tolerance for the speculator's probability. */
        private static final double DEVIATION = 1e-3;

        private int least;
        private int most;
        private double chance = 1;

        Cutoff(int tokens) {
            least = tokens;
            most = tokens;
        }

        void multiply(double factor, int tokensBefore) {
            chance *= factor;
            if (chance < CHANCE + DEVIATION) {
                least = Math.min(least, Math.max(1, tokensBefore));
            }
            if (chance < CHANCE - DEVIATION) {
                most = Math.min(most, Math.max(1, tokensBefore));
            }
        }

        void require(int tokens) {
            assertTrue(
                    least <= tokens && tokens <= most,
                    "expected " + least + " to " + most + " tokens, found " + tokens);
        }
    }

    private static Draft guess(DflashSpeculator speculator, DraftText text) {
        return speculator.propose(List.of(text.request(15))).getFirst();
    }

    private static float max(float[] values) {
        float max = Float.NEGATIVE_INFINITY;
        for (float value : values) {
            max = Math.max(max, value);
        }
        return max;
    }
}
