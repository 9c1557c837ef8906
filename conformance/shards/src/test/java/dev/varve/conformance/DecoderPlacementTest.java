package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.remote.BoundaryType;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.testkit.Claim;
import dev.varve.testkit.Comparison;
import dev.varve.testkit.DecoderLayout;
import dev.varve.testkit.DecoderModel;
import dev.varve.testkit.Proves;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Models of the families that are described by their layers, in three parts of which some are in
 * another process, and with prefixes from the devices, from host memory and from the disk of
 * another split.
 */
@Timeout(300)
class DecoderPlacementTest {
    private static final String HERE = "cpu:0";
    private static final String THERE = "cpu:0@process";
    private static final int TOKENS = 700;
    private static final int BOUNDARY = 600;
    private static final int GREEDY = 16;

    /** Position after the first forward: at least these tokens are cached. */
    private static final int FORWARD = 512;

    @TempDir static Path models;
    @TempDir static Path installation;
    private static ListeningShard process;

    @BeforeAll
    static void startProcess() throws Exception {
        process = ListeningShard.start(ShardProgram.install(models, installation));
    }

    @AfterAll
    static void endProcess() {
        process.close();
    }

    static Stream<DecoderLayout> layouts() {
        return Thorough.some(6, List.of(DecoderLayout.values()));
    }

    @ParameterizedTest
    @MethodSource("layouts")
    @Proves({Claim.SPLIT, Claim.PROCESS, Claim.DISK})
    void splitsAndCachedPrefixesGiveTheTokensOfTheWholeModel(DecoderLayout layout)
            throws Exception {
        RandomModel spec = RandomModel.of(new DecoderModel(layout, 1, TensorType.Q8_0));
        ModelSettings settings = Cpu.settings(1024, 2, Cpu.Q8_0);
        SplitModel split =
                SplitModel.of(
                        spec.write(models), settings, BoundaryType.F32, device -> process.link());
        int[] prompt = spec.tokens(TOKENS, 4);
        float[][] logits;
        int[] greedy;
        try (LoadedModel model = split.load(settings, List.of(HERE))) {
            logits = Cpu.logits(model, prompt);
            greedy = ask(model, prompt).tokens();
        }
        List<Integer> cuts = split.cuts();
        int[] three = {cuts.getFirst(), cuts.getLast()};
        Path disk = models.resolve(layout + " on disk");
        try (LoadedModel model = load(split, settings, disk, List.of(THERE, HERE, THERE), three)) {
            assertEquals(
                    0,
                    Comparison.worstRelativeL2(logits, Cpu.logits(model, prompt)),
                    spec.toString());
            assertArrayEquals(greedy, ask(model, prompt).tokens(), spec.toString());
            Answer again = ask(model, prompt);
            assertTrue(again.end().tokens().cached() >= FORWARD, again.end()::toString);
            assertArrayEquals(greedy, again.tokens(), spec + " " + again.end());
        }
        int middle = cuts.get(cuts.size() / 2);
        try (LoadedModel model = load(split, settings, disk, List.of(HERE, THERE), middle)) {
            Answer restored = ask(model, prompt);
            assertEquals(Optional.of(CacheSource.DISK), restored.end().cache().source());
            assertTrue(restored.end().tokens().cached() >= FORWARD, restored.end()::toString);
            assertArrayEquals(greedy, restored.tokens(), spec.toString());
        }
    }

    private static Answer ask(LoadedModel model, int[] prompt) throws Exception {
        Answer answer = Answer.of(prompt, BOUNDARY, GREEDY, SamplingOptions.greedy());
        answer.submit(model.engine());
        answer.end();
        return answer;
    }

    private static LoadedModel load(
            SplitModel split, ModelSettings settings, Path disk, List<String> devices, int... cuts)
            throws Exception {
        return split.load(
                CacheHits.withHost(settings), Optional.of(CacheHits.disk(disk)), devices, cuts);
    }
}
