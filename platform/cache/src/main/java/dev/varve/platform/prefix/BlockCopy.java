package dev.varve.platform.prefix;

import dev.varve.platform.shard.CachePartTransfer;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** A block or checkpoint on its way to host memory, a few parts at a time. */
final class BlockCopy {
    private final LayerBuffers pieces;
    private final List<HostAllocation> targets;
    private final Supplier<List<TransferDescriptor>> parts;
    private final Outcome outcome;
    private final List<CompletableFuture<Void>> moves = new ArrayList<>();
    private int next;
    private boolean givenUp;

    /** What becomes of it. */
    interface Outcome {
        /** All of its bytes are there. */
        void ready();

        /** They will not come. */
        void gone();
    }

    /**
     * @param parts where it lies on the devices at the moment, in the order of the targets
     */
    BlockCopy(LayerBuffers targets, Supplier<List<TransferDescriptor>> parts, Outcome outcome) {
        pieces = targets;
        this.targets = targets.parts();
        this.parts = parts;
        this.outcome = outcome;
    }

    /** Whether it fills just these. */
    boolean isOf(LayerBuffers others) {
        return pieces == others;
    }

    boolean isIssued() {
        return next == targets.size();
    }

    /** Asks for no more of it. */
    void giveUp() {
        givenUp = !isIssued();
    }

    /** Asks for the next parts, about as many bytes as given. Returns how many they are. */
    long issue(OrderedCacheMover mover, long bytes) {
        int first = next;
        long sum = 0;
        while (next < targets.size() && (sum == 0 || sum + targets.get(next).bytes() <= bytes)) {
            sum += targets.get(next++).bytes();
        }
        List<TransferDescriptor> group = parts.get().subList(first, next);
        moves.add(mover.export(TransferDescriptor.all(group), into(group)));
        return sum;
    }

    private static CachePartTransfer into(List<TransferDescriptor> group) {
        return new CachePartTransfer() {
            @Override
            public void take(int index, ByteBuffer bytes) {
                TransferDescriptor.take(group, index, bytes);
            }

            @Override
            public void give(int index, ByteBuffer target) {
                throw new UnsupportedOperationException("an export takes bytes");
            }
        };
    }

    /** Whether nothing more will come. */
    boolean isDone() {
        return (givenUp || isIssued()) && moves.stream().allMatch(CompletableFuture::isDone);
    }

    boolean hasFailed() {
        return moves.stream().anyMatch(CompletableFuture::isCompletedExceptionally);
    }

    /** Why it failed; empty if it did not. */
    Optional<Throwable> failure() {
        return moves.stream()
                .filter(CompletableFuture::isCompletedExceptionally)
                .map(CompletableFuture::exceptionNow)
                .findFirst();
    }

    /** Waits for what is under way. */
    void await() {
        moves.forEach(move -> move.exceptionally(failure -> null).join());
    }

    /** Says what became of it, once it is done. */
    void end() {
        if (givenUp || hasFailed()) {
            outcome.gone();
        } else {
            outcome.ready();
        }
    }

    /** It does not count, however far it came. */
    void drop() {
        outcome.gone();
    }
}
