package dev.varve.bench.reliability;

import java.util.List;
import java.util.SplittableRandom;

/**
 * The requests that are sent; the same for the same seed, whichever client sends them.
 *
 * @param questions the questions to choose from
 * @param expected answers, by the questions' numbers
 * @param seed of the draws
 */
record Mix(List<Question> questions, List<Outcome.Complete> expected, long seed) {
    private static final int MOST_EVENTS = 8;

    /**
     * One request.
     *
     * @param conduct of its client
     * @param patience events that a client reads before it leaves or cancels; one that leaves waits
     *     for the first of them for a moment only
     * @param key number of its key
     */
    record Draw(Question question, Conduct conduct, int patience, int key) {}

    /** Copies the lists. */
    Mix {
        questions = List.copyOf(questions);
        expected = List.copyOf(expected);
    }

    /** Draws the request of a number. */
    Draw draw(int number, int keys) {
        SplittableRandom random = new SplittableRandom(seed * 1_000_003 + number);
        return new Draw(
                questions.get(random.nextInt(questions.size())),
                Conduct.draw(random),
                random.nextInt(MOST_EVENTS),
                random.nextInt(keys));
    }

    Outcome.Complete expected(Question question) {
        return expected.get(question.number());
    }
}
