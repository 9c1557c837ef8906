package dev.varve.platform.prefix;

import dev.varve.platform.sequence.ChunkHistory;

import java.util.Arrays;
import java.util.Optional;

/**
 * A position from which a sequence can resume: the states after its tokens, and the rows since the
 * last whole block. Only {@link HostPrefixTree} changes it.
 */
final class Checkpoint {
    private final CachedBlock block;
    private final int[] tail;
    private ChunkHistory chunkHistory;
    private final LayerBuffers pieces;
    private int pins;
    private int uses;
    private long lastUse;
    private boolean ready;
    private Optional<CacheSource> origin = Optional.empty();
    private boolean removed;
    private Optional<FeaturePage> features = Optional.empty();

    /**
     * @param block the last whole block
     * @param tail tokens after it, fewer than a block
     * @param chunkHistory chunk boundaries of its state, up to its position
     * @param now current time of the clock of {@link HostPrefixTree}
     */
    Checkpoint(
            CachedBlock block,
            int[] tail,
            ChunkHistory chunkHistory,
            LayerBuffers pieces,
            long now) {
        this.block = block;
        this.tail = tail;
        this.chunkHistory = chunkHistory;
        this.pieces = pieces;
        lastUse = now;
    }

    CachedBlock block() {
        return block;
    }

    /** Number of tokens before it. */
    int position() {
        return block.end() + tail.length;
    }

    int[] tail() {
        return tail;
    }

    /** Chunk boundaries with which its state was computed. */
    ChunkHistory chunkHistory() {
        return chunkHistory;
    }

    /** Whether the rows before it are those that its state was computed with, bit for bit. */
    boolean isWhole() {
        for (CachedBlock at : block.pathToRoot()) {
            if (at.end() > 0 && at.chunkHistoryDigest() != chunkHistory.digest(at.end())) {
                return false;
            }
        }
        return true;
    }

    LayerBuffers pieces() {
        return pieces;
    }

    /**
     * Hidden states of the last positions of its tail, or of all; empty if there are none, or no
     * tail.
     */
    Optional<FeaturePage> features() {
        return features.filter(page -> !page.isFreed());
    }

    /** Keeps hidden states of its tail, if they cover more than the present ones. */
    void setFeatures(FeaturePage page) {
        if (tail.length > 0
                && features().filter(known -> known.begin() <= page.begin()).isEmpty()) {
            features = Optional.of(page);
        }
    }

    /** Whether a prompt that has this block begins with these tokens. */
    boolean begins(int[] tokens) {
        return position() <= tokens.length
                && Arrays.equals(
                        tail, 0, tail.length, tokens, block.end(), block.end() + tail.length);
    }

    int uses() {
        return uses;
    }

    long lastUse() {
        return lastUse;
    }

    void use(long now) {
        uses++;
        lastUse = now;
    }

    boolean isReady() {
        return ready;
    }

    void markReady() {
        ready = true;
    }

    /**
     * Marks it as loaded from a store.
     *
     * @param list chunk boundaries with which its state was computed
     * @param from tier of the store
     */
    void markLoaded(ChunkHistory list, CacheSource from) {
        chunkHistory = list;
        origin = Optional.of(from);
        ready = true;
    }

    /** Tier that it was loaded from, until its first use; empty if it was computed here. */
    Optional<CacheSource> freshFrom() {
        return uses == 0 ? origin : Optional.empty();
    }

    boolean isRemoved() {
        return removed;
    }

    void pin() {
        pins++;
    }

    void unpin() {
        pins--;
    }

    boolean isPinned() {
        return pins > 0;
    }

    /** Deepest earlier checkpoint of its prefix from which a sequence could resume, or 0. */
    int positionBefore() {
        int[] next = tail;
        for (CachedBlock at : block.pathToRoot()) {
            int best = 0;
            for (Checkpoint other : at.checkpoints()) {
                if (other != this && other.ready && isBeginning(other.tail, next)) {
                    best = Math.max(best, other.position());
                }
            }
            if (best > 0) {
                return best;
            }
            next = at.tokens();
        }
        return 0;
    }

    private static boolean isBeginning(int[] first, int[] of) {
        return first.length <= of.length
                && Arrays.equals(first, 0, first.length, of, 0, first.length);
    }

    /** Bytes that its removal frees: its own, and those of the blocks that only it needs. */
    long bytesAlone() {
        long bytes = pieces.usedBytes();
        for (CachedBlock at : block.pathToRoot()) {
            if (at.kept() > 1) {
                break;
            }
            bytes += at.rows().usedBytes();
        }
        return bytes;
    }

    void remove() {
        removed = true;
        block.checkpoints().remove(this);
        pieces.release();
    }
}
