package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ModelShape;
import dev.varve.api.speculation.SpeculationTarget;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.draft.DflashSpeculator;
import dev.varve.platform.draft.DflashSpeculator.DflashSettings;
import dev.varve.platform.draft.DflashSpeculator.WeightResidency;
import dev.varve.platform.draft.DraftFile;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.SpeculationOptions;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SpeculationRequirements;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.testkit.Dflash2Model;
import dev.varve.testkit.DflashModel;
import dev.varve.testkit.DsparkModel;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A draft model beside a target, wherever either is: it sees all tokens and changes none. */
@Timeout(600)
class DraftedModelTest {
    private static final int COUNT = 30;
    private static final int PARALLEL = 3;
    private static final int CONTEXT = 768;
    private static final int MOST = 15;

    @TempDir static Path folder;

    private record Sample(Path file, ModelShape shape, List<int[]> prompts, DflashModel network) {
        static Sample of(Family family) throws Exception {
            RandomModel spec = family.wide(TensorType.F16);
            Path file = spec.write(folder);
            GgufFile gguf = GgufFile.open(file);
            ModelShape shape = Cpu.family(gguf).open(gguf, ModelOptions.defaults()).shape();
            int layers = shape.layerCount();
            return new Sample(
                    file,
                    shape,
                    List.of(spec.tokens(19, 1), spec.tokens(300, 2), spec.tokens(520, 3)),
                    DflashModel.tiny(
                                    new DflashModel.Target(
                                            shape.embeddingLength(), shape.vocabularySize()))
                            // More than 8 columns, which Mesa's software renderer cannot multiply.
                            .with(new DflashModel.Block(16, 3))
                            // Another type than the target's, and the output of its last layer.
                            .with(new DflashModel.Weights(TensorType.Q8_0, 0, false, 4))
                            .seeing(List.of(0, layers / 2, layers)));
        }

        ModelSettings settings() {
            ModelSettings settings = Cpu.settings(CONTEXT, PARALLEL, Cpu.F16);
            return settings.with(settings.computation().with(BatchInvariance.ON));
        }

        LoadedModel plain() {
            return Cpu.load(file, settings());
        }

        LoadedModel drafted(ComputeDevice device, int... cuts) throws Exception {
            return drafted(network.write(folder), device, cuts);
        }

        LoadedModel drafted(Path draft, ComputeDevice device, int... cuts) throws Exception {
            DraftFile own = DraftFile.of(GgufFile.open(draft), GgufFile.open(file), shape);
            DflashSpeculator speculator =
                    DflashSpeculator.open(
                            own,
                            new SpeculationTarget.Limits(CONTEXT, PARALLEL, MOST),
                            device,
                            new DflashSettings(WeightResidency.PERSISTENT, FlashAttention.AUTO));
            return Cpu.load(
                    file,
                    settings().with(new SpeculationRequirements(MOST, own.captures())),
                    new LoadedModel.EngineComponents(
                            Optional.empty(),
                            Optional.of(
                                    new SpeculationOptions(
                                            speculator, MOST, OptionalInt.of(MOST)))),
                    cuts);
        }

        List<Answer> ask(LoadedModel model, SamplingOptions sampling) throws Exception {
            List<Answer> answers =
                    prompts.stream().map(prompt -> Answer.of(prompt, COUNT, sampling)).toList();
            Answer.submit(model.engine(), answers);
            return answers;
        }

        void requirePlain(LoadedModel model, List<int[]> plain, SamplingOptions sampling)
                throws Exception {
            List<Answer> drafted = ask(model, sampling);
            for (int i = 0; i < plain.size(); i++) {
                String what = sampling + ", prompt " + i;
                assertArrayEquals(plain.get(i), drafted.get(i).tokens(), what);
                GenerationEnd.Speculation figures = drafted.get(i).end().speculation();
                // Every step but the last ones had a whole block: nothing that it saw was missing.
                assertTrue(
                        figures.drafted() >= MOST * (figures.verifySteps() - MOST), what + figures);
                assertTrue(figures.accepted() + figures.verifySteps() >= COUNT - 2, what + figures);
            }
        }
    }

    @ParameterizedTest
    @SomeFamilies(first = 0, of = 4)
    void outputEqualsPlainDecodingOverAnySplit(Family family) throws Exception {
        Sample sample = Sample.of(family);
        int[] cuts = Cpu.legalCuts(sample.file());
        SamplingOptions sampled = SamplingOptions.greedy().atTemperature(0.8f).seededWith(5);
        for (SamplingOptions sampling : List.of(SamplingOptions.greedy(), sampled)) {
            List<int[]> plain = plain(sample, sampling);
            List<int[]> places =
                    sampling.equals(sampled)
                            ? List.of(new int[] {cuts[cuts.length / 2]})
                            : Thorough.first(1, List.of(new int[] {cuts[0]}, new int[0])).toList();
            for (int[] cut : places) {
                try (LoadedModel model = sample.drafted(Cpu.device(), cut)) {
                    sample.requirePlain(model, plain, sampling);
                }
            }
        }
    }

    static Stream<Family> networks() {
        return Thorough.first(1, List.of(Family.QWEN35, Family.GEMMA4));
    }

    /**
     * Networks that draft up to 16 or up to 15 tokens, of which the engine uses at most 15. A
     * network with confidence drafts only the tokens that it is confident of.
     */
    @ParameterizedTest
    @MethodSource("networks")
    @Tag("nightly")
    void outputEqualsPlainDecodingWithAnyDraftModel(Family family) throws Exception {
        Sample sample = Sample.of(family);
        DflashModel network = sample.network();
        List<int[]> plain = plain(sample, SamplingOptions.greedy());
        for (boolean fromAnchor : new boolean[] {true, false}) {
            DsparkModel sure = DsparkModel.of(network, fromAnchor);
            DsparkModel unsure = sure.with(new DsparkModel.Confidence(2, -1));
            double longest = draftLength(sample, plain, sure.write(folder));

            // A network with confidence ends a draft early when the confidence is low. Some drafts
            // end early with any random weights.
            double shorter = draftLength(sample, plain, unsure.write(folder));
            assertTrue(shorter < longest, shorter + " tokens a step, not less than " + longest);
        }
        assertTrue(draftLength(sample, plain, Dflash2Model.of(network).write(folder)) > 0);
    }

    /** Draft tokens a step of answers that are the plain ones. */
    private static double draftLength(Sample sample, List<int[]> plain, Path draft)
            throws Exception {
        double drafted = 0;
        double steps = 0;
        try (LoadedModel model = sample.drafted(draft, Cpu.device())) {
            List<Answer> answers = sample.ask(model, SamplingOptions.greedy());
            for (int i = 0; i < plain.size(); i++) {
                assertArrayEquals(plain.get(i), answers.get(i).tokens());
                GenerationEnd.Speculation figures = answers.get(i).end().speculation();
                assertTrue(figures.verifySteps() > 0, figures.toString());
                drafted += figures.drafted();
                steps += figures.verifySteps();
            }
        }
        return drafted / steps;
    }

    private static List<int[]> plain(Sample sample, SamplingOptions sampling) throws Exception {
        List<int[]> plain = new ArrayList<>();
        try (LoadedModel model = sample.plain()) {
            for (Answer answer : sample.ask(model, sampling)) {
                plain.add(answer.tokens());
            }
        }
        return plain;
    }

    @ParameterizedTest
    @EnumSource(
            value = Family.class,
            names = {"LAGUNA"})
    @Tag("nightly")
    void sequencesRestoredFromDiskGetDraftsOnceEnoughFeaturesAreKnown(Family family)
            throws Exception {
        Sample sample = Sample.of(family);
        List<int[]> plain = plain(sample, SamplingOptions.greedy());
        try (LoadedModel model = sample.drafted(Cpu.device())) {
            int[] prompt = sample.prompts().get(2);
            int[] longer =
                    IntStream.concat(IntStream.of(prompt), IntStream.of(plain.get(2))).toArray();
            sample.requirePlain(model, plain, SamplingOptions.greedy());
            Answer again = Answer.of(longer, COUNT, SamplingOptions.greedy());
            Answer.submit(model.engine(), List.of(again));
            assertTrue(again.end().tokens().cached() > 256, "from the cache: " + again.end());
            try (LoadedModel other = sample.plain()) {
                Answer expected = Answer.of(longer, COUNT, SamplingOptions.greedy());
                Answer.submit(other.engine(), List.of(expected));
                assertArrayEquals(expected.tokens(), again.tokens());
            }
            assertTrue(again.end().speculation().drafted() > 0, again.end().toString());
        }
    }
}
