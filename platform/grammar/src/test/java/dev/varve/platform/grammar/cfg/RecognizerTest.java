package dev.varve.platform.grammar.cfg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.grammar.JsonGrammars;
import dev.varve.platform.grammar.regex.GrammarLimitException;
import dev.varve.platform.grammar.regex.RegexStore;
import dev.varve.platform.grammar.regex.WorkBudget;
import dev.varve.testkit.Effort;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

class RecognizerTest {
    private static final int LONGEST = 5;

    private final WorkBudget budget = new WorkBudget();
    private final GrammarBuilder builder;

    RecognizerTest() {
        budget.allow(50_000_000);
        builder = new GrammarBuilder(new RegexStore(budget));
    }

    private static ParseState read(Recognizer recognizer, String text) {
        return recognizer.next(recognizer.start(), text.getBytes(StandardCharsets.UTF_8));
    }

    /** Rules over 'a', 'b' and three nonterminals, with the texts that follow from them alone. */
    private static final class RandomGrammar {
        private static final int NONTERMINALS = 3;
        private final List<List<String>> rules = new ArrayList<>();

        private RandomGrammar(Random random) {
            for (int i = 0; i < NONTERMINALS; i++) {
                List<String> alternatives = new ArrayList<>();
                for (int count = 1 + random.nextInt(3); count > 0; count--) {
                    StringBuilder alternative = new StringBuilder();
                    for (int length = random.nextInt(4); length > 0; length--) {
                        alternative.append("abABC".charAt(random.nextInt(5)));
                    }
                    alternatives.add(alternative.toString());
                }
                rules.add(alternatives);
            }
        }

        private int build(GrammarBuilder builder) {
            int[] symbols = new int[NONTERMINALS];
            for (int i = 0; i < NONTERMINALS; i++) {
                symbols[i] = builder.nonterminal("" + (char) ('A' + i));
            }
            for (int i = 0; i < NONTERMINALS; i++) {
                for (String alternative : rules.get(i)) {
                    builder.rule(
                            symbols[i],
                            alternative
                                    .chars()
                                    .map(
                                            c ->
                                                    c >= 'a'
                                                            ? builder.literal("" + (char) c)
                                                            : symbols[c - 'A'])
                                    .toArray());
                }
            }
            return symbols[0];
        }

        /** The texts of up to {@link #LONGEST} letters, by adding until nothing is new. */
        private Set<String> texts() {
            List<Set<String>> known = new ArrayList<>();
            for (int i = 0; i < NONTERMINALS; i++) {
                known.add(new HashSet<>());
            }
            boolean changed = true;
            while (changed) {
                changed = false;
                for (int i = 0; i < NONTERMINALS; i++) {
                    for (String alternative : rules.get(i)) {
                        changed |= known.get(i).addAll(texts(alternative, known));
                    }
                }
            }
            return known.getFirst();
        }

        private static Set<String> texts(String alternative, List<Set<String>> known) {
            Set<String> all = Set.of("");
            for (char symbol : alternative.toCharArray()) {
                Set<String> longer = new HashSet<>();
                for (String begin : all) {
                    for (String end :
                            symbol >= 'a' ? Set.of("" + symbol) : known.get(symbol - 'A')) {
                        if (begin.length() + end.length() <= LONGEST) {
                            longer.add(begin + end);
                        }
                    }
                }
                all = longer;
            }
            return all;
        }
    }

    @Property(tries = 1000)
    void grammarAcceptsTheTextsOfItsRules(@ForAll long seed) {
        RandomGrammar random = new RandomGrammar(new Random(seed));
        Set<String> texts = random.texts();
        GrammarBuilder own = new GrammarBuilder(new RegexStore(budget));
        budget.allow(50_000_000);
        Grammar grammar = own.build(random.build(own));
        Recognizer recognizer = new Recognizer(grammar);
        List<String> open = new ArrayList<>(List.of(""));
        while (!open.isEmpty()) {
            String text = open.removeLast();
            ParseState state = read(recognizer, text);
            assertEquals(texts.contains(text), state.accepts(), () -> random.rules + " " + text);
            boolean begins = texts.stream().anyMatch(each -> each.startsWith(text));
            assertTrue(!begins || !state.isDead(), () -> random.rules + " begins with " + text);
            assertTrue(
                    state.isDead() || reachesAnEnd(recognizer, state),
                    () -> random.rules + " is stuck behind " + text);
            if (text.length() < LONGEST && !state.isDead()) {
                open.add(text + "a");
                open.add(text + "b");
            }
        }
    }

    private static boolean reachesAnEnd(Recognizer recognizer, ParseState from) {
        List<ParseState> open = new ArrayList<>(List.of(from));
        Set<ParseState> seen = new HashSet<>(open);
        for (int i = 0; i < open.size() && i < 500; i++) {
            if (open.get(i).accepts()) {
                return true;
            }
            for (char letter : new char[] {'a', 'b'}) {
                ParseState next = recognizer.next(open.get(i), letter);
                if (!next.isDead() && seen.add(next)) {
                    open.add(next);
                }
            }
        }
        return open.size() >= 500;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"a\": [1, 2.5e-3, \"x\\n\", {\"é\": null}], \"b\": {}}|true",
                "[]|true",
                "-0.5|true",
                "01|false",
                "{\"a\" : }|false",
                "{\"a\": 1|false",
                "[1,]|false",
                "\"a\tb\"|false"
            })
    void jsonIsAccepted(String text, boolean valid) {
        Recognizer recognizer = new Recognizer(builder.build(JsonGrammars.json(builder)));
        assertEquals(valid, read(recognizer, text).accepts());
    }

    @Test
    void loopReturnsToTheSameState() {
        Recognizer recognizer = new Recognizer(builder.build(JsonGrammars.json(builder)));
        assertSame(
                read(recognizer, "[{\"a\": 1}, {\"b"),
                read(recognizer, "[{\"a\": 1}, {\"cd\": 2}, {\"other"));
    }

    @Test
    void forcedContinuationIsReported() {
        int text =
                builder.sequence(
                        "text", builder.literal("ab"), builder.optional(builder.literal("cd")));
        Recognizer recognizer = new Recognizer(builder.build(text));
        assertEquals('a', recognizer.forced(recognizer.start()));
        assertEquals('b', recognizer.forced(read(recognizer, "a")));
        assertEquals(-1, recognizer.forced(read(recognizer, "ab")));
        assertEquals('d', recognizer.forced(read(recognizer, "abc")));
        assertTrue(read(recognizer, "abcd").isFinal());
        assertFalse(read(recognizer, "ab").isFinal());
    }

    @ParameterizedTest
    @CsvSource({"0,0", "0,1", "1,1", "0,7", "3,3", "2,9", "5,1000000", "0,1000000000"})
    void repetitionsHaveTheirBounds(int least, int most) {
        int text = builder.repeat(builder.literal("a"), least, most);
        Recognizer recognizer = new Recognizer(builder.build(text));
        ParseState state = recognizer.start();
        for (int count = 0; count < 12; count++) {
            assertEquals(count >= least && count <= most, state.accepts(), "count " + count);
            assertEquals(count > most, state.isDead(), "count " + count);
            state = recognizer.next(state, 'a');
        }
    }

    @Test
    void alternativesAreBuiltOnDemand() {
        int a = builder.literal("a");
        int b = builder.literal("b");
        // Each of two letters once, in any order.
        int both =
                builder.nonterminal(
                        "both",
                        () -> {
                            int lastB = builder.nonterminal("b", () -> List.of(new int[] {b}));
                            int lastA = builder.nonterminal("a", () -> List.of(new int[] {a}));
                            return List.of(new int[] {a, lastB}, new int[] {b, lastA});
                        });
        Recognizer recognizer = new Recognizer(builder.build(both));
        assertTrue(read(recognizer, "ab").isFinal());
        assertTrue(read(recognizer, "ba").isFinal());
        assertTrue(read(recognizer, "aa").isDead());
    }

    @Test
    void emptyLanguageIsDeadFromTheStart() {
        int endless = builder.nonterminal("endless");
        builder.rule(endless, builder.literal("a"), endless);
        Grammar grammar = builder.build(endless);
        assertFalse(grammar.hasText());
        assertTrue(new Recognizer(grammar).start().isDead());
    }

    @Test
    @Tag("nightly")
    void ambiguousTextBeyondTheLimitIsRefused() {
        int part = builder.terminal(builder.store().atLeast(builder.store().literal("a"), 1));
        int nested = builder.nonterminal("nested");
        builder.rule(nested, part);
        builder.rule(nested, part, nested, builder.literal("c"));
        // Every place is one where a terminal may have begun.
        Recognizer recognizer = new Recognizer(builder.build(nested));
        String message =
                assertThrows(GrammarLimitException.class, () -> read(recognizer, "a".repeat(2_000)))
                        .getMessage();
        assertTrue(message.contains("too"), message);
    }

    @Test
    void freeingMemoryDoesNotChangeResults() {
        Recognizer recognizer = new Recognizer(builder.build(JsonGrammars.json(builder)));
        ParseState state = recognizer.start();
        assertFalse(recognizer.clearIfFull());
        int relieved = 0;
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < Effort.of(3000, 8000); i++) {
            budget.allow(1_000_000);
            String part = "[" + "{\"a\": ".repeat(i % 3);
            text.append(part);
            state = recognizer.next(state, part.getBytes(StandardCharsets.UTF_8));
            relieved += recognizer.clearIfFull() ? 1 : 0;
        }
        assertTrue(relieved > 0);
        for (int i = text.length() - 1; i >= 0; i--) {
            char c = text.charAt(i);
            String closing = c == '[' ? "]" : c == '{' ? "}" : "";
            if (i == text.length() - 1 && c != '[') {
                closing = "0" + closing;
            }
            budget.allow(1_000_000);
            state = recognizer.next(state, closing.getBytes(StandardCharsets.UTF_8));
            assertFalse(state.isDead(), "at " + i);
        }
        assertTrue(state.isFinal());
    }
}
