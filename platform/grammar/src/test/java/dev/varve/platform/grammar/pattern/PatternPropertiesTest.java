package dev.varve.platform.grammar.pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.grammar.regex.GrammarLimitException;
import dev.varve.platform.grammar.regex.Lexer;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.regex.Pattern;

/** Random patterns against two matchers that work otherwise, and garbage. */
class PatternPropertiesTest {
    private static final int SOAK = Integer.getInteger("varve.test.soak", 1);
    private static final int PATTERNS = SOAK > 1 ? 1_000 * SOAK * SOAK : 150;
    private static final int TEXTS = 12;

    @Test
    void agreesWithJavaPatterns() {
        int tooComplex = 0;
        for (int seed = 0; seed < PATTERNS; seed++) {
            try {
                compare(seed);
            } catch (GrammarLimitException e) {
                tooComplex++;
            }
        }
        assertTrue(tooComplex < PATTERNS / 50, tooComplex + " patterns were too complex");
    }

    private static void compare(int seed) {
        Random random = new Random(seed);
        RandomPatterns patterns = new RandomPatterns(random);
        String pattern = patterns.pattern();
        PatternNode node = PatternParser.parse(pattern);
        Pattern java = Pattern.compile(pattern);
        Reading reading = new Reading(1L << 20);
        StringEscaping encoding = random.nextBoolean() ? StringEscaping.PLAIN : StringEscaping.JSON;
        Patterns compiler = new Patterns(new TextRegexBuilder(reading.store(), encoding));
        Lexer lexer = reading.lexer(compiler.search(pattern));
        for (int i = 0; i < TEXTS; i++) {
            String text = patterns.text();
            boolean found = PlainMatcher.finds(node, text);
            String where = "seed " + seed + ", pattern " + pattern + ", text '" + text + "'";
            // Java also begins between the halves of a surrogate pair.
            if (text.codePoints().count() == text.length()) {
                assertEquals(java.matcher(text).find(), found, "the oracles disagree: " + where);
            }
            boolean actual = Reading.matches(lexer, text.getBytes(StandardCharsets.UTF_8));
            assertEquals(found, actual, where);
        }
    }

    /** Whatever comes in, only the failures that are promised come out. */
    @Test
    void randomInputIsRefusedCleanly() {
        String letters = "ab0{}[]()|*+?^$\\.,-:=!<>ubBdwxpPkc1é\u0000\uD83D\uDE00\uD800";
        for (int seed = 0; seed < PATTERNS; seed++) {
            Random random = new Random(seed);
            StringBuilder pattern = new StringBuilder();
            for (int i = random.nextInt(30); i > 0; i--) {
                pattern.append(letters.charAt(random.nextInt(letters.length())));
            }
            Reading reading = new Reading(1L << 20);
            try {
                Lexer lexer =
                        reading.lexer(
                                new Patterns(
                                                new TextRegexBuilder(
                                                        reading.store(), StringEscaping.JSON))
                                        .search(pattern.toString()));
                byte[] text = new byte[8];
                random.nextBytes(text);
                text[random.nextInt(text.length)] = (byte) 0xFF;
                assertFalse(Reading.matches(lexer, text), "not UTF-8, yet found: " + pattern);
            } catch (PatternException | GrammarLimitException e) {
                // as promised
            }
        }
    }
}
