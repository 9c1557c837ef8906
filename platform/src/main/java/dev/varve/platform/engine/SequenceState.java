package dev.varve.platform.engine;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.platform.shard.Slice;
import dev.varve.platform.shard.SlotSpan;

import java.util.Optional;

/**
 * Tokens of a sequence with the cache that belongs to them: KV slots, current recurrent state and
 * one checkpoint. Passed on from a finished request to the one that continues it. Only the engine's
 * thread touches it.
 */
final class SequenceState {
    final TokenList tokens;
    final CacheScope scope;

    /** Tokens whose K, V and recurrent state are computed, or will be by forwards under way. */
    int computed;

    SlotSpan span = new SlotSpan(0, 0);

    /** Row of the state after {@link #computed} tokens; it may be shared with forks. */
    int row = Slice.ZERO_ROW;

    /** Row of the state after {@link #checkpoint} tokens; the zero row where there is none. */
    int checkpointRow = Slice.ZERO_ROW;

    int checkpoint;

    /** How the computed tokens were computed. */
    CutList cuts = new CutList();

    /** What the last computed token gave, where that was kept for requests of the same tokens. */
    Optional<TokenOutput> output = Optional.empty();

    SequenceState(TokenList tokens, CacheScope scope) {
        this.tokens = tokens;
        this.scope = scope;
    }

    /** Takes note of a forward that was submitted. */
    void extend(int end, Phase phase) {
        computed = end;
        cuts.add(end, phase);
        output = Optional.empty();
    }
}
