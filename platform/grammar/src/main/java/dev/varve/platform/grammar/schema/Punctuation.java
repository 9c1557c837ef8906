package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.cfg.GrammarBuilder;
import dev.varve.platform.grammar.regex.ByteSet;
import dev.varve.platform.grammar.regex.Regex;
import dev.varve.platform.grammar.regex.RegexStore;

/** The terminals between values: brackets, commas and names, each with the space around it. */
final class Punctuation {
    private static final int MOST_INDENT = 64;

    private final GrammarBuilder builder;
    private final RegexStore store;
    private final StringSets strings;
    private final Regex space;
    private final Regex colon;

    Punctuation(GrammarBuilder builder, StringSets strings, SchemaOptions.Whitespace whitespace) {
        this.builder = builder;
        this.strings = strings;
        store = builder.store();
        boolean flexible = whitespace == SchemaOptions.Whitespace.FLEXIBLE;
        Regex blank = store.bytes(ByteSet.of(' '));
        Regex blanks = store.bytes(ByteSet.of(' ').or(ByteSet.of('\t')));
        Regex line =
                store.concat(store.bytes(ByteSet.of('\n')), store.repeat(blanks, 0, MOST_INDENT));
        space = flexible ? store.optional(store.or(blank, line)) : store.empty();
        colon = store.concat(store.literal(":"), flexible ? store.optional(blank) : store.empty());
    }

    /** An opening bracket. */
    int open(String bracket) {
        return builder.terminal(store.concat(store.literal(bracket), space));
    }

    /** A comma. */
    int comma() {
        return builder.terminal(store.concat(store.literal(","), space));
    }

    /** A closing bracket. */
    int close(String bracket) {
        return builder.terminal(store.concat(space, store.literal(bracket)));
    }

    /** Both brackets. */
    int empty(String brackets) {
        return builder.terminal(
                store.concat(
                        store.literal(brackets.substring(0, 1)),
                        space,
                        store.literal(brackets.substring(1))));
    }

    /** The first name of an object, with the bracket before it and the colon after it. */
    int firstName(Regex quoted) {
        return builder.terminal(store.concat(store.literal("{"), space, quoted, colon));
    }

    /** A further name, with the comma before it and the colon after it. */
    int nextName(Regex quoted) {
        return builder.terminal(store.concat(store.literal(","), space, quoted, colon));
    }

    /** A name with its quotes. */
    Regex quoted(String name) {
        return store.literal(CanonicalLiterals.quoted(name));
    }

    /** Names with their quotes; all names in any spelling. */
    Regex quoted(Regex names) {
        StringSet everything = strings.everything();
        return names == everything.contents()
                ? strings.texts(everything)
                : store.concat(store.literal("\""), names, store.literal("\""));
    }
}
