package dev.varve.bench.reliability;

import dev.varve.bench.http.Prompts;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Questions of many lengths; several begin alike, so that cached prefixes are found. */
final class Questions {
    private static final int HEADS = 8;
    private static final int TAILS = 5;
    private static final int SHORTEST_HEAD = 20;
    private static final int TAIL_WORDS = 12;
    private static final int MOST_TOKENS = 48;
    private static final int LEAST_TOKENS = 4;

    private Questions() {}

    /**
     * Makes questions, the same for each model.
     *
     * @param longest words of the longest
     * @param models their names
     */
    static List<Question> of(long seed, int longest, List<String> models) {
        List<Question> questions = new ArrayList<>();
        for (String model : models) {
            add(questions, model, seed, longest);
        }
        return List.copyOf(questions);
    }

    private static void add(List<Question> questions, String model, long seed, int longest) {
        Prompts prompts = new Prompts(seed);
        Random random = new Random(seed);
        for (int head = 0; head < HEADS; head++) {
            int words = SHORTEST_HEAD + (longest - SHORTEST_HEAD) * head / (HEADS - 1);
            String begin = prompts.text(head, words);
            for (int tail = 0; tail < TAILS; tail++) {
                String end = prompts.text(HEADS + TAILS * head + tail, TAIL_WORDS);
                questions.add(
                        new Question(
                                questions.size(),
                                model,
                                begin + " " + end,
                                random.nextInt(LEAST_TOKENS, MOST_TOKENS + 1)));
            }
        }
    }
}
