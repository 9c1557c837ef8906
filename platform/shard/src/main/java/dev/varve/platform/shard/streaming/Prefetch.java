package dev.varve.platform.shard.streaming;

import dev.varve.api.VarveException;

import java.util.List;
import java.util.concurrent.Future;

/** An expert that is read ahead. Its memory counts as used until it is released. */
final class Prefetch {
    private List<Future<Long>> pieces = List.of();
    private volatile boolean cancelled;

    /** Begins to read. */
    void start(ExpertReader reader, List<ExpertGroup.Range> ranges) {
        pieces = reader.submitAhead(ranges, () -> cancelled);
    }

    /** Skips what is not being read yet. */
    void cancel() {
        cancelled = true;
    }

    boolean isCancelled() {
        return cancelled;
    }

    /** Whether no thread reads any more. */
    boolean isDone() {
        return pieces.stream().allMatch(Future::isDone);
    }

    /**
     * Waits until no thread reads any more.
     *
     * @return bytes that were read
     * @throws VarveException of kind CORRUPT_FILE or UNREADABLE_FILE if reading failed
     */
    long await() {
        return ParallelReader.sum(pieces);
    }

    /** Waits likewise; a failure counts as nothing read. */
    long awaitQuietly() {
        try {
            return await();
        } catch (VarveException e) {
            return 0;
        }
    }
}
