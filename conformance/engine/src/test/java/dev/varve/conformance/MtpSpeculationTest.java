package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.DeviceInfo;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.host.DeviceSettings;
import dev.varve.platform.host.DraftMemoryPlan;
import dev.varve.platform.host.DraftPlacement;
import dev.varve.platform.host.DraftSettings;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.host.ModelLoadListener;
import dev.varve.platform.host.PlacedShardFactory;
import dev.varve.platform.host.PreparedModel;
import dev.varve.platform.host.ShardProcessSettings;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.runtime.HostCacheLimit;
import dev.varve.platform.runtime.MemoryClaims;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.speculation.TreeOptions;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Claim;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.Proves;
import dev.varve.testkit.TestThreads;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** Multi-token prediction beside its model: it sees all tokens and changes none. */
@Timeout(600)
class MtpSpeculationTest {
    private static final int COUNT = 40;
    private static final int WIDTH = 3;
    private static final List<SamplingOptions> SAMPLINGS =
            List.of(
                    SamplingOptions.greedy(),
                    SamplingOptions.greedy().atTemperature(0.8f).seededWith(5));

    private static final DeviceReference CPU = DeviceReference.PROCESSOR;

    /** A processor with more memory than any test has. */
    private static final DeviceInfo VAST =
            new DeviceInfo(CPU.toString(), "", 1L << 50, 1L << 50, true);

    @TempDir static Path folder;

    private static HostedModel load(Path file, List<String> draft) {
        return prepare(file, draft, new MemoryClaims()).load();
    }

    private static PreparedModel prepare(Path file, List<String> draft, MemoryClaims claims) {
        ModelSettings settings =
                Cpu.settings(600, 3, Cpu.F16).with(new HostCacheLimit.Fixed(1 << 20));
        HostSettings host =
                new HostSettings(
                                file,
                                settings.with(settings.computation().with(BatchInvariance.ON)),
                                DeviceSettings.best().withThreads(TestThreads.COUNT),
                                Cpu.plugins(folder.resolve("plugins.jar"), folder.resolve("cache")),
                                ShardProcessSettings.none())
                        .onDevices("cpu:0,cpu:0");
        for (String source : draft) {
            host =
                    host.with(
                            new DraftSettings(
                                    source,
                                    OptionalInt.empty(),
                                    OptionalInt.of(WIDTH),
                                    TreeOptions.OFF,
                                    DraftPlacement.USUAL));
        }
        return PreparedModel.open(
                host.with(host.devices().with(claims)), new ModelLoadListener() {});
    }

    private static List<Answer> ask(Engine engine, BlockModel spec, SamplingOptions sampling)
            throws Exception {
        List<Answer> answers =
                List.of(
                        Answer.of(spec.tokens(5, 1), COUNT, sampling),
                        Answer.of(spec.tokens(90, 2), COUNT, sampling),
                        Answer.of(spec.tokens(400, 3), COUNT, sampling));
        Answer.submit(engine, answers);
        for (Answer answer : answers) {
            answer.end();
        }
        return answers;
    }

    @ParameterizedTest
    @EnumSource(MtpModels.class)
    @ByDay(2)
    @Proves(Claim.MTP)
    void outputOfASplitModelEqualsPlainDecoding(MtpModels spec) throws Exception {
        Path file = spec.write(folder);
        GgufWriter alone = spec.writer();
        alone.tensorNames().stream()
                .filter(name -> !name.startsWith("blk.4."))
                .forEach(alone::leaveOut);
        Path block = folder.resolve(spec + "-block.gguf");
        alone.write(block);
        for (SamplingOptions sampling : SAMPLINGS) {
            List<GenerationEnd.Speculation> figures =
                    requireSame(file, spec, sampling, List.of(DraftSettings.MTP, block.toString()));

            // The block in the file of the model and the same block in another file draft the same
            // tokens.
            assertTrue(figures.subList(0, 3).equals(figures.subList(3, 6)), figures.toString());
        }
    }

    @ParameterizedTest
    @EnumSource(MtpModels.class)
    void speculatorMemoryIsReserved(MtpModels spec) throws Exception {
        Path file = spec.write(folder);
        MemoryClaims claims = new MemoryClaims();
        // As long as another one has a claim, what was free before it counts.
        claims.claim(Map.of(CPU, 1L), device -> claims.left(device, VAST));
        PreparedModel plain = prepare(file, List.of(), claims);
        PreparedModel guessed = prepare(file, List.of(DraftSettings.MTP), claims);
        DraftMemoryPlan draft = guessed.draftPlan().orElseThrow();

        long alone = promised(plain, claims);

        assertTrue(alone > 0);
        assertEquals(alone + draft.weightBytes() + draft.cacheBytes(), promised(guessed, claims));
    }

    private static long promised(PreparedModel model, MemoryClaims claims) {
        long before = claims.left(CPU, VAST).memoryFreeBytes();
        PlacedShardFactory reserved = model.reserve();
        long left = claims.left(CPU, VAST).memoryFreeBytes();
        reserved.close();
        return before - left;
    }

    @ParameterizedTest
    @EnumSource(AssistantModels.class)
    @ByDay(3)
    @Proves(Claim.MTP)
    void outputWithAnAssistantEqualsPlainDecoding(AssistantModels spec) throws Exception {
        String assistant = spec.writeAssistant(folder).toString();
        for (SamplingOptions sampling : SAMPLINGS) {
            requireSame(spec.write(folder), spec, sampling, List.of(assistant));
        }
    }

    /**
     * Sends the prompts to a model with each of some blocks. Returns the counts of draft tokens of
     * each answer.
     */
    private static List<GenerationEnd.Speculation> requireSame(
            Path file, BlockModel spec, SamplingOptions sampling, List<String> sources)
            throws Exception {
        List<int[]> plain = new ArrayList<>();
        try (HostedModel model = load(file, List.of())) {
            for (Answer answer : ask(model.engine(), spec, sampling)) {
                plain.add(answer.tokens());
            }
        }
        List<GenerationEnd.Speculation> figures = new ArrayList<>();
        for (String source : sources) {
            try (HostedModel model = load(file, List.of(source))) {
                List<Answer> guessed = ask(model.engine(), spec, sampling);
                for (int i = 0; i < plain.size(); i++) {
                    String what = source + ", " + sampling + ", prompt " + i;
                    assertArrayEquals(plain.get(i), guessed.get(i).tokens(), what);
                    GenerationEnd.Speculation made = guessed.get(i).end().speculation();
                    // The block drafted tokens for every step but the last ones.
                    assertTrue(made.drafted() >= WIDTH * (made.verifySteps() - WIDTH), what + made);
                    assertTrue(made.verifySteps() > COUNT / 2, what + made);
                    figures.add(made);
                }
            }
        }
        return figures;
    }
}
