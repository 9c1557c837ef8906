package dev.varve.platform.sequence;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.platform.shard.ChunkComputeMode;

import java.util.List;

/**
 * What a forward is to the sequence that it advances. A window of a prompt may be computed at once
 * or in pieces, with the same numbers, so that a {@link ChunkBoundaries} need not know which it
 * was.
 */
public enum ChunkKind {
    /** A whole window, or whatever stands for itself. */
    WINDOW(ChunkComputeMode.CHUNK),
    /** Tokens of a window that is attended in tiles, with others of it to follow. */
    PIECE(ChunkComputeMode.PIECE),
    /** The last tokens of such a window. */
    LAST_PIECE(ChunkComputeMode.PIECE),
    /** Tokens of decode. */
    ROWS(ChunkComputeMode.ROWS);

    private final ChunkComputeMode kind;

    ChunkKind(ChunkComputeMode kind) {
        this.kind = kind;
    }

    /** What its tokens are computed as. */
    public ChunkComputeMode kind() {
        return kind;
    }

    /** Phase of a batch of such stretches: decode if there is nothing but rows. */
    static Phase phaseOf(List<ScheduledTokens> advances) {
        for (ScheduledTokens advance : advances) {
            if (advance.stretch() != ROWS) {
                return Phase.PREFILL;
            }
        }
        return Phase.DECODE;
    }
}
