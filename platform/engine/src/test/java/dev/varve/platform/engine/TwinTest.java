package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.shard.KvSlotSpan;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;

/**
 * Tests that requests with the same prompt compute it once, with the responses of separate
 * computations.
 */
@Timeout(60)
class TwinTest {
    private static final int CONTEXT = 6 * KvSlotSpan.BLOCK;
    private static final int[] PROMPT =
            new Random(8).ints(900, 0, HashingShard.VOCABULARY).toArray();

    private static GenerationRequest request(OptionalLong seed, CacheScope scope) {
        SamplingOptions sampling =
                seed.isEmpty()
                        ? SamplingOptions.greedy()
                        : new SamplingOptions(
                                1,
                                SamplingOptions.Cutoffs.NONE,
                                SamplingOptions.Penalties.NONE,
                                seed,
                                Map.of());
        return new GenerationRequest(
                new GenerationRequest.Prompt(PROMPT, new int[] {700}, scope),
                new GenerationRequest.Ending(40, Set.of()),
                GenerationRequest.Choice.of(sampling));
    }

    private static List<Integer> alone(GenerationRequest request, boolean forgets)
            throws Exception {
        try (EngineCore engine =
                HashingModel.serial(HashingModel.sizes(CONTEXT, 1, CONTEXT), forgets)) {
            Collected collected = new Collected();
            engine.submit(request, collected);
            return collected.await();
        }
    }

    private static List<Collected> submit(Engine engine, List<GenerationRequest> requests) {
        List<Collected> answers = new ArrayList<>();
        List<Engine.NewRequest> submissions = new ArrayList<>();
        for (GenerationRequest request : requests) {
            Collected answer = new Collected();
            answers.add(answer);
            submissions.add(new Engine.NewRequest(request, answer));
        }
        engine.submit(submissions);
        return answers;
    }

    private static EngineCore engine(int stages, int parallel, int blocks, boolean forgets) {
        EngineOptions sizes = HashingModel.sizes(CONTEXT, parallel, blocks * KvSlotSpan.BLOCK);
        return HashingModel.engine(
                HashingModel.stages(stages, sizes, forgets, new Random(2), 0), sizes, forgets);
    }

    @ParameterizedTest
    @CsvSource({"1, 8, true", "2, 8, true", "3, 8, false", "1, 2, true", "2, 3, false"})
    void choicesComputeTheirPromptOnce(int stages, int parallel, boolean forgets) throws Exception {
        List<GenerationRequest> requests = new ArrayList<>();
        for (long seed = 0; seed < 6; seed++) {
            OptionalLong own = seed == 2 ? OptionalLong.empty() : OptionalLong.of(seed);
            requests.add(request(own, CacheScope.common()));
        }
        try (EngineCore engine = engine(stages, parallel, 6 * 8, forgets)) {
            List<Collected> answers = submit(engine, requests);

            for (int i = 0; i < requests.size(); i++) {
                assertEquals(
                        alone(requests.get(i), forgets), answers.get(i).await(), "choice " + i);
            }
            assertEquals(0, answers.getFirst().end().tokens().cached());
            assertEquals(
                    5L * PROMPT.length,
                    PlainEngine.status(engine).counts().tokens().cachedPrompt());
        }
    }

    @Test
    void finishedConversationsAreEvictedForThePromptOfSeveralChoices() throws Exception {
        List<GenerationRequest> requests = new ArrayList<>();
        for (long seed = 0; seed < 3; seed++) {
            requests.add(request(OptionalLong.of(seed), CacheScope.common()));
        }
        try (EngineCore engine = engine(1, 4, 6 * 4, true)) {
            for (int i = 0; i < 4; i++) {
                int[] other = new Random(i).ints(1400, 0, HashingShard.VOCABULARY).toArray();
                Collected.ask(engine, other, 1400 / 2, 8).await();
            }
            List<Collected> answers = submit(engine, requests);
            for (int i = 0; i < requests.size(); i++) {
                assertEquals(alone(requests.get(i), true), answers.get(i).await(), "choice " + i);
            }
            assertEquals(
                    2L * PROMPT.length,
                    PlainEngine.status(engine).counts().tokens().cachedPrompt());
        }
    }

    @Test
    void fullPoolRecomputesThePromptInsteadOfFailing() throws Exception {
        List<GenerationRequest> requests =
                List.of(
                        request(OptionalLong.of(1), CacheScope.common()),
                        request(OptionalLong.of(2), CacheScope.common()));
        try (EngineCore engine = engine(2, 2, 6, true)) {
            List<Collected> answers = submit(engine, requests);

            for (int i = 0; i < requests.size(); i++) {
                assertEquals(alone(requests.get(i), true), answers.get(i).await(), "choice " + i);
            }
        }
    }

    @Test
    void samePromptInAnotherScopeIsComputed() throws Exception {
        try (EngineCore engine = engine(1, 4, 6 * 4, true)) {
            List<Collected> answers =
                    submit(
                            engine,
                            List.of(
                                    request(OptionalLong.empty(), new CacheScope("alice")),
                                    request(OptionalLong.empty(), new CacheScope("bob"))));

            assertEquals(answers.getFirst().await(), answers.getLast().await());
            assertEquals(0, PlainEngine.status(engine).counts().tokens().cachedPrompt());
        }
    }

    @Test
    void twinContinuesWhenTheOtherIsCancelled() throws Exception {
        try (EngineCore engine = engine(2, 4, 6 * 4, true)) {
            Collected first =
                    new Collected() {
                        @Override
                        public void onPrefill(int done, int prompt) {
                            throw new IllegalStateException("gone in the middle of the prompt");
                        }
                    };
            Collected second = new Collected();
            GenerationRequest request = request(OptionalLong.of(3), CacheScope.common());
            engine.submit(
                    List.of(
                            new Engine.NewRequest(request, first),
                            new Engine.NewRequest(request, second)));

            assertEquals(alone(request, true), second.await());
            assertTrue(engine.drain(Duration.ofSeconds(30)));
            assertEquals(40, PlainEngine.status(engine).counts().tokens().generated());
        }
    }
}
