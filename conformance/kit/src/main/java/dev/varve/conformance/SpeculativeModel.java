package dev.varve.conformance;

import dev.varve.api.ggml.GgmlType;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ModelShape;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.engine.SpeculationOptions;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SpeculationRequirements;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.params.provider.Arguments;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A random model that receives a few requests at once, with speculative decoding and without. */
record SpeculativeModel(Path file, ModelShape shape, List<int[]> prompts, ModelSettings settings) {
    /** Tokens of an answer. */
    static final int COUNT = 40;

    private static final int PARALLEL = 3;

    static SpeculativeModel of(Family family, TensorType type, GgmlType cache, Path folder)
            throws Exception {
        return of(family.wide(type), cache, folder);
    }

    static SpeculativeModel of(RandomModel spec, GgmlType cache, Path folder) throws Exception {
        Path file = spec.write(folder);
        GgufFile gguf = GgufFile.open(file);
        ModelSettings settings = Cpu.settings(1024, PARALLEL, new CacheTypes(cache, cache));
        return new SpeculativeModel(
                file,
                Cpu.family(gguf).open(gguf, ModelOptions.defaults()).shape(),
                // The middle one passes a block of slots, and the last one a window.
                List.of(spec.tokens(19, 1), spec.tokens(240, 2), spec.tokens(600, 3)),
                settings.with(settings.computation().with(BatchInvariance.ON)));
    }

    /** Families with types of weights and caches; a part of them in every build. */
    static Stream<Arguments> all() {
        return Thorough.first(
                3,
                List.of(
                        Arguments.of(Family.QWEN35, TensorType.Q4_0, GgmlType.Q8_0),
                        Arguments.of(Family.GEMMA4, TensorType.F16, GgmlType.F16),
                        Arguments.of(Family.LAGUNA, TensorType.F16, GgmlType.F16),
                        Arguments.of(Family.QWEN35MOE, TensorType.Q8_0, GgmlType.F16),
                        Arguments.of(Family.QWEN35, TensorType.F16, GgmlType.F16),
                        Arguments.of(Family.QWEN35, TensorType.Q4_K, GgmlType.F16),
                        Arguments.of(Family.GEMMA4, TensorType.Q4_0, GgmlType.Q8_0),
                        Arguments.of(Family.LAGUNA, TensorType.Q6_K, GgmlType.F16),
                        Arguments.of(Family.QWEN3, TensorType.Q4_0, GgmlType.Q8_0)));
    }

    int vocabulary() {
        return shape.vocabularySize();
    }

    LoadedModel plain() {
        return Cpu.load(file, settings);
    }

    LoadedModel guessed(SpeculationOptions options, int... cuts) {
        return Cpu.load(
                file,
                settings.with(
                        new SpeculationRequirements(
                                options.columns(), options.speculator().captures())),
                new LoadedModel.EngineComponents(Optional.empty(), Optional.of(options)),
                cuts);
    }

    List<Answer> ask(LoadedModel model, SamplingOptions sampling) {
        List<Answer> answers =
                prompts.stream().map(prompt -> Answer.of(prompt, COUNT, sampling)).toList();
        Answer.submit(model.engine(), answers);
        return answers;
    }

    /** Returns its answers to all prompts without speculative decoding. */
    List<int[]> answers(SamplingOptions sampling) throws Exception {
        List<int[]> plain = new ArrayList<>();
        try (LoadedModel model = plain()) {
            for (Answer answer : ask(model, sampling)) {
                plain.add(answer.tokens());
            }
        }
        return plain;
    }

    /** Prompts with their answers. */
    List<int[]> texts(List<int[]> answers) {
        return IntStream.range(0, prompts.size())
                .mapToObj(
                        i ->
                                IntStream.concat(
                                                IntStream.of(prompts.get(i)),
                                                IntStream.of(answers.get(i)))
                                        .toArray())
                .toList();
    }
}
