package dev.varve.platform.grammar;

import dev.varve.platform.grammar.cfg.GrammarBuilder;
import dev.varve.platform.grammar.regex.ByteSet;
import dev.varve.platform.grammar.regex.Regex;
import dev.varve.platform.grammar.regex.RegexStore;

/** Small grammars of JSON texts for tests, written by hand. */
public final class JsonGrammars {
    private JsonGrammars() {}

    /** The inside of a JSON string. */
    public static Regex characters(RegexStore store, int least, int most) {
        return store.repeat(character(store), least, most);
    }

    /** One character within a JSON string. */
    public static Regex character(RegexStore store) {
        Regex tail = store.bytes(ByteSet.range(0x80, 0xbf));
        ByteSet ascii =
                ByteSet.range(0x20, 0x7f).and(ByteSet.of('"').or(ByteSet.of('\\')).complement());
        return store.or(
                store.bytes(ascii),
                store.concat(store.bytes(ByteSet.range(0xc2, 0xdf)), tail),
                store.concat(store.literal((byte) 0xe0), range(store, 0xa0, 0xbf), tail),
                store.concat(
                        store.bytes(ByteSet.range(0xe1, 0xef).and(ByteSet.of(0xed).complement())),
                        tail,
                        tail),
                store.concat(store.literal((byte) 0xed), range(store, 0x80, 0x9f), tail),
                store.concat(store.literal((byte) 0xf0), range(store, 0x90, 0xbf), tail, tail),
                store.concat(range(store, 0xf1, 0xf3), tail, tail, tail),
                store.concat(store.literal((byte) 0xf4), range(store, 0x80, 0x8f), tail, tail),
                store.concat(store.literal("\\"), oneOf(store, "\"\\/bfnrt")));
    }

    private static Regex range(RegexStore store, int first, int last) {
        return store.bytes(ByteSet.range(first, last));
    }

    /** One of some ASCII characters. */
    public static Regex oneOf(RegexStore store, String characters) {
        ByteSet set = characters.chars().mapToObj(ByteSet::of).reduce(ByteSet.NONE, ByteSet::or);
        return store.bytes(set);
    }

    /** Any JSON text, at most one space around punctuation. */
    public static int json(GrammarBuilder builder) {
        RegexStore store = builder.store();
        Regex space = store.optional(store.literal(" "));
        Regex digits = store.atLeast(oneOf(store, "0123456789"), 1);
        int string =
                builder.terminal(
                        store.concat(
                                store.literal("\""),
                                characters(store, 0, Integer.MAX_VALUE),
                                store.literal("\"")));
        int number =
                builder.terminal(
                        store.concat(
                                store.optional(store.literal("-")),
                                store.or(
                                        store.literal("0"),
                                        store.concat(
                                                oneOf(store, "123456789"),
                                                store.star(oneOf(store, "0123456789")))),
                                store.optional(store.concat(store.literal("."), digits)),
                                store.optional(
                                        store.concat(
                                                oneOf(store, "eE"),
                                                store.optional(oneOf(store, "+-")),
                                                digits))));
        int comma = builder.terminal(store.concat(space, store.literal(","), space));
        int colon = builder.terminal(store.concat(space, store.literal(":"), space));
        int value = builder.nonterminal("value");
        int member = builder.sequence("member", string, colon, value);
        builder.rule(value, string);
        builder.rule(value, number);
        for (String word : new String[] {"true", "false", "null"}) {
            builder.rule(value, builder.literal(word));
        }
        builder.rule(
                value,
                builder.terminal(store.concat(store.literal("{"), space)),
                list(builder, member, comma),
                builder.terminal(store.concat(space, store.literal("}"))));
        builder.rule(
                value,
                builder.terminal(store.concat(store.literal("["), space)),
                list(builder, value, comma),
                builder.terminal(store.concat(space, store.literal("]"))));
        return value;
    }

    private static int list(GrammarBuilder builder, int part, int comma) {
        int some = builder.nonterminal("some");
        builder.rule(some, part);
        builder.rule(some, some, comma, part);
        return builder.optional(some);
    }
}
