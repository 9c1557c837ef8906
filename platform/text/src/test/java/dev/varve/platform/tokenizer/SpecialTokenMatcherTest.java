package dev.varve.platform.tokenizer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import dev.varve.platform.tokenizer.SpecialTokenMatcher.Match;
import dev.varve.platform.tokenizer.SpecialTokenMatcher.Special;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;

class SpecialTokenMatcherTest {
    @Test
    void longestTokenWinsOverAnEarlierShorterOne() {
        List<Special> specials = specials(List.of("ab", "bcd", "d"));

        assertEquals(List.of(new Match(1, 4, 1)), find(specials, "abcd"));
    }

    @Test
    void textBetweenLongerTokensIsSearchedForShorterOnes() {
        List<Special> specials = specials(List.of("\n", "\n\n", "\n\n\n"));

        assertEquals(
                List.of(new Match(0, 3, 2), new Match(3, 6, 2), new Match(6, 8, 1)),
                find(specials, "\n".repeat(8)));
    }

    @Test
    void equalTextsGiveTheLowestId() {
        assertEquals(List.of(new Match(1, 2, 0)), find(specials(List.of("x", "x")), "axb"));
    }

    @Test
    void emptyTextAndBrokenUtf8AreNeverFound() {
        List<Special> specials =
                List.of(new Special(0, new byte[0]), new Special(1, new byte[] {(byte) 0xA9}));

        assertEquals(List.of(), find(specials, "é\u0000a"));
    }

    /** Small alphabets and many short tokens, so that nearly all occurrences overlap. */
    @Test
    void occurrencesMatchTheLiteralRule() {
        Random random = new Random(4711);
        List<String> letters = List.of("a", "b", "c", "é");
        for (int round = 0; round < 20_000; round++) {
            List<String> alphabet = letters.subList(0, 1 + random.nextInt(letters.size()));
            TreeSet<String> texts = new TreeSet<>();
            for (int token = 0; token < 1 + random.nextInt(6); token++) {
                texts.add(RandomText.of(random, alphabet, 1 + random.nextInt(5)));
            }
            List<Special> specials = specials(new ArrayList<>(texts));
            String text = RandomText.of(random, alphabet, random.nextInt(25));

            assertEquals(
                    literally(specials, text),
                    find(specials, text),
                    "round " + round + ": " + texts + " in " + text);
        }
    }

    @Test
    void megabyteOfOverlappingOccurrencesTakesLinearTime() {
        List<Special> specials =
                specials(
                        IntStream.rangeClosed(1, 31)
                                .mapToObj(length -> "\n".repeat(length))
                                .toList());
        String text = "\n".repeat(1_000_000);

        List<Match> matches = assertTimeout(Duration.ofSeconds(60), () -> find(specials, text));

        assertEquals((1_000_000 + 30) / 31, matches.size());
    }

    private static List<Special> specials(List<String> texts) {
        return IntStream.range(0, texts.size())
                .mapToObj(id -> new Special(id, texts.get(id).getBytes(StandardCharsets.UTF_8)))
                .toList();
    }

    private static List<Match> find(List<Special> specials, String text) {
        byte[] padded = ("a" + text + "a").getBytes(StandardCharsets.UTF_8);
        List<Match> matches = new ArrayList<>();
        new SpecialTokenMatcher(specials)
                .find(padded, 1, padded.length - 1, Integer.MAX_VALUE, matches);
        return matches.stream()
                .map(match -> new Match(match.from() - 1, match.to() - 1, match.id()))
                .toList();
    }

    /** Splits every raw fragment at one token after the other, as the definition says. */
    private static List<Match> literally(List<Special> specials, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        List<int[]> fragments = new ArrayList<>(List.of(new int[] {0, bytes.length}));
        List<Match> matches = new ArrayList<>();
        List<Special> longestFirst =
                specials.stream()
                        .sorted(Comparator.comparingInt(special -> -special.text().length))
                        .toList();
        for (Special special : longestFirst) {
            List<int[]> left = new ArrayList<>();
            for (int[] fragment : fragments) {
                int from = fragment[0];
                for (int at = indexOf(bytes, special.text(), from, fragment[1]); at >= 0; ) {
                    left.add(new int[] {from, at});
                    from = at + special.text().length;
                    matches.add(new Match(at, from, special.id()));
                    at = indexOf(bytes, special.text(), from, fragment[1]);
                }
                left.add(new int[] {from, fragment[1]});
            }
            fragments = left;
        }
        matches.sort(Comparator.comparingInt(Match::from));
        return matches;
    }

    private static int indexOf(byte[] bytes, byte[] wanted, int from, int to) {
        String part = new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
        int at = part.indexOf(new String(wanted, StandardCharsets.ISO_8859_1));
        return at < 0 ? -1 : from + at;
    }
}
