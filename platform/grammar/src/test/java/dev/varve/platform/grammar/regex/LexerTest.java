package dev.varve.platform.grammar.regex;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;

/** Expressions against the sets of short texts that their definitions give. */
class LexerTest {
    private static final String LETTERS = "abc";
    private static final int LONGEST = 4;
    private static final List<String> TEXTS = texts();

    private final WorkBudget budget = new WorkBudget();
    private final RegexStore store;

    LexerTest() {
        budget.allow(50_000_000);
        store = new RegexStore(budget);
    }

    private static List<String> texts() {
        List<String> all = new ArrayList<>(List.of(""));
        for (int i = 0; all.get(i).length() < LONGEST; i++) {
            for (char letter : LETTERS.toCharArray()) {
                all.add(all.get(i) + letter);
            }
        }
        return all;
    }

    /** An expression and, by definition alone, whether a text belongs to it. */
    private record Checked(Regex regex, Predicate<String> has) {}

    private Checked random(Random random, int depth) {
        return switch (depth == 0 ? random.nextInt(2) : random.nextInt(9)) {
            case 0 -> {
                char letter = LETTERS.charAt(random.nextInt(3));
                yield new Checked(store.literal("" + letter), text -> text.equals("" + letter));
            }
            case 1 -> {
                ByteSet set = ByteSet.of('a').or(ByteSet.of('b'));
                yield new Checked(
                        store.bytes(set), text -> text.length() == 1 && !text.equals("c"));
            }
            case 2, 3 -> {
                Checked first = random(random, depth - 1);
                Checked second = random(random, depth - 1);
                yield new Checked(
                        store.concat(first.regex, second.regex),
                        text -> concat(first, second, text));
            }
            case 4 -> {
                Checked first = random(random, depth - 1);
                Checked second = random(random, depth - 1);
                yield new Checked(store.or(first.regex, second.regex), first.has.or(second.has));
            }
            case 5 -> {
                Checked first = random(random, depth - 1);
                Checked second = random(random, depth - 1);
                yield new Checked(store.and(first.regex, second.regex), first.has.and(second.has));
            }
            case 6 -> {
                Checked part = random(random, depth - 1);
                yield new Checked(store.not(part.regex), part.has.negate());
            }
            default -> {
                Checked part = random(random, depth - 1);
                int least = random.nextInt(3);
                boolean limited = random.nextBoolean();
                int most = limited ? least + random.nextInt(3) : Integer.MAX_VALUE;
                yield new Checked(
                        store.repeat(part.regex, least, most),
                        text -> repeats(part, least, most, text));
            }
        };
    }

    private static boolean concat(Checked first, Checked second, String text) {
        for (int i = 0; i <= text.length(); i++) {
            if (first.has.test(text.substring(0, i)) && second.has.test(text.substring(i))) {
                return true;
            }
        }
        return false;
    }

    private static boolean repeats(Checked part, int least, int most, String text) {
        if (text.isEmpty() && (least == 0 || part.has.test(""))) {
            return true;
        }
        if (most == 0) {
            return false;
        }
        for (int i = 1; i <= text.length(); i++) {
            int left = part.has.test("") ? 0 : Math.max(0, least - 1);
            int more = most == Integer.MAX_VALUE ? most : most - 1;
            if (part.has.test(text.substring(0, i))
                    && repeats(part, left, more, text.substring(i))) {
                return true;
            }
        }
        return false;
    }

    @Property(tries = 1000)
    void expressionAcceptsTheTextsOfItsDefinition(@ForAll long seed) {
        Checked checked = random(new Random(seed), 4);
        Lexer lexer = new Lexer(store, List.of(checked.regex));
        LexState start = lexer.start(0);
        for (String text : TEXTS) {
            LexState state = read(lexer, start, text);
            assertEquals(
                    checked.has.test(text),
                    !state.isDead() && state.isComplete(),
                    () -> checked.regex + " and '" + text + "'");
            assertTrue(state.isDead() || reaches(lexer, state), () -> checked.regex + " " + text);
        }
    }

    private static LexState read(Lexer lexer, LexState start, String text) {
        LexState state = start;
        for (char letter : text.toCharArray()) {
            state = lexer.next(state, lexer.classes().of(letter));
        }
        return state;
    }

    /** Whether any accepting state follows. */
    private static boolean reaches(Lexer lexer, LexState from) {
        List<LexState> open = new ArrayList<>(List.of(from));
        Set<LexState> seen = new HashSet<>(open);
        while (!open.isEmpty()) {
            LexState state = open.removeLast();
            if (state.isComplete()) {
                return true;
            }
            for (int i = 0; i < lexer.classes().count(); i++) {
                LexState next = lexer.next(state, i);
                if (seen.add(next)) {
                    open.add(next);
                }
            }
        }
        return false;
    }

    @Test
    void severalTerminalsAreMatchedTogether() {
        Lexer lexer =
                new Lexer(
                        store,
                        List.of(
                                store.literal("ab"),
                                store.atLeast(store.bytes(ByteSet.range('a', 'z')), 1),
                                store.literal("x")));
        LexState state = read(lexer, lexer.start(0, 1, 2), "ab");
        assertEquals("[0, 1]", Arrays.toString(state.complete()));
        assertTrue(state.canContinue());
        assertEquals("[1]", Arrays.toString(read(lexer, state, "b").complete()));
        assertTrue(read(lexer, state, "0").isDead());
    }

    @Test
    void equalSituationsAreOneState() {
        Regex loop =
                store.concat(store.literal("\""), store.star(store.bytes(ByteSet.range('a', 'z'))));
        Lexer lexer = new Lexer(store, List.of(loop));
        LexState inside = read(lexer, lexer.start(0), "\"");
        assertEquals(inside, read(lexer, inside, "hello"));
    }

    @Test
    void unsatisfiableExpressionIsNotAlive() {
        Regex digits = store.atLeast(store.bytes(ByteSet.range('0', '9')), 3);
        Lexer lexer =
                new Lexer(
                        store,
                        List.of(
                                store.and(digits, store.not(digits)),
                                store.and(digits, store.repeat(store.bytes(ByteSet.ALL), 0, 2)),
                                store.and(digits, store.repeat(store.bytes(ByteSet.ALL), 0, 3))));
        assertFalse(lexer.isAlive(0));
        assertFalse(lexer.isAlive(1));
        assertTrue(lexer.isAlive(2));
    }

    @Test
    void hugeRepetitionIsExpandedOnDemand() {
        budget.allow(2_000);
        Regex many = store.repeat(store.bytes(ByteSet.range('a', 'z')), 0, 1_000_000_000);
        Lexer lexer = new Lexer(store, List.of(many));
        assertTrue(read(lexer, lexer.start(0), "abcabc").isComplete());
    }

    @Test
    void workBeyondTheBudgetIsRefused() {
        Regex letter = store.bytes(ByteSet.range('a', 'b'));
        Regex hard =
                store.concat(
                        store.star(letter), store.literal("a"), store.repeat(letter, 300, 300));
        Lexer lexer = new Lexer(store, List.of(hard));
        budget.allow(20_000);
        LexState start = lexer.start(0);
        GrammarLimitException refused =
                assertThrows(
                        GrammarLimitException.class,
                        () -> read(lexer, start, "abaabbaaab".repeat(100)));
        assertTrue(refused.getMessage().contains("too complex"), refused.getMessage());
    }

    @Test
    void textsShareTheirPrefixes() {
        Regex words = store.oneOf(List.of("alpha", "al", "beta", "alphabet", "é"));
        Lexer lexer = new Lexer(store, List.of(words));
        assertTrue(read(lexer, lexer.start(0), "al").isComplete());
        assertTrue(read(lexer, lexer.start(0), "alphabet").isComplete());
        assertFalse(read(lexer, lexer.start(0), "alph").isComplete());
        assertTrue(read(lexer, lexer.start(0), "alb").isDead());
    }

    @Test
    void cacheEvictionDoesNotChangeResults() {
        Regex part = store.repeat(store.literal("ab"), 2, 5);
        Lexer lexer = new Lexer(store, List.of(part));
        LexState before = read(lexer, lexer.start(0), "aba");
        lexer.clear();
        assertTrue(read(lexer, before, "b").isComplete());
        assertFalse(read(lexer, read(lexer, lexer.start(0), "ababababab"), "").canContinue());
    }

    @Test
    void shortTextsAreFoundBesideLongCounters() {
        Regex letters = store.bytes(ByteSet.of('a').or(ByteSet.of('b')));
        Regex any = store.bytes(ByteSet.range('a', 'c'));
        Regex ends = store.concat(store.star(letters), store.literal("c"));

        budget.allow(20_000);

        assertTrue(store.isAlive(store.and(ends, store.repeat(any, 0, 1_000_000_000))));
        assertFalse(store.isAlive(store.and(ends, store.atLeast(letters, 3))));
        assertTrue(store.isAlive(store.and(ends, store.repeat(any, 500, 500))));
    }

    @Test
    void longTextsAreNoDeepExpressions() {
        String text = "long ".repeat(20_000);
        Lexer lexer =
                new Lexer(store, List.of(store.oneOf(List.of(text + "a", text + "b", "long"))));

        assertTrue(read(lexer, lexer.start(0), text + "b").isComplete());
        assertTrue(read(lexer, lexer.start(0), "long").isComplete());
        assertFalse(read(lexer, lexer.start(0), text).isComplete());
    }
}
