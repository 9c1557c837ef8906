package dev.varve.platform.grammar.pattern;

import dev.varve.platform.grammar.regex.Regex;
import dev.varve.platform.grammar.regex.RegexStore;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Turns a pattern into an expression, from its end to its beginning: each part is given what may
 * stand from behind it to the end of the text, and says what may stand from before it. So looking
 * ahead is an intersection. What follows may depend on what stood before, so there is one
 * expression for each {@linkplain Neighbours kind of neighbour}.
 *
 * <p>Parts that do not look around become expressions of their own, which costs less.
 */
final class PatternCompiler {
    private static final int MOST_STEPS = 1 << 16;

    private final TextRegex text;
    private final RegexStore store;
    private final Neighbours neighbours;
    private int steps;

    private PatternCompiler(TextRegex text, Neighbours neighbours) {
        this.text = text;
        this.neighbours = neighbours;
        store = text.store();
    }

    /** The texts that a pattern matches as a whole. */
    static Regex whole(TextRegex text, PatternNode pattern) {
        PatternCompiler compiler = new PatternCompiler(text, Neighbours.of(pattern));
        return compiler.before(pattern, compiler.always(text.store().empty()))[Neighbours.NONE];
    }

    /** The texts in which a pattern is found. */
    static Regex search(TextRegex text, PatternNode pattern) {
        PatternCompiler compiler = new PatternCompiler(text, Neighbours.of(pattern));
        Regex[] found = compiler.before(pattern, compiler.always(text.canonical()));
        PatternNode anything =
                new PatternNode.Repeat(
                        new PatternNode.Characters(CodePointSet.ALL), 0, Integer.MAX_VALUE);
        return compiler.before(anything, found)[Neighbours.NONE];
    }

    private Regex[] always(Regex regex) {
        Regex[] rest = new Regex[neighbours.count()];
        Arrays.fill(rest, regex);
        return rest;
    }

    /** What may stand from before a part on, for each kind of neighbour before it. */
    private Regex[] before(PatternNode node, Regex[] rest) {
        step();
        return switch (node) {
            case PatternNode.Characters characters -> beforeCharacters(characters.set(), rest);
            case PatternNode.Sequence sequence -> beforeSequence(sequence.parts(), rest);
            case PatternNode.Choice choice -> beforeChoice(choice, rest);
            case PatternNode.Repeat repeat ->
                    repeat.looksAround() ? beforeLoop(repeat, rest) : beforeRepeat(repeat, rest);
            case PatternNode.Begin _ -> {
                Regex[] at = always(store.nothing());
                at[Neighbours.NONE] = rest[Neighbours.NONE];
                yield at;
            }
            case PatternNode.End _ -> {
                Regex[] at = new Regex[rest.length];
                Arrays.setAll(at, kind -> store.and(rest[kind], store.empty()));
                yield at;
            }
            case PatternNode.Behind behind -> {
                Regex[] at = always(store.nothing());
                neighbours.in(behind.set()).forEach(kind -> at[kind] = rest[kind]);
                yield at;
            }
            case PatternNode.Ahead ahead -> beforeAhead(ahead, rest);
        };
    }

    private void step() {
        if (++steps > MOST_STEPS) {
            throw new PatternException(0, "the pattern is too complex: it has too many parts");
        }
    }

    private Regex[] beforeCharacters(CodePointSet set, Regex[] rest) {
        List<Regex> choices = new ArrayList<>();
        for (Regex behind : behindCharacters(rest)) {
            CodePointSet members =
                    neighbours.characters(kind -> rest[kind] == behind).intersect(set);
            choices.add(store.concat(text.character(members), behind));
        }
        return always(store.or(choices));
    }

    /** What may follow where any character stands before. */
    private static Set<Regex> behindCharacters(Regex[] rest) {
        return new LinkedHashSet<>(Arrays.asList(rest).subList(1, rest.length));
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

    /** Where the parts that do not look around begin and go on until an end. */
    private static int plainBegin(List<PatternNode> parts, int end) {
        int begin = end;
        while (begin > 0 && !parts.get(begin - 1).looksAround()) {
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
        if (!choice.looksAround() && isUniform(rest)) {
            return always(store.concat(plain(choice), rest[0]));
        }
        List<Regex[]> choices = choice.parts().stream().map(part -> before(part, rest)).toList();
        Regex[] at = new Regex[rest.length];
        Arrays.setAll(at, kind -> store.or(choices.stream().map(each -> each[kind]).toList()));
        return at;
    }

    /** A repetition of something that does not look around. */
    private Regex[] beforeRepeat(PatternNode.Repeat repeat, Regex[] rest) {
        Regex whole = plain(repeat);
        if (isUniform(rest)) {
            return always(store.concat(whole, rest[0]));
        }
        Regex some = notEmpty(repeat, whole);
        Set<Regex> behind = behindCharacters(rest);
        List<Regex> choices = new ArrayList<>();
        for (Regex each : behind) {
            CodePointSet last = neighbours.characters(kind -> rest[kind] == each);
            Regex ending = store.concat(text.canonical(), text.character(last));
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
        if (repeat.most() == Integer.MAX_VALUE) {
            throw new PatternException(0, "looking around within a loop is not supported");
        }
        Regex[] at = rest;
        for (int count = repeat.least(); count < repeat.most(); count++) {
            Regex[] once = before(repeat.part(), at);
            Regex[] further = new Regex[rest.length];
            Arrays.setAll(further, kind -> store.or(rest[kind], once[kind]));
            if (Arrays.equals(at, further)) {
                break;
            }
            at = further;
        }
        for (int count = 0; count < repeat.least(); count++) {
            at = before(repeat.part(), at);
        }
        return at;
    }

    private Regex[] beforeAhead(PatternNode.Ahead ahead, Regex[] rest) {
        Regex[] seen = before(ahead.part(), always(text.canonical()));
        Regex[] at = new Regex[rest.length];
        Arrays.setAll(
                at,
                kind ->
                        store.and(
                                rest[kind], ahead.negative() ? store.not(seen[kind]) : seen[kind]));
        return at;
    }

    /** The expression of a part that does not look around. */
    private Regex plain(PatternNode node) {
        step();
        return switch (node) {
            case PatternNode.Characters characters -> text.character(characters.set());
            case PatternNode.Sequence sequence -> plain(sequence.parts());
            case PatternNode.Choice choice ->
                    store.or(choice.parts().stream().map(this::plain).toList());
            case PatternNode.Repeat repeat ->
                    store.repeat(plain(repeat.part()), repeat.least(), repeat.most());
            default -> throw new IllegalStateException("looks around: " + node);
        };
    }

    private Regex plain(List<PatternNode> parts) {
        return store.concat(parts.stream().map(this::plain).toArray(Regex[]::new));
    }
}
