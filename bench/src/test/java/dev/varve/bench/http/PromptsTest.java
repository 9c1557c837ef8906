package dev.varve.bench.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

class PromptsTest {
    private final Prompts prompts = new Prompts(7);

    @Test
    void noTwoPromptsStartWithTheSameWord() {
        Set<String> starts = new HashSet<>();
        for (int number = 0; number < prompts.distinct(); number++) {
            starts.add(firstWords(prompts.text(number, 3), 1));
        }

        assertEquals(prompts.distinct(), starts.size());
        assertTrue(prompts.distinct() > 1_000, () -> "a full run needs more: " + starts.size());
    }

    @Test
    void promptsBeyondTheWordListDifferInTheirSecondWord() {
        int size = prompts.distinct();
        List<String> texts =
                IntStream.range(0, 4).mapToObj(lap -> prompts.text(3 + lap * size, 5)).toList();

        long laps = texts.stream().skip(1).map(text -> firstWords(text, 2)).distinct().count();

        assertEquals(3, laps, texts.toString());
    }

    @Test
    void noWordOfTheListIsAPrefixOfAnother() {
        Set<String> beginnings = new HashSet<>();
        for (int number = 0; number < prompts.distinct(); number++) {
            String word = prompts.text(number, 1);
            assertTrue(word.matches("[a-z]{4,8}"), word);
            assertTrue(beginnings.add(word.substring(0, 4)), word);
        }
    }

    @Test
    void promptsDependOnTheSeedOnly() {
        String text = prompts.text(5, 40);

        assertEquals(text, new Prompts(7).text(5, 40));
        assertNotEquals(text, new Prompts(8).text(5, 40));
        assertEquals(40, text.split(" ").length, text);
    }

    @Test
    void bothSidesOfARoundGetTheSamePromptsAndNoOtherRoundGetsThem() {
        PromptPool pool = new PromptPool(prompts);
        PromptBatches clients = pool.batches(3, 8, 6);
        PromptBatches turns = pool.batches(3, 5, 6);
        Set<String> starts = new HashSet<>();
        for (int round = Rounds.WARM_UP; round < 3; round++) {
            clients.round(round).forEach(text -> starts.add(firstWords(text, 1)));
            turns.round(round).forEach(text -> starts.add(firstWords(text, 1)));
        }

        assertEquals(4 * (8 + 5), starts.size());
        assertEquals(clients.round(1), clients.round(1));
    }

    private static String firstWords(String text, int count) {
        return String.join(" ", List.of(text.split(" ")).subList(0, count));
    }
}
