package dev.varve.platform.remote;

import dev.varve.platform.shard.LoadProgressListener;

/** Forwards progress reports at intervals; weights may have thousands of tensors. */
final class ThrottledProgress implements LoadProgressListener {
    private static final long PERIOD_NANOS = 50_000_000;

    private final LoadProgressListener target;
    private long next = System.nanoTime();

    ThrottledProgress(LoadProgressListener target) {
        this.target = target;
    }

    @Override
    public synchronized void loaded(long done, long total) {
        long now = System.nanoTime();
        if (now - next >= 0 || done == total) {
            next = now + PERIOD_NANOS;
            target.loaded(done, total);
        }
    }
}
