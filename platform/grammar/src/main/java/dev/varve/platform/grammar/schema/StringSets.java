package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.pattern.CodePointSet;
import dev.varve.platform.grammar.pattern.TextRegexBuilder;
import dev.varve.platform.grammar.regex.Regex;
import dev.varve.platform.grammar.regex.RegexStore;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Sets of strings as expressions over the text between their quotes. Each character is written in
 * one way only, see {@link CanonicalLiterals}, so that intersection and complement of texts are
 * those of strings.
 */
final class StringSets {
    private final RegexStore store;
    private final TextRegexBuilder text;
    private final Regex character;
    private final Regex all;
    private final StringSet nothing;
    private final StringSet everything;

    StringSets(RegexStore store, TextRegexBuilder text) {
        this.store = store;
        this.text = text;
        character = character();
        all = store.star(character);
        nothing = exact(store.nothing());
        everything = ofLength(0, Integer.MAX_VALUE);
    }

    private Regex character() {
        CodePointSet escaped = CodePointSet.range(0, 0x1f).union(CodePointSet.of("\"\\"));
        List<String> escapes = new ArrayList<>(List.of("\\\"", "\\\\"));
        for (char letter = 0; letter < ' '; letter++) {
            escapes.add(CanonicalLiterals.escaped(String.valueOf(letter)));
        }
        Regex raw = text.character(CodePointSet.ALL.minus(escaped));
        return store.or(raw, store.oneOf(escapes));
    }

    StringSet nothing() {
        return nothing;
    }

    StringSet everything() {
        return everything;
    }

    /** All strings in the notation of this package. */
    Regex all() {
        return all;
    }

    /**
     * The strings of {@code least} to {@code most} code points.
     *
     * @param most {@link Integer#MAX_VALUE} for any number
     */
    StringSet ofLength(int least, int most) {
        Regex contents = store.repeat(character, least, most);
        return new StringSet(contents, contents, Optional.of(new StringSet.Lengths(least, most)));
    }

    /** The strings that an expression matches, in any notation. */
    StringSet of(Regex contents) {
        return exact(store.and(all, contents));
    }

    /**
     * The strings that an expression matches, and perhaps some of those that another one matches.
     */
    StringSet between(Regex contents, Regex outer) {
        return inexact(store.and(all, contents), store.and(all, outer));
    }

    /** These strings, except those with an unpaired surrogate. */
    StringSet of(Collection<String> values) {
        return exact(store.oneOf(values.stream().map(CanonicalLiterals::escaped).toList()));
    }

    private static StringSet exact(Regex contents) {
        return inexact(contents, contents);
    }

    private static StringSet inexact(Regex contents, Regex outer) {
        return new StringSet(contents, outer, Optional.empty());
    }

    StringSet and(StringSet a, StringSet b) {
        if (a.isEverything() || a.equals(b)) {
            return b;
        }
        if (b.isEverything()) {
            return a;
        }
        if (a.lengths().isPresent() && b.lengths().isPresent()) {
            int least = Math.max(a.lengths().get().least(), b.lengths().get().least());
            int most = Math.min(a.lengths().get().most(), b.lengths().get().most());
            return least > most ? nothing : ofLength(least, most);
        }
        return inexact(store.and(a.contents(), b.contents()), store.and(a.outer(), b.outer()));
    }

    StringSet or(Collection<StringSet> sets) {
        List<StringSet> some = sets.stream().filter(set -> !set.isNothing()).distinct().toList();
        if (some.stream().anyMatch(StringSet::isEverything)) {
            return everything;
        }
        if (some.size() < 2) {
            return some.isEmpty() ? nothing : some.getFirst();
        }
        return inexact(
                store.or(some.stream().map(StringSet::contents).toList()),
                store.or(some.stream().map(StringSet::outer).toList()));
    }

    StringSet not(StringSet set) {
        if (set.isNothing()) {
            return everything;
        }
        return set.isEverything()
                ? nothing
                : between(store.not(set.outer()), store.not(set.contents()));
    }

    /** Returns whether a string is in a set of contents. */
    boolean matches(Regex contents, String value) {
        Regex rest = contents;
        for (byte each : CanonicalLiterals.escaped(value).getBytes(StandardCharsets.UTF_8)) {
            rest = store.derive(rest, each & 0xff);
        }
        return rest.isNullable();
    }

    /** The texts that a response may have for these strings, with their quotes. */
    Regex texts(StringSet set) {
        Regex contents =
                set.lengths()
                        .map(lengths -> text.characters(lengths.least(), lengths.most()))
                        .orElse(set.contents());
        return store.concat(store.literal("\""), contents, store.literal("\""));
    }
}
