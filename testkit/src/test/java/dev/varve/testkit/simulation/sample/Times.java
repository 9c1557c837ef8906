package dev.varve.testkit.simulation.sample;

import dev.varve.testkit.simulation.Scenario;
import dev.varve.testkit.simulation.Simulation;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/** Waits of every kind, each an hour long. */
public final class Times implements Scenario {
    private static final long HOUR = Duration.ofHours(1).toNanos();
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private final LongSupplier clock = System::nanoTime;

    /** Something that takes an hour. */
    private interface Wait {
        void run() throws Exception;
    }

    @Override
    public void run(Simulation simulation) throws Exception {
        ReentrantLock lock = new ReentrantLock();
        takesAnHour(() -> Thread.sleep(Duration.ofHours(1)));
        takesAnHour(() -> LockSupport.parkNanos(HOUR));
        takesAnHour(
                () -> {
                    lock.lock();
                    lock.newCondition().awaitNanos(HOUR);
                    lock.unlock();
                });
        takesAnHour(this::waitForNothing);
        takesAnHour(
                () -> {
                    try {
                        new CompletableFuture<Void>().get(1, TimeUnit.HOURS);
                        throw new AssertionError("it is done");
                    } catch (TimeoutException e) {
                        // As it should be.
                    }
                });
        takesAnHour(this::schedule);
    }

    private synchronized void waitForNothing() throws InterruptedException {
        wait(Duration.ofHours(1).toMillis());
    }

    private void schedule() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        try (ScheduledExecutorService times = Executors.newSingleThreadScheduledExecutor()) {
            times.scheduleWithFixedDelay(runs::incrementAndGet, 7, 7, TimeUnit.MINUTES);
            times.schedule(() -> {}, 1, TimeUnit.HOURS).get();
        }
        if (runs.get() != 8) {
            throw new AssertionError("expected 8 runs, found " + runs);
        }
    }

    private void takesAnHour(Wait wait) throws Exception {
        long begin = clock.getAsLong();
        wait.run();
        long took = clock.getAsLong() - begin;
        if (took < HOUR || took > HOUR + MINUTE) {
            throw new AssertionError("expected an hour, found " + Duration.ofNanos(took));
        }
    }
}
