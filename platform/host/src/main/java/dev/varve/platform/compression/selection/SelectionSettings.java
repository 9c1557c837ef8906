package dev.varve.platform.compression.selection;

import java.util.Objects;
import java.util.Optional;

/**
 * Settings of the chunk selection.
 *
 * @param pooling from token scores to chunk scores
 * @param edges chunks that are kept at both ends
 * @param anchors search for chunks that match the end
 * @param transitive search for chunks that match anchors; empty: off
 * @param repeats recurring-token rule; empty: off
 */
public record SelectionSettings(
        Pooling pooling,
        Edges edges,
        AnchorSettings anchors,
        Optional<TransitiveSettings> transitive,
        Optional<RecurringTokenSettings> repeats) {
    /** Defaults: chunks of 32 tokens, 8 at the beginning and 24 at the end, and anchors. */
    public static final SelectionSettings USUAL =
            new SelectionSettings(
                    new Pooling(13, 32),
                    new Edges(8, 24),
                    AnchorSettings.USUAL,
                    Optional.empty(),
                    Optional.empty());

    /**
     * Settings that turn token scores into chunk scores.
     *
     * @param width window of the smoothing mean in tokens, odd
     * @param chunkTokens tokens of a chunk, positive
     */
    public record Pooling(int width, int chunkTokens) {
        /** Checks the ranges. */
        public Pooling {
            if (width < 1 || width % 2 == 0 || chunkTokens < 1) {
                throw new IllegalArgumentException(
                        "expected an odd width and chunks of 1 token or more, found "
                                + width
                                + " and "
                                + chunkTokens);
            }
        }
    }

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
                        "expected no number of chunks below 0, found " + head + " and " + tail);
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
        Objects.requireNonNull(pooling);
        Objects.requireNonNull(edges);
        Objects.requireNonNull(anchors);
        Objects.requireNonNull(transitive);
        Objects.requireNonNull(repeats);
    }

    /** Returns a copy with other edges. */
    public SelectionSettings withEdges(Edges other) {
        return new SelectionSettings(pooling, other, anchors, transitive, repeats);
    }

    /** Returns a copy with other anchors. */
    public SelectionSettings withAnchors(AnchorSettings other) {
        return new SelectionSettings(pooling, edges, other, transitive, repeats);
    }

    /** Returns a copy with transitive anchors. */
    public SelectionSettings withTransitive(TransitiveSettings other) {
        return new SelectionSettings(pooling, edges, anchors, Optional.of(other), repeats);
    }

    /** Returns a copy with the recurring-token rule. */
    public SelectionSettings withRepeats(RecurringTokenSettings other) {
        return new SelectionSettings(pooling, edges, anchors, transitive, Optional.of(other));
    }
}
