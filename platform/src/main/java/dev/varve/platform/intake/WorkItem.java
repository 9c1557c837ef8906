package dev.varve.platform.intake;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Work that either begins or is withdrawn. */
final class WorkItem<T> implements Callable<T> {
    private final Callable<T> work;
    private final CountDownLatch begun = new CountDownLatch(1);
    private final AtomicBoolean settled = new AtomicBoolean();

    WorkItem(Callable<T> work) {
        this.work = work;
    }

    @Override
    public T call() throws Exception {
        if (settled.getAndSet(true)) {
            throw new IllegalStateException("withdrawn work began");
        }
        begun.countDown();
        return work.call();
    }

    /** Whether it begins within the limit. */
    boolean awaitBegin(Duration limit) throws InterruptedException {
        return begun.await(limit.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Whether it will never begin. */
    boolean withdraw() {
        return !settled.getAndSet(true);
    }
}
