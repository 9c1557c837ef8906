package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.speculation.SpeculationTarget;
import dev.varve.api.speculation.Speculator;
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

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

/**
 * The draft tokens of a block at a position depend on the text before it alone. The number of draft
 * tokens that the engine accepted on the way there changes nothing. A random block hardly ever
 * drafts a right token, so the test replaces its draft tokens with the tokens of the known answer.
 */
@Timeout(300)
class MtpAcceptanceTest {
    private static final int COUNT = 60;
    private static final int MOST = 3;
    private static final int PROMPT = 30;

    @TempDir static Path folder;

    static Stream<BlockModel> models() {
        return BlockModel.all();
    }

    @ParameterizedTest
    @MethodSource("models")
    void draftTokensDoNotDependOnEarlierAcceptance(BlockModel spec) throws Exception {
        int[] prompt = spec.tokens(PROMPT, 4);
        CorrectedSpeculator wrong = new CorrectedSpeculator(open(spec), PROMPT, new int[0]);
        Answer plain = answer(spec, wrong, prompt);
        CorrectedSpeculator right = new CorrectedSpeculator(open(spec), PROMPT, plain.tokens());
        Answer guessed = answer(spec, right, prompt);

        assertArrayEquals(plain.tokens(), guessed.tokens());
        assertTrue(guessed.end().speculation().accepted() > COUNT / 3, guessed.end().toString());
        assertTrue(right.guesses().size() < COUNT * 2 / 3, right.guesses().keySet().toString());
        right.guesses()
                .forEach(
                        (position, tokens) -> {
                            assertEquals(MOST, tokens.length, "at " + position);
                            assertArrayEquals(
                                    wrong.guesses().get(position), tokens, "at " + position);
                        });
    }

    private static MtpSpeculator open(BlockModel spec) throws Exception {
        return MtpSpeculator.open(
                spec.block(folder),
                new SpeculationTarget.Limits(200, 1, MOST),
                Cpu.device(),
                new DflashSettings(WeightResidency.PERSISTENT, FlashAttention.AUTO));
    }

    private static Answer answer(BlockModel spec, Speculator speculator, int[] prompt)
            throws Exception {
        ModelSettings settings = Cpu.settings(200, 1, Cpu.F16);
        settings = settings.with(settings.computation().with(BatchInvariance.ON));
        Answer answer = Answer.of(prompt, COUNT, SamplingOptions.greedy());
        try (LoadedModel model =
                Cpu.load(
                        spec.write(folder),
                        settings.with(new SpeculationRequirements(MOST, speculator.captures())),
                        new LoadedModel.EngineComponents(
                                Optional.empty(),
                                Optional.of(
                                        new SpeculationOptions(
                                                speculator, MOST, OptionalInt.of(MOST)))))) {
            Answer.submit(model.engine(), List.of(answer));
            answer.end();
        }
        return answer;
    }
}
