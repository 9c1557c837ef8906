package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.ggml.GgmlType;
import dev.varve.api.model.ModelOptions;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.ScriptedSpeculator;
import dev.varve.platform.engine.SpeculationOptions;
import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.runtime.HostCacheLimit;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SpeculationRequirements;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Sequences that have more tokens than their pools have slots, in real models. */
@Timeout(600)
class PagedAttentionTest {
    @TempDir static Path folder;

    private static final List<Arguments> SOME =
            List.of(
                    Arguments.of(Family.QWEN35, PagePolicy.DRAFTER),
                    Arguments.of(Family.GEMMA4, PagePolicy.QK),
                    Arguments.of(Family.QWEN35, PagePolicy.QK),
                    Arguments.of(Family.LAGUNA, PagePolicy.LRU));

    static Stream<Arguments> all() {
        return Thorough.first(
                3,
                List.of(
                        Arguments.of(Family.QWEN35, PagePolicy.QK),
                        Arguments.of(Family.LAGUNA, PagePolicy.DRAFTER),
                        Arguments.of(Family.QWEN35MOE, PagePolicy.LRU),
                        Arguments.of(Family.GEMMA4, PagePolicy.QK),
                        Arguments.of(Family.QWEN35, PagePolicy.LRU),
                        Arguments.of(Family.QWEN35, PagePolicy.DRAFTER),
                        Arguments.of(Family.LAGUNA, PagePolicy.QK)));
    }

    /** Each architecture and each policy, where time does not matter. */
    static Stream<Arguments> some() {
        return Thorough.first(2, SOME);
    }

    /** One of them, for what takes longest. */
    static Stream<Arguments> one() {
        return Thorough.first(1, SOME.reversed());
    }

    private static PagedModel model(Family family, int parallel) throws Exception {
        return PagedModel.of(family, TensorType.Q8_0, GgmlType.Q8_0, parallel, folder);
    }

    /** Grade (a): pages that never leave change no bit. */
    @ParameterizedTest
    @MethodSource("all")
    @ByDay({1, 3})
    void poolOfTheWholeContextEqualsTheUnboundedCache(Family family, PagePolicy policy)
            throws Exception {
        PagedModel sample = model(family, 1);
        int[] prompt = sample.tokens(1024 - PagedModel.ANSWER, 1);

        try (LoadedModel model = sample.load(sample.pooled(1024, policy))) {
            Answer answer = Answer.ask(model.engine(), prompt, PagedModel.ANSWER);

            assertArrayEquals(sample.alone(sample.settings(), prompt), answer.tokens());
            assertEquals(0, PagedModel.paging(answer).counts().pagesOut());
        }
    }

    /** Grade (a): the table is the engine's, and every shard moves the same pages. */
    @ParameterizedTest
    @MethodSource("all")
    @ByDay(3)
    void splitModelHasTheSamePages(Family family, PagePolicy policy) throws Exception {
        PagedModel sample = model(family, 1);
        ModelSettings pooled = sample.pooled(PagedModel.POOL, policy);
        int[] prompt = sample.tokens(1500, 2);
        int[] cuts = Cpu.legalCuts(sample.file());

        try (LoadedModel whole = sample.load(pooled);
                LoadedModel split = sample.load(pooled, cuts[cuts.length / 2])) {
            Answer expected = Answer.ask(whole.engine(), prompt, PagedModel.ANSWER);
            Answer found = Answer.ask(split.engine(), prompt, PagedModel.ANSWER);

            assertArrayEquals(expected.tokens(), found.tokens());
            GenerationEnd.Paging pages = PagedModel.paging(found);
            assertEquals(PagedModel.paging(expected), pages);
            assertTrue(pages.counts().pagesOut() > 15, pages::toString);
            assertEquals(policy != PagePolicy.LRU, pages.counts().pagesIn() > 0, pages::toString);
            assertEquals(PagedModel.POOL / 64, pages.residentPages());
        }
    }

    /** Grade (a): every sequence has a pool of its own, and its pages go by its tokens alone. */
    @ParameterizedTest
    @MethodSource("one")
    @Tag("nightly")
    void eightSequencesInTheSmallestPoolsEqualSingleRequests(Family family, PagePolicy policy)
            throws Exception {
        PagedModel sample = model(family, 8);
        ModelSettings pooled = sample.pooled(PagedModel.POOL, policy);
        List<int[]> prompts =
                IntStream.range(0, 8).mapToObj(i -> sample.tokens(500 + 90 * i, 10 + i)).toList();

        List<Answer> answers =
                prompts.stream().map(prompt -> Answer.of(prompt, PagedModel.ANSWER)).toList();
        try (LoadedModel model = sample.load(pooled)) {
            Answer.submit(model.engine(), answers);
            for (Answer answer : answers) {
                answer.tokens();
            }
        }

        for (int i = 0; i < prompts.size(); i += 3) {
            assertArrayEquals(
                    sample.alone(pooled, prompts.get(i)), answers.get(i).tokens(), "sequence " + i);
        }
    }

    /** Grade (a): nothing of a request is left behind for one of another scope. */
    @ParameterizedTest
    @MethodSource("some")
    @ByDay(1)
    void consecutiveRequestsEqualThoseOfAFreshProcess(Family family, PagePolicy policy)
            throws Exception {
        PagedModel sample = model(family, 1);
        ModelSettings pooled = sample.pooled(PagedModel.POOL, policy);
        int[] first = sample.tokens(1200, 3);
        int[] second = sample.tokens(900, 4);

        try (LoadedModel model = sample.load(pooled)) {
            Answer before = Answer.apart(first, PagedModel.ANSWER);
            before.submit(model.engine());
            before.tokens();
            Answer answer = Answer.apart(second, PagedModel.ANSWER);
            answer.submit(model.engine());

            assertArrayEquals(sample.alone(pooled, second), answer.tokens());
        }
    }

    /** Grade (a): a block of draft tokens ends where the pool would evict a page. */
    @ParameterizedTest
    @MethodSource("some")
    @ByDay(1)
    void draftTokensDoNotChangeTheOutputWhilePagesAreEvicted(Family family, PagePolicy policy)
            throws Exception {
        PagedModel sample = model(family, 1);
        ModelSettings pooled = sample.pooled(PagedModel.POOL, policy);
        int[] prompt = sample.tokens(700, 5);
        int[] plain = sample.alone(pooled, prompt);
        int[] text = IntStream.concat(IntStream.of(prompt), IntStream.of(plain)).toArray();

        for (int right : new int[] {1, Integer.MAX_VALUE}) {
            int most = 15;
            SpeculationOptions guesses =
                    new SpeculationOptions(
                            new ScriptedSpeculator(
                                    List.of(text),
                                    most,
                                    depth -> depth < right ? 0 : 1,
                                    vocabulary(sample),
                                    List.of()),
                            most,
                            OptionalInt.of(most));
            try (LoadedModel model =
                    Cpu.load(
                            sample.file(),
                            pooled.with(
                                    new SpeculationRequirements(
                                            guesses.columns(), guesses.speculator().captures())),
                            PagedModel.helped(
                                    pooled,
                                    new LoadedModel.EngineComponents(
                                            Optional.empty(), Optional.of(guesses))))) {
                Answer answer = Answer.ask(model.engine(), prompt, PagedModel.ANSWER);

                assertArrayEquals(plain, answer.tokens(), "right " + right);
                assertTrue(answer.end().speculation().accepted() > 0);
                assertTrue(PagedModel.paging(answer).counts().pagesOut() > 3);
            }
        }
    }

    private static int vocabulary(PagedModel sample) {
        return Cpu.open(sample.file(), ModelOptions.defaults()).adapter().shape().vocabularySize();
    }

    /** Sequences lose their places to others, and go on with the pages that they had. */
    @ParameterizedTest
    @MethodSource("one")
    @Tag("nightly")
    void preemptedSequenceResumesWithItsPages(Family family, PagePolicy policy) throws Exception {
        PagedModel sample = model(family, 3);
        // Two that grow, and one that has left its pool already and came last.
        int pool = 768;
        int answer = 400;
        // Host memory has prompts cut where their states are kept, and with that their pages.
        ModelSettings pooled = sample.pooled(pool, policy).with(new HostCacheLimit.Fixed(64 << 20));
        ModelSettings narrow = pooled.with(pooled.sequences().withKvTokens(1792));
        List<int[]> prompts =
                List.of(sample.tokens(200, 20), sample.tokens(210, 21), sample.tokens(1100, 22));

        List<Answer> answers = new ArrayList<>();
        try (LoadedModel model = sample.load(narrow)) {
            prompts.forEach(prompt -> answers.add(Answer.of(prompt, answer)));
            Answer.submit(model.engine(), answers);
            for (Answer each : answers) {
                each.tokens();
            }
            assertTrue(model.engine().status().counts().preemptions() > 0);
        }

        for (int i = 0; i < prompts.size(); i++) {
            try (LoadedModel model = sample.load(pooled)) {
                assertArrayEquals(
                        Answer.ask(model.engine(), prompts.get(i), answer).tokens(),
                        answers.get(i).tokens(),
                        "sequence " + i);
            }
        }
    }
}
