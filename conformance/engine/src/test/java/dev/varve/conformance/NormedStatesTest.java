package dev.varve.conformance;

import static dev.varve.conformance.RandomDraft.TARGET;
import static dev.varve.conformance.RandomDraft.TINY;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.api.speculation.HiddenStates;
import dev.varve.platform.draft.DflashSpeculator;
import dev.varve.testkit.DflashModel;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Draft models that norm the states of each layer separately draft what their formulas give. */
@Timeout(300)
class NormedStatesTest {
    /** Logits of a random network lie several units apart; rows in half precision cost this. */
    private static final double CLOSE = 0.05;

    @TempDir static Path folder;

    private static RandomDraft draft(TensorType type) throws Exception {
        DflashModel model =
                TINY.in(DflashModel.Form.REFERENCE)
                        .with(new DflashModel.Weights(type, 0, false, 4));
        return RandomDraft.of(model, Optional.empty(), model.normingStates(model.writer()), folder);
    }

    /** Multiplies the states of each layer, and what the text remembers of them. */
    private static HiddenStates times(float[] factors, HiddenStates states, DraftText text) {
        int width = RandomDraft.WIDTH;
        for (int layer = 0; layer < factors.length; layer++) {
            float[] values = states.layers().get(layer).values();
            for (int i = 0; i < values.length; i++) {
                values[i] *= factors[layer];
            }
        }
        for (float[] row : text.features.subList(states.firstPosition(), text.features.size())) {
            for (int i = 0; i < row.length; i++) {
                row[i] *= factors[i / width];
            }
        }
        return states;
    }

    /** Also where no F16 holds the states, and where those of one layer are far larger. */
    @ParameterizedTest
    @CsvSource({"1, 1, 1", "1048576, 1048576, 1048576", "1, 1e9, 300"})
    void draftTokensMatchTheReference(float first, float second, float third) throws Exception {
        float[] factors = {first, second, third};
        RandomDraft draft = draft(TensorType.F32);
        try (DflashSpeculator speculator = draft.open()) {
            DraftText text = new DraftText(TARGET.size(), 7);
            for (int more : new int[] {17, 1, 30, 45, 20}) {
                speculator.observe(times(factors, text.extend(more, TINY.captures()), text));
                int[] tokens = guess(speculator, text);
                double[][] states = draft.states(text);
                assertEquals(7, tokens.length);
                for (int i = 0; i < tokens.length; i++) {
                    double[] logits = draft.plain().logits(states[i + 1]);
                    double best = Arrays.stream(logits).max().orElseThrow();
                    assertEquals(best, logits[tokens[i]], CLOSE, "guess " + i);
                }
            }
        }
    }

    /** Norms take their size away, of each layer by itself. */
    @Test
    void halfPrecisionDraftsDoNotDependOnTheScaleOfStates() throws Exception {
        float[] factors = {1 << 20, 1 << 4, 1 << 28};
        RandomDraft draft = draft(TensorType.F16);
        try (DflashSpeculator speculator = draft.open()) {
            DraftText usual = new DraftText(TARGET.size(), 1, 7, 1);
            DraftText giant = new DraftText(TARGET.size(), 2, 7, 1);
            for (int more : new int[] {17, 1, 6, 30}) {
                speculator.observe(usual.extend(more, TINY.captures()));
                speculator.observe(times(factors, giant.extend(more, TINY.captures()), giant));

                assertArrayEquals(guess(speculator, usual), guess(speculator, giant));
            }
        }
    }

    private static int[] guess(DflashSpeculator speculator, DraftText text) {
        return speculator.propose(List.of(text.request(15))).getFirst().tokens();
    }
}
