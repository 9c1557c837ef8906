package dev.varve.platform.prefix;

import dev.varve.platform.shard.CachePartCallback;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A copy of a block or checkpoint to host memory, a few parts at a time. */
final class BlockExport {
    private final LayerBuffers pieces;
    private final List<HostAllocation> targets;
    private final Supplier<List<TransferDescriptor>> parts;
    private final CompletionCallback outcome;
    private final List<CompletableFuture<Void>> moves = new ArrayList<>();
    private int next;
    private boolean givenUp;

    /** Callback for the end of the copy. */
    interface CompletionCallback {
        /** Called if all bytes have arrived. */
        void onReady();

        /** Called if the copy was given up or has failed. */
        void onFailure();
    }

    /**
     * @param parts current place of the data on the devices, in the order of the targets
     */
    BlockExport(
            LayerBuffers targets,
            Supplier<List<TransferDescriptor>> parts,
            CompletionCallback outcome) {
        pieces = targets;
        this.targets = targets.parts();
        this.parts = parts;
        this.outcome = outcome;
    }

    /** Whether it fills exactly these buffers. */
    boolean isOf(LayerBuffers others) {
        return pieces == others;
    }

    boolean isIssued() {
        return next == targets.size();
    }

    /** Issues no further parts. */
    void giveUp() {
        givenUp = !isIssued();
    }

    /** Issues the next parts, about as many bytes as given. Returns their number of bytes. */
    long issue(FlushingCacheMover mover, long bytes) {
        int first = next;
        long sum = 0;
        while (next < targets.size() && (sum == 0 || sum + targets.get(next).bytes() <= bytes)) {
            sum += targets.get(next++).bytes();
        }
        List<TransferDescriptor> group = parts.get().subList(first, next);
        moves.add(mover.export(TransferDescriptor.all(group), into(group)));
        return sum;
    }

    private static CachePartCallback into(List<TransferDescriptor> group) {
        return new CachePartCallback() {
            @Override
            public void accept(int index, ByteBuffer bytes) {
                TransferDescriptor.take(group, index, bytes);
            }

            @Override
            public void give(int index, ByteBuffer target) {
                throw new UnsupportedOperationException(
                        "an export accepts bytes and provides none");
            }
        };
    }

    /** Whether no further bytes will arrive. */
    boolean isDone() {
        return (givenUp || isIssued()) && moves.stream().allMatch(CompletableFuture::isDone);
    }

    boolean hasFailed() {
        return moves.stream().anyMatch(CompletableFuture::isCompletedExceptionally);
    }

    /** Reason of the failure; empty if there was none. */
    Optional<Throwable> failure() {
        return moves.stream()
                .filter(CompletableFuture::isCompletedExceptionally)
                .map(CompletableFuture::exceptionNow)
                .findFirst();
    }

    /** Waits for the parts under way. */
    void await() {
        moves.forEach(move -> move.exceptionally(failure -> null).join());
    }

    /** Calls the outcome; the copy must be done. */
    void end() {
        if (givenUp || hasFailed()) {
            outcome.onFailure();
        } else {
            outcome.onReady();
        }
    }

    /** Discards the copy, whatever part of it has arrived. */
    void drop() {
        outcome.onFailure();
    }
}
