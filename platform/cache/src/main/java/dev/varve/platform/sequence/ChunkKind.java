package dev.varve.platform.sequence;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.platform.shard.ChunkComputeMode;

import java.util.List;

/**
 * Kind of a forward of a sequence. A prefill window may be computed at once or in pieces, with the
 * same numbers, so {@link ChunkHistory} does not distinguish them.
 */
public enum ChunkKind {
    /** A whole window, or any other chunk that is computed on its own. */
    WINDOW(ChunkComputeMode.CHUNK),
    /** Tokens of a window that is attended in tiles; more tokens of the window follow. */
    PIECE(ChunkComputeMode.PIECE),
    /** Last tokens of such a window. */
    LAST_PIECE(ChunkComputeMode.PIECE),
    /** Decoded tokens. */
    ROWS(ChunkComputeMode.ROWS);

    private final ChunkComputeMode computeMode;

    ChunkKind(ChunkComputeMode computeMode) {
        this.computeMode = computeMode;
    }

    /** Mode in which the shards compute its tokens. */
    public ChunkComputeMode computeMode() {
        return computeMode;
    }

    /** Phase of a batch: decode if all of its chunks are rows. */
    static Phase phaseOf(List<ScheduledTokens> advances) {
        for (ScheduledTokens advance : advances) {
            if (advance.kind() != ROWS) {
                return Phase.PREFILL;
            }
        }
        return Phase.DECODE;
    }
}
