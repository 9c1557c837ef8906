package dev.varve.platform.compression.selection;

import java.util.Objects;
import java.util.Optional;

/**
 * Settings of the chunk selection.
 *
 * @param edges chunks that are kept at both ends
 * @param anchors search for chunks that match the end
 * @param hops whether chunks that match anchors are searched, too
 * @param repeats recurring-token rule; empty: off
 */
public record SelectionSettings(
        Edges edges,
        AnchorSettings anchors,
        boolean hops,
        Optional<RecurringTokenSettings> repeats) {
    /** Defaults: 8 chunks at the beginning and 24 at the end, and anchors. */
    public static final SelectionSettings USUAL =
            new SelectionSettings(new Edges(8, 24), AnchorSettings.USUAL, false, Optional.empty());

    /**
     * Chunks that are kept at both ends of a text.
     *
     * @param head chunks at the beginning, at least 0
     * @param tail chunks at the end, at least 0
     */
    public record Edges(int head, int tail) {
        /** Checks the ranges. */
        public Edges {
            if (head < 0 || tail < 0) {
                throw new IllegalArgumentException(
                        "expected 0 or more chunks, found " + head + " and " + tail);
            }
        }

        /**
         * Returns smaller edges if only {@code wanted} chunks are kept; leaves at least one for
         * other reasons.
         */
        Edges within(int wanted) {
            long both = (long) head + tail;
            if (both < wanted) {
                return this;
            }
            int budget = Math.max(1, wanted - 1);
            int first = (int) ((long) head * budget / both);
            return new Edges(first, budget - first);
        }
    }

    /** Rejects null. */
    public SelectionSettings {
        Objects.requireNonNull(edges);
        Objects.requireNonNull(anchors);
        Objects.requireNonNull(repeats);
    }
}
