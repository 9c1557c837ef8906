package dev.varve.platform.prefix;

import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.sequence.CachedSequence;
import dev.varve.platform.sequence.ChunkBoundaries;
import dev.varve.platform.shard.SequenceChunk;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A position of a sequence that is to be kept in host memory: its tokens, where they lie on the
 * devices, and how far the copy has come.
 */
public final class SnapshotExport {
    private final CacheScope scope;
    private final int[] tokens;
    private final ChunkBoundaries cuts;
    private CachedSequence place;

    /** State behind the tokens, which is held for this departure; the zero row once it is not. */
    private int row;

    private boolean ripe;

    /** The last block that is there or under way; pinned. */
    private Optional<TokenBlock> reached = Optional.empty();

    private Optional<BlockCopy> filling = Optional.empty();
    private FeatureSpan features;

    SnapshotExport(CachedSequence place, int position, int row, boolean ripe) {
        this.place = place;
        this.row = row;
        this.ripe = ripe;
        scope = place.scope();
        tokens = place.tokens().range(0, position);
        cuts = place.cuts().upTo(position);
        features = featuresOf(place, position);
    }

    private static FeatureSpan featuresOf(CachedSequence place, int position) {
        return place.companion()
                .filter(SequenceFeatures.class::isInstance)
                .map(trail -> ((SequenceFeatures) trail).before(position))
                .orElseGet(() -> new FeatureSpan(List.of(), position));
    }

    /** What it begins with was computed without a failure, so that it may be copied. */
    public void markComputed() {
        ripe = true;
        // The hidden states have come since.
        features = featuresOf(place, position());
    }

    /** What is there of its tokens' hidden states. */
    FeatureSpan features() {
        return features;
    }

    boolean isRipe() {
        return ripe;
    }

    CacheScope scope() {
        return scope;
    }

    int position() {
        return tokens.length;
    }

    ChunkBoundaries cuts() {
        return cuts;
    }

    CachedSequence place() {
        return place;
    }

    void moveTo(CachedSequence other) {
        place = other;
    }

    int row() {
        return row;
    }

    void releaseRow() {
        row = SequenceChunk.ZERO_ROW;
    }

    Optional<TokenBlock> reached() {
        return reached;
    }

    void reach(TokenBlock block) {
        reached = Optional.of(block);
    }

    void leaveBlocks() {
        reached = Optional.empty();
    }

    Optional<BlockCopy> filling() {
        return filling;
    }

    void fill(Optional<BlockCopy> next) {
        filling = next;
    }

    /** The tokens of the next whole block behind one; empty if there are too few. */
    Optional<int[]> blockBehind(TokenBlock block) {
        int end = block.end() + TokenBlock.TOKENS;
        return end <= tokens.length
                ? Optional.of(Arrays.copyOfRange(tokens, block.end(), end))
                : Optional.empty();
    }

    /** The tokens behind the last whole block. */
    int[] tail(TokenBlock last) {
        return Arrays.copyOfRange(tokens, last.end(), tokens.length);
    }
}
