package dev.varve.bench.http;

import java.util.List;
import java.util.stream.IntStream;

/**
 * The prompts of each round of a scenario. Both sides of a round get the same.
 *
 * @param first number of the first text, which belongs to the warm-up round
 * @param perRound texts of a round
 * @param words length of each
 */
record PromptBatches(Prompts prompts, int first, int perRound, int words) {
    List<String> round(int round) {
        int begin = first + (round - Rounds.WARM_UP) * perRound;
        return IntStream.range(begin, begin + perRound)
                .mapToObj(number -> prompts.text(number, words))
                .toList();
    }
}
