package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.varve.api.ggml.GgmlType;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.engine.ScriptedSpeculator;
import dev.varve.platform.engine.SpeculationOptions;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.SpeculationRequirements;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.lora.LoraScales;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/** The target verifies draft tokens of each sequence with the scales of its request. */
class AdaptedSpeculationTest {
    private static final int MOST = 7;
    private static final List<Float> SCALES = List.of(0f, 1f, -0.5f);

    @TempDir Path folder;

    @ParameterizedTest
    @EnumSource(names = {"QWEN35", "QWEN3"})
    void draftTokensAreVerifiedWithTheScalesOfTheirRequest(Family family) throws Exception {
        SpeculativeModel sample =
                SpeculativeModel.of(family, TensorType.Q8_0, GgmlType.F16, folder);
        Path adapter =
                new RandomAdapter(sample.file(), TensorType.F16, 4, 8)
                        .write(
                                folder.resolve("lora.gguf"),
                                3,
                                name -> name.matches("blk.*ffn_(up|gate|down).weight"));
        List<int[]> plain;
        try (LoadedModel model = load(sample, adapter, Optional.empty())) {
            plain = answers(sample, model);
        }
        // Half of the draft tokens are right.
        SpeculationOptions options =
                new SpeculationOptions(
                        new ScriptedSpeculator(
                                sample.texts(plain),
                                MOST,
                                depth -> depth < 3 ? 0 : 1,
                                sample.vocabulary(),
                                List.of()),
                        MOST,
                        OptionalInt.of(MOST));

        List<int[]> drafted;
        try (LoadedModel model = load(sample, adapter, Optional.of(options))) {
            drafted = answers(sample, model);
        }

        for (int i = 0; i < plain.size(); i++) {
            assertArrayEquals(plain.get(i), drafted.get(i), "scale " + SCALES.get(i));
        }
    }

    private static LoadedModel load(
            SpeculativeModel sample, Path adapter, Optional<SpeculationOptions> options) {
        return Cpu.load(
                Cpu.open(sample.file(), Map.of(adapter, 1f)),
                options.map(
                                each ->
                                        sample.settings()
                                                .with(
                                                        new SpeculationRequirements(
                                                                each.columns(),
                                                                each.speculator().captures())))
                        .orElse(sample.settings()),
                new LoadedModel.EngineComponents(Optional.empty(), options));
    }

    private static List<int[]> answers(SpeculativeModel sample, LoadedModel model)
            throws Exception {
        List<Answer> answers =
                IntStream.range(0, SCALES.size())
                        .mapToObj(
                                i ->
                                        Answer.adapted(
                                                sample.prompts().get(i),
                                                SpeculativeModel.COUNT,
                                                CacheScope.none(),
                                                new LoraScales(List.of(SCALES.get(i)))))
                        .toList();
        Answer.submit(model.engine(), answers);
        List<int[]> tokens = new ArrayList<>();
        for (Answer answer : answers) {
            tokens.add(answer.tokens());
        }
        return tokens;
    }
}
