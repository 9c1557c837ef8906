package dev.varve.conformance;

import dev.varve.conformance.CacheHits.Expected;
import dev.varve.conformance.CacheHits.Grade;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.remote.BoundaryType;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Claim;
import dev.varve.testkit.Effort;
import dev.varve.testkit.Proves;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A prompt whose beginning was found is answered like one that is computed whole, wherever the
 * model's parts are and wherever the beginning was kept. With the same cuts every bit is the same,
 * (a); with others every token with q8_0 caches, (b), and with F16 caches every token that was not
 * too close to call, (c).
 */
@Timeout(300)
class CacheHitTest {
    private static final String HERE = "cpu:0";
    private static final String THERE = "cpu:0@process";

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

    /** Families, and whether their caches are quantised. */
    static Stream<Arguments> caches() {
        return Thorough.first(
                3,
                List.of(
                        Arguments.of(Family.QWEN35, false),
                        Arguments.of(Family.GEMMA4, false),
                        Arguments.of(Family.LAGUNA, true),
                        Arguments.of(Family.QWEN35MOE, true),
                        Arguments.of(Family.QWEN35, true),
                        Arguments.of(Family.QWEN35MOE, false),
                        Arguments.of(Family.GEMMA4, true),
                        Arguments.of(Family.LAGUNA, false)));
    }

    /** One with windows, and one with recurrent states. */
    static Stream<Family> mixed() {
        return Thorough.first(1, List.of(Family.GEMMA4, Family.QWEN35));
    }

    @ParameterizedTest
    @MethodSource("caches")
    @Proves({Claim.DISK, Claim.PROCESS})
    @ByDay(1)
    void cacheHitEqualsAFullPrefill(Family family, boolean quantized) throws Exception {
        long seed = family.quantisableSeed();
        RandomModel spec = family.odd(seed);
        CacheTypes types = quantized ? Cpu.Q8_0 : Cpu.F16;
        ModelSettings settings = CacheHits.settings(types);
        SplitModel split =
                SplitModel.of(
                        spec.write(models), settings, BoundaryType.F32, device -> process.link());
        int cut = split.cuts().get(split.cuts().size() / 2);
        Expected expected;
        try (LoadedModel model = split.load(settings, List.of(HERE))) {
            expected = Expected.of(spec, seed, model);
        }

        Path folder = models.resolve(family + " " + quantized);
        boolean kept = false;
        for (List<String> devices :
                List.of(List.of(HERE, HERE), List.of(HERE), List.of(HERE, THERE), List.of(THERE))) {
            int[] cuts = devices.size() == 1 ? new int[0] : new int[] {cut};
            try (LoadedModel model =
                    split.load(
                            CacheHits.withHost(settings),
                            Optional.of(CacheHits.disk(folder)),
                            devices,
                            cuts)) {
                if (kept) {
                    expected.requireFromDisk(model, spec + " on " + devices);
                }
                expected.requireFrom(model, Grade.of(types), spec + " on " + devices);
                if (!kept) {
                    expected.keep(model);
                    kept = true;
                }
            }
        }
    }

    /**
     * The second part on a device with memory of its own, in a process for each model, since a
     * software renderer takes seconds for each.
     */
    @Tag("nightly")
    @ParameterizedTest
    @MethodSource("mixed")
    void cacheHitOnMixedDevicesEqualsAFullPrefill(Family family) throws Exception {
        Vulkan.device();
        RandomModel spec = VulkanHits.spec(family);

        Path file = spec.write(models);
        List<String> arguments =
                List.of(family.name(), models.resolve(family + " on disk").toString());
        VulkanLogits.launch(VulkanHits.class, file, arguments);
        if (Effort.isFull()) {
            // The same again finds on disk what the first process left.
            VulkanLogits.launch(VulkanHits.class, file, arguments);
        }
    }
}
