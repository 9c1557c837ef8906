package dev.varve.platform.grammar.mask;

import dev.varve.platform.grammar.cfg.ParseState;
import dev.varve.platform.grammar.cfg.Recognizer;
import dev.varve.platform.grammar.regex.Footprint;
import dev.varve.platform.grammar.regex.PlainCharacters;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Computes the tokens that may follow in the states of a grammar, and caches recent results. For
 * one thread at a time.
 */
public final class TokenMasks {
    private static final int FEW_NODES = 8;
    private static final int MANY_NODES = 200;
    private static final int MOST_BYTES = 16 << 20;

    private final SortedVocabulary table;
    private final Recognizer recognizer;
    private final PlainTransitions steps;
    private final ParseState[] path;
    private final Map<ParseState, long[]> known;
    private int age;

    /** Creates masks for a grammar that is not used elsewhere at the same time. */
    public TokenMasks(SortedVocabulary table, Recognizer recognizer) {
        this.table = table;
        this.recognizer = recognizer;
        steps = new PlainTransitions(recognizer);
        int deepest = Math.max(table.plain.deepest, table.mixed.deepest);
        path = new ParseState[deepest + 1];
        long most = MOST_BYTES / (maskBytes() + Footprint.ENTRY + 16);
        known =
                new LinkedHashMap<>(16, 0.75f, true) {
                    private static final long serialVersionUID = 1L;

                    @Override
                    protected boolean removeEldestEntry(Map.Entry<ParseState, long[]> eldest) {
                        return size() > most;
                    }
                };
    }

    /** Discards cached masks of states that the recognizer discarded. */
    public void discardStale() {
        steps.discardStale();
        if (age != recognizer.clears()) {
            age = recognizer.clears();
            known.clear();
        }
    }

    /** Approximate bytes of the cached masks. */
    public long bytes() {
        return (long) known.size() * (maskBytes() + Footprint.ENTRY + 16);
    }

    private long maskBytes() {
        return 16 + 8L * ((table.size() + 63) / 64);
    }

    /**
     * Returns the tokens that may follow, a bit for each at its place of {@link
     * SortedVocabulary#places}. Not to be modified.
     */
    public long[] mask(ParseState state) {
        long[] mask = known.get(state);
        if (mask == null) {
            mask = new long[(table.size() + 63) / 64];
            if (!countPlain(state, mask)) {
                walkPlain(state, mask);
            }
            walkMixed(state, mask);
            walkSpecial(state, mask);
            known.put(state, mask);
        }
        return mask;
    }

    /**
     * Uses only the number of characters of the plain tokens, if nothing else matters. This is so
     * near the end of strings that are limited only in length, where most tokens would have to be
     * checked one by one.
     *
     * @return whether that was so and the mask is complete
     */
    private boolean countPlain(ParseState state, long[] mask) {
        if (!recognizer.isUniformForPlainText(state)) {
            return false;
        }
        ParseState at = state;
        for (int count = 0; count < table.plainUpTo.length; count++) {
            PlainTransitions.Step step = steps.step(at);
            if (!step.uniform() || step.state() == at) {
                return false;
            }
            if (step.state().isDead()) {
                System.arraycopy(table.plainUpTo[count], 0, mask, 0, mask.length);
                return true;
            }
            at = step.state();
        }
        return false;
    }

    private void walkPlain(ParseState state, long[] mask) {
        ByteTrie trie = table.plain;
        path[0] = state;
        int node = 0;
        while (node < trie.size()) {
            int depth = trie.depth[node];
            ParseState next = recognizer.next(path[depth - 1], trie.label[node] & 0xff);
            if (next.isDead()) {
                node = trie.end[node];
            } else if (isFree(next, trie, node)) {
                set(mask, trie.first[node], trie.first[trie.end[node]]);
                node = trie.end[node];
            } else {
                path[depth] = next;
                set(mask, trie.first[node], trie.first[node + 1]);
                node++;
            }
        }
    }

    /**
     * Returns whether all tokens below a node may follow, because any text of its characters may.
     */
    private boolean isFree(ParseState state, ByteTrie trie, int node) {
        int nodes = trie.end[node] - node;
        // Checking a few nodes is faster than computing the transitions of a state for all
        // characters.
        if (nodes < FEW_NODES || nodes < MANY_NODES && !steps.knows(state)) {
            return false;
        }
        SubtreeCharacters followers = table.plainFollowers;
        int height = followers.heights[node];
        if (height == Byte.MAX_VALUE) {
            return false;
        }
        ParseState from = state;
        if (PlainCharacters.isContinuation(trie.label[node + 1])) {
            int missing = PlainCharacters.missing(trie.label[node] & 0xff);
            if (missing == 0) {
                return false;
            }
            from = steps.completion(state, missing).state();
        }
        return steps.areFree(from, height, followers.low[node], followers.high[node]);
    }

    private void walkMixed(ParseState state, long[] mask) {
        ParseState at = state;
        for (int count = 0; count < table.rests.length; count++) {
            walkRests(at, count, mask);
            PlainTransitions.Step step = steps.step(at);
            if (!step.uniform()) {
                walkMixedBehind(state, count, mask);
                return;
            }
            if (step.state().isDead()) {
                return;
            }
            at = step.state();
        }
    }

    private void walkRests(ParseState state, int count, long[] mask) {
        ByteTrie trie = table.rests[count];
        int[] places = table.restPlaces[count];
        path[0] = state;
        int node = 0;
        while (node < trie.size()) {
            int depth = trie.depth[node];
            ParseState next = recognizer.next(path[depth - 1], trie.label[node] & 0xff);
            if (next.isDead()) {
                node = trie.end[node];
            } else {
                path[depth] = next;
                if (trie.first[node] < trie.first[node + 1]) {
                    set(mask, places[trie.first[node]], places[trie.first[node + 1]]);
                }
                node++;
            }
        }
    }

    /** Checks every mixed token; those with few plain characters were found already. */
    private void walkMixedBehind(ParseState state, int count, long[] mask) {
        ByteTrie trie = table.mixed;
        path[0] = state;
        int node = 0;
        while (node < trie.size()) {
            int depth = trie.depth[node];
            ParseState next = recognizer.next(path[depth - 1], trie.label[node] & 0xff);
            if (next.isDead()) {
                node = trie.end[node];
            } else {
                path[depth] = next;
                for (int i = trie.first[node]; i < trie.first[node + 1]; i++) {
                    set(mask, table.mixedPlaces[i]);
                }
                node++;
            }
        }
    }

    private void walkSpecial(ParseState state, long[] mask) {
        if (recognizer.next(state, SortedVocabulary.SPECIAL).isDead()) {
            return;
        }
        for (int token : table.specials()) {
            if (!recognizer.next(state, table.bytes(token)).isDead()) {
                set(mask, table.places()[token]);
            }
        }
    }

    private static void set(long[] mask, int place) {
        mask[place >> 6] |= 1L << place;
    }

    /** Sets the bits of {@code [begin, end)}. */
    private static void set(long[] mask, int begin, int end) {
        if (begin >= end) {
            return;
        }
        int first = begin >> 6;
        int last = end - 1 >> 6;
        long from = -1L << begin;
        long to = -1L >>> -end;
        if (first == last) {
            mask[first] |= from & to;
            return;
        }
        mask[first] |= from;
        for (int word = first + 1; word < last; word++) {
            mask[word] = -1L;
        }
        mask[last] |= to;
    }
}
