package dev.varve.platform.prefix;

import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.sequence.ChunkHistory;
import dev.varve.platform.sequence.SequenceCache;
import dev.varve.platform.shard.SequenceChunk;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * An export of a position of a sequence to host memory: its tokens, their place on the devices, and
 * the progress of the copy.
 */
public final class SnapshotExportTask {
    private final CacheScope scope;
    private final int[] tokens;
    private final ChunkHistory chunkHistory;
    private SequenceCache place;

    /** State row after the tokens, held for this export; the zero row after its release. */
    private int row;

    private boolean computed;

    /** The last block that host memory has or is receiving; pinned. */
    private Optional<CachedBlock> reached = Optional.empty();

    private Optional<BlockExport> copy = Optional.empty();
    private TrailingFeatures features;

    SnapshotExportTask(SequenceCache place, int position, int row, boolean computed) {
        this.place = place;
        this.row = row;
        this.computed = computed;
        scope = place.scope();
        tokens = place.tokens().range(0, position);
        chunkHistory = place.chunkHistory().upTo(position);
        features = featuresOf(place, position);
    }

    private static TrailingFeatures featuresOf(SequenceCache place, int position) {
        return place.attachment()
                .filter(SequenceFeatures.class::isInstance)
                .map(trail -> ((SequenceFeatures) trail).before(position))
                .orElseGet(() -> new TrailingFeatures(List.of(), position));
    }

    /** Marks the tokens as computed without a failure, so that they may be copied. */
    public void markComputed() {
        computed = true;
        // Hidden states were recorded after the export was created.
        features = featuresOf(place, position());
    }

    /** Hidden states of its tokens, as far as they exist. */
    TrailingFeatures features() {
        return features;
    }

    boolean isComputed() {
        return computed;
    }

    CacheScope scope() {
        return scope;
    }

    int position() {
        return tokens.length;
    }

    ChunkHistory chunkHistory() {
        return chunkHistory;
    }

    SequenceCache place() {
        return place;
    }

    void moveTo(SequenceCache other) {
        place = other;
    }

    int row() {
        return row;
    }

    void releaseRow() {
        row = SequenceChunk.ZERO_ROW;
    }

    Optional<CachedBlock> reached() {
        return reached;
    }

    void reach(CachedBlock block) {
        reached = Optional.of(block);
    }

    void leaveBlocks() {
        reached = Optional.empty();
    }

    Optional<BlockExport> copy() {
        return copy;
    }

    void fill(Optional<BlockExport> next) {
        copy = next;
    }

    /** Tokens of the next whole block after the given one; empty if there are too few. */
    Optional<int[]> blockBehind(CachedBlock block) {
        int end = block.end() + CachedBlock.TOKENS;
        return end <= tokens.length
                ? Optional.of(Arrays.copyOfRange(tokens, block.end(), end))
                : Optional.empty();
    }

    /** Tokens after the last whole block. */
    int[] tail(CachedBlock last) {
        return Arrays.copyOfRange(tokens, last.end(), tokens.length);
    }
}
