package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.model.LayerRange;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.platform.shard.SlotSpan;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/** Guessed tokens change how many forwards an answer takes, and nothing else. */
@Timeout(60)
class ProposedTokensTest {
    private static final int CONTEXT = 4 * SlotSpan.BLOCK;
    private static final int COUNT = 60;
    private static final PlainModel MODEL = PlainModel.attentionOnly(3, CONTEXT);
    private static final int VOCABULARY = MODEL.shape().vocabularySize();

    /** How good the guesses are. */
    private enum Guesses {
        RIGHT {
            @Override
            int guess(int right, Random random) {
                return right;
            }
        },
        WRONG {
            @Override
            int guess(int right, Random random) {
                return (right + 1) % VOCABULARY;
            }
        },
        NOW_AND_THEN_RIGHT {
            @Override
            int guess(int right, Random random) {
                return random.nextInt(3) == 0 ? (right + 1) % VOCABULARY : right;
            }
        };

        abstract int guess(int right, Random random);

        /** Guesses along answers that are known. */
        TokenProposer proposer(List<int[]> prompts, List<List<Integer>> answers) {
            Random random = new Random(5);
            return (request, most) -> {
                int which = which(request, prompts);
                List<Integer> answer = answers.get(which);
                int begin = request.generated();
                int count = Math.min(Math.min(most, random.nextInt(6)), answer.size() - begin);
                int[] guesses = new int[Math.max(0, count)];
                for (int i = 0; i < guesses.length; i++) {
                    guesses[i] = guess(answer.get(begin + i), random);
                }
                return guesses;
            };
        }

        private static int which(Request request, List<int[]> prompts) {
            for (int i = 0; i < prompts.size(); i++) {
                if (prompts.get(i).length == request.promptLength()) {
                    return i;
                }
            }
            throw new IllegalStateException("nobody asked that");
        }
    }

    private static Scheduler engine(PlainModel model, int blocks, TokenProposer proposer) {
        ModelShape shape = model.shape();
        int parallel = 3;
        EngineOptions options =
                new EngineOptions(
                        EngineOptions.Capacity.of(CONTEXT, parallel, blocks * SlotSpan.BLOCK), 64);
        PlainShard.Sizes sizes =
                new PlainShard.Sizes(
                        options.capacity().caches().slots(),
                        options.capacity().caches().stateRows());
        PlainShard first = new PlainShard(model, new LayerRange(0, 1), sizes);
        PlainShard second = new PlainShard(model, new LayerRange(1, shape.layers().size()), sizes);
        return Scheduler.start(new ShardPipeline(List.of(first, second)), shape, options, proposer);
    }

    /** Distinct lengths, so that a guesser knows whose tokens it sees. */
    private static List<int[]> prompts() {
        List<int[]> prompts = new ArrayList<>();
        Random random = new Random(3);
        for (int i = 0; i < 3; i++) {
            prompts.add(random.ints(20 + 7 * i, 0, VOCABULARY).toArray());
        }
        return prompts;
    }

    private static GenerationRequest request(int[] prompt, SamplingOptions sampling) {
        return new GenerationRequest(
                GenerationRequest.Prompt.of(prompt),
                new GenerationRequest.Ending(COUNT, Set.of()),
                GenerationRequest.Choice.of(sampling));
    }

    private static List<List<Integer>> answers(
            Scheduler engine, List<int[]> prompts, SamplingOptions sampling) throws Exception {
        List<Engine.Submission> submissions = new ArrayList<>();
        List<Collected> collected = new ArrayList<>();
        for (int[] prompt : prompts) {
            collected.add(new Collected());
            submissions.add(new Engine.Submission(request(prompt, sampling), collected.getLast()));
        }
        engine.submit(submissions);
        List<List<Integer>> answers = new ArrayList<>();
        for (Collected each : collected) {
            answers.add(each.await());
        }
        return answers;
    }

    private static List<List<Integer>> plainAnswers(SamplingOptions sampling) throws Exception {
        try (Scheduler engine = engine(MODEL, 12, TokenProposer.NONE)) {
            return answers(engine, prompts(), sampling);
        }
    }

    @ParameterizedTest
    @EnumSource(Guesses.class)
    void guessesDoNotChangeGreedyTokens(Guesses guesses) throws Exception {
        List<List<Integer>> plain = plainAnswers(SamplingOptions.greedy());

        try (Scheduler engine = engine(MODEL, 12, guesses.proposer(prompts(), plain))) {
            List<List<Integer>> guessed = answers(engine, prompts(), SamplingOptions.greedy());

            assertEquals(plain, guessed);
        }
    }

    @ParameterizedTest
    @EnumSource(Guesses.class)
    void guessesDoNotChangeSampledTokens(Guesses guesses) throws Exception {
        SamplingOptions sampled = SamplingOptions.greedy().atTemperature(0.9f).seededWith(11);
        List<List<Integer>> plain = plainAnswers(sampled);

        try (Scheduler engine = engine(MODEL, 12, guesses.proposer(prompts(), plain))) {
            List<List<Integer>> guessed = answers(engine, prompts(), sampled);

            assertEquals(plain, guessed);
        }
    }

    @Test
    void rightGuessesSaveForwards() throws Exception {
        List<List<Integer>> plain = plainAnswers(SamplingOptions.greedy());

        try (Scheduler engine = engine(MODEL, 12, Guesses.RIGHT.proposer(prompts(), plain))) {
            answers(engine, prompts(), SamplingOptions.greedy());

            assertTrue(
                    engine.status().counts().steps() < COUNT,
                    engine.status().counts() + " for answers of " + COUNT + " tokens");
        }
    }

    /** What was guessed wrongly is neither answered nor kept for the next turn. */
    @Test
    void aConversationGoesOnBehindWrongGuesses() throws Exception {
        int[] prompt = prompts().getFirst();
        List<Integer> first;
        List<Integer> second;
        try (Scheduler engine = engine(MODEL, 12, TokenProposer.NONE)) {
            first = Collected.ask(engine, prompt, 20).await();
            second = Collected.ask(engine, turn(prompt, first), 20).await();
        }
        TokenProposer wrong = (request, most) -> new int[] {1, 2, 3};

        try (Scheduler engine = engine(MODEL, 12, wrong)) {
            List<Integer> answer = Collected.ask(engine, prompt, 20).await();
            List<Integer> next = Collected.ask(engine, turn(prompt, answer), 20).await();

            assertEquals(first, answer);
            assertEquals(second, next);
            assertTrue(engine.status().counts().tokens().cachedPrompt() > 0, "nothing was kept");
        }
    }

    private static int[] turn(int[] prompt, List<Integer> answer) {
        int[] next = new int[prompt.length + answer.size() + 3];
        System.arraycopy(prompt, 0, next, 0, prompt.length);
        for (int i = 0; i < answer.size(); i++) {
            next[prompt.length + i] = answer.get(i);
        }
        return next;
    }

    /** Three sequences fill the pool; what they guess has no place in it. */
    @Test
    void aGuessTakesNobodysPlace() throws Exception {
        List<List<Integer>> plain = plainAnswers(SamplingOptions.greedy());
        int blocks = CONTEXT / SlotSpan.BLOCK;

        try (Scheduler engine = engine(MODEL, blocks, Guesses.RIGHT.proposer(prompts(), plain))) {
            List<List<Integer>> guessed = answers(engine, prompts(), SamplingOptions.greedy());

            assertEquals(plain, guessed);
            assertEquals(0, engine.status().counts().preemptions());
        }
    }

    /** Its state would have seen the wrong guesses. */
    @Test
    void nobodyGuessesForAModelWhoseStateCannotBeCutBack() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        TokenProposer counting =
                (request, most) -> {
                    asked.incrementAndGet();
                    return new int[] {1};
                };

        try (Scheduler engine = engine(PlainModel.mixed(CONTEXT), 12, counting)) {
            Collected.ask(engine, prompts().getFirst(), 5).await();
        }

        assertEquals(0, asked.get());
    }
}
