package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.remote.BoundaryType;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Claim;
import dev.varve.testkit.Comparison;
import dev.varve.testkit.Proves;
import dev.varve.testkit.TensorType;
import dev.varve.testkit.TestSeed;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * Wherever a model is cut and wherever its parts are, its logits and greedy tokens are those of the
 * whole model, bit for bit. All parts in other processes live in one, which loads and frees ranges.
 */
class SplitTest {
    private static final String HERE = "cpu:0";
    private static final String THERE = "cpu:0@process";
    private static final ModelSettings SETTINGS = Cpu.settings(512, 1, Cpu.F16);
    private static final int TOKENS = 160;
    private static final int GREEDY = 16;

    /** Layouts of two parts; devices of other backends join here. */
    private static final List<List<String>> MIXED =
            List.of(
                    List.of(HERE, HERE),
                    List.of(THERE, THERE),
                    List.of(HERE, THERE),
                    List.of(THERE, HERE));

    @TempDir static Path folder;
    @TempDir static Path installation;
    private static ListeningShard process;

    @BeforeAll
    static void startProcess() throws Exception {
        process = ListeningShard.start(ShardProgram.install(folder, installation));
    }

    @AfterAll
    static void endProcess() {
        process.close();
    }

    /** The logits and the greedy tokens of a model for a prompt. */
    private record Said(float[][] logits, int[] greedy) {
        static Said by(LoadedModel model, int[] prompt) throws Exception {
            return new Said(
                    Cpu.logits(model, prompt), Answer.ask(model.engine(), prompt, GREEDY).tokens());
        }
    }

    /** A model, a prompt, and the output of the whole model for it. */
    private record Sample(RandomModel spec, Path file, int[] prompt, Said whole) {
        static Sample of(RandomModel spec, long seed) throws Exception {
            Path file = spec.write(folder);
            int[] prompt = spec.tokens(TOKENS, seed);
            SplitModel parts = split(file, BoundaryType.F32);
            try (LoadedModel model = parts.load(SETTINGS, List.of(HERE))) {
                return new Sample(spec, file, prompt, Said.by(model, prompt));
            }
        }

        SplitModel split(BoundaryType boundary) {
            return split(file, boundary);
        }

        private static SplitModel split(Path file, BoundaryType boundary) {
            return SplitModel.of(file, SETTINGS, boundary, device -> process.link());
        }

        void requireSame(List<String> devices, int... cuts) throws Exception {
            String what = spec + ", " + devices + " cut at " + Arrays.toString(cuts);
            try (LoadedModel model = split(BoundaryType.F32).load(SETTINGS, devices, cuts)) {
                Said said = Said.by(model, prompt);
                assertEquals(0, Comparison.worstRelativeL2(whole.logits(), said.logits()), what);
                assertArrayEquals(whole.greedy(), said.greedy(), what);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "QWEN35, 8",
        "QWEN35MOE, 8",
        "GEMMA4, 8",
        "GEMMA4, 60",
        "GEMMA4, 7",
        "LAGUNA, 1",
        "QWEN3, 9"
    })
    @ByDay({3, 6})
    @Proves({Claim.SPLIT, Claim.PROCESS})
    void everySplitInTwoMatchesTheWholeModel(Family family, long seed) throws Exception {
        Sample sample = Sample.of(family.odd(seed), seed);

        for (int cut : sample.split(BoundaryType.F32).cuts()) {
            for (List<String> devices : MIXED) {
                if (Thorough.tries(2, cut, MIXED.indexOf(devices))) {
                    sample.requireSame(devices, cut);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"QWEN35, 8", "QWEN35MOE, 8", "GEMMA4, 60", "GEMMA4, 7", "LAGUNA, 1", "QWEN3, 9"})
    @ByDay({2, 5})
    @Proves({Claim.SPLIT, Claim.PROCESS})
    void threeAndFourPartsMatchTheWholeModel(Family family, long seed) throws Exception {
        Sample sample = Sample.of(family.odd(seed), seed);
        SplittableRandom random = new SplittableRandom(TestSeed.of(seed));

        sample.requireSame(List.of(THERE, HERE, THERE), cuts(sample, 2, random));
        sample.requireSame(List.of(HERE, THERE, HERE), cuts(sample, 2, random));
        for (int parts = 3; parts <= 4; parts++) {
            for (int repetition = 0; repetition < 2; repetition++) {
                List<String> devices = new ArrayList<>();
                for (int part = 0; part < parts; part++) {
                    devices.add(random.nextBoolean() ? HERE : THERE);
                }
                sample.requireSame(devices, cuts(sample, parts - 1, random));
            }
        }
    }

    /** Legal cuts, drawn until some fit. */
    private static int[] cuts(Sample sample, int count, SplittableRandom random) {
        SplitModel split = sample.split(BoundaryType.F32);
        List<Integer> legal = new ArrayList<>(split.cuts());
        assertTrue(legal.size() >= count, sample.spec() + " has too few cuts: " + legal);
        Collections.shuffle(legal, new Random(random.nextLong()));
        return legal.subList(0, count).stream().mapToInt(Integer::intValue).sorted().toArray();
    }

    /**
     * Measures the error of narrow activations. The matrices are F32, so that the model rounds
     * nothing else but the cache. The median row shows the rounding, about 5e-4 and 4e-3 per
     * boundary. The worst row shows a router that chose another expert by a hair.
     */
    @ParameterizedTest
    @CsvSource({"QWEN35, 8", "QWEN35MOE, 8", "GEMMA4, 60", "GEMMA4, 7", "LAGUNA, 1"})
    @ByDay(5)
    void narrowBoundaryTypesCostLittleAccuracy(Family family, long seed) throws Exception {
        Sample sample = Sample.of(family.odd(seed, TensorType.F32), seed);

        double[] f16 = errors(sample, BoundaryType.F16);
        double[] bf16 = errors(sample, BoundaryType.BF16);

        System.out.printf(
                Locale.ROOT,
                "boundary error of %s %d, median and worst row: F16 %.1e %.1e, BF16 %.1e %.1e%n",
                family,
                seed,
                median(f16),
                f16[f16.length - 1],
                median(bf16),
                bf16[bf16.length - 1]);
        assertTrue(median(f16) > 0 && median(f16) < 5e-3, "F16: " + median(f16));
        assertTrue(median(bf16) > median(f16) && median(bf16) < 4e-2, "BF16: " + median(bf16));
    }

    /** Relative L2 of every row of logits for every cut, ascending. */
    private static double[] errors(Sample sample, BoundaryType type) {
        List<Double> errors = new ArrayList<>();
        SplitModel split = sample.split(type);
        for (int cut : split.cuts()) {
            try (LoadedModel model = split.load(SETTINGS, List.of(HERE, THERE), cut)) {
                float[][] logits = Cpu.logits(model, sample.prompt());
                for (int row = 0; row < logits.length; row++) {
                    errors.add(Comparison.relativeL2(sample.whole().logits()[row], logits[row]));
                }
            }
        }
        return errors.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    }

    private static double median(double[] ascending) {
        return ascending[ascending.length / 2];
    }
}
