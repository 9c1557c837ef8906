package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.model.ModelShape;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.CacheUnitBytes;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.KvRowOperation;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.PageMove;
import dev.varve.platform.shard.Pages;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.SlotPositionMap;
import dev.varve.platform.shard.local.LocalShard;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Effort;
import dev.varve.testkit.TestSeed;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Attention adds up resident pages in the order of their positions, wherever these lie: not a bit
 * of any result depends on it. With so many rows a single query is cut among the threads.
 */
@Tag("threads")
@Timeout(600)
class PageOrderTest {
    private static final int RUNS = 12;
    private static final int SPAN = RUNS * Pages.TOKENS;
    private static final int PAGES = 10;

    /** In the middle of the last page. */
    private static final int KNOWN = (PAGES - 1) * Pages.TOKENS + 20;

    /** A chunk, a few tokens and a single query. */
    private static final int[] CHUNKS = {24, 3, 1};

    private static final int WINDOW = 128;
    private static final int SEQUENCES = 4;
    private static final CacheTypes Q8_0 = Cpu.Q8_0;
    private static final CacheTypes F32 = new CacheTypes(GgmlType.F32, GgmlType.F32);

    @TempDir static Path folder;

    static Stream<Arguments> models() {
        List<Arguments> models = new ArrayList<>();
        for (Family family : Family.values()) {
            for (CacheTypes types : List.of(Cpu.F16, Q8_0, F32)) {
                for (BatchInvariance rows : List.of(BatchInvariance.AUTO, BatchInvariance.ON)) {
                    models.add(Arguments.of(family, types, rows));
                }
            }
        }
        return models.stream();
    }

    @ParameterizedTest
    @MethodSource("models")
    @ByDay({1, 21, 26})
    void resultsDoNotDependOnThePageOrder(Family family, CacheTypes types, BatchInvariance rows)
            throws Exception {
        for (long seed = 1; seed <= Effort.of(1, 30); seed++) {
            RandomModel model = family.odd(seed);
            if (!model.takes(types)) {
                continue;
            }
            try (Texts texts = new Texts(model, types, rows, seed)) {
                texts.prefill();
                String message = family + ", seed " + seed + ", ";
                List<Integer> all = IntStream.range(0, PAGES).boxed().toList();
                List<float[]> straight = texts.steps(0, SlotPositionMap.STRAIGHT, List.of());
                texts.compare(1, straight, texts.shuffled(all), message + "all pages");
                List<Integer> some = texts.some();
                List<float[]> inOrder = texts.steps(2, texts.inOrder(some), some);
                texts.compare(3, inOrder, texts.shuffled(some), message + "pages " + some);
            }
        }
    }

    /** Copies of one text, in a shard. */
    private static final class Texts implements AutoCloseable {
        private final LocalShard shard;
        private final int vocabulary;
        private final int[] text;
        private final Random random;
        private long names;

        Texts(RandomModel model, CacheTypes types, BatchInvariance rows, long seed)
                throws Exception {
            GgufFile file = GgufFile.open(model.write(folder));
            LayerSplitAdapter adapter = Cpu.family(file).open(file, ModelOptions.defaults());
            ModelShape shape = adapter.shape();
            int slots = SEQUENCES * SPAN;
            int regions =
                    CacheUnitBytes.of(shape, shape.allLayers(), types, WINDOW, slots).regionSlots();
            shard =
                    LocalShard.load(
                            new ModelRange(file, adapter, shape.allLayers()),
                            Cpu.device(),
                            ShardOptions.of(
                                            types,
                                            new CacheCapacities(slots, SEQUENCES + 1, regions))
                                    .withExactRows(rows),
                            LoadProgressListener.silent());
            vocabulary = shape.vocabularySize();
            text = model.tokens(KNOWN + IntStream.of(CHUNKS).sum(), seed);
            random = new Random(TestSeed.of(seed));
        }

        private SequenceChunk chunk(int sequence, int begin, int end, SlotPositionMap map) {
            return new SequenceChunk(
                    sequence,
                    Arrays.copyOfRange(text, begin, end),
                    new ChunkPlacement(
                            begin,
                            new KvSlotSpan(sequence * SPAN, SPAN),
                            begin == 0 ? SequenceChunk.ZERO_ROW : sequence + 1,
                            sequence + 1,
                            ChunkPlacement.NO_ROLLBACK_BUFFER,
                            map),
                    RequestedOutput.ALL);
        }

        private float[] run(List<KvRowOperation> moves, SequenceChunk chunk) {
            Phase phase = chunk.tokens().length < 4 ? Phase.DECODE : Phase.PREFILL;
            ShardResult result =
                    shard.forward(
                                    new Batch(
                                            new CacheChanges(List.of(), moves),
                                            List.of(chunk),
                                            phase,
                                            List.of()),
                                    Optional.empty())
                            .join();
            return Arrays.copyOf(result.logits(), result.rows() * vocabulary);
        }

        void prefill() {
            for (int sequence = 0; sequence < SEQUENCES; sequence++) {
                for (int begin = 0; begin < KNOWN; begin += WINDOW) {
                    int end = Math.min(begin + WINDOW, KNOWN);
                    run(List.of(), chunk(sequence, begin, end, SlotPositionMap.STRAIGHT));
                }
            }
        }

        /** Six of the pages before the last one, and that. */
        List<Integer> some() {
            List<Integer> pages = new ArrayList<>(IntStream.range(0, PAGES - 1).boxed().toList());
            Collections.shuffle(pages, random);
            List<Integer> some = new ArrayList<>(pages.subList(0, 6));
            some.add(PAGES - 1);
            return some;
        }

        SlotPositionMap inOrder(List<Integer> pages) {
            int[] runs = new int[RUNS];
            Arrays.fill(runs, SlotPositionMap.EMPTY);
            for (int run = 0; run < pages.size(); run++) {
                runs[run] = pages.stream().sorted().toList().get(run);
            }
            return SlotPositionMap.of(runs);
        }

        SlotPositionMap shuffled(List<Integer> pages) {
            List<Integer> runs = new ArrayList<>(pages);
            runs.addAll(Collections.nCopies(RUNS - pages.size(), SlotPositionMap.EMPTY));
            Collections.shuffle(runs, random);
            return SlotPositionMap.of(runs.stream().mapToInt(Integer::intValue).toArray());
        }

        /** Logits of the chunks behind what is known, with some pages in the span. */
        List<float[]> steps(int sequence, SlotPositionMap map, List<Integer> pages) {
            List<KvRowOperation> moves = new ArrayList<>();
            long first = names + 1;
            for (int page : pages) {
                moves.add(PageMove.out(++names, sequence * SPAN + page * Pages.TOKENS));
            }
            for (int i = 0; i < pages.size(); i++) {
                int slot = sequence * SPAN + map.offset(pages.get(i) * Pages.TOKENS);
                moves.add(PageMove.in(first + i, slot));
            }
            List<float[]> logits = new ArrayList<>();
            int begin = KNOWN;
            for (int tokens : CHUNKS) {
                logits.add(run(moves, chunk(sequence, begin, begin + tokens, map)));
                moves = List.of();
                begin += tokens;
            }
            return logits;
        }

        void compare(int sequence, List<float[]> expected, SlotPositionMap map, String message) {
            List<Integer> pages =
                    IntStream.range(0, map.size())
                            .map(map::page)
                            .filter(page -> page != SlotPositionMap.EMPTY)
                            .boxed()
                            .toList();
            List<float[]> found = steps(sequence, map, pages);
            for (int i = 0; i < CHUNKS.length; i++) {
                assertArrayEquals(
                        expected.get(i),
                        found.get(i),
                        message + " in " + map + ", slice of " + CHUNKS[i]);
            }
        }

        @Override
        public void close() {
            shard.close();
        }
    }
}
