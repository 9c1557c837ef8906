package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.ModelOptions;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.local.LayerMajorImportanceScorer;
import dev.varve.platform.shard.scoring.BlockSelectionRule;
import dev.varve.platform.shard.scoring.ScoringLayers;
import dev.varve.platform.shard.scoring.SparseAttention;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.Qwen3Model;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CancellationException;

/** Scores of tokens from a model that reads a text layer by layer, against plain loops. */
@Timeout(300)
class PromptScanTest {
    private static final CacheTypes F32 = new CacheTypes(GgmlType.F32, GgmlType.F32);
    private static final int TAIL = 8;

    /**
     * Of the largest score: exponents of up to about 10 are sums of 64 float products over a hidden
     * state that four layers rounded.
     */
    private static final double EXACT = 2e-5;

    /** F16 rows and queries: a product of about 10 is off by some 1e-3 of it. */
    private static final double HALF = 4e-3;

    /** Blocks of 32 values in 8 bits, of keys and of queries. */
    private static final double EIGHT_BITS = 3e-2;

    @TempDir static Path models;

    /** A listener that cancels at a given call, or never, and keeps the progress. */
    private static final class Told implements LayerMajorImportanceScorer.ProgressAndCancellation {
        private final int cancelAt;
        private int asked;
        private long done;
        private long all;

        Told(int cancelAt) {
            this.cancelAt = cancelAt;
        }

        @Override
        public boolean isCancelled() {
            return ++asked > cancelAt;
        }

        @Override
        public void onProgress(long done, long all) {
            assertTrue(done > this.done, "goes on");
            this.done = done;
            this.all = all;
        }
    }

    private static LayerMajorImportanceScorer load(
            Path file, ComputeDevice device, CacheTypes types, int chunk) {
        OpenedModel model = Cpu.open(file, ModelOptions.defaults());
        return LayerMajorImportanceScorer.load(
                model.range(model.shape().allLayers()),
                device,
                types,
                chunk,
                LoadProgressListener.silent());
    }

    private static LayerMajorImportanceScorer.ScoringOptions look(
            int begin, int end, boolean rotated) {
        return new LayerMajorImportanceScorer.ScoringOptions(
                new LayerRange(begin, end), TAIL, rotated);
    }

    private static float[] read(Path file, CacheTypes types, int chunk, int[] text, boolean rotated)
            throws IOException {
        try (LayerMajorImportanceScorer scorer = load(file, Cpu.device(), types, chunk)) {
            return scorer.read(
                    text,
                    look(0, scorer.shape().layerCount(), rotated),
                    new Told(Integer.MAX_VALUE));
        }
    }

    private static Path tiny(Family family) throws IOException {
        return family == Family.QWEN3
                ? Qwen3Model.tiny().write(models)
                : Qwen35Model.tiny().write(models);
    }

    /** With full attention in layers before the last one, whose attention nobody needs. */
    private static Path deep(Family family) throws IOException {
        return family == Family.QWEN3
                ? tiny(family)
                : Qwen35Model.tiny()
                        .withSize(new Qwen35Model.Size(8, 128, 256, 320, 4096))
                        .write(models);
    }

    private static int[] text(int tokens) {
        return Qwen3Model.tiny().randomTokens(tokens, 17);
    }

    private static void assertNear(double[] expected, float[] actual, double share, String what) {
        assertEquals(expected.length, actual.length, what);
        double most = Arrays.stream(expected).max().orElseThrow();
        for (int token = 0; token < actual.length; token++) {
            double difference = Math.abs(expected[token] - actual[token]);
            // Not below: NaN is not near either.
            assertTrue(
                    difference <= share * most,
                    what + ", token " + token + ": " + expected[token] + ", " + actual[token]);
        }
    }

    private static double[] doubles(float[] values) {
        double[] wide = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            wide[i] = values[i];
        }
        return wide;
    }

    @ParameterizedTest
    @CsvSource({
        "QWEN3, 9, false", "QWEN3, 300, false", "QWEN3, 300, true",
        "QWEN35, 9, false", "QWEN35, 300, false", "QWEN35, 300, true"
    })
    void scoresMatchPlainLoops(Family family, int tokens, boolean rotated) throws Exception {
        int[] text = text(tokens);
        double[] expected =
                new PlainScan(tiny(family), text)
                        .scores(
                                ScoringLayers.of(4, OptionalInt.empty(), OptionalInt.empty()),
                                rotated);

        assertNear(expected, read(tiny(family), F32, 512, text, rotated), EXACT, "F32");
        assertNear(expected, read(tiny(family), Cpu.F16, 512, text, rotated), HALF, "F16");
        assertNear(
                expected,
                read(tiny(family), new CacheTypes(GgmlType.F16, GgmlType.Q8_0), 512, text, rotated),
                HALF,
                "F16/Q8_0");
        assertNear(expected, read(tiny(family), Cpu.Q8_0, 512, text, rotated), EIGHT_BITS, "Q8_0");
    }

    /** Rotation changes the scores; otherwise the test above could not detect a lack of it. */
    @ParameterizedTest
    @EnumSource(names = {"QWEN3", "QWEN35"})
    void positionsMatterWhereRopeIsApplied(Family family) throws Exception {
        int[] text = text(300);

        float[] plain = read(tiny(family), F32, 512, text, false);
        float[] rotated = read(tiny(family), F32, 512, text, true);

        double most = 0;
        for (int token = 0; token < text.length; token++) {
            most = Math.max(most, Math.abs(plain[token] - rotated[token]));
        }
        assertTrue(most > 0.01, "differ by " + most);
    }

    /** The last tokens lie in two chunks, in one chunk, or exactly at the border of two chunks. */
    @ParameterizedTest
    @ValueSource(ints = {512, 513, 514, 515, 516, 517, 518, 519, 520, 1024 + 3})
    @ByDay({1, 4, 8, 10})
    void chunkedScanEqualsOneChunk(int tokens) throws Exception {
        int[] text = text(tokens);
        for (Family family : List.of(Family.QWEN3, Family.QWEN35)) {
            float[] whole = read(tiny(family), F32, tokens, text, false);

            assertNear(
                    doubles(whole),
                    read(tiny(family), F32, 512, text, false),
                    EXACT,
                    family + ", " + tokens + " tokens");
        }
    }

    @Test
    void manySmallChunksCollectTheLastQueries() throws Exception {
        int[] text = text(40);
        Path file = tiny(Family.QWEN3);
        float[] whole = read(file, F32, 40, text, false);

        for (int chunk : new int[] {1, 2, 3, 7, 13}) {
            assertNear(
                    doubles(whole), read(file, F32, chunk, text, false), EXACT, "chunk " + chunk);
        }
    }

    private static float[] read(Path file, int[] text, Optional<SparseAttention> sparse)
            throws IOException {
        try (LayerMajorImportanceScorer scorer = load(file, Cpu.device(), Cpu.F16, 512)) {
            LayerRange all = scorer.shape().allLayers();
            return scorer.read(
                    text,
                    new LayerMajorImportanceScorer.ScoringOptions(all, TAIL, false, sparse),
                    new Told(Integer.MAX_VALUE));
        }
    }

    /** Scores lie between 1 and 128, so all of them are above a thousandth of the best one. */
    @ParameterizedTest
    @CsvSource({"QWEN3, 1100", "QWEN3, 1030", "QWEN35, 1100"})
    void attentionToAllBlocksEqualsFullAttention(Family family, int tokens) throws Exception {
        int[] text = text(tokens);
        SparseAttention all = new SparseAttention(BlockSelectionRule.of(0.001), tokens);

        assertArrayEquals(
                read(deep(family), text, Optional.empty()),
                read(deep(family), text, Optional.of(all)));
    }

    @ParameterizedTest
    @EnumSource(names = {"QWEN3", "QWEN35"})
    void blockSparseAttentionIsUsedForLongTextsOnly(Family family) throws Exception {
        int[] text = text(1100);
        BlockSelectionRule few = new BlockSelectionRule(0.999, 0, 1, 0);
        float[] dense = read(deep(family), text, Optional.empty());

        float[] shorter = read(deep(family), text, Optional.of(new SparseAttention(few, 1101)));
        float[] longer = read(deep(family), text, Optional.of(new SparseAttention(few, 1100)));

        assertArrayEquals(dense, shorter);
        assertFalse(Arrays.equals(dense, longer));
        assertTrue(correlation(dense, longer) > 0.5, "correlate by " + correlation(dense, longer));
    }

    /** Blocks are those of the text, wherever its chunks begin. */
    @Test
    void chunkedBlockSparseScanEqualsOneChunk() throws Exception {
        int[] text = text(1100);
        SparseAttention sparse = new SparseAttention(new BlockSelectionRule(0.97, 1, 1, 1), 1);
        for (Family family : List.of(Family.QWEN3, Family.QWEN35)) {
            int layers = family == Family.QWEN3 ? 4 : 8;
            LayerMajorImportanceScorer.ScoringOptions options =
                    new LayerMajorImportanceScorer.ScoringOptions(
                            new LayerRange(0, layers), TAIL, false, Optional.of(sparse));
            try (LayerMajorImportanceScorer whole = load(deep(family), Cpu.device(), F32, 1152);
                    LayerMajorImportanceScorer parts = load(deep(family), Cpu.device(), F32, 256)) {
                assertNear(
                        doubles(whole.read(text, options, new Told(Integer.MAX_VALUE))),
                        parts.read(text, options, new Told(Integer.MAX_VALUE)),
                        EXACT,
                        family.toString());
            }
        }
    }

    /** Layers, how many are scored and how many computed; 0 for all. */
    @ParameterizedTest
    @CsvSource({
        "7, 7, 0, 7",
        "7, 28, 21, 28",
        "0, 28, 0, 28",
        "0, 14, 0, 14",
        "14, 7, 0, 7",
        "28, 28, 0, 28",
        "7, 14, 7, 14"
    })
    void onlySelectedLayersCount(int last, int exit, int begin, int end) throws Exception {
        Path file =
                Qwen3Model.tiny()
                        .withSize(new Qwen35Model.Size(28, 64, 96, 320, 4096))
                        .write(models);
        int[] text = text(60);
        LayerRange range =
                ScoringLayers.of(
                        28,
                        last == 0 ? OptionalInt.empty() : OptionalInt.of(last),
                        OptionalInt.of(exit));
        assertEquals(new LayerRange(begin, end), range);
        double[] expected = new PlainScan(file, text).scores(range, false);
        Told told = new Told(Integer.MAX_VALUE);

        try (LayerMajorImportanceScorer scorer = load(file, Cpu.device(), F32, 32)) {
            float[] scores = scorer.read(text, look(begin, end, false), told);

            assertNear(expected, scores, EXACT, range.toString());
        }
        assertEquals(end * text.length, told.all, "layers behind are not computed");
        assertEquals(told.all, told.done);
        assertEquals(end * 2, told.asked, "once for each chunk of each layer");
    }

    @Test
    void layersWithoutAttentionHaveNoScore() throws Exception {
        int[] text = text(20);
        try (LayerMajorImportanceScorer scorer =
                load(tiny(Family.QWEN35), Cpu.device(), F32, 512)) {
            VarveException refusal =
                    assertThrows(
                            VarveException.class,
                            () -> scorer.read(text, look(0, 2, false), new Told(9)));

            assertEquals(VarveException.Kind.UNSUPPORTED_MODEL, refusal.kind());
            assertTrue(refusal.getMessage().contains("full attention"), refusal.getMessage());
        }
    }

    @Test
    void fewerTokensThanQueriesAreRefused() throws Exception {
        int[] text = text(TAIL - 1);
        try (LayerMajorImportanceScorer scorer = load(tiny(Family.QWEN3), Cpu.device(), F32, 512)) {
            assertThrows(
                    IllegalArgumentException.class,
                    () -> scorer.read(text, look(0, 4, false), new Told(9)));
        }
    }

    @Test
    void cancelledScanStopsAndTheNextOneRuns() throws Exception {
        int[] text = text(100);
        LayerMajorImportanceScorer.ScoringOptions options = look(0, 4, false);
        try (LayerMajorImportanceScorer scorer = load(tiny(Family.QWEN3), Cpu.device(), F32, 32)) {
            float[] before = scorer.read(text, options, new Told(Integer.MAX_VALUE));
            Told told = new Told(6);

            assertThrows(CancellationException.class, () -> scorer.read(text, options, told));

            assertEquals(7, told.asked);
            assertEquals(132 + 64 - 32, told.done, "one layer and two chunks of the next");
            assertNear(doubles(before), scorer.read(text, options, new Told(99)), 0, "afterwards");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"GEMMA4", "LAGUNA"})
    void familyWithSlidingLayersIsRefused(Family family) throws Exception {
        Path file = family.odd(family.quantisableSeed()).write(models);

        VarveException refusal =
                assertThrows(
                        VarveException.class, () -> load(file, Cpu.device(), Cpu.F16, 512).close());

        assertEquals(VarveException.Kind.UNSUPPORTED_MODEL, refusal.kind());
        for (String part : List.of(file.toString(), "full attention", architecture(file))) {
            assertTrue(refusal.getMessage().contains(part), refusal.getMessage());
        }
    }

    private static String architecture(Path file) {
        return GgufFile.open(file).architecture();
    }

    @ParameterizedTest
    @CsvSource({"QWEN3, 9", "QWEN3, 1500", "QWEN35, 1500"})
    void scanMemoryIsPlannedExactly(Family family, int tokens) throws Exception {
        OpenedModel model = Cpu.open(tiny(family), ModelOptions.defaults());
        for (CacheTypes types : List.of(F32, Cpu.F16, Cpu.Q8_0)) {
            long foretold =
                    LayerMajorImportanceScorer.bytes(
                            model.range(model.shape().allLayers()), types, tokens, TAIL);
            try (LayerMajorImportanceScorer scorer = load(tiny(family), Cpu.device(), types, 512)) {
                scorer.read(text(tokens), look(0, 4, false), new Told(Integer.MAX_VALUE));

                String sums = types + ": foretold " + foretold + ", taken " + scorer.lastBytes();
                assertTrue(scorer.lastBytes() > 0 && scorer.lastBytes() <= foretold, sums);
                // A long text's estimate is also of use.
                assertTrue(tokens < 1000 || foretold < 4 * scorer.lastBytes(), sums);
            }
        }
    }

    /** Each of them would keep 150 MB. */
    @Test
    @Tag("nightly")
    void cancelledScanFreesItsMemory() throws Exception {
        int[] text = text(100_000);
        try (LayerMajorImportanceScorer scorer = load(tiny(Family.QWEN3), Cpu.device(), F32, 512)) {
            LayerMajorImportanceScorer.ScoringOptions options = look(0, 4, false);
            assertThrows(
                    CancellationException.class, () -> scorer.read(text, options, new Told(0)));
            long before = residentBytes();
            for (int i = 0; i < 10; i++) {
                assertThrows(
                        CancellationException.class, () -> scorer.read(text, options, new Told(0)));
            }

            long more = residentBytes() - before;
            assertTrue(more < 400L << 20, "kept " + more);
        }
    }

    private static long residentBytes() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                        .filter(line -> line.startsWith("RssAnon:"))
                        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                        .findFirst()
                        .orElseThrow()
                << 10;
    }

    @Test
    void truncatedFileIsNamed() throws Exception {
        Path file = models.resolve("short.gguf");
        Files.copy(tiny(Family.QWEN3), file, StandardCopyOption.REPLACE_EXISTING);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(channel.size() - 1000);
        }

        VarveException refusal =
                assertThrows(
                        VarveException.class, () -> load(file, Cpu.device(), Cpu.F16, 512).close());

        assertEquals(VarveException.Kind.CORRUPT_FILE, refusal.kind());
        assertTrue(refusal.getMessage().contains("truncated or corrupt"), refusal.getMessage());
        assertTrue(refusal.getMessage().contains("short.gguf"), refusal.getMessage());
    }

    /** Quantised weights go other ways: repacked, and in tiles where the processor has them. */
    @ParameterizedTest
    @EnumSource(names = {"Q8_0", "BF16", "F16"})
    void otherWeightTypesScoreAlike(TensorType type) throws Exception {
        int[] text = text(530);
        float[] exact = read(tiny(Family.QWEN3), F32, 512, text, false);

        float[] scores =
                read(Qwen3Model.tiny().withType(type).write(models), F32, 512, text, false);

        assertFalse(Arrays.equals(exact, scores));
        assertTrue(correlation(exact, scores) > 0.99, "correlate by " + correlation(exact, scores));
    }

    private static double correlation(float[] one, float[] other) {
        double sum = 0;
        double ones = 0;
        double others = 0;
        for (int i = 0; i < one.length; i++) {
            sum += (double) one[i] * other[i];
            ones += (double) one[i] * one[i];
            others += (double) other[i] * other[i];
        }
        return sum / Math.sqrt(ones * others);
    }

    /** Products of both are F32; on the device the scores are a product of F16 rows as well. */
    @Test
    @Tag("nightly")
    void deviceWithItsOwnMemoryScoresLikeTheProcessor() {
        // Skips where there is none.
        Vulkan.device();
        OwnProcess.call(PromptScanTest.class, "requireScoresLikeTheProcessor", models);
    }

    static void requireScoresLikeTheProcessor(Path folder) throws Exception {
        models = folder;
        int[] text = text(100);
        float[] expected = read(tiny(Family.QWEN3), Cpu.F16, 64, text, false);
        try (LayerMajorImportanceScorer scorer =
                load(tiny(Family.QWEN3), Vulkan.device(), Cpu.F16, 64)) {
            float[] scores = scorer.read(text, look(0, 4, false), new Told(Integer.MAX_VALUE));

            assertNear(doubles(expected), scores, HALF, "Vulkan");
        }
    }
}
