package dev.varve.platform.shard.streaming;

import dev.varve.api.VarveException;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Reads ranges with several threads, so that the disk has several requests at a time. */
final class ParallelReader implements ExpertReader {
    private static final int THREADS = 8;

    /** Bytes of one request. */
    private static final long PIECE = 1 << 20;

    /** Threads of reads that may turn out not to be needed. */
    private static final int THREADS_AHEAD = 4;

    private final ExecutorService threads = threads("varve-experts", THREADS);
    private final ExecutorService ahead = threads("varve-experts-ahead", THREADS_AHEAD);

    private static ExecutorService threads(String name, int count) {
        return Executors.newFixedThreadPool(
                count, Thread.ofPlatform().name(name, 0).daemon(true).factory());
    }

    @Override
    public long read(List<ExpertGroup.Range> ranges, Runnable inner) {
        List<Future<Long>> first = new ArrayList<>();
        List<Future<Long>> last = new ArrayList<>();
        ranges.stream().filter(range -> !range.matrix().isDown()).forEach(submitTo(first));
        ranges.stream().filter(range -> range.matrix().isDown()).forEach(submitTo(last));
        long sum;
        try {
            sum = sum(first);
            inner.run();
        } catch (RuntimeException | Error e) {
            awaitQuietly(last, e);
            throw e;
        }
        return sum + sum(last);
    }

    @Override
    public List<Future<Long>> submitAhead(
            List<ExpertGroup.Range> ranges, BooleanSupplier isCancelled) {
        List<Future<Long>> pieces = new ArrayList<>();
        for (ExpertGroup.Range range : ranges) {
            pieces.addAll(submit(ahead, range, isCancelled));
        }
        return pieces;
    }

    private static List<Future<Long>> submit(
            ExecutorService threads, ExpertGroup.Range range, BooleanSupplier isCancelled) {
        List<Future<Long>> pieces = new ArrayList<>();
        for (long at = range.firstPage(); at < range.endPage(); at += PIECE) {
            long begin = at;
            long end = Math.min(range.endPage(), at + PIECE);
            pieces.add(
                    threads.submit(() -> isCancelled.getAsBoolean() ? 0 : read(range, begin, end)));
        }
        return pieces;
    }

    private Consumer<ExpertGroup.Range> submitTo(List<Future<Long>> pieces) {
        return range -> pieces.addAll(submit(threads, range, () -> false));
    }

    private static void awaitQuietly(List<Future<Long>> pieces, Throwable failure) {
        try {
            long ignored = sum(pieces);
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }

    private static long read(ExpertGroup.Range range, long begin, long end) {
        StreamedFile file = range.matrix().file();
        long count;
        try {
            count = file.read(begin, end);
        } catch (VarveException e) {
            throw new VarveException(
                    e.kind(), e.getMessage() + ", of " + range.matrix().tensor().name(), e);
        }
        long needed = Math.min(end, range.offset() + range.bytes()) - begin;
        if (count < needed) {
            throw new VarveException(
                    VarveException.Kind.CORRUPT_FILE,
                    file.path()
                            + ": "
                            + range.matrix().tensor().name()
                            + ": expected "
                            + needed
                            + " bytes at offset "
                            + begin
                            + ", found "
                            + count
                            + ": the file was shortened while the server uses it");
        }
        return count;
    }

    /** Waits for all pieces also after a failure: a late read must not reach freed memory. */
    static long sum(List<Future<Long>> pieces) {
        long sum = 0;
        RuntimeException failure = null;
        for (Future<Long> piece : pieces) {
            try {
                sum += join(piece);
            } catch (RuntimeException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
        return sum;
    }

    private static long join(Future<Long> piece) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return piece.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    if (e.getCause() instanceof VarveException known) {
                        throw known;
                    }
                    throw new IllegalStateException("reading experts failed", e.getCause());
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void close() {
        threads.shutdown();
        ahead.shutdown();
    }
}
