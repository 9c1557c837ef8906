package dev.varve.platform.engine;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.platform.shard.Slice;
import dev.varve.platform.shard.SlotSpan;

/**
 * Tokens of a sequence with the cache that belongs to them: KV slots, current recurrent state and
 * one checkpoint. Passed on from a finished request to the one that continues it. Only the engine's
 * thread touches it.
 */
final class SequenceState {
    final TokenList tokens;

    /** Tokens whose K, V and recurrent state are computed, or will be by forwards under way. */
    int computed;

    SlotSpan span = new SlotSpan(0, 0);

    /** Row of the state after {@link #computed} tokens. */
    int row = Slice.ZERO_ROW;

    /** Row of the state after {@link #checkpoint} tokens; the zero row where there is none. */
    int checkpointRow = Slice.ZERO_ROW;

    int checkpoint;

    /** How the computed tokens were computed. */
    CutList cuts = new CutList();

    SequenceState(TokenList tokens) {
        this.tokens = tokens;
    }

    /** Takes note of a forward that was submitted. */
    void extend(int end, Phase phase) {
        computed = end;
        cuts.add(end, phase);
    }

    /** Whether the next forward must write to another row than it reads. */
    boolean mustKeepRow() {
        return row == Slice.ZERO_ROW || row == checkpointRow;
    }
}
