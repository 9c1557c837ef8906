package dev.varve.platform.shard.streaming;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.ExpertCounts;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** Experts of two layers with matrices that do not begin at pages. */
class ExpertCacheTest {
    private static final long PAGE = StreamedFile.PAGE;
    private static final int EXPERTS = 6;

    /** Bytes of an expert in a matrix: neighbours share a page. */
    private static final long BYTES = 2 * 4096 + 1024;

    /** Most bytes of an expert in the cache: up to four pages in each of two matrices. */
    private static final long EXPERT = 2 * 4 * PAGE;

    @TempDir Path folder;

    private Path path;

    @BeforeEach
    void write() throws IOException {
        byte[] content = new byte[(int) (160 + 4 * EXPERTS * BYTES)];
        new Random(7).nextBytes(content);
        path = Files.write(folder.resolve("m.gguf"), content);
    }

    private GgufTensor matrix(String name, int number) {
        return new GgufTensor(
                name,
                GgmlType.F32,
                List.of(BYTES / 4, 1L, (long) EXPERTS),
                new GgufTensor.Place(path, 160 + number * EXPERTS * BYTES, EXPERTS * BYTES));
    }

    private List<GgufTensor> matrices() {
        return List.of(
                matrix("blk.0.ffn_gate_up_exps.weight", 0),
                matrix("blk.0.ffn_down_exps.weight", 1),
                matrix("blk.1.ffn_up_exps.weight", 2),
                matrix("blk.1.ffn_down_exps.weight", 3));
    }

    private ExpertCache open(long limit) {
        return ExpertCache.open(matrices(), limit);
    }

    private static ExpertGroup layer(ExpertCache cache, int number) {
        return cache.group("blk." + number + ".ffn").orElseThrow();
    }

    private static void load(ExpertCache cache, ExpertGroup group, int[] experts) {
        cache.load(group, experts, () -> {});
    }

    private void shorten(long bytes) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            channel.truncate(bytes);
        }
    }

    @Test
    void leastRecentlyUsedExpertIsEvicted() {
        try (ExpertCache cache = open(3 * EXPERT)) {
            load(cache, layer(cache, 0), new int[] {0, 1});
            load(cache, layer(cache, 1), new int[] {0});
            load(cache, layer(cache, 0), new int[] {0});
            assertEquals(new ExpertCounts(1, 3, cache.counts().readBytes()), cache.counts());

            load(cache, layer(cache, 1), new int[] {5});
            load(cache, layer(cache, 0), new int[] {0});
            load(cache, layer(cache, 1), new int[] {0});
            assertEquals(3, cache.counts().hits());
            load(cache, layer(cache, 0), new int[] {1});

            assertEquals(3, cache.counts().hits(), "expert 1 of layer 0 was evicted");
            assertEquals(3 * EXPERT, cache.residentBytes());
        }
    }

    @Test
    void expertsThatAreNeededTogetherStay() {
        try (ExpertCache cache = open(3 * EXPERT)) {
            assertEquals(3, cache.most(layer(cache, 0)));
            load(cache, layer(cache, 0), new int[] {0, 1, 2});
            load(cache, layer(cache, 0), new int[] {0, 3, 4});
            load(cache, layer(cache, 0), new int[] {0, 3, 4});

            assertEquals(1 + 3, cache.counts().hits());
            assertEquals(5, cache.counts().misses());
        }
    }

    @Test
    void whollyReadBytesAreThoseOfTheirPages() {
        try (ExpertCache cache = open(3 * EXPERT)) {
            load(cache, layer(cache, 0), new int[] {0});

            // Bytes 160 to 9376, and from 55456 on, each in three pages.
            assertEquals(2 * 3 * PAGE, cache.counts().readBytes());
        }
    }

    /** The same expert can be read once the file is whole again. */
    @Test
    void failedReadLeavesTheCacheUsable() throws IOException {
        byte[] whole = Files.readAllBytes(path);
        try (ExpertCache cache = open(3 * EXPERT)) {
            load(cache, layer(cache, 0), new int[] {0});
            shorten(160 + 3 * EXPERTS * BYTES);

            VarveException error =
                    assertThrows(
                            VarveException.class,
                            () -> load(cache, layer(cache, 1), new int[] {2}));
            assertEquals(VarveException.Kind.CORRUPT_FILE, error.kind());
            assertTrue(
                    error.getMessage().startsWith(path + ": blk.1.ffn_down_exps.weight: expected"),
                    error.getMessage());
            assertTrue(error.getMessage().contains("at offset"), error.getMessage());
            assertEquals(0, cache.residentBytes());
            load(cache, layer(cache, 0), new int[] {0});
            assertEquals(0, cache.counts().hits());
            Files.write(path, whole);
            load(cache, layer(cache, 1), new int[] {2});

            assertEquals(2 * EXPERT, cache.residentBytes());
        }
    }

    @Test
    void callerComputesOnceWhetherExpertsAreReadOrFound() {
        AtomicInteger runs = new AtomicInteger();
        try (ExpertCache cache = open(3 * EXPERT)) {
            cache.load(layer(cache, 0), new int[] {1, 2}, runs::incrementAndGet);
            assertEquals(1, runs.get());
            cache.load(layer(cache, 0), new int[] {1, 2}, runs::incrementAndGet);
            assertEquals(2, runs.get());
        }
    }

    @Test
    void failedComputationLeavesTheCacheUsable() {
        Runnable failing =
                () -> {
                    throw new IllegalStateException("no result");
                };
        try (ExpertCache cache = open(3 * EXPERT)) {
            assertThrows(
                    IllegalStateException.class,
                    () -> cache.load(layer(cache, 0), new int[] {1}, failing));

            load(cache, layer(cache, 0), new int[] {1});
            assertEquals(EXPERT, cache.residentBytes());
        }
    }

    @Test
    void expertThatWasReadAheadIsAHitAndReadOnce() {
        try (ExpertCache cache = open(4 * EXPERT)) {
            load(cache, layer(cache, 0), new int[] {0});
            cache.prefetch(layer(cache, 1), new int[] {3});

            load(cache, layer(cache, 1), new int[] {3});
            load(cache, layer(cache, 1), new int[] {3});

            assertEquals(new ExpertCounts(2, 1, cache.counts().readBytes()), cache.counts());
            assertEquals(2 * EXPERT, cache.residentBytes());
        }
    }

    @Test
    void wrongGuessIsFreedAndRightOneIsRead() {
        try (ExpertCache cache = open(3 * EXPERT)) {
            load(cache, layer(cache, 0), new int[] {0});
            cache.prefetch(layer(cache, 1), new int[] {3, 4});
            assertEquals(3 * EXPERT, cache.residentBytes());

            load(cache, layer(cache, 1), new int[] {5, 2});
            load(cache, layer(cache, 0), new int[] {0});

            assertEquals(3, cache.counts().misses());
            assertEquals(1, cache.counts().hits(), "the expert of the layer before stays");
            assertEquals(3 * EXPERT, cache.residentBytes());
        }
    }

    /** Two experts are in use, so only one can be read ahead. */
    @Test
    void readingAheadEvictsNothingThatIsInUse() {
        try (ExpertCache cache = open(3 * EXPERT)) {
            load(cache, layer(cache, 1), new int[] {1});
            load(cache, layer(cache, 0), new int[] {0, 1});
            cache.prefetch(layer(cache, 1), new int[] {3, 4, 5});
            assertEquals(3 * EXPERT, cache.residentBytes());

            load(cache, layer(cache, 0), new int[] {0, 1});

            assertEquals(2, cache.counts().hits());
        }
    }

    /** Needs all of the limit while experts are read ahead. */
    @Test
    void neededExpertsTakeTheMemoryOfGuesses() {
        try (ExpertCache cache = open(3 * EXPERT)) {
            cache.prefetch(layer(cache, 1), new int[] {3, 4, 5});

            load(cache, layer(cache, 0), new int[] {0, 1, 2});

            assertEquals(3 * EXPERT, cache.residentBytes());
            load(cache, layer(cache, 0), new int[] {0, 1, 2});
            assertEquals(3, cache.counts().hits());
        }
    }

    @Test
    void failedReadAheadFailsOnlyWhoNeedsIt() throws IOException {
        try (ExpertCache cache = open(4 * EXPERT)) {
            shorten(160 + 3 * EXPERTS * BYTES);
            cache.prefetch(layer(cache, 1), new int[] {2});
            load(cache, layer(cache, 0), new int[] {0});
            cache.prefetch(layer(cache, 1), new int[] {2});

            assertThrows(VarveException.class, () -> load(cache, layer(cache, 1), new int[] {2}));

            assertEquals(0, cache.residentBytes());
        }
    }

    private ExpertCache reopened(long limit, Path use) {
        ExpertCache cache = ExpertCache.open(matrices(), limit, Optional.of(use));
        cache.warming().join();
        return cache;
    }

    @Test
    void expertsThatWereUsedMostAreReadAtTheNextStart() {
        Path use = folder.resolve("use");
        try (ExpertCache cache = reopened(6 * EXPERT, use)) {
            assertEquals(0, cache.residentBytes());
            for (int i = 0; i < 3; i++) {
                load(cache, layer(cache, 0), new int[] {1, 2});
            }
            load(cache, layer(cache, 1), new int[] {3});
            load(cache, layer(cache, 1), new int[] {3, 4});
        }

        try (ExpertCache cache = reopened(3 * EXPERT, use)) {
            assertEquals(3 * EXPERT, cache.residentBytes());
            // Evicts expert 3 of layer 1, which was used less often.
            load(cache, layer(cache, 1), new int[] {5});
            load(cache, layer(cache, 0), new int[] {1, 2});
            assertEquals(2, cache.counts().hits());
            load(cache, layer(cache, 1), new int[] {3});

            assertEquals(2, cache.counts().hits());
        }
    }

    @Test
    void damagedRecordIsIgnoredAndReplaced() throws IOException {
        Path use = folder.resolve("use");
        try (ExpertCache cache = reopened(3 * EXPERT, use)) {
            load(cache, layer(cache, 0), new int[] {1});
        }
        Path file;
        try (Stream<Path> files = Files.list(use)) {
            file = files.findFirst().orElseThrow();
        }
        List<String> whole = Files.readAllLines(file);
        for (List<String> damaged :
                List.of(
                        List.<String>of(),
                        whole.subList(0, whole.size() - 1),
                        whole.stream().map(line -> line.replace("1.0", "NaN")).toList(),
                        whole.stream().map(line -> line.replace("1.0", "x")).toList(),
                        whole.stream().map(line -> line.replace("blk.1", "blk.2")).toList(),
                        whole.stream().map(line -> line.replace("use 1", "use 2")).toList())) {
            Files.write(file, damaged);
            try (ExpertCache cache = reopened(3 * EXPERT, use)) {
                assertEquals(0, cache.residentBytes(), damaged.toString());
            }
        }
        assertEquals(whole.size(), Files.readAllLines(file).size());
    }

    @Test
    void earlierUseCountsLess() {
        ExpertUse use = new ExpertUse(Map.of("blk.0.ffn", 4));
        for (int i = 0; i < ExpertUse.HALVING; i++) {
            use.record("blk.0.ffn", new int[] {0});
        }
        for (int i = 0; i < ExpertUse.HALVING * 3 / 4; i++) {
            use.record("blk.0.ffn", new int[] {1});
        }

        assertEquals(List.of(1, 0), use.hottest().stream().map(ExpertUse.Expert::number).toList());
    }

    @Test
    void shortFileIsRefusedAtTheStart() throws IOException {
        shorten(160 + 4 * EXPERTS * BYTES - 1);

        VarveException error = assertThrows(VarveException.class, () -> open(3 * EXPERT));

        assertEquals(VarveException.Kind.CORRUPT_FILE, error.kind());
        assertTrue(error.getMessage().contains("blk.1.ffn_down_exps.weight"), error.getMessage());
    }

    @Test
    void limitBelowOneExpertIsRefused() {
        VarveException error = assertThrows(VarveException.class, () -> open(EXPERT - 1));

        assertEquals(VarveException.Kind.INVALID_REQUEST, error.kind());
        assertTrue(
                error.getMessage().startsWith(Setting.EXPERT_CACHE.toString()), error.getMessage());
    }

    @Test
    void matricesOfALayerHaveOnePrefix() {
        for (String end : List.of("gate_up", "up", "gate", "down")) {
            assertEquals("blk.12.ffn", ExpertGroup.prefixOf("blk.12.ffn_" + end + "_exps.weight"));
        }
        assertEquals("output.weight", ExpertGroup.prefixOf("output.weight"));
    }
}
