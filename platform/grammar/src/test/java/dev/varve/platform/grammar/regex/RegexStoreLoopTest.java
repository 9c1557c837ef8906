package dev.varve.platform.grammar.regex;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** Expressions that take part in what they stand for, and long ones. */
class RegexStoreLoopTest {
    private RegexStore store;

    @BeforeEach
    void fuel() {
        WorkBudget budget = new WorkBudget();
        budget.allow(1L << 30);
        store = new RegexStore(budget);
    }

    private static LexState read(Lexer lexer, String text) {
        LexState state = lexer.start(0);
        for (byte value : text.getBytes(StandardCharsets.UTF_8)) {
            state = lexer.next(state, lexer.classes().of(value & 0xff));
        }
        return state;
    }

    /** Letters without "ab", then an end: loop = (not "ab" anything and letter loop) or "!". */
    @Test
    void loopReferenceMatchesItsBody() {
        Regex loop = store.loop(false);
        Regex notAb = store.not(store.concat(store.literal("ab"), store.anything()));
        Regex letter = store.bytes(ByteSet.range('a', 'c'));
        store.define(
                loop, store.or(store.literal("!"), store.and(notAb, store.concat(letter, loop))));
        Lexer lexer = new Lexer(store, List.of(loop));

        assertEquals(1, read(lexer, "acbba!").complete().length);
        assertTrue(read(lexer, "acab!").isDead());
        assertTrue(read(lexer, "acab").isDead(), "no state is a dead end");
        int states = lexer.size();
        read(lexer, "acbba".repeat(100));
        assertTrue(lexer.size() <= states + 4, "it comes back to states it knows");
    }

    @Test
    void endlessLoopHasNoText() {
        Regex loop = store.loop(false);
        store.define(loop, store.concat(store.literal("a"), loop));

        assertFalse(new Lexer(store, List.of(loop)).isAlive(0));
    }

    @Test
    void secondOrInvalidLoopDefinitionIsRefused() {
        Regex loop = store.loop(false);
        assertThrows(IllegalArgumentException.class, () -> store.define(loop, store.empty()));
        store.define(loop, store.literal("a"));

        assertThrows(IllegalArgumentException.class, () -> store.define(loop, store.literal("b")));
    }

    @Test
    void longTextIsExtendedWithoutRecursion() {
        Regex text = store.literal("x".repeat(100_000));

        Regex quoted = store.concat(text, store.literal("\""));

        assertFalse(quoted.isNothing());
    }
}
