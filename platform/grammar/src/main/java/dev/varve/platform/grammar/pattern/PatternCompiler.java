package dev.varve.platform.grammar.pattern;

import dev.varve.platform.grammar.regex.Regex;
import dev.varve.platform.grammar.regex.RegexStore;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Compiles a pattern to an expression, from its end to its beginning: each part is given the
 * expression of the rest of the text after it, and returns the expression of the rest from its
 * beginning. A lookahead is therefore an intersection. The rest may depend on the character before
 * it, so there is one expression for each {@linkplain LookbehindClasses class of that character},
 * and a second one for each class if a character was read since the current iteration of the
 * enclosing loop began.
 *
 * <p>Parts without lookaround become expressions of their own, which costs less.
 */
final class PatternCompiler {
    private static final int MOST_STEPS = 1 << 16;
    private static final int MOST_LOOPS = 8;

    private final TextRegexBuilder text;
    private final RegexStore store;
    private final LookbehindClasses neighbours;
    private int steps;
    private int loops;

    private PatternCompiler(TextRegexBuilder text, LookbehindClasses neighbours) {
        this.text = text;
        this.neighbours = neighbours;
        store = text.store();
    }

    /** The texts that a pattern matches as a whole. */
    static Regex whole(TextRegexBuilder text, PatternNode pattern) {
        PatternCompiler compiler = new PatternCompiler(text, LookbehindClasses.of(pattern));
        return compiler.before(pattern, compiler.always(text.store().empty()))[
                LookbehindClasses.NONE];
    }

    /** The texts that contain a match of a pattern. */
    static Regex search(TextRegexBuilder text, PatternNode pattern) {
        PatternCompiler compiler = new PatternCompiler(text, LookbehindClasses.of(pattern));
        // Any bytes may follow the match, so that no work is left after it; a separate condition
        // requires that they are characters.
        Regex[] found = compiler.before(pattern, compiler.always(text.store().anything()));
        PatternNode anything =
                new PatternNode.Repeat(
                        new PatternNode.Characters(CodePointSet.ALL), 0, Integer.MAX_VALUE);
        Regex regex = compiler.before(anything, found)[LookbehindClasses.NONE];
        return reachesEnd(pattern) ? regex : text.store().and(text.canonical(), regex);
    }

    /** Returns whether a part certainly ends where the text does. */
    private static boolean reachesEnd(PatternNode node) {
        return switch (node) {
            case PatternNode.End _ -> true;
            case PatternNode.Choice choice ->
                    choice.parts().stream().allMatch(PatternCompiler::reachesEnd);
            case PatternNode.Sequence sequence ->
                    !sequence.parts().isEmpty() && reachesEnd(sequence.parts().getLast());
            default -> false;
        };
    }

    private Regex[] always(Regex regex) {
        Regex[] rest = new Regex[2 * neighbours.count()];
        Arrays.fill(rest, regex);
        return rest;
    }

    /**
     * The expression of the rest from the beginning of a part, for each class of the character
     * before it.
     */
    private Regex[] before(PatternNode node, Regex[] rest) {
        step();
        return switch (node) {
            case PatternNode.Characters characters -> beforeCharacters(characters.set(), rest);
            case PatternNode.Sequence sequence -> beforeSequence(sequence.parts(), rest);
            case PatternNode.Choice choice -> beforeChoice(choice, rest);
            case PatternNode.Repeat repeat ->
                    repeat.hasLookaround() ? beforeLoop(repeat, rest) : beforeRepeat(repeat, rest);
            case PatternNode.Begin _ -> {
                Regex[] at = always(store.nothing());
                at[LookbehindClasses.NONE] = rest[LookbehindClasses.NONE];
                yield at; // no character was read before the beginning
            }
            case PatternNode.End _ -> {
                Regex[] at = new Regex[rest.length];
                Arrays.setAll(at, kind -> store.and(rest[kind], store.empty()));
                yield at;
            }
            case PatternNode.Behind behind -> {
                Regex[] at = always(store.nothing());
                neighbours.in(behind.set()).forEach(kind -> copy(rest, at, kind));
                yield at;
            }
            case PatternNode.Ahead ahead -> beforeAhead(ahead, rest);
        };
    }

    private void copy(Regex[] from, Regex[] to, int kind) {
        int moved = neighbours.count() + kind;
        to[kind] = from[kind];
        to[moved] = from[moved];
    }

    private void step() {
        if (++steps > MOST_STEPS) {
            throw new PatternException(0, "the pattern is too complex: it has too many parts");
        }
    }

    private Regex[] beforeCharacters(CodePointSet set, Regex[] rest) {
        List<Regex> choices = new ArrayList<>();
        for (Regex behind : behindCharacters(rest)) {
            CodePointSet members = set.intersect(before(behind, rest));
            choices.add(store.concat(text.character(members), behind));
        }
        return always(store.or(choices));
    }

    /** The expressions of the rest after any character was read. */
    private Set<Regex> behindCharacters(Regex... rest) {
        int kinds = neighbours.count();
        return new LinkedHashSet<>(Arrays.asList(rest).subList(kinds + 1, 2 * kinds));
    }

    /** The characters that may precede an expression. */
    private CodePointSet before(Regex behind, Regex... rest) {
        return neighbours.characters(kind -> rest[neighbours.count() + kind] == behind);
    }

    private Regex[] beforeSequence(List<PatternNode> parts, Regex[] rest) {
        Regex[] at = rest;
        for (int i = parts.size(); i > 0; ) {
            int begin = plainBegin(parts, i);
            if (begin < i && isUniform(at)) {
                at = always(store.concat(plain(parts.subList(begin, i)), at[0]));
                i = begin;
            } else {
                at = before(parts.get(--i), at);
            }
        }
        return at;
    }

    /** Begin of the parts without lookaround that extend to an end. */
    private static int plainBegin(List<PatternNode> parts, int end) {
        int begin = end;
        while (begin > 0 && !parts.get(begin - 1).hasLookaround()) {
            begin--;
        }
        return begin;
    }

    private static boolean isUniform(Regex... rest) {
        for (Regex each : rest) {
            if (each != rest[0]) {
                return false;
            }
        }
        return true;
    }

    private Regex[] beforeChoice(PatternNode.Choice choice, Regex[] rest) {
        if (!choice.hasLookaround() && isUniform(rest)) {
            return always(store.concat(plain(choice), rest[0]));
        }
        List<Regex[]> choices = choice.parts().stream().map(part -> before(part, rest)).toList();
        Regex[] at = new Regex[rest.length];
        Arrays.setAll(at, kind -> store.or(choices.stream().map(each -> each[kind]).toList()));
        return at;
    }

    /** A repetition of a part without lookaround. */
    private Regex[] beforeRepeat(PatternNode.Repeat repeat, Regex[] rest) {
        Regex whole = plain(repeat);
        if (isUniform(rest)) {
            return always(store.concat(whole, rest[0]));
        }
        Regex some = notEmpty(repeat, whole);
        Set<Regex> behind = behindCharacters(rest);
        List<Regex> choices = new ArrayList<>();
        for (Regex each : behind) {
            Regex ending = store.concat(text.canonical(), text.character(before(each, rest)));
            choices.add(store.concat(behind.size() == 1 ? some : store.and(some, ending), each));
        }
        Regex behindSome = store.or(choices);
        Regex[] at = new Regex[rest.length];
        Arrays.setAll(
                at, kind -> whole.isNullable() ? store.or(rest[kind], behindSome) : behindSome);
        return at;
    }

    private Regex notEmpty(PatternNode.Repeat repeat, Regex whole) {
        if (!whole.isNullable()) {
            return whole;
        }
        Regex part = plain(repeat.part());
        return part.isNullable()
                ? store.and(whole, store.not(store.empty()))
                : store.repeat(part, 1, repeat.most());
    }

    private Regex[] beforeLoop(PatternNode.Repeat repeat, Regex[] rest) {
        Regex[] at =
                repeat.most() == Integer.MAX_VALUE
                        ? beforeEndless(repeat.part(), rest)
                        : beforeOptional(repeat, rest);
        for (int count = 0; count < repeat.least(); count++) {
            at = before(repeat.part(), at);
        }
        return at;
    }

    private Regex[] beforeOptional(PatternNode.Repeat repeat, Regex[] rest) {
        Regex[] at = rest;
        for (int count = repeat.least(); count < repeat.most(); count++) {
            Regex[] further = either(rest, before(repeat.part(), at));
            if (Arrays.equals(at, further)) {
                break;
            }
            at = further;
        }
        return at;
    }

    /**
     * Any number of times. An iteration that reads no character changes nothing, and is left out:
     * each iteration must read a character before the next one.
     */
    private Regex[] beforeEndless(PatternNode part, Regex[] rest) {
        if (++loops > MOST_LOOPS) {
            throw new PatternException(0, "loops with lookarounds are nested too deep");
        }
        int kinds = neighbours.count();
        Regex[] around = always(store.nothing());
        for (int kind = 1; kind < kinds; kind++) {
            around[kinds + kind] = store.loop(rest[kinds + kind].isNullable());
        }
        Regex[] once = before(part, around);
        Regex[] at = either(rest, once);
        for (int kind = 1; kind < kinds; kind++) {
            store.define(around[kinds + kind], store.or(rest[kinds + kind], once[kind]));
            at[kinds + kind] = around[kinds + kind];
        }
        loops--;
        return at;
    }

    private Regex[] either(Regex[] some, Regex... others) {
        Regex[] either = new Regex[some.length];
        Arrays.setAll(either, place -> store.or(some[place], others[place]));
        return either;
    }

    private Regex[] beforeAhead(PatternNode.Ahead ahead, Regex[] rest) {
        // Anything may follow the lookahead's match: if it is excluded completely, the expression
        // becomes empty at once.
        Regex[] seen = before(ahead.part(), always(store.anything()));
        Regex[] at = new Regex[rest.length];
        Arrays.setAll(
                at,
                kind ->
                        store.and(
                                rest[kind], ahead.negative() ? store.not(seen[kind]) : seen[kind]));
        return at;
    }

    /** The expression of a part without lookaround. */
    private Regex plain(PatternNode node) {
        step();
        return switch (node) {
            case PatternNode.Characters characters -> text.character(characters.set());
            case PatternNode.Sequence sequence -> plain(sequence.parts());
            case PatternNode.Choice choice ->
                    store.or(choice.parts().stream().map(this::plain).toList());
            case PatternNode.Repeat repeat ->
                    store.repeat(plain(repeat.part()), repeat.least(), repeat.most());
            default ->
                    throw new IllegalStateException(
                            "expected a node without lookaround, found " + node);
        };
    }

    private Regex plain(List<PatternNode> parts) {
        return store.concat(parts.stream().map(this::plain).toArray(Regex[]::new));
    }
}
