package dev.varve.platform.prefix;

import dev.varve.platform.sequence.SequenceCache;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CachePartCallback;
import dev.varve.platform.shard.ShardLostException;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * An import of the prefix of a sequence from host memory to the devices, a few parts at a time. The
 * sequence may be computed once the import {@linkplain #isComplete has arrived}.
 */
public final class SnapshotImport {
    private final SequenceCache place;
    private final CacheLayout layout;
    private final PrefixMatch found;
    private final List<HostAllocation> sources = new ArrayList<>();
    private final List<CompletableFuture<Void>> moves = new ArrayList<>();
    private final CacheSource source;
    private final long begin = System.nanoTime();
    private long bytes;
    private int next;
    private boolean givenUp;

    SnapshotImport(SequenceCache place, CacheLayout layout, PrefixMatch found) {
        this.place = place;
        this.layout = layout;
        this.found = found;
        source = found.source();
        found.blocks().forEach(block -> sources.addAll(block.rows().parts()));
        found.checkpoint().ifPresent(kept -> sources.addAll(kept.pieces().parts()));
        found.pin();
    }

    PrefixMatch found() {
        return found;
    }

    /** Source of the prefix. */
    CacheSource source() {
        return source;
    }

    /** Bytes copied so far. */
    long bytes() {
        return bytes;
    }

    /** Nanoseconds since the import was created. */
    long nanos() {
        return System.nanoTime() - begin;
    }

    boolean isIssued() {
        return next == sources.size();
    }

    /** Gives up the import; its sequence is not needed any more. */
    public void giveUp() {
        givenUp = true;
    }

    boolean isGivenUp() {
        return givenUp;
    }

    /** Copies the next parts, about as many bytes as given. Returns their number of bytes. */
    long issue(FlushingCacheMover mover, long most) {
        // The sequence may have moved since the last call.
        List<TransferDescriptor> parts = parts();
        int first = next;
        long sum = 0;
        while (next < parts.size() && (sum == 0 || sum + parts.get(next).bytes() <= most)) {
            sum += parts.get(next++).bytes();
        }
        List<TransferDescriptor> group = List.copyOf(parts.subList(first, next));
        moves.add(mover.adopt(TransferDescriptor.all(group), from(group)));
        bytes += sum;
        return sum;
    }

    private List<TransferDescriptor> parts() {
        List<TransferDescriptor> parts = new ArrayList<>(sources.size());
        int position = 0;
        for (CachedBlock block : found.blocks()) {
            int count = Math.min(block.end(), found.position()) - position;
            addRows(parts, position, count);
            position += count;
        }
        if (found.checkpoint().isPresent()) {
            if (found.position() > position) {
                addRows(parts, position, found.position() - position);
            }
            if (layout.forgets()) {
                for (CachePart state : layout.states(place.stateRow(), found.position())) {
                    parts.add(TransferDescriptor.whole(sources.get(parts.size()), state));
                }
            }
        }
        return parts;
    }

    private void addRows(List<TransferDescriptor> parts, int position, int count) {
        for (List<CachePart> layer : layout.rows(place.rows(position, count))) {
            parts.add(new TransferDescriptor(sources.get(parts.size()), position, layer));
        }
    }

    private static CachePartCallback from(List<TransferDescriptor> group) {
        return new CachePartCallback() {
            @Override
            public void accept(int index, ByteBuffer bytes) {
                throw new UnsupportedOperationException(
                        "an import provides bytes and accepts none");
            }

            @Override
            public void give(int index, ByteBuffer target) {
                TransferDescriptor.give(group, index, target);
            }
        };
    }

    /** Whether all of it is in the caches. */
    public boolean isComplete() {
        return isIssued() && moves.stream().allMatch(CompletableFuture::isDone) && !hasFailed();
    }

    /** Marks the import as failed before all of it was copied. */
    void fail(RuntimeException reason) {
        moves.add(CompletableFuture.failedFuture(reason));
    }

    /** Whether it restores a sequence. */
    boolean isOf(SequenceCache sequence) {
        return place == sequence;
    }

    /** Whether a part could not be copied. */
    public boolean hasFailed() {
        return moves.stream().anyMatch(CompletableFuture::isCompletedExceptionally);
    }

    /** The loss of a shard, if that is the reason of the failure. */
    public Optional<ShardLostException> lost() {
        for (CompletableFuture<Void> move : moves) {
            if (move.isCompletedExceptionally()) {
                Throwable failure = move.exceptionNow();
                Throwable cause = failure.getCause() == null ? failure : failure.getCause();
                if (failure instanceof ShardLostException loss) {
                    return Optional.of(loss);
                }
                if (cause instanceof ShardLostException loss) {
                    return Optional.of(loss);
                }
            }
        }
        return Optional.empty();
    }

    /** Whether the import has ended, so that host memory is not read any more. */
    boolean isOver() {
        return (isIssued() || givenUp || hasFailed())
                && moves.stream().allMatch(CompletableFuture::isDone);
    }

    /** Waits for the copies under way. */
    void await() {
        moves.forEach(move -> move.exceptionally(failure -> null).join());
    }
}
