package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.speculation.SpeculationTarget;
import dev.varve.platform.draft.DflashSpeculator.DflashSettings;
import dev.varve.platform.draft.DflashSpeculator.WeightResidency;
import dev.varve.platform.engine.SpeculationOptions;
import dev.varve.platform.mtp.MtpSpeculator;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SpeculationRequirements;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.testkit.AssistantOracle;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Comparison;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * An assistant drafts the tokens that libllama gives for the same assistant over the model's own
 * keys and values.
 */
@Timeout(300)
class AssistantTest {
    private static final int COUNT = 30;
    private static final int MOST = 4;
    private static final int CONTEXT = 900;

    @TempDir static Path folder;

    /** Short, longer than a window, and longer than what a window's region holds. */
    @ParameterizedTest
    @EnumSource(AssistantModels.class)
    @ByDay(1)
    void draftTokensMatchLibllama(AssistantModels spec) throws Exception {
        try (AssistantOracle exact = oracle(spec, TensorType.F32);
                AssistantOracle rounded = oracle(spec, TensorType.F16)) {
            for (int length : new int[] {1, 40, 800}) {
                int[] prompt = spec.tokens(length, length);
                CorrectedSpeculator wrong = new CorrectedSpeculator(open(spec), length, new int[0]);
                int[] answer = answer(spec, wrong, prompt);
                CorrectedSpeculator right = new CorrectedSpeculator(open(spec), length, answer);

                assertArrayEquals(answer, answer(spec, right, prompt));

                int[] text = IntStream.concat(IntStream.of(prompt), IntStream.of(answer)).toArray();
                assertTrue(wrong.guesses().size() > COUNT / 2, wrong.guesses().toString());
                assertTrue(right.guesses().size() < COUNT * 2 / 3, right.guesses().toString());
                requireLikely(exact, rounded, text, wrong.guesses());
                requireLikely(exact, rounded, text, right.guesses());
            }
        }
    }

    /** Checks the first draft and every fourth one after it. */
    private static void requireLikely(
            AssistantOracle exact,
            AssistantOracle rounded,
            int[] text,
            Map<Integer, int[]> guesses) {
        int step = 0;
        for (int known : guesses.keySet()) {
            if (step++ % 4 == 0) {
                requireLikely(exact, rounded, Arrays.copyOf(text, known), guesses.get(known));
            }
        }
    }

    /**
     * The oracle appends each draft token to the text, beside the state that libllama made there.
     * The assistant reads keys and values in F16. A draft token other than libllama's must be as
     * close as libllama's own logits with F16 are to those with F32.
     */
    private static void requireLikely(
            AssistantOracle exact, AssistantOracle rounded, int[] text, int[] draftTokens) {
        int[] before = Arrays.copyOf(text, text.length - 1);
        exact.read(before);
        rounded.read(before);
        int token = text[text.length - 1];
        assertEquals(MOST, draftTokens.length, "behind " + text.length + " tokens");
        for (int i = 0; i < draftTokens.length; i++) {
            float[] logits = exact.next(token);
            double difference = Comparison.worstDifference(logits, rounded.next(token));
            int best = Comparison.argmax(logits);
            String what = "guess " + i + " behind " + text.length + " tokens";
            assertTrue(logits[best] > 4, what + ": logits are flat: " + logits[best]);
            Comparison.assertGreedyGradeC(
                    what,
                    new Comparison.GreedyRun(new int[] {best}, new float[][] {logits}),
                    new int[] {draftTokens[i]},
                    difference);
            token = draftTokens[i];
        }
    }

    private static AssistantOracle oracle(AssistantModels spec, TensorType cache) throws Exception {
        return new AssistantOracle(
                spec.write(folder), spec.writeAssistant(folder), spec.width(), CONTEXT, cache);
    }

    private static MtpSpeculator open(AssistantModels spec) throws Exception {
        return MtpSpeculator.open(
                spec.block(folder),
                new SpeculationTarget.Limits(CONTEXT, 1, MOST),
                Cpu.device(),
                new DflashSettings(WeightResidency.PERSISTENT, FlashAttention.AUTO));
    }

    private static int[] answer(AssistantModels spec, CorrectedSpeculator told, int[] prompt)
            throws Exception {
        ModelSettings settings = Cpu.settings(CONTEXT, 1, Cpu.F16);
        settings = settings.with(settings.computation().with(BatchInvariance.ON));
        Answer answer = Answer.of(prompt, COUNT, SamplingOptions.greedy());
        try (LoadedModel model =
                Cpu.load(
                        spec.write(folder),
                        settings.with(new SpeculationRequirements(MOST, told.captures())),
                        new LoadedModel.EngineComponents(
                                Optional.empty(),
                                Optional.of(
                                        new SpeculationOptions(
                                                told, MOST, OptionalInt.of(MOST)))))) {
            answer.submit(model.engine());
            answer.end();
        }
        return answer.tokens();
    }
}
