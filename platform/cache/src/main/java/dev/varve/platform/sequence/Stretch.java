package dev.varve.platform.sequence;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.platform.shard.SliceKind;

import java.util.List;

/**
 * What a forward is to the sequence that it advances. A window of a prompt may be computed at once
 * or in pieces, with the same numbers, so that a {@link CutList} need not know which it was.
 */
public enum Stretch {
    /** A whole window, or whatever stands for itself. */
    WINDOW(SliceKind.CHUNK),
    /** Tokens of a window that is attended in tiles, with others of it to follow. */
    PIECE(SliceKind.PIECE),
    /** The last tokens of such a window. */
    LAST_PIECE(SliceKind.PIECE),
    /** Tokens of decode. */
    ROWS(SliceKind.ROWS);

    private final SliceKind kind;

    Stretch(SliceKind kind) {
        this.kind = kind;
    }

    /** What its tokens are computed as. */
    public SliceKind kind() {
        return kind;
    }

    /** Phase of a batch of such stretches: decode if there is nothing but rows. */
    static Phase phaseOf(List<Advance> advances) {
        for (Advance advance : advances) {
            if (advance.stretch() != ROWS) {
                return Phase.PREFILL;
            }
        }
        return Phase.DECODE;
    }
}
