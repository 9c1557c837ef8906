package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ModelShape;
import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.api.speculation.SpeculationTarget;
import dev.varve.api.speculation.Speculator;
import dev.varve.api.speculation.TokenHistory;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.draft.DflashSpeculator;
import dev.varve.platform.draft.DflashSpeculator.DflashSettings;
import dev.varve.platform.draft.DflashSpeculator.WeightResidency;
import dev.varve.platform.draft.DraftFile;
import dev.varve.platform.engine.SpeculationOptions;
import dev.varve.platform.mtp.MtpSpeculator;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SpeculationRequirements;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.DflashModel;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.function.IntFunction;
import java.util.stream.Stream;

/**
 * A draft model drafts the same tokens after a restored prompt and after a prompt that the engine
 * computed whole. Neither the store of the prompt nor a new split of the layers changes them.
 */
@Timeout(600)
class RestoredDraftTest {
    private static final int COUNT = 12;
    private static final int CONTEXT = 512;
    private static final int MOST = 7;
    private static final int PROMPT = 330;

    /** Not in the middle of what is computed together otherwise. */
    private static final int BOUNDARY = 288;

    private static final DflashSettings CONDUCT =
            new DflashSettings(WeightResidency.PERSISTENT, FlashAttention.AUTO);

    @TempDir static Path folder;

    /** Records the draft tokens of another speculator. */
    private record Recording(Speculator other, List<Guess> guesses) implements Speculator {
        /** A draft, and how many tokens were known. */
        private record Guess(long sequence, int known, List<Integer> tokens) {}

        @Override
        public List<Integer> captures() {
            return other.captures();
        }

        @Override
        public int mostTokens() {
            return other.mostTokens();
        }

        @Override
        public List<Draft> propose(List<DraftRequest> sequences) {
            List<Draft> drafts = other.propose(sequences);
            for (int i = 0; i < drafts.size(); i++) {
                guesses.add(
                        new Guess(
                                sequences.get(i).sequence(),
                                sequences.get(i).tokens().size(),
                                Arrays.stream(drafts.get(i).tokens()).boxed().toList()));
            }
            return drafts;
        }

        /** Returns the first draft of the sequence that has the most recent draft. */
        List<Integer> first(int known) {
            long last = guesses.getLast().sequence();
            Guess first =
                    guesses.stream().filter(each -> each.sequence() == last).findFirst().get();
            assertEquals(known, first.known());
            return first.tokens();
        }

        @Override
        public void observe(HiddenStates states, TokenHistory tokens) {
            other.observe(states, tokens);
        }

        @Override
        public void forget(long sequence) {
            other.forget(sequence);
        }

        @Override
        public void close() {
            other.close();
        }
    }

    private record Drafted(LoadedModel model, Recording recording) implements AutoCloseable {
        static Drafted of(Path file, Speculator speculator, Path store, int... cuts)
                throws Exception {
            Recording recording = new Recording(speculator, new ArrayList<>());
            ModelSettings settings = CacheHits.withHost(Cpu.settings(CONTEXT, 1, Cpu.F16));
            int most = speculator.mostTokens();
            return new Drafted(
                    Cpu.load(
                            file,
                            settings.with(settings.computation().with(BatchInvariance.ON))
                                    .with(new SpeculationRequirements(most, speculator.captures())),
                            new LoadedModel.EngineComponents(
                                    Optional.of(CacheHits.disk(store)),
                                    Optional.of(
                                            new SpeculationOptions(
                                                    recording, most, OptionalInt.of(most)))),
                            cuts),
                    recording);
        }

        Answer ask(int[] prompt) throws Exception {
            Answer answer = Answer.of(prompt, BOUNDARY, COUNT, SamplingOptions.greedy());
            answer.submit(model.engine());
            answer.end();
            return answer;
        }

        /** Asks for the same again. */
        void requireSame(int[] prompt, CacheSource source, Answer expected, List<Integer> draft)
                throws Exception {
            Answer again = ask(prompt);

            String what = again.end().toString();
            assertEquals(Optional.of(source), again.end().cache().source(), what);
            // Without states there are no checkpoints, and the disk has whole blocks.
            int least = model.adapter().shape().forgets() ? BOUNDARY : KvSlotSpan.BLOCK;
            assertTrue(again.end().tokens().cached() >= least, what);
            assertArrayEquals(expected.tokens(), again.tokens(), what);
            assertEquals(draft, recording.first(PROMPT + 1), what);
            assertEquals(
                    expected.end().speculation(), again.end().speculation(), "guesses all along");
        }

        @Override
        public void close() {
            model.close();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Family.class,
            names = {"QWEN35", "GEMMA4", "LAGUNA"})
    @ByDay(1)
    void firstDraftTokensEqualThoseAfterAFullPrefill(Family family) throws Exception {
        RandomModel spec = family.wide(TensorType.F16);
        Path file = spec.write(folder);
        GgufFile gguf = GgufFile.open(file);
        ModelShape shape = Cpu.family(gguf).open(gguf, ModelOptions.defaults()).shape();
        int layers = shape.layerCount();
        Path draft =
                DflashModel.tiny(
                                new DflashModel.Target(
                                        shape.embeddingLength(), shape.vocabularySize()))
                        .with(new DflashModel.Block(1 + MOST, 3))
                        .seeing(List.of(0, layers / 2, layers))
                        .write(folder);
        requireSameWhenRestored(
                file,
                count -> spec.tokens(count, count),
                () ->
                        DflashSpeculator.open(
                                DraftFile.of(GgufFile.open(draft), gguf, shape),
                                new SpeculationTarget.Limits(CONTEXT, 1, MOST),
                                Cpu.device(),
                                CONDUCT));
    }

    static Stream<BlockModel> blocks() {
        return BlockModel.all();
    }

    @ParameterizedTest
    @MethodSource("blocks")
    @ByDay({1, 4, 7})
    void draftTokensAfterSingleTokenStepsEqualThoseAfterAFullPrefill(BlockModel spec)
            throws Exception {
        requireSameWhenRestored(
                spec.write(folder),
                count -> spec.tokens(count, count),
                () ->
                        MtpSpeculator.open(
                                spec.block(folder),
                                new SpeculationTarget.Limits(CONTEXT, 1, 3),
                                Cpu.device(),
                                CONDUCT));
    }

    private static void requireSameWhenRestored(
            Path file, IntFunction<int[]> tokens, Callable<Speculator> speculator)
            throws Exception {
        int[] cuts = Cpu.legalCuts(file);
        int[] prompt = tokens.apply(PROMPT);
        Path store = Files.createTempDirectory(folder, "store");
        Answer expected;
        List<Integer> first;
        try (Drafted drafted = Drafted.of(file, speculator.call(), store)) {
            expected = drafted.ask(prompt);
            assertEquals(0, expected.end().tokens().cached());
            first = drafted.recording().first(PROMPT + 1);
            assertEquals(drafted.recording().mostTokens(), first.size());

            // Its room is needed by another one.
            drafted.ask(tokens.apply(CONTEXT - COUNT));
            drafted.requireSame(prompt, CacheSource.HOST, expected, first);
        }
        try (Drafted drafted = Drafted.of(file, speculator.call(), store, cuts[cuts.length / 2])) {
            drafted.requireSame(prompt, CacheSource.DISK, expected, first);
        }
    }
}
