package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ModelShape;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.CacheUnitBytes;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.HostPageFree;
import dev.varve.platform.shard.KeptParts;
import dev.varve.platform.shard.KvRowOperation;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.PageMove;
import dev.varve.platform.shard.Pages;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.RowRun;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.SlotPositionMap;
import dev.varve.platform.shard.local.LocalShard;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.TensorType;
import dev.varve.testkit.TestSeed;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Pages that change their places, in models with every kind of attention. */
@Timeout(600)
class RelocationTest {
    private static final int TOKENS = 1200;
    private static final int CHUNK = 16;
    private static final KvSlotSpan SPAN = new KvSlotSpan(0, 6 * KvSlotSpan.BLOCK);
    private static final int ROW = 1;

    @TempDir static Path folder;

    /** A shard of a whole model with room for one sequence. */
    private record Opened(LocalShard shard, ModelShape shape, CacheLayout layout)
            implements AutoCloseable {
        static Opened of(Path file, CacheTypes types) {
            GgufFile gguf = GgufFile.open(file);
            LayerSplitAdapter model = Cpu.family(gguf).open(gguf, ModelOptions.defaults());
            ModelShape shape = model.shape();
            int region =
                    CacheUnitBytes.of(shape, shape.allLayers(), types, CHUNK, SPAN.capacity())
                            .regionSlots();
            LocalShard shard =
                    LocalShard.load(
                            new ModelRange(gguf, model, shape.allLayers()),
                            Cpu.device(),
                            ShardOptions.of(
                                    types, new CacheCapacities(SPAN.capacity(), ROW + 1, region)),
                            LoadProgressListener.silent());
            return new Opened(
                    shard, shape, CacheLayout.of(shape, shape.allLayers(), types, region));
        }

        float[][] logits(CacheChanges changes, int[] tokens, int begin, SlotPositionMap positions) {
            SequenceChunk chunk =
                    new SequenceChunk(
                            1,
                            Arrays.copyOfRange(tokens, begin, begin + CHUNK),
                            new ChunkPlacement(
                                    begin,
                                    SPAN,
                                    begin == 0 ? SequenceChunk.ZERO_ROW : ROW,
                                    ROW,
                                    ChunkPlacement.NO_ROLLBACK_BUFFER,
                                    positions),
                            RequestedOutput.ALL);
            float[] logits =
                    shard.forward(
                                    new Batch(changes, List.of(chunk), Phase.PREFILL, List.of()),
                                    Optional.empty())
                            .join()
                            .logits();
            int vocabulary = shape.vocabularySize();
            return IntStream.range(0, CHUNK)
                    .mapToObj(
                            row ->
                                    Arrays.copyOfRange(
                                            logits, row * vocabulary, (row + 1) * vocabulary))
                    .toArray(float[][]::new);
        }

        /** The bytes of a page whose rows lie from a slot on. */
        List<byte[]> page(int page, int slot) {
            List<CachePart> parts = new ArrayList<>();
            layout.rows(List.of(RowRun.inSlots(page * Pages.TOKENS, Pages.TOKENS, slot)))
                    .forEach(parts::addAll);
            KeptParts kept = new KeptParts();
            shard.export(parts, kept).join();
            return kept.all();
        }

        @Override
        public void close() {
            shard.close();
        }
    }

    static Stream<Arguments> types() {
        return Stream.of(Family.QWEN35, Family.GEMMA4, Family.LAGUNA)
                .flatMap(
                        family ->
                                CacheTypes.TYPES.stream().map(type -> Arguments.of(family, type)));
    }

    /** Grade (a): a page is its bytes, wherever it lies. */
    @ParameterizedTest
    @MethodSource("types")
    @ByDay({1, 4, 7, 10, 13, 16, 19, 22})
    void pageRoundTripsBitwiseInEveryType(Family family, GgmlType type) throws Exception {
        RandomModel spec = family.wide(TensorType.Q8_0);
        int[] tokens = spec.tokens(3 * Pages.TOKENS, 1);

        try (Opened opened = Opened.of(spec.write(folder), new CacheTypes(type, type))) {
            for (int begin = 0; begin < tokens.length; begin += CHUNK) {
                opened.logits(CacheChanges.NONE, tokens, begin, SlotPositionMap.STRAIGHT);
            }
            List<byte[]> first = opened.page(0, 0);
            List<byte[]> second = opened.page(1, Pages.TOKENS);
            int far = 5 * Pages.TOKENS;

            opened.shard()
                    .change(
                            moves(
                                    PageMove.out(1, 0),
                                    PageMove.out(2, Pages.TOKENS),
                                    PageMove.in(2, 0),
                                    PageMove.in(1, far)))
                    .join();

            assertTrue(first.stream().anyMatch(RelocationTest::isNotAllZero));
            assertBytes(first, opened.page(0, far));
            assertBytes(second, opened.page(1, 0));
        }
    }

    private static CacheChanges moves(KvRowOperation... moves) {
        return new CacheChanges(List.of(), List.of(moves));
    }

    private static boolean isNotAllZero(byte[] bytes) {
        return IntStream.range(0, bytes.length).anyMatch(i -> bytes[i] != 0);
    }

    private static void assertBytes(List<byte[]> expected, List<byte[]> found) {
        assertEquals(expected.size(), found.size());
        for (int i = 0; i < expected.size(); i++) {
            assertArrayEquals(expected.get(i), found.get(i), "part " + i);
        }
    }

    /** Which pages lie where, while two of them change their places now and then. */
    private static final class Shuffled {
        private final int[] pages = new int[SPAN.capacity() / Pages.TOKENS];
        private final SplittableRandom random = new SplittableRandom(TestSeed.of(7));

        Shuffled() {
            Arrays.fill(pages, SlotPositionMap.EMPTY);
        }

        /** Sees that a page lies somewhere, and exchanges two of those that were written. */
        List<KvRowOperation> before(int page) {
            List<KvRowOperation> moves = new ArrayList<>();
            if (page >= 2) {
                int one = run(random.nextInt(page));
                int other = run(random.nextInt(page));
                int free = anyRun(SlotPositionMap.EMPTY);
                if (one != other) {
                    moves.add(PageMove.out(1, slot(one)));
                    moves.add(PageMove.out(2, slot(other)));
                    moves.add(PageMove.in(1, slot(other)));
                    moves.add(PageMove.in(2, slot(free)));
                    moves.add(new HostPageFree(1));
                    moves.add(new HostPageFree(2));
                    pages[free] = pages[other];
                    pages[other] = pages[one];
                    pages[one] = SlotPositionMap.EMPTY;
                }
            }
            if (run(page) < 0) {
                pages[anyRun(SlotPositionMap.EMPTY)] = page;
            }
            return moves;
        }

        private static int slot(int run) {
            return SPAN.begin() + run * Pages.TOKENS;
        }

        private int run(int page) {
            return IntStream.range(0, pages.length)
                    .filter(run -> pages[run] == page)
                    .findFirst()
                    .orElse(-1);
        }

        private int anyRun(int page) {
            int[] runs =
                    IntStream.range(0, pages.length).filter(run -> pages[run] == page).toArray();
            return runs[random.nextInt(runs.length)];
        }

        SlotPositionMap map() {
            return SlotPositionMap.of(pages);
        }
    }

    /** Of weights and caches: what is not quantised on the way, and what is. */
    static Stream<Arguments> precisions() {
        return Thorough.some(4, List.of(Family.GEMMA4, Family.QWEN35, Family.LAGUNA, Family.QWEN3))
                .flatMap(
                        family ->
                                Stream.of(
                                        Arguments.of(family, TensorType.F32, GgmlType.F32),
                                        Arguments.of(family, TensorType.Q8_0, GgmlType.Q8_0)));
    }

    /** Grade (a): attention adds up in the order of positions, wherever pages lie. */
    @ParameterizedTest
    @MethodSource("precisions")
    @ByDay(2)
    void movedPagesGiveTheResultsOfTheWholeCache(Family family, TensorType weights, GgmlType cache)
            throws Exception {
        RandomModel spec = family.wide(weights);
        int[] tokens = spec.tokens(TOKENS, 2);
        Path file = spec.write(folder);
        CacheTypes types = new CacheTypes(cache, cache);
        Shuffled shuffled = new Shuffled();

        try (Opened straight = Opened.of(file, types);
                Opened moved = Opened.of(file, types)) {
            for (int begin = 0; begin < TOKENS; begin += CHUNK) {
                CacheChanges changes =
                        new CacheChanges(List.of(), shuffled.before(begin / Pages.TOKENS));
                SlotPositionMap map = shuffled.map();

                float[][] expected =
                        straight.logits(CacheChanges.NONE, tokens, begin, SlotPositionMap.STRAIGHT);
                float[][] found = moved.logits(changes, tokens, begin, map);

                assertArrayEquals(expected, found, "from position " + begin + " in " + map);
            }
        }
    }
}
