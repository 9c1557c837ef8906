package dev.varve.fleet;

import dev.varve.platform.replica.PrefixEstimate;
import dev.varve.platform.replica.PromptBlockHashes;

import java.util.HashMap;
import java.util.Map;

/** The cache of a replica as its events reported it to the router. */
final class EventView implements PrefixEstimate {
    private final Map<Long, Integer> lengths = new HashMap<>();
    private final long capacity;
    private long used;

    /** The prompt that is being routed: a prompt's hashes do not name its session. */
    private Turn routed;

    EventView(long capacity) {
        this.capacity = capacity;
    }

    /** Sets the prompt of the next calls of {@link #cached}. */
    void route(Turn turn) {
        routed = turn;
    }

    /** Applies an event. */
    void apply(long text, int tokens) {
        Integer before = tokens == 0 ? lengths.remove(text) : lengths.put(text, tokens);
        used += tokens - (before == null ? 0 : before);
    }

    /** Discards all earlier events. */
    void clear() {
        lengths.clear();
        used = 0;
    }

    @Override
    public int cached(PromptBlockHashes prompt) {
        return SequenceLru.lookup(routed, lengths);
    }

    @Override
    public long displaced(long tokens) {
        return Math.max(0, used + tokens - capacity);
    }

    @Override
    public long used() {
        return used;
    }
}
