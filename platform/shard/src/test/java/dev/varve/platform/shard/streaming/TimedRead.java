package dev.varve.platform.shard.streaming;

import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A request of a {@link TimedDisk}. To wait for it lets simulated time pass. */
final class TimedRead implements Future<Long> {
    private final TimedDisk disk;
    private final long bytes;
    private final BooleanSupplier isSkipped;
    private long transferred;
    private long endsAt = -1;

    TimedRead(TimedDisk disk, long bytes, BooleanSupplier isSkipped) {
        this.disk = disk;
        this.bytes = bytes;
        this.isSkipped = isSkipped;
    }

    /** Returns the nanoseconds of the transfer, 0 if the request was cancelled before. */
    long begin(double bytesPerNano) {
        transferred = isSkipped.getAsBoolean() ? 0 : bytes;
        return (long) (transferred / bytesPerNano);
    }

    void end(long instant) {
        endsAt = instant;
    }

    boolean isServed() {
        return endsAt >= 0;
    }

    long endsAt() {
        return endsAt;
    }

    @Override
    public Long get() {
        disk.await(this);
        return transferred;
    }

    @Override
    public Long get(long timeout, TimeUnit unit) {
        return get();
    }

    @Override
    public boolean isDone() {
        return disk.hasEnded(this);
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
        return false;
    }

    @Override
    public boolean isCancelled() {
        return false;
    }
}
