package dev.varve.fleet;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Cached sequences and system prompts with a limit of tokens; the least recently used ones are
 * evicted as a whole.
 */
final class SequenceLru {
    /** Receives the cached length of a text whenever it changes. */
    interface Listener {
        /**
         * Reports the length of a text.
         *
         * @param before its cached tokens until now
         * @param after its cached tokens from now on; 0 after eviction
         */
        void changed(long text, int before, int after);
    }

    private final LinkedHashMap<Long, Integer> lengths = new LinkedHashMap<>(64, 0.75f, true);
    private final long capacity;
    private final Listener listener;
    private long used;

    SequenceLru(long capacity, Listener listener) {
        this.capacity = capacity;
        this.listener = listener;
    }

    /** Returns the number of leading tokens of a prompt that are cached, and marks them as used. */
    int lookup(Turn turn) {
        return lookup(turn, lengths);
    }

    /** Returns the number of leading tokens of a prompt in a map of lengths. */
    static int lookup(Turn turn, Map<Long, Integer> lengths) {
        int own = lengths.getOrDefault(turn.session(), 0);
        int system = lengths.getOrDefault(systemText(turn), 0);
        return Math.min(turn.promptTokens(), Math.max(own, Math.min(system, turn.systemTokens())));
    }

    private static long systemText(Turn turn) {
        return ~(long) turn.system();
    }

    /**
     * Adds a sequence and its system prompt.
     *
     * @param tokens computed tokens of the sequence
     */
    void add(Turn turn, int tokens) {
        put(turn.session(), tokens);
        put(systemText(turn), Math.min(tokens, turn.systemTokens()));
        while (used > capacity) {
            Map.Entry<Long, Integer> oldest = lengths.firstEntry();
            lengths.remove(oldest.getKey());
            used -= oldest.getValue();
            listener.changed(oldest.getKey(), oldest.getValue(), 0);
        }
    }

    private void put(long text, int tokens) {
        int before = lengths.getOrDefault(text, 0);
        if (tokens > before) {
            lengths.put(text, tokens);
            used += tokens - before;
            listener.changed(text, before, tokens);
        }
    }

    /** Reports all cached texts to the listener, as after a gap in its events. */
    void report() {
        lengths.forEach((text, tokens) -> listener.changed(text, 0, tokens));
    }

    /** Removes all, without reports. */
    void clear() {
        lengths.clear();
        used = 0;
    }

    long used() {
        return used;
    }
}
