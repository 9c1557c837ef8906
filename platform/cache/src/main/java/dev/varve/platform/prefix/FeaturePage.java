package dev.varve.platform.prefix;

import dev.varve.platform.shard.CapturedFeature;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/**
 * Hidden states of the positions of one block, from some position on. Each position has {@code F32
 * [hidden, captures]}, the lowest layer first. A position that another sequence may read is never
 * written again. {@link FeaturePagePool}, and nothing else, frees the memory of a page, at any time
 * while it is not pinned.
 */
final class FeaturePage {
    /** Positions that share one allocation. */
    static final int GROUP = 32;

    private final FeatureKind kind;
    private final List<HostAllocation> groups = new ArrayList<>(CachedBlock.TOKENS / GROUP);
    private final int firstGroup;
    private int begin;
    private int pins;
    private boolean freed;

    /** Completes when the copier thread has written; readers of the bytes wait for it. */
    private volatile CompletableFuture<Void> writing = CompletableFuture.completedFuture(null);

    /**
     * @param begin first position, counted from the beginning of the block
     */
    FeaturePage(FeatureKind kind, int begin) {
        this.kind = kind;
        this.begin = begin;
        firstGroup = begin / GROUP;
    }

    FeatureKind kind() {
        return kind;
    }

    /** First position that it has, counted from the beginning of the block. */
    int begin() {
        return begin;
    }

    /** Notes that it was filled from a position on, and is empty before that. */
    void beginAt(int offset) {
        begin = offset;
    }

    /** Position after those that it has memory for. */
    int capacityEnd() {
        return (firstGroup + groups.size()) * GROUP;
    }

    void add(HostAllocation group) {
        groups.add(group);
    }

    /** Copies columns of computed hidden states; the page must have the memory for them. */
    void write(int offset, List<CapturedFeature> features, int firstColumn, int count) {
        writing.join();
        write(List.copyOf(groups), offset, features, firstColumn, count);
    }

    /**
     * Like {@link #write(int, List, int, int)}, on another thread.
     *
     * @param copier runs one task after the other
     * @return completes when the copy has ended
     */
    CompletableFuture<Void> writeLater(
            int offset,
            List<CapturedFeature> features,
            int firstColumn,
            int count,
            Executor copier) {
        List<HostAllocation> to = List.copyOf(groups);
        writing =
                CompletableFuture.runAsync(
                        () -> write(to, offset, features, firstColumn, count), copier);
        return writing;
    }

    private void write(
            List<HostAllocation> to,
            int offset,
            List<CapturedFeature> features,
            int firstColumn,
            int count) {
        int hidden = kind.hidden();
        for (int i = 0; i < count; i++) {
            for (int layer = 0; layer < features.size(); layer++) {
                to.get((offset + i) / GROUP - firstGroup)
                        .write(
                                at(offset + i, layer),
                                features.get(layer).values(),
                                (firstColumn + i) * hidden,
                                hidden);
            }
        }
    }

    /** Reads the hidden states of one layer, {@code F32 [hidden, count]}. */
    void read(int offset, int layer, float[] values, int firstColumn, int count) {
        writing.join();
        int hidden = kind.hidden();
        for (int i = 0; i < count; i++) {
            group(offset + i)
                    .read(at(offset + i, layer), values, (firstColumn + i) * hidden, hidden);
        }
    }

    private HostAllocation group(int offset) {
        return groups.get(offset / GROUP - firstGroup);
    }

    private long at(int offset, int layer) {
        return (long) (offset % GROUP) * kind.bytesPerToken()
                + (long) layer * kind.hidden() * Float.BYTES;
    }

    /** Bytes of the positions up to a given one. */
    long bytes(int end) {
        return (long) (end - begin) * kind.bytesPerToken();
    }

    /** Reads its bytes from an offset on, counted from its first position. */
    void read(long from, ByteBuffer to) {
        writing.join();
        pieces().read(skipped() + from, to);
    }

    /** Writes its bytes from an offset on, counted from its first position. */
    void write(long from, ByteBuffer bytes) {
        pieces().write(skipped() + from, bytes);
    }

    private LayerBuffers pieces() {
        return new LayerBuffers(groups);
    }

    private long skipped() {
        return (long) (begin - firstGroup * GROUP) * kind.bytesPerToken();
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

    /** Whether its memory was freed. */
    boolean isFreed() {
        return freed;
    }

    /** Bytes of memory in use. */
    long usedBytes() {
        return new LayerBuffers(groups).usedBytes();
    }

    void release() {
        writing.join();
        freed = true;
        groups.forEach(HostAllocation::release);
        groups.clear();
    }
}
