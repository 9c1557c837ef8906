package dev.varve.platform.grammar.pattern;

import dev.varve.platform.grammar.regex.LexState;
import dev.varve.platform.grammar.regex.Lexer;
import dev.varve.platform.grammar.regex.Regex;
import dev.varve.platform.grammar.regex.RegexStore;
import dev.varve.platform.grammar.regex.WorkBudget;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** A store with much fuel, and whether an expression of it has a text. */
final class Reading {
    private final RegexStore store;

    Reading() {
        this(1L << 32);
    }

    Reading(long fuel) {
        WorkBudget much = new WorkBudget();
        much.allow(fuel);
        store = new RegexStore(much);
    }

    RegexStore store() {
        return store;
    }

    Lexer lexer(Regex regex) {
        return new Lexer(store, List.of(regex));
    }

    boolean matches(Regex regex, String text) {
        return matches(lexer(regex), text.getBytes(StandardCharsets.UTF_8));
    }

    static boolean matches(Lexer lexer, byte... text) {
        LexState state = lexer.start(0);
        for (byte value : text) {
            state = lexer.next(state, lexer.classes().of(value & 0xff));
        }
        return lexer.isNullable(0) && text.length == 0 || state.complete().length > 0;
    }
}
