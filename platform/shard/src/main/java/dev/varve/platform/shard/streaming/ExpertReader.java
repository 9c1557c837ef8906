package dev.varve.platform.shard.streaming;

import dev.varve.api.VarveException;

import java.util.List;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;

/** Reads ranges of experts from their files into memory. */
interface ExpertReader extends AutoCloseable {
    /**
     * Reads all ranges, and returns when no thread reads any more.
     *
     * @param inner runs when all matrices are read but those that a layer uses last
     * @return bytes that were read
     * @throws VarveException of kind CORRUPT_FILE or UNREADABLE_FILE that names the file, the
     *     tensor and the offset
     */
    long read(List<ExpertGroup.Range> ranges, Runnable inner);

    /**
     * Begins to read ranges with few threads of their own, so that other reads wait little.
     *
     * @param isCancelled whether pieces are skipped that no thread reads yet
     * @return bytes of each piece
     */
    List<Future<Long>> submitAhead(List<ExpertGroup.Range> ranges, BooleanSupplier isCancelled);

    /** Ends the threads after the reads that were begun. */
    @Override
    void close();
}
