package dev.varve.platform.shard.streaming;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;

/**
 * A disk in simulated time that transfers no bytes: requests are served one after the other at a
 * bandwidth, and each ends a latency later. While both kinds of requests wait, it serves two that a
 * step waits for and then one that is read ahead, as with eight threads and four.
 */
final class TimedDisk implements ExpertReader {
    private static final long PIECE = 1 << 20;
    private static final int SHARE = 3;

    private final VirtualClock clock;
    private final double bytesPerNano;
    private final long latency;
    private final Deque<TimedRead> needed = new ArrayDeque<>();
    private final Deque<TimedRead> ahead = new ArrayDeque<>();
    private long freeAt;
    private int served;

    /**
     * @param bytesPerSecond bandwidth
     * @param latency nanoseconds from the transfer to the end of a request
     */
    TimedDisk(VirtualClock clock, double bytesPerSecond, long latency) {
        this.clock = clock;
        bytesPerNano = bytesPerSecond / 1e9;
        this.latency = latency;
    }

    @Override
    public long read(List<ExpertGroup.Range> ranges, Runnable inner) {
        List<TimedRead> first = new ArrayList<>();
        List<TimedRead> last = new ArrayList<>();
        catchUp();
        for (boolean down : List.of(false, true)) {
            ranges.stream()
                    .filter(range -> range.matrix().isDown() == down)
                    .forEach(range -> submit(range, () -> false, needed, down ? last : first));
        }
        long sum = await(first);
        inner.run();
        return sum + await(last);
    }

    @Override
    public List<Future<Long>> submitAhead(
            List<ExpertGroup.Range> ranges, BooleanSupplier isCancelled) {
        catchUp();
        List<TimedRead> pieces = new ArrayList<>();
        ranges.forEach(range -> submit(range, isCancelled, ahead, pieces));
        return List.copyOf(pieces);
    }

    private void submit(
            ExpertGroup.Range range,
            BooleanSupplier isCancelled,
            Deque<TimedRead> queue,
            Collection<TimedRead> pieces) {
        for (long at = range.firstPage(); at < range.endPage(); at += PIECE) {
            TimedRead piece =
                    new TimedRead(this, Math.min(PIECE, range.endPage() - at), isCancelled);
            queue.add(piece);
            pieces.add(piece);
        }
    }

    private long await(List<TimedRead> pieces) {
        return pieces.stream().mapToLong(TimedRead::get).sum();
    }

    /** Begins all transfers that begin before now. */
    void catchUp() {
        freeAt = hasRequests() ? freeAt : Math.max(freeAt, clock.now());
        while (hasRequests() && freeAt < clock.now()) {
            serve();
        }
        freeAt = hasRequests() ? freeAt : Math.max(freeAt, clock.now());
    }

    /** Lets time pass until a request has ended. */
    void await(TimedRead piece) {
        catchUp();
        while (!piece.isServed()) {
            serve();
        }
        clock.advanceTo(piece.endsAt());
    }

    boolean hasEnded(TimedRead piece) {
        catchUp();
        return piece.isServed() && piece.endsAt() <= clock.now();
    }

    private boolean hasRequests() {
        return !needed.isEmpty() || !ahead.isEmpty();
    }

    private void serve() {
        boolean isAhead = needed.isEmpty() || !ahead.isEmpty() && served % SHARE == SHARE - 1;
        served++;
        TimedRead piece = isAhead ? ahead.remove() : needed.remove();
        long nanos = piece.begin(bytesPerNano);
        freeAt += nanos;
        piece.end(nanos == 0 ? freeAt : freeAt + latency);
    }

    @Override
    public void close() {
        needed.clear();
        ahead.clear();
    }
}
