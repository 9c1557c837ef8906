package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * A request gets the tokens that it gets alone, even if sequences move, grow, are preempted or
 * forked, and shards are several batches apart.
 */
class CacheOrderTest {
    private static final int CONTEXT = 6 * KvSlotSpan.BLOCK;
    private static final int REQUESTS = 14;

    /**
     * Longest time of a batch in a shard: enough for the first shard to be several batches ahead of
     * the last.
     */
    private static final long LONGEST_NANOS = 100_000;

    private record Ask(int[] prompt, int stablePrefix, int count) {}

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    @ByDay(2)
    void anyLoadGivesTheOutputOfSingleRequests(int stages) throws Exception {
        long preemptions = 0;
        for (long seed = 0; seed < Effort.of(1, 6); seed++) {
            preemptions += compareWithSerialRun(stages, seed);
        }
        // Only some seeds cause preemptions.
        assertTrue(preemptions > 0 || !Effort.isFull(), "the pools were meant to be too small");
    }

    private static long compareWithSerialRun(int stages, long seed) throws Exception {
        Random random = new Random(1000 * stages + seed);
        boolean forgets = seed % 2 == 0;
        List<Ask> asks = asks(random);
        EngineOptions sizes = HashingModel.sizes(CONTEXT, 5, 10 * KvSlotSpan.BLOCK);
        List<Collected> together = new ArrayList<>();
        try (EngineCore engine =
                HashingModel.engine(
                        HashingModel.stages(stages, sizes, forgets, random, LONGEST_NANOS),
                        sizes,
                        forgets)) {
            for (Ask ask : asks) {
                together.add(Collected.ask(engine, ask.prompt(), ask.stablePrefix(), ask.count()));
            }
            for (int i = 0; i < asks.size(); i++) {
                assertEquals(
                        alone(asks.get(i), forgets),
                        together.get(i).await(),
                        "request " + i + " of seed " + seed + ", " + stages + " stages");
            }
            return PlainEngine.status(engine).counts().preemptions();
        }
    }

    /** Returns prompts, some with common prefixes, with lengths around multiples of a block. */
    private static List<Ask> asks(Random random) {
        List<Ask> asks = new ArrayList<>();
        for (int i = 0; i < REQUESTS; i++) {
            int length = 1 + random.nextInt(3 * KvSlotSpan.BLOCK);
            int[] prompt = random.ints(length, 0, HashingShard.VOCABULARY).toArray();
            int stable = random.nextInt(length + 1);
            if (i > 0 && random.nextBoolean()) {
                Ask other = asks.get(random.nextInt(i));
                int shared = Math.min(length, other.prompt().length);
                System.arraycopy(other.prompt(), 0, prompt, 0, shared);
                stable = Math.min(other.stablePrefix(), length);
            }
            asks.add(new Ask(prompt, stable, 1 + random.nextInt(2 * KvSlotSpan.BLOCK)));
        }
        return asks;
    }

    private static List<Integer> alone(Ask ask, boolean forgets) throws Exception {
        EngineOptions sizes = HashingModel.sizes(CONTEXT, 1, CONTEXT);
        try (EngineCore engine = HashingModel.serial(sizes, forgets)) {
            return Collected.ask(engine, ask.prompt(), 0, ask.count()).await();
        }
    }

    @Test
    void hashesDependOnEveryEarlierToken() throws Exception {
        int[] prompt = new Random(1).ints(400, 0, HashingShard.VOCABULARY).toArray();
        List<Integer> expected = alone(new Ask(prompt, 0, 8), true);
        for (int changed : new int[] {0, 255, 256, 399}) {
            int[] other = Arrays.copyOf(prompt, prompt.length);
            other[changed]++;

            List<Integer> actual = alone(new Ask(other, 0, 8), true);

            assertTrue(!expected.equals(actual), "token " + changed + " changes nothing");
        }
    }
}
