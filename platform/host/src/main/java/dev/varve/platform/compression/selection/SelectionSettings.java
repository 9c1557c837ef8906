package dev.varve.platform.compression.selection;

import java.util.Objects;
import java.util.Optional;

/**
 * How chunks are chosen.
 *
 * @param pooling from scores of tokens to values of chunks
 * @param edges what stays at both ends
 * @param anchors what stays for its words
 * @param transitive what stays for the words of anchors; empty for nothing
 * @param repeats what stays for tokens that come again; empty for nothing
 */
public record SelectionSettings(
        Pooling pooling,
        Edges edges,
        AnchorSettings anchors,
        Optional<TransitiveSettings> transitive,
        Optional<RecurringTokenSettings> repeats) {
    /** Chunks of 32 tokens, 8 at the beginning and 24 at the end, and anchors. */
    public static final SelectionSettings USUAL =
            new SelectionSettings(
                    new Pooling(13, 32),
                    new Edges(8, 24),
                    AnchorSettings.USUAL,
                    Optional.empty(),
                    Optional.empty());

    /**
     * From scores of tokens to values of chunks.
     *
     * @param width tokens of the mean that smooths the scores, odd
     * @param chunkTokens tokens of a chunk, positive
     */
    public record Pooling(int width, int chunkTokens) {
        /** Checks the numbers. */
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
     * What stays at both ends of a text.
     *
     * @param head chunks at the beginning, at least 0
     * @param tail chunks at the end, at least 0
     */
    public record Edges(int head, int tail) {
        /** Checks the numbers. */
        public Edges {
            if (head < 0 || tail < 0) {
                throw new IllegalArgumentException(
                        "expected no number of chunks below 0, found " + head + " and " + tail);
            }
        }

        /**
         * What of it stays where only so many chunks shall stay, one at least for other reasons.
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

    /** Refuses null. */
    public SelectionSettings {
        Objects.requireNonNull(pooling);
        Objects.requireNonNull(edges);
        Objects.requireNonNull(anchors);
        Objects.requireNonNull(transitive);
        Objects.requireNonNull(repeats);
    }

    /** The same with other edges. */
    public SelectionSettings withEdges(Edges other) {
        return new SelectionSettings(pooling, other, anchors, transitive, repeats);
    }

    /** The same with other anchors. */
    public SelectionSettings withAnchors(AnchorSettings other) {
        return new SelectionSettings(pooling, edges, other, transitive, repeats);
    }

    /** The same with transitive anchors. */
    public SelectionSettings withTransitive(TransitiveSettings other) {
        return new SelectionSettings(pooling, edges, anchors, Optional.of(other), repeats);
    }

    /** The same with chunks of tokens that come again. */
    public SelectionSettings withRepeats(RecurringTokenSettings other) {
        return new SelectionSettings(pooling, edges, anchors, transitive, Optional.of(other));
    }
}
