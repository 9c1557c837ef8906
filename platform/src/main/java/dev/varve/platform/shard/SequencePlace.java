package dev.varve.platform.shard;

/**
 * Where the state of one sequence lies in the caches of all shards.
 *
 * @param slots span of its K and V rows
 * @param tokens positions that are computed, at least 1
 * @param stateRow recurrent state and window region after them
 */
public record SequencePlace(SlotSpan slots, int tokens, int stateRow) {
    /** Checks that the positions fit the span and that the row is no empty one. */
    public SequencePlace {
        if (tokens < 1 || tokens > slots.capacity() || stateRow <= Slice.ZERO_ROW) {
            throw new IllegalArgumentException(
                    tokens
                            + " tokens in a span of "
                            + slots.capacity()
                            + " slots, state row "
                            + stateRow);
        }
    }
}
