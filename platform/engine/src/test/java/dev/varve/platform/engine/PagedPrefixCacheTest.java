package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.engine.PlainEngine.Ask;
import dev.varve.platform.failure.FailureCounter;
import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.PagingOptions;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.sequence.KvCacheConfig;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.platform.shard.RollbackBufferSizes;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Tests that prompts longer than their pools give the tokens of a separate engine: computed without
 * a cache, restored from devices or host memory, preempted, with drafts, or beside cancelled
 * requests.
 */
@Timeout(300)
class PagedPrefixCacheTest {
    private static final int CONTEXT = 2048;
    private static final int POOL = 2 * KvSlotSpan.BLOCK;
    private static final int PARALLEL = 4;
    private static final int MOST_DRAFTS = 7;
    private static final int TAU = 64;

    /** One load: the seed determines model, page policy, split, memory and speculation. */
    private record Load(int seed) {
        PlainModel model() {
            return seed % 2 == 1 ? PlainModel.mixed(CONTEXT) : PlainModel.attentionOnly(3, CONTEXT);
        }

        PagePolicy policy() {
            return seed / 2 % 2 == 0 ? PagePolicy.QK : PagePolicy.LRU;
        }

        boolean drafts() {
            return seed / 4 % 2 == 1;
        }

        int stages() {
            return 1 + seed % 3;
        }

        /** Returns blocks for all pools, or too few, so that requests are preempted or wait. */
        int blocks() {
            return seed % 5 < 3 ? PARALLEL * POOL / KvSlotSpan.BLOCK : 2 + POOL / KvSlotSpan.BLOCK;
        }

        /** Returns host memory for all prompts, or for a few of them. */
        long hostBytes() {
            return seed % 7 < 4 ? 64 << 20 : 2 << 20;
        }

        EngineOptions options(int parallel, int blocks) {
            return new EngineOptions(
                    new EngineOptions.Capacity(
                            CONTEXT,
                            parallel,
                            new KvCacheConfig(
                                            blocks * KvSlotSpan.BLOCK,
                                            EngineOptions.Capacity.rowsFor(parallel),
                                            new RollbackBufferSizes(parallel, 1 + MOST_DRAFTS))
                                    .with(new PagingOptions(POOL, policy(), TAU))),
                    4096);
        }
    }

    static Stream<Load> loads() {
        // The short run has both kinds of model, page policy and host memory size, with drafts and
        // a split.
        IntStream seeds = Effort.isFull() ? IntStream.range(0, 64) : IntStream.of(2, 5);
        return seeds.mapToObj(Load::new);
    }

    /** Returns prompts of about a pool's size and more, some with common prefixes. */
    private static List<Ask> asks(SplittableRandom random) {
        List<int[]> heads = new ArrayList<>();
        for (int length : new int[] {300, 700, 1100}) {
            heads.add(text(random, length + random.nextInt(200)));
        }
        List<Ask> asks = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int[] head = heads.get(i % heads.size());
            int[] prompt = PlainEngine.join(head, text(random, 1 + random.nextInt(300)));
            asks.add(Ask.of(prompt, 1 + random.nextInt(120), head.length));
        }
        return asks;
    }

    private static int[] text(SplittableRandom random, int length) {
        return random.ints(length, 0, 61).toArray();
    }

    private static List<Integer> cold(Load load, Ask ask) throws Exception {
        try (EngineCore engine =
                PlainEngine.start(load.model(), load.options(1, POOL / KvSlotSpan.BLOCK), 1)) {
            return ask.within(CacheScope.none()).ask(engine).await();
        }
    }

    private static EngineCore engine(Load load, List<int[]> texts) {
        EngineOptions options =
                PlainEngine.withHost(
                        load.options(PARALLEL, load.blocks()), load.model(), load.hostBytes());
        PlainModel model = load.model();
        List<PlainShard> shards =
                PlainEngine.ranges(model, load.stages()).stream()
                        .map(range -> new PlainShard(model, range, PlainEngine.sizes(options)))
                        .toList();
        Optional<SpeculationOptions> speculation =
                load.drafts()
                        ? Optional.of(
                                new SpeculationOptions(
                                        new ScriptedSpeculator(
                                                texts,
                                                MOST_DRAFTS,
                                                depth -> depth % 3 == 2 ? 1 : 0,
                                                model.shape().vocabularySize(),
                                                List.of()),
                                        MOST_DRAFTS,
                                        OptionalInt.of(MOST_DRAFTS)))
                        : Optional.empty();
        return EngineCore.start(new ShardPipeline(shards), model.shape(), options, speculation);
    }

    @ParameterizedTest
    @MethodSource("loads")
    @ByDay(2)
    void everyOutputEqualsThatOfAnEmptyEngine(Load load) throws Exception {
        SplittableRandom random = new SplittableRandom(load.seed());
        List<Ask> asks = asks(random);
        Map<Ask, List<Integer>> cold = new HashMap<>();
        List<int[]> texts = new ArrayList<>();
        for (Ask ask : asks) {
            cold.put(ask, cold(load, ask));
            texts.add(
                    PlainEngine.join(
                            ask.prompt(),
                            cold.get(ask).stream().mapToInt(Integer::intValue).toArray()));
        }

        try (EngineCore engine = engine(load, texts)) {
            for (int round = 0; round < 4; round++) {
                List<Ask> wave = new ArrayList<>();
                for (Ask ask : asks) {
                    wave.addAll(List.of(ask, ask));
                }
                for (int i = wave.size(); i > 1; i--) {
                    wave.add(wave.remove(random.nextInt(i)));
                }
                List<Collected> leavers = leave(engine, asks, random);
                List<Collected> answers = PlainEngine.askAll(engine, wave);
                for (int i = 0; i < wave.size(); i++) {
                    assertEquals(
                            cold.get(wave.get(i)),
                            answers.get(i).await(),
                            "round "
                                    + round
                                    + ", "
                                    + load
                                    + ", prompt of "
                                    + wave.get(i).prompt().length);
                }
                assertTrue(leavers.stream().allMatch(Collected::isOver), "leavers ended");
            }
            assertFalse(PlainEngine.status(engine).cache().counts().hits().isEmpty(), "hits");
            assertEquals(
                    FailureCounter.Report.NONE, PlainEngine.status(engine).counts().failures());
        }
    }

    /** Submits requests that are cancelled while they wait, are restored or computed. */
    private static List<Collected> leave(
            EngineCore engine, List<Ask> asks, SplittableRandom random) {
        List<Collected> leavers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Ask ask = asks.get(random.nextInt(asks.size()));
            Collected leaver = new Collected();
            GenerationHandle generation = engine.submit(ask.request(), leaver);
            leavers.add(leaver);
            if (random.nextBoolean()) {
                Thread.onSpinWait();
            }
            generation.cancel();
        }
        return leavers;
    }
}
