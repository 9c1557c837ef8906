package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.engine.PlainEngine.Ask;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.prefix.PrefixCacheStatus;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.PlainModel;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Effort;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * Tests that a request gets the tokens that it gets alone, while prefixes are found, copied to host
 * memory and back, and evicted.
 */
class PrefixCacheTest {
    /** Conversations of two scopes; each turn continues one, or changes an earlier message. */
    private static final class Conversations {
        private final SplittableRandom random;
        private final List<int[]> heads = new ArrayList<>();
        private final List<Ask> asked = new ArrayList<>();

        private final int longestAnswer;

        Conversations(long seed, int longestAnswer) {
            random = new SplittableRandom(seed);
            this.longestAnswer = longestAnswer;
            for (int i = 0; i < 3; i++) {
                heads.add(text(20 + random.nextInt(400)));
            }
        }

        private int[] text(int length) {
            return random.ints(length, 0, 61).toArray();
        }

        Ask next() {
            CacheScope scope = new CacheScope(random.nextBoolean() ? "one" : "two");
            int[] begin = heads.get(random.nextInt(heads.size()));
            int[] boundaries = {begin.length};
            if (!asked.isEmpty() && random.nextInt(3) > 0) {
                Ask other = asked.get(random.nextInt(asked.size()));
                scope = random.nextInt(8) > 0 ? other.scope() : scope;
                int cut =
                        random.nextInt(3) == 0
                                ? 1 + random.nextInt(other.prompt().length)
                                : other.prompt().length;
                begin = Arrays.copyOf(other.prompt(), cut);
                boundaries = Arrays.stream(other.boundaries()).filter(each -> each < cut).toArray();
            }
            int[] prompt = PlainEngine.join(begin, text(1 + random.nextInt(60)));
            if (prompt.length > PlainEngine.CONTEXT - longestAnswer) {
                prompt =
                        Arrays.copyOf(
                                prompt, 1 + random.nextInt(PlainEngine.CONTEXT - longestAnswer));
            }
            int length = prompt.length;
            boundaries = Arrays.stream(boundaries).filter(each -> each < length).toArray();
            if (begin.length < length
                    && (boundaries.length == 0
                            || boundaries[boundaries.length - 1] < begin.length)) {
                boundaries = PlainEngine.join(boundaries, new int[] {begin.length});
            }
            Ask ask = new Ask(prompt, boundaries, 1 + random.nextInt(longestAnswer), scope);
            asked.add(ask);
            return ask;
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6})
    @ByDay({2, 3, 5})
    void anyLoadGivesTheOutputOfSingleRequests(int seed) throws Exception {
        PlainModel model =
                seed % 4 == 1
                        ? PlainModel.recurrentInside(PlainEngine.CONTEXT)
                        : PlainEngine.model(seed % 2 == 1);
        int stages = 1 + seed / 2 % 3;
        Conversations conversations = new Conversations(seed, seed < 5 ? 80 : 500);
        long bytes = seed < 3 ? 64 << 20 : 1 << 20;
        EngineOptions options = PlainEngine.withHost(PlainEngine.options(4, 8), model, bytes);
        EngineStatus status;
        try (EngineCore engine = PlainEngine.start(model, options, stages);
                EngineCore alone = PlainEngine.alone(model)) {
            for (int round = 0; round < Effort.of(6, seed < 5 ? 15 : 8); round++) {
                List<Ask> asks = Stream.generate(conversations::next).limit(6).toList();
                List<Collected> answers = PlainEngine.askAll(engine, asks);
                for (int i = 0; i < asks.size(); i++) {
                    assertEquals(
                            asks.get(i).alone(alone),
                            answers.get(i).await(),
                            "request " + i + " of round " + round + ", seed " + seed);
                }
            }
            status = PlainEngine.status(engine);
        }
        PrefixCacheStatus.Counts counts = status.cache().counts();
        assertTrue(counts.hits().getOrDefault(CacheSource.DEVICE, 0L) > 0, "hits on the device");
        assertTrue(counts.hits().getOrDefault(CacheSource.HOST, 0L) > 0, "hits in host memory");
        assertEquals(seed >= 3, counts.evictions() > 0);
        assertEquals(seed >= 5, status.counts().preemptions() > 0);
    }
}
