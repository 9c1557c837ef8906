package dev.varve.platform.engine;

import static dev.varve.platform.engine.PlainEngine.CONTEXT;
import static dev.varve.platform.engine.PlainEngine.join;
import static dev.varve.platform.engine.PlainEngine.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.engine.PlainEngine.Ask;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.prefix.CachedPrefixInfo;
import dev.varve.platform.prefix.MissReason;
import dev.varve.platform.prefix.PrefixLookupResult;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PlainModel;
import dev.varve.testkit.Await;
import dev.varve.testkit.ByDay;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Tests which prefixes are found and kept by requests that continue the same tokens. */
@Timeout(60)
class PrefixCacheReuseTest {
    private static final int BLOCKS = CONTEXT / KvSlotSpan.BLOCK;
    private static final long PLENTY = 64 << 20;
    private static final int[] PROMPT = text(1, 400);
    private static final int BOUNDARY = 300;

    private static EngineOptions options(PlainModel model, int parallel, boolean host) {
        EngineOptions options = PlainEngine.options(parallel, 4 * BLOCKS);
        return host ? PlainEngine.withHost(options, model, PLENTY) : options;
    }

    private static void assertAlone(Engine alone, List<Ask> asks, List<Collected> answers)
            throws Exception {
        for (int i = 0; i < asks.size(); i++) {
            assertEquals(asks.get(i).alone(alone), answers.get(i).await(), "request " + i);
        }
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    @ByDay({1, 4})
    void choicesAndRetriesOfOnePromptComputeItOnce(boolean forgets, boolean host) throws Exception {
        PlainModel model = PlainEngine.model(forgets);
        Ask ask = Ask.of(PROMPT, 12, BOUNDARY);
        List<Ask> choices = Collections.nCopies(5, ask);
        try (EngineCore engine = PlainEngine.start(model, options(model, 3, host), 2);
                EngineCore alone = PlainEngine.alone(model)) {
            List<Collected> answers = PlainEngine.askAll(engine, choices);
            assertAlone(alone, choices, answers);
            for (int i = 0; i < answers.size(); i++) {
                int cached = answers.get(i).end().tokens().cached();
                assertEquals(i == 0 ? 0 : PROMPT.length, cached, "choice " + i);
            }

            for (int retry = 0; retry < 4; retry++) {
                Collected again = ask.ask(engine);
                assertAlone(alone, List.of(ask), List.of(again));
                assertTrue(
                        again.end().tokens().cached() >= BOUNDARY,
                        "retry " + retry + ": " + again.end().cache());
            }
            PlainEngine.assertNothingStays(engine);
        }
    }

    @ParameterizedTest
    @CsvSource({"true, true, 1", "true, false, 1", "false, true, 2", "false, false, 2"})
    @ByDay({2, 4})
    void branchesOfOneConversationAllReuseIt(boolean forgets, boolean host, int stages)
            throws Exception {
        PlainModel model = PlainEngine.model(forgets);
        Ask ask = Ask.of(PROMPT, 12, BOUNDARY);
        try (EngineCore engine = PlainEngine.start(model, options(model, 3, host), stages);
                EngineCore alone = PlainEngine.alone(model)) {
            List<Integer> answer = ask.ask(engine).await();
            List<Ask> together = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                together.add(ask.next(answer, text(10 + i, 20)));
            }

            List<Collected> answers = new ArrayList<>(PlainEngine.askAll(engine, together));
            assertAlone(alone, together, answers);
            List<Ask> asks = new ArrayList<>(together);
            for (int i = 0; i < 3; i++) {
                asks.add(ask.next(answer, text(20 + i, 20)));
                answers.add(asks.getLast().ask(engine));
                assertAlone(alone, List.of(asks.getLast()), List.of(answers.getLast()));
            }

            for (int i = 0; i < asks.size(); i++) {
                PrefixLookupResult use = answers.get(i).end().cache();
                assertTrue(use.tokens() >= PROMPT.length, "branch " + i + ": " + use);
            }
            PlainEngine.assertNothingStays(engine);
        }
    }

    /** The prompt is not in host memory yet, and no boundary is worth waiting for. */
    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    @ByDay({1, 3})
    void branchesReuseAConversationThatJustEnded(boolean forgets, boolean host) throws Exception {
        PlainModel model = PlainEngine.model(forgets);
        Ask ask = Ask.of(PROMPT, 12, BOUNDARY);
        try (EngineCore engine = PlainEngine.start(model, options(model, 3, host), 1);
                EngineCore alone = PlainEngine.alone(model)) {
            List<Ask> branches = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                int[] prompt = ask.next(ask.alone(alone), text(10 + i, 20)).prompt();
                branches.add(Ask.of(prompt, 12));
            }
            CompletableFuture<List<Collected>> answers = new CompletableFuture<>();
            Collected first =
                    new Collected() {
                        @Override
                        public void onEnd(GenerationEnd how) {
                            answers.complete(PlainEngine.askAll(engine, branches));
                        }
                    };

            engine.submit(ask.request(), first);

            assertAlone(alone, branches, Await.result(answers));
            for (Collected answer : Await.result(answers)) {
                assertTrue(answer.end().tokens().cached() >= PROMPT.length, answer.end()::toString);
            }
            PlainEngine.assertNothingStays(engine);
        }
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void requestWithoutCacheNeitherReadsNorWrites(boolean forgets, boolean host) throws Exception {
        PlainModel model = PlainEngine.model(forgets);
        Ask kept = Ask.of(PROMPT, 12, BOUNDARY);
        Ask other = Ask.of(text(2, 350), 12, BOUNDARY);
        try (EngineCore engine = PlainEngine.start(model, options(model, 3, host), 1);
                EngineCore alone = PlainEngine.alone(model)) {
            kept.ask(engine).await();
            Await.until("all is copied", () -> isCopied(engine, host ? 2 : 0, forgets));
            List<CachedPrefixInfo> before = Await.result(engine.cacheEntries());
            long slots = engine.status().slots().resident();

            for (Ask ask : List.of(kept, other)) {
                Ask without = ask.within(CacheScope.none());
                Collected answer = without.ask(engine);
                assertAlone(alone, List.of(ask), List.of(answer));
                assertEquals(PrefixLookupResult.missed(MissReason.DISABLED), answer.end().cache());
            }

            assertEquals(positions(before), positions(Await.result(engine.cacheEntries())));
            Await.until("none is kept", () -> engine.status().slots().resident() == slots);
            assertEquals(
                    PrefixLookupResult.missed(MissReason.UNKNOWN), other.ask(engine).end().cache());
            GenerationEnd next = kept.next(kept.alone(alone), text(3, 9)).ask(engine).end();
            assertTrue(next.tokens().cached() >= PROMPT.length, next::toString);
            PlainEngine.assertNothingStays(engine);
        }
    }

    private static boolean isCopied(Engine engine, int entries, boolean forgets) {
        return engine.status().cache().host().entries() >= Math.min(entries, forgets ? 2 : 1);
    }

    private static List<Integer> positions(List<CachedPrefixInfo> entries) {
        return entries.stream().map(CachedPrefixInfo::tokens).sorted().toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void requestsWithACommonPrefixWaitForItAndComputeTheRest(int stages) throws Exception {
        PlainModel model = PlainEngine.model(true);
        List<Ask> asks = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int[] head = text(3, 600);
            asks.add(Ask.of(join(head, text(30 + i, 50 + i)), 8, head.length));
        }
        try (EngineCore engine = PlainEngine.start(model, options(model, 4, true), stages);
                EngineCore alone = PlainEngine.alone(model)) {
            List<Collected> answers = PlainEngine.askAll(engine, asks);

            assertAlone(alone, asks, answers);
            assertEquals(0, answers.getFirst().end().tokens().cached());
            for (Collected answer : answers.subList(1, answers.size())) {
                assertEquals(600, answer.end().tokens().cached(), answer.end()::toString);
            }
            PlainEngine.assertNothingStays(engine);
        }
    }

    /** Rows can be resumed at any position, but are copied only after their request has ended. */
    @Test
    void nobodyWaitsForAPrefixThatIsNotStored() throws Exception {
        PlainModel model = PlainEngine.model(false);
        int[] head = text(3, 600);
        List<String> events = new ArrayList<>();
        List<Engine.NewRequest> asks = new ArrayList<>();
        for (String name : List.of("first", "second")) {
            int[] prompt = join(head, text(name.length(), 50));
            asks.add(
                    new Engine.NewRequest(
                            Ask.of(prompt, 3, head.length).request(),
                            new Collected() {
                                @Override
                                public void onStart(int cached) {
                                    events.add(name + " starts");
                                }

                                @Override
                                public boolean onToken(GeneratedToken token) {
                                    events.add(name + " speaks");
                                    return super.onToken(token);
                                }
                            }));
        }
        try (EngineCore engine = PlainEngine.start(model, options(model, 4, true), 1)) {
            engine.submit(asks);
            for (Engine.NewRequest ask : asks) {
                ((Collected) ask.listener()).await();
            }
        }

        assertEquals(List.of("first starts", "second starts"), events.subList(0, 2));
    }

    /** Each kept prompt takes a cell for each of the model's four layers. */
    private static final long ENTRY = 4 * (8 << 10);

    private static Ask unlike(int seed, int length) {
        return Ask.of(text(100 + seed, length), 8);
    }

    /** Continues a prompt and its response. */
    private static GenerationEnd goOn(Engine engine, Engine alone, Ask before) throws Exception {
        Ask next = before.next(before.alone(alone), text(9, 5));
        PlainEngine.pushOff(engine);
        Collected answer = next.within(before.scope()).ask(engine);
        assertEquals(next.alone(alone), answer.await());
        return answer.end();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void fourthPromptEvictsTheLowestScore(boolean used) throws Exception {
        PlainModel model = PlainEngine.model(true);
        EngineOptions options =
                PlainEngine.withHost(PlainEngine.options(1, BLOCKS), model, 3 * ENTRY);
        List<Ask> asks = List.of(unlike(0, 115), unlike(1, 60), unlike(2, 105), unlike(3, 95));
        try (EngineCore engine = PlainEngine.start(model, options, 1);
                EngineCore alone = PlainEngine.alone(model)) {
            for (int i = 0; i < 3; i++) {
                asks.get(i).ask(engine).await();
                awaitEntries(engine, i + 1);
            }
            assertEquals(3 * ENTRY, PlainEngine.status(engine).cache().host().usedBytes());
            if (used) {
                // Used three times as often as the other prompts.
                for (int i = 0; i < 2; i++) {
                    retry(engine, asks.get(1));
                }
            }
            assertEquals(0, PlainEngine.status(engine).cache().counts().evictions());

            asks.get(3).ask(engine).await();
            Await.until("one gives way", () -> engine.status().cache().counts().evictions() == 1);

            int least = used ? 2 : 1;
            List<Integer> lengths =
                    positions(Await.result(engine.cacheEntries())).stream().toList();
            List<Integer> expected = new ArrayList<>();
            for (int i = 0; i < asks.size(); i++) {
                if (i != least) {
                    expected.add(asks.get(i).prompt().length + 7);
                }
            }
            assertEquals(expected.stream().sorted().toList(), lengths);
            assertEquals(
                    Optional.of(MissReason.EVICTED),
                    goOn(engine, alone, asks.get(least)).cache().miss());
        }
    }

    private static void awaitEntries(Engine engine, int count) {
        Await.until(count + " entries", () -> engine.status().cache().host().entries() == count);
    }

    /** Repeats a prompt; the hit adds no checkpoint, since it ends less than 8 tokens later. */
    private static void retry(Engine engine, Ask ask) throws Exception {
        PlainEngine.pushOff(engine);
        List<Integer> answer = ask.within(CacheScope.none()).ask(engine).await();
        Ask next = ask.next(answer.subList(0, 7), new int[] {answer.get(7)});
        PlainEngine.pushOff(engine);
        Collected again = new Ask(next.prompt(), new int[0], 1, ask.scope()).ask(engine);
        assertEquals(
                Optional.of(CacheSource.HOST), again.end().cache().source(), again.end()::toString);
    }

    @Test
    void missReasonSaysWhetherThePromptWasEvicted() throws Exception {
        PlainModel model = PlainEngine.model(true);
        EngineOptions options = PlainEngine.withHost(PlainEngine.options(1, BLOCKS), model, PLENTY);
        try (EngineCore engine = PlainEngine.start(model, options, 1);
                EngineCore alone = PlainEngine.alone(model)) {
            Ask known = unlike(0, 115);
            known.ask(engine).await();
            awaitEntries(engine, 1);
            int[] parting = join(text(100, 60), text(7, 80));

            assertEquals(
                    Optional.of(CacheSource.HOST), goOn(engine, alone, known).cache().source());
            assertEquals(
                    Optional.of(MissReason.UNKNOWN),
                    goOn(engine, alone, unlike(5, 90)).cache().miss());
            assertEquals(
                    Optional.of(MissReason.BEFORE_CHECKPOINT),
                    Ask.of(parting, 3).ask(engine).end().cache().miss());
            assertEquals(
                    Optional.of(MissReason.UNKNOWN),
                    goOn(engine, alone, known.within(new CacheScope("else"))).cache().miss());
        }
    }
}
