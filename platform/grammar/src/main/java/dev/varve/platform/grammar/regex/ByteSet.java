package dev.varve.platform.grammar.regex;

import java.util.stream.IntStream;

/**
 * A set of byte values 0 to 255.
 *
 * @param a members 0 to 63, one bit each
 * @param b members 64 to 127
 * @param c members 128 to 191
 * @param d members 192 to 255
 */
public record ByteSet(long a, long b, long c, long d) {
    /** No byte at all. */
    public static final ByteSet NONE = new ByteSet(0, 0, 0, 0);

    /** Every byte. */
    public static final ByteSet ALL = new ByteSet(-1, -1, -1, -1);

    /** One byte. */
    public static ByteSet of(int value) {
        return range(value, value);
    }

    /** The bytes of {@code [first, last]}. */
    public static ByteSet range(int first, int last) {
        return new ByteSet(
                bits(first, last, 0),
                bits(first, last, 64),
                bits(first, last, 128),
                bits(first, last, 192));
    }

    private static long bits(int first, int last, int base) {
        int from = Math.max(0, first - base);
        int to = Math.min(63, last - base);
        return from > to ? 0 : (-1L << from) & (-1L >>> (63 - to));
    }

    /** Returns whether a byte is a member. */
    public boolean contains(int value) {
        long word =
                switch (value >> 6) {
                    case 0 -> a;
                    case 1 -> b;
                    case 2 -> c;
                    default -> d;
                };
        return (word >>> (value & 63) & 1) != 0;
    }

    /** The union with another set. */
    public ByteSet or(ByteSet other) {
        return new ByteSet(a | other.a, b | other.b, c | other.c, d | other.d);
    }

    /** The intersection with another set. */
    public ByteSet and(ByteSet other) {
        return new ByteSet(a & other.a, b & other.b, c & other.c, d & other.d);
    }

    /** The complement. */
    public ByteSet complement() {
        return new ByteSet(~a, ~b, ~c, ~d);
    }

    /** Returns whether the set is empty. */
    public boolean isEmpty() {
        return (a | b | c | d) == 0;
    }

    /** Number of members. */
    public int size() {
        return Long.bitCount(a) + Long.bitCount(b) + Long.bitCount(c) + Long.bitCount(d);
    }

    /** The members, ascending. */
    public IntStream stream() {
        return IntStream.range(0, 256).filter(this::contains);
    }
}
