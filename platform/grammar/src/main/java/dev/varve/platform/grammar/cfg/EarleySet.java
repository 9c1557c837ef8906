package dev.varve.platform.grammar.cfg;

import dev.varve.platform.grammar.regex.LexState;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Permitted continuations at a position where terminals end: items, each a position in an
 * alternative and the set where that alternative began. Immutable except for its cache; equal sets
 * of one {@link EarleySetStore} are one object, so that a loop of the grammar returns to the same
 * set.
 */
final class EarleySet {
    final int id;

    /** Items that wait for a nonterminal, by its symbol. */
    final Map<Integer, EarleyItems> waiting;

    /** Items before a terminal, by its number. */
    final Map<Integer, EarleyItems> scans;

    /** Whether the text may end here. */
    final boolean accepts;

    /** Start state of the lexer for the terminals that may follow. */
    final LexState lexemes;

    /** The sets after terminals that end together. */
    final Map<Terminals, EarleySet> next = new HashMap<>(4);

    /** Numbers of terminals, as a key. */
    record Terminals(int... numbers) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Terminals(int[] others) && Arrays.equals(numbers, others);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(numbers);
        }
    }

    EarleySet(
            int id,
            Map<Integer, EarleyItems> waiting,
            Map<Integer, EarleyItems> scans,
            boolean accepts,
            LexState lexemes) {
        this.id = id;
        this.waiting = waiting;
        this.scans = scans;
        this.accepts = accepts;
        this.lexemes = lexemes;
    }
}
