package dev.varve.platform.grammar.pattern;

import dev.varve.platform.grammar.regex.ByteSet;
import dev.varve.platform.grammar.regex.Regex;
import dev.varve.platform.grammar.regex.RegexStore;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds byte expressions of sets of code points in UTF-8. Code points form blocks of 64 that share
 * all bytes but the last. Bytes with the same continuation are joined, so that a set costs about as
 * much as it has different blocks.
 */
final class Utf8Expressions {
    private static final int BLOCK = 64;
    private static final int CONTINUATION = 0x80;

    private final RegexStore store;
    private final CodePointSet set;
    private int range;

    private Utf8Expressions(RegexStore store, CodePointSet set) {
        this.store = store;
        this.set = set;
    }

    /** One character of a set. */
    static Regex of(RegexStore store, CodePointSet set) {
        return new Utf8Expressions(store, set).regex();
    }

    /** Reads the code points in ascending order, as {@link #block} requires. */
    private Regex regex() {
        List<Regex> choices = new ArrayList<>();
        long low = block(0);
        long high = block(BLOCK);
        choices.add(store.bytes(new ByteSet(low, high, 0, 0)));
        choices.add(leads(0xC2, 0xDF, 0x80, BLOCK));
        choices.add(leads(0xE0, 0xEF, 0x800, BLOCK * BLOCK));
        choices.add(leads(0xF0, 0xF4, 0x10000, BLOCK * BLOCK * BLOCK));
        return store.or(choices);
    }

    /**
     * Characters of several bytes.
     *
     * @param begin the first code point of the first lead byte
     * @param size number of code points per lead byte
     */
    private Regex leads(int firstLead, int lastLead, int begin, int size) {
        Map<Regex, ByteSet> byRest = new LinkedHashMap<>();
        int at = begin;
        for (int lead = firstLead; lead <= lastLead; lead++) {
            int base = at - at % size;
            add(byRest, lead, rest(base, at, size));
            at = base + size;
        }
        return alternatives(byRest);
    }

    /**
     * The bytes after one that covers {@code [base, base + size)}, for the code points from {@code
     * begin} on.
     */
    private Regex rest(int base, int begin, int size) {
        skipTo(begin);
        if (range == set.rangeCount() || set.first(range) >= base + size) {
            return store.nothing();
        }
        if (size == BLOCK) {
            return store.bytes(new ByteSet(0, 0, block(base), 0));
        }
        if (begin == base && set.first(range) <= base && set.last(range) >= base + size - 1) {
            return all(size);
        }
        Map<Regex, ByteSet> byRest = new LinkedHashMap<>();
        int step = size / BLOCK;
        for (int at = begin; at < base + size; at += step) {
            add(byRest, CONTINUATION + (at - base) / step, rest(at, at, step));
        }
        return alternatives(byRest);
    }

    /** Any bytes after one that covers {@code size} code points. */
    private Regex all(int size) {
        Regex continuation = store.bytes(ByteSet.range(CONTINUATION, CONTINUATION + BLOCK - 1));
        return size == BLOCK ? continuation : store.concat(continuation, all(size / BLOCK));
    }

    private static void add(Map<Regex, ByteSet> byRest, int value, Regex rest) {
        if (!rest.isNothing()) {
            byRest.merge(rest, ByteSet.of(value), ByteSet::or);
        }
    }

    private Regex alternatives(Map<Regex, ByteSet> byRest) {
        List<Regex> choices = new ArrayList<>();
        byRest.forEach((rest, bytes) -> choices.add(store.concat(store.bytes(bytes), rest)));
        return store.or(choices);
    }

    /** The members among 64 code points, one bit each; call it for ascending blocks. */
    private long block(int begin) {
        skipTo(begin);
        long bits = 0;
        for (int i = range; i < set.rangeCount() && set.first(i) < begin + BLOCK; i++) {
            int from = Math.max(0, set.first(i) - begin);
            int to = Math.min(BLOCK - 1, set.last(i) - begin);
            bits |= -1L << from & -1L >>> BLOCK - 1 - to;
        }
        return bits;
    }

    private void skipTo(int begin) {
        while (range < set.rangeCount() && set.last(range) < begin) {
            range++;
        }
    }
}
