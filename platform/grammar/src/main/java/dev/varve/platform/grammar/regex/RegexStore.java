package dev.varve.platform.grammar.regex;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Creates expressions, simplified by the laws that keep the number of {@link Derivatives} finite,
 * and keeps one object of each. For one thread at a time.
 */
public final class RegexStore {
    private static final int MOST_DEPTH = 1000;
    private static final int MOST_LOOP_DEPTH = 100;
    private static final int MOST_NODES = 1 << 18;

    /** Bytes of an expression and of its shape. */
    private static final int NODE = 104;

    private static final int BYTE_SET = 48;

    /** Low, because much of the content of automata is shared. */
    private static final int MACHINE = 96;

    private final Map<RegexKey, Regex> nodes = new HashMap<>();
    private final WorkBudget budget;
    private final Footprint footprint = new Footprint();
    private final Derivatives derivatives = new Derivatives(this);
    private final Regex nothing;
    private final Regex empty;
    private final Regex anything;
    private int ids;

    /**
     * @param budget budget that is charged for creating and deriving expressions
     */
    public RegexStore(WorkBudget budget) {
        this.budget = budget;
        nothing = intern(RegexKey.of(Regex.Kind.NOTHING), false, Regex.Life.DEAD);
        empty = intern(RegexKey.of(Regex.Kind.EMPTY), true, Regex.Life.ALIVE);
        anything = intern(RegexKey.of(Regex.Kind.NOT, nothing), true, Regex.Life.ALIVE);
    }

    /** Budget that is charged for work. */
    public WorkBudget budget() {
        return budget;
    }

    /** Counts the memory of the store. */
    public Footprint footprint() {
        return footprint;
    }

    /** No text, not even the empty one. */
    public Regex nothing() {
        return nothing;
    }

    /** The empty text alone. */
    public Regex empty() {
        return empty;
    }

    /** Every sequence of bytes. */
    public Regex anything() {
        return anything;
    }

    /** One byte of a set. */
    public Regex bytes(ByteSet set) {
        return set.isEmpty() ? nothing : intern(RegexKey.of(set), false, Regex.Life.ALIVE);
    }

    /** These bytes in order. */
    public Regex literal(byte... text) {
        Regex regex = empty;
        for (int i = text.length - 1; i >= 0; i--) {
            regex = concat(bytes(ByteSet.of(text[i] & 0xff)), regex);
        }
        return regex;
    }

    /** A text in UTF-8. */
    public Regex literal(String text) {
        return literal(text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * One of several texts in UTF-8; common prefixes are shared, so that many texts cost little.
     */
    public Regex oneOf(Collection<String> texts) {
        byte[][] sorted =
                texts.stream()
                        .map(text -> text.getBytes(StandardCharsets.UTF_8))
                        .sorted(Arrays::compareUnsigned)
                        .toArray(byte[][]::new);
        return branches(sorted, 0, sorted.length, 0);
    }

    private Regex branches(byte[][] texts, int begin, int end, int depth) {
        if (begin == end) {
            return nothing;
        }
        // The texts are sorted: the common prefix of the first and the last is common to all.
        byte[] head = texts[begin];
        int common = Arrays.mismatch(head, texts[end - 1]);
        int next = common < 0 ? head.length : common;
        if (next > depth) {
            Regex rest = branches(texts, begin, end, next);
            for (int i = next - 1; i >= depth; i--) {
                rest = concat(bytes(ByteSet.of(head[i] & 0xff)), rest);
            }
            return rest;
        }
        List<Regex> choices = new ArrayList<>();
        int at = begin;
        while (at < end && texts[at].length == depth) {
            choices.add(empty);
            at++;
        }
        while (at < end) {
            int first = at;
            while (at < end && texts[at][depth] == texts[first][depth]) {
                at++;
            }
            choices.add(branches(texts, first, at, depth));
        }
        return or(choices);
    }

    /** A hand-written automaton, starting at the given state. */
    public Regex machine(AutomatonState state) {
        return intern(RegexKey.of(state), state.accepts(), Regex.Life.ALIVE);
    }

    /** All parts in order. */
    public Regex concat(Regex... parts) {
        Regex all = parts.length == 0 ? empty : parts[parts.length - 1];
        for (int i = parts.length - 2; i >= 0; i--) {
            all = pair(parts[i], all);
        }
        return all;
    }

    Regex pair(Regex first, Regex second) {
        if (first == nothing || second == nothing) {
            return nothing;
        }
        if (first == empty) {
            return second;
        }
        if (second == empty) {
            return first;
        }
        if (first.kind == Regex.Kind.CONCAT) {
            return behindAll(first, second);
        }
        return intern(
                RegexKey.of(Regex.Kind.CONCAT, first, second),
                first.nullable && second.nullable,
                both(first, second));
    }

    /** Iterates, since a sequence may be longer than the stack is deep. */
    private Regex behindAll(Regex sequence, Regex last) {
        List<Regex> parts = new ArrayList<>();
        Regex rest = sequence;
        for (; rest.kind == Regex.Kind.CONCAT; rest = rest.parts[1]) {
            parts.add(rest.parts[0]);
        }
        Regex all = pair(rest, last);
        for (Regex part : parts.reversed()) {
            all = pair(part, all);
        }
        return all;
    }

    /** Any of the parts. */
    public Regex or(Regex... parts) {
        return or(Arrays.asList(parts));
    }

    /** Any of the parts; {@link #nothing} for an empty collection. */
    public Regex or(Collection<Regex> parts) {
        SortedMap<Integer, Regex> sorted = new TreeMap<>();
        ByteSet single = flattenOr(parts, sorted, ByteSet.NONE);
        if (sorted.containsKey(anything.id)) {
            return anything;
        }
        if (!single.isEmpty()) {
            Regex bytes = bytes(single);
            sorted.put(bytes.id, bytes);
        }
        if (sorted.size() > 1 && sorted.containsKey(empty.id) && hasOtherNullable(sorted)) {
            sorted.remove(empty.id);
        }
        if (sorted.size() < 2) {
            return sorted.isEmpty() ? nothing : sorted.get(sorted.firstKey());
        }
        boolean nullable = false;
        Regex.Life life = Regex.Life.DEAD;
        for (Regex part : sorted.values()) {
            nullable |= part.nullable;
            life =
                    part.life == Regex.Life.ALIVE || life == Regex.Life.ALIVE
                            ? Regex.Life.ALIVE
                            : Regex.Life.UNKNOWN;
        }
        return intern(
                RegexKey.of(Regex.Kind.OR, sorted.values().toArray(Regex[]::new)), nullable, life);
    }

    private boolean hasOtherNullable(SortedMap<Integer, Regex> parts) {
        return parts.values().stream().anyMatch(part -> part != empty && part.nullable);
    }

    private ByteSet flattenOr(
            Collection<Regex> parts, SortedMap<Integer, Regex> into, ByteSet single) {
        ByteSet bytes = single;
        budget.spend(parts.size());
        for (Regex part : parts) {
            switch (part.kind) {
                case NOTHING -> {}
                case BYTES -> bytes = bytes.or(part.bytes);
                case OR -> bytes = flattenOr(Arrays.asList(part.parts), into, bytes);
                default -> into.put(part.id, part);
            }
        }
        return bytes;
    }

    /** The intersection of all parts. */
    public Regex and(Regex... parts) {
        SortedMap<Integer, Regex> sorted = new TreeMap<>();
        flattenAnd(parts, sorted);
        if (sorted.containsKey(nothing.id)) {
            return nothing;
        }
        if (sorted.size() < 2) {
            return sorted.isEmpty() ? anything : sorted.get(sorted.firstKey());
        }
        if (sorted.containsKey(empty.id)) {
            return sorted.values().stream().allMatch(Regex::isNullable) ? empty : nothing;
        }
        Optional<Regex> choice =
                sorted.values().stream()
                        .filter(part -> part.loops && part.kind == Regex.Kind.OR)
                        .findFirst();
        if (choice.isPresent()) {
            sorted.remove(choice.get().id);
            return eachWith(choice.get().parts, sorted.values().toArray(Regex[]::new));
        }
        boolean nullable = sorted.values().stream().allMatch(Regex::isNullable);
        return intern(
                RegexKey.of(Regex.Kind.AND, sorted.values().toArray(Regex[]::new)),
                nullable,
                nullable ? Regex.Life.ALIVE : Regex.Life.UNKNOWN);
    }

    /**
     * The union of the intersections of each choice with all others. Derivatives of a loop
     * alternate between intersections and unions; they are finitely many only if unions stay
     * outside.
     */
    private Regex eachWith(Regex[] choices, Regex... others) {
        Regex[] all = new Regex[choices.length];
        Regex[] parts = Arrays.copyOf(others, others.length + 1);
        for (int i = 0; i < all.length; i++) {
            parts[others.length] = choices[i];
            all[i] = and(parts);
        }
        return or(all);
    }

    private void flattenAnd(Regex[] parts, SortedMap<Integer, Regex> into) {
        budget.spend(parts.length);
        for (Regex part : parts) {
            if (part.kind == Regex.Kind.AND) {
                flattenAnd(part.parts, into);
            } else if (part != anything) {
                into.put(part.id, part);
            }
        }
    }

    /** Every sequence of bytes that an expression does not match. */
    public Regex not(Regex part) {
        if (part.kind == Regex.Kind.NOT) {
            return part.parts[0];
        }
        return intern(
                RegexKey.of(Regex.Kind.NOT, part),
                !part.nullable,
                part.nullable ? Regex.Life.UNKNOWN : Regex.Life.ALIVE);
    }

    /** Any number of times. */
    public Regex star(Regex part) {
        return atLeast(part, 0);
    }

    /** Once or not at all. */
    public Regex optional(Regex part) {
        return or(part, empty);
    }

    /** At least {@code least} times. */
    public Regex atLeast(Regex part, int least) {
        return repeat(part, least, Regex.UNLIMITED);
    }

    /**
     * From {@code least} to {@code most} times.
     *
     * @throws IllegalArgumentException unless 0 <= least <= most
     */
    public Regex repeat(Regex part, int least, int most) {
        if (least < 0 || most < least) {
            throw new IllegalArgumentException(
                    "expected 0 <= least <= most, found " + least + " and " + most);
        }
        if (most == 0 || part == empty) {
            return empty;
        }
        if (part == nothing) {
            return least == 0 ? empty : nothing;
        }
        if (most == 1) {
            return least == 1 ? part : optional(part);
        }
        if (part == anything) {
            return anything;
        }
        int needed = part.nullable ? 0 : least;
        if (part.kind == Regex.Kind.REPEAT
                && part.most == Regex.UNLIMITED
                && part.least <= 1
                && needed <= 1
                && most == Regex.UNLIMITED) {
            return repeat(part.parts[0], part.least * needed, Regex.UNLIMITED);
        }
        return intern(
                RegexKey.repeat(part, needed, most),
                needed == 0,
                needed == 0 ? Regex.Life.ALIVE : part.life);
    }

    /**
     * A recursive expression, whose definition may contain it; see {@link #define}.
     *
     * @param nullable whether it will match the empty text
     */
    public Regex loop(boolean nullable) {
        budget.spend(1);
        return new Regex(
                ids++,
                RegexKey.of(Regex.Kind.LOOP),
                nullable,
                nullable ? Regex.Life.ALIVE : Regex.Life.UNKNOWN);
    }

    /**
     * Defines a loop, once, before it is used. The definition may contain the loop itself at the
     * end of a text, and only after at least one byte; not within a complement.
     *
     * @throws GrammarLimitException if the definition is nested too deep
     */
    public void define(Regex loop, Regex meaning) {
        if (loop.kind != Regex.Kind.LOOP || loop.parts.length > 0) {
            throw new IllegalArgumentException(
                    "expected a loop that is not defined yet, found " + loop);
        }
        if (meaning.nullable != loop.nullable) {
            throw new IllegalArgumentException(
                    "expected a loop with nullable " + loop.nullable + ", found the opposite");
        }
        if (meaning.depth > MOST_LOOP_DEPTH) {
            throw tooDeep(MOST_LOOP_DEPTH);
        }
        loop.parts = new Regex[] {meaning};
        loop.depth = meaning.depth + 1;
    }

    /** The rest of the texts of an expression that begin with a byte. */
    public Regex derive(Regex regex, int value) {
        return derivatives.of(regex, value);
    }

    /**
     * Returns whether an expression matches any text. Costs at most as much as building its
     * automaton, and nothing the second time.
     */
    public boolean isAlive(Regex regex) {
        return regex.life == Regex.Life.UNKNOWN
                ? new EmptinessCheck(this, ByteClasses.of(List.of(regex))).isAlive(regex)
                : regex.life == Regex.Life.ALIVE;
    }

    /**
     * Returns whether the caches are so large that {@link #retain} should be called at the next
     * opportunity.
     */
    public boolean isFull() {
        return nodes.size() > MOST_NODES / 2;
    }

    /**
     * Discards the cache except the parts of some expressions. Other expressions created before
     * stay valid; an equal expression created later is another object.
     *
     * @return approximate bytes of the parts that are kept
     */
    public long retain(Collection<Regex> roots) {
        nodes.clear();
        derivatives.clear();
        long bytes = 0;
        Set<Regex> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Regex> open = new ArrayDeque<>(List.of(nothing, empty, anything));
        open.addAll(roots);
        while (!open.isEmpty()) {
            Regex regex = open.pop();
            if (seen.add(regex)) {
                if (regex.kind != Regex.Kind.LOOP) {
                    nodes.put(RegexKey.of(regex), regex);
                }
                bytes += bytes(regex);
                open.addAll(Arrays.asList(regex.parts));
            }
        }
        return bytes;
    }

    private static long bytes(Regex regex) {
        return NODE
                + Footprint.ENTRY
                + Footprint.array(regex.parts.length)
                + (regex.kind == Regex.Kind.BYTES ? BYTE_SET : 0)
                + (regex.kind == Regex.Kind.MACHINE ? MACHINE : 0);
    }

    private static Regex.Life both(Regex first, Regex second) {
        return first.life == Regex.Life.ALIVE && second.life == Regex.Life.ALIVE
                ? Regex.Life.ALIVE
                : Regex.Life.UNKNOWN;
    }

    private Regex intern(RegexKey shape, boolean nullable, Regex.Life life) {
        budget.spend(1 + shape.parts().length);
        Regex known = nodes.get(shape);
        if (known != null) {
            return known;
        }
        if (nodes.size() >= MOST_NODES) {
            throw new GrammarLimitException(
                    "the grammar is too complex: it has more than " + MOST_NODES + " expressions");
        }
        if (shape.depth() > MOST_DEPTH) {
            throw tooDeep(MOST_DEPTH);
        }
        Regex made = new Regex(ids++, shape, nullable, nullable ? Regex.Life.ALIVE : life);
        nodes.put(shape, made);
        footprint.add(bytes(made));
        return made;
    }

    private static GrammarLimitException tooDeep(int most) {
        return new GrammarLimitException(
                "the grammar is too complex: an expression is nested more than " + most + " deep");
    }
}
