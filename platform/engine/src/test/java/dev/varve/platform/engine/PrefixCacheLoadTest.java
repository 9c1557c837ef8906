package dev.varve.platform.engine;

import static dev.varve.platform.engine.PlainEngine.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.engine.PlainEngine.Ask;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.prefix.PrefixCacheStatus;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.PlainModel;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Runs many conversations and requests in a cache that is too small for them. */
@Timeout(60)
class PrefixCacheLoadTest {
    private static final int ROUNDS = Effort.of(4, 10);
    private static final int STARTED = 25;
    private static final long SMALL = 6 << 20;

    private static final List<CacheScope> SCOPES =
            List.of(new CacheScope("one"), new CacheScope("two"));

    /** Returns the begin of a conversation; its texts are the same in both scopes. */
    private static Ask begin(int number, CacheScope scope) {
        int[] prompt = text(number, 30 + number % 70);
        return Ask.of(prompt, 3, prompt.length / 2).within(scope);
    }

    private static List<Ask> begun(int round) {
        List<Ask> asks = new ArrayList<>();
        for (int i = 0; i < STARTED; i++) {
            for (CacheScope scope : SCOPES) {
                asks.add(begin(STARTED * round + i, scope));
            }
        }
        return asks;
    }

    /** All computed tokens of a request. */
    private record Said(Ask ask, int[] tokens) {
        static Said of(Ask ask, List<Integer> answer) {
            return new Said(ask, ask.next(answer, new int[0]).prompt());
        }

        /** Returns the length of the common prefix with a prompt of the same scope. */
        int common(Ask other) {
            if (other == ask || !other.scope().equals(ask.scope())) {
                return 0;
            }
            int mismatch = Arrays.mismatch(tokens, other.prompt());
            return mismatch < 0 ? tokens.length : mismatch;
        }
    }

    /** Checks that each prompt used only cached tokens of its own scope. */
    private static void assertOwn(List<Said> said, List<Ask> asks, List<Collected> answers)
            throws Exception {
        for (int i = 0; i < asks.size(); i++) {
            Ask ask = asks.get(i);
            int known = said.stream().mapToInt(each -> each.common(ask)).max().orElse(0);
            int cached = answers.get(i).end().tokens().cached();
            assertTrue(cached <= known, "request " + i + ": " + cached + " tokens of " + known);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void manyInterleavedRequestsGetTheirOutputInTheirScope(boolean forgets) throws Exception {
        PlainModel model = PlainEngine.model(forgets);
        EngineOptions options = PlainEngine.withHost(PlainEngine.options(8, 12), model, SMALL);
        List<Said> said = new ArrayList<>();
        try (EngineCore engine = PlainEngine.start(model, options, 2);
                EngineCore alone = PlainEngine.alone(model)) {
            Map<List<Integer>, List<Integer>> alike = new HashMap<>();
            List<Ask> going = List.of();
            for (int round = 0; round <= ROUNDS; round++) {
                List<Ask> asks = new ArrayList<>(round < ROUNDS ? begun(round) : List.of());
                int begun = asks.size();
                asks.addAll(going);
                going = new ArrayList<>();
                List<Collected> answers = PlainEngine.askAll(engine, asks);
                for (int i = 0; i < asks.size(); i++) {
                    Ask ask = asks.get(i);
                    List<Integer> key = Arrays.stream(ask.prompt()).boxed().toList();
                    if (!alike.containsKey(key)) {
                        alike.put(key, ask.alone(alone));
                    }
                    assertEquals(alike.get(key), answers.get(i).await(), "request " + i);
                    said.add(Said.of(ask, alike.get(key)));
                    if (i < begun) {
                        going.add(ask.next(alike.get(key), text(1000 + i, 20)));
                    }
                }
                assertOwn(said, asks, answers);
            }
            assertEquals(2 * 2 * STARTED * ROUNDS, said.size());
            PrefixCacheStatus.Counts counts = PlainEngine.status(engine).cache().counts();
            assertTrue(counts.hits().getOrDefault(CacheSource.HOST, 0L) > 20, counts::toString);
            assertTrue(counts.evictions() > 0, counts::toString);
            PlainEngine.assertNothingStays(engine);
        }
    }

    @Test
    void manyRequestsLeaveNothingAfterClearing() throws Exception {
        PlainModel model = PlainEngine.model(true);
        EngineOptions options = PlainEngine.withHost(PlainEngine.options(8, 8), model, 4 << 20);
        try (EngineCore engine = PlainEngine.start(model, options, 1)) {
            for (int round = 0; round < 3; round++) {
                List<Ask> asks = new ArrayList<>();
                for (int i = 0; i < Effort.of(200, 1000); i++) {
                    int[] prompt = text(i % 300, 12 + i % 13);
                    asks.add(Ask.of(prompt, 1 + i % 2, 8 + i % 4).within(SCOPES.get(i % 2)));
                }
                for (Collected answer : PlainEngine.askAll(engine, asks)) {
                    answer.await();
                }
                PlainEngine.assertNothingStays(engine);
            }
        }
    }
}
