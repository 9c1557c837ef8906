package dev.varve.platform.tokenizer;

import dev.varve.platform.tokenizer.SpecialTokenMatcher.Match;
import dev.varve.platform.tokenizer.SpecialTokenMatcher.Special;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * The tokens of a vocabulary that are separated from the text before merging, and which of them a
 * text may spell.
 */
final class SpecialTokens {
    private final SpecialTokenMatcher all;
    private final SpecialTokenMatcher userDefined;

    /** All except {@link #blank}. */
    private final SpecialTokenMatcher marks;

    /** User-defined tokens of white space alone, such as indentation; anybody may write them. */
    private final SpecialTokenMatcher blank;

    SpecialTokens(VocabularyData vocabulary) {
        TokenType[] types = vocabulary.types();
        IntPredicate isBlank =
                id -> types[id] == TokenType.USER_DEFINED && isBlank(vocabulary.tokens()[id]);
        all = matcher(vocabulary, id -> types[id].isCutOut());
        userDefined = matcher(vocabulary, id -> types[id] == TokenType.USER_DEFINED);
        marks = matcher(vocabulary, id -> types[id].isCutOut() && !isBlank.test(id));
        blank = matcher(vocabulary, isBlank);
    }

    /**
     * Finds tokens in a text of one origin.
     *
     * @param control whether control tokens are recognised besides user-defined ones
     */
    List<Match> find(byte[] text, boolean control, int most) {
        List<Match> matches = new ArrayList<>();
        (control ? all : userDefined).find(text, 0, text.length, most, matches);
        return matches;
    }

    /**
     * Finds tokens in a text of several origins: all in the trusted runs, and those of white space
     * everywhere.
     *
     * @param borders where the runs begin, and the end of the last one
     * @param runs the runs with their trust
     */
    List<Match> find(byte[] text, int[] borders, List<TextSpan> runs, int most) {
        List<Match> matches = new ArrayList<>();
        for (int run = 0; run < runs.size(); run++) {
            if (runs.get(run).trusted()) {
                marks.find(text, borders[run], borders[run + 1], most, matches);
            }
        }
        return blank.isEmpty() ? matches : withBlank(text, matches, most);
    }

    private List<Match> withBlank(byte[] text, List<Match> marked, int most) {
        List<Match> matches = new ArrayList<>();
        int at = 0;
        for (Match match : marked) {
            blank.find(text, at, match.from(), most, matches);
            matches.add(match);
            at = match.to();
        }
        blank.find(text, at, text.length, most, matches);
        return matches;
    }

    private static boolean isBlank(byte[] text) {
        for (byte value : text) {
            if (value != ' ' && (value < '\t' || value > '\r')) {
                return false;
            }
        }
        return true;
    }

    private static SpecialTokenMatcher matcher(VocabularyData vocabulary, IntPredicate ids) {
        return new SpecialTokenMatcher(
                IntStream.range(0, vocabulary.tokens().length)
                        .filter(ids)
                        .mapToObj(id -> new Special(id, vocabulary.tokens()[id]))
                        .toList());
    }
}
