package dev.varve.platform.grammar.pattern;

import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.IntStream;

/** A set of Unicode code points without surrogates. Immutable. */
public final class CodePointSet {
    private static final int FIRST_SURROGATE = 0xD800;
    private static final int BEHIND_SURROGATES = 0xE000;
    private static final int BEHIND_ALL = Character.MAX_CODE_POINT + 1;

    /** Every code point. */
    public static final CodePointSet ALL =
            new CodePointSet(0, FIRST_SURROGATE, BEHIND_SURROGATES, BEHIND_ALL);

    /** No code point at all. */
    public static final CodePointSet NONE = new CodePointSet();

    /** Begin (inclusive) and end (exclusive) of each range in turn, ascending. */
    private final int[] bounds;

    private CodePointSet(int... bounds) {
        this.bounds = bounds;
    }

    /** One code point; none if it is a surrogate. */
    public static CodePointSet of(int codePoint) {
        return range(codePoint, codePoint);
    }

    /** The code points of a text. */
    public static CodePointSet of(String members) {
        return union(members.codePoints().mapToObj(CodePointSet::of).toList());
    }

    /** The code points of {@code [first, last]} that are not surrogates. */
    public static CodePointSet range(int first, int last) {
        return new CodePointSet(first, last + 1).intersect(ALL);
    }

    /** The code points of several ranges: first and last in turn. */
    static CodePointSet ranges(int... ends) {
        return union(
                IntStream.range(0, ends.length / 2)
                        .mapToObj(i -> range(ends[2 * i], ends[2 * i + 1]))
                        .toList());
    }

    /** The union of several sets. */
    public static CodePointSet union(Collection<CodePointSet> sets) {
        List<CodePointSet> level = List.copyOf(sets);
        while (level.size() > 1) {
            List<CodePointSet> pairs = level;
            level =
                    IntStream.range(0, (pairs.size() + 1) / 2)
                            .mapToObj(
                                    i ->
                                            2 * i + 1 < pairs.size()
                                                    ? pairs.get(2 * i).union(pairs.get(2 * i + 1))
                                                    : pairs.get(2 * i))
                            .toList();
        }
        return level.isEmpty() ? NONE : level.getFirst();
    }

    /** The union with another set. */
    public CodePointSet union(CodePointSet other) {
        return merge(other, 1);
    }

    /** The intersection with another set. */
    public CodePointSet intersect(CodePointSet other) {
        return merge(other, 2);
    }

    /** The complement. */
    public CodePointSet complement() {
        return ALL.minus(this);
    }

    /** The members that are not in another set. */
    public CodePointSet minus(CodePointSet other) {
        int[] outside = new int[other.bounds.length + 2];
        System.arraycopy(other.bounds, 0, outside, 1, other.bounds.length);
        outside[outside.length - 1] = BEHIND_ALL;
        int from = outside[1] == 0 ? 2 : 0;
        return intersect(new CodePointSet(Arrays.copyOfRange(outside, from, outside.length)));
    }

    /** The code points that are in at least {@code needed} of the two sets. */
    private CodePointSet merge(CodePointSet other, int needed) {
        int[] merged = new int[bounds.length + other.bounds.length];
        int count = 0;
        int i = 0;
        int j = 0;
        while (i < bounds.length || j < other.bounds.length) {
            int at = Math.min(bound(i), other.bound(j));
            i += bound(i) == at ? 1 : 0;
            j += other.bound(j) == at ? 1 : 0;
            boolean inside = (i & 1) + (j & 1) >= needed;
            if (inside == ((count & 1) == 0)) {
                merged[count++] = at;
            }
        }
        return new CodePointSet(Arrays.copyOf(merged, count));
    }

    private int bound(int at) {
        return at < bounds.length ? bounds[at] : Integer.MAX_VALUE;
    }

    /** Returns whether a code point is a member. */
    public boolean contains(int codePoint) {
        int at = Arrays.binarySearch(bounds, codePoint);
        return at < 0 ? (-at - 1 & 1) == 1 : (at & 1) == 0;
    }

    /** Returns whether the set is empty. */
    public boolean isEmpty() {
        return bounds.length == 0;
    }

    /** Number of ranges in the set. */
    public int rangeCount() {
        return bounds.length / 2;
    }

    /** The first code point of a range. */
    public int first(int range) {
        return bounds[2 * range];
    }

    /** The last code point of a range. */
    public int last(int range) {
        return bounds[2 * range + 1] - 1;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CodePointSet set && Arrays.equals(bounds, set.bounds);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bounds);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("[");
        for (int range = 0; range < rangeCount(); range++) {
            text.append(range == 0 ? "" : " ").append(Integer.toHexString(first(range)));
            if (last(range) > first(range)) {
                text.append('-').append(Integer.toHexString(last(range)));
            }
        }
        return text.append(']').toString();
    }
}
