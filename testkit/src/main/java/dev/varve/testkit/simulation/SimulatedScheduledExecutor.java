package dev.varve.testkit.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** Runs its tasks at simulated times, on simulated threads. */
public final class SimulatedScheduledExecutor extends ScheduledThreadPoolExecutor {
    private final int threads;
    private final ThreadFactory factory;

    /** Whether it belongs to a class, and so to all runs. */
    private final boolean lasting;

    private final List<Task<?>> pending = new ArrayList<>();
    private ExecutorService pool;
    private Simulation simulation;
    private boolean keepsDelayed = true;
    private boolean down;

    /** Stands for the constructor of the class that it extends. */
    public SimulatedScheduledExecutor(int threads, ThreadFactory factory) {
        super(0);
        this.threads = threads;
        this.factory = factory;
        lasting = Simulation.current().isInitialising();
        begin();
    }

    private void begin() {
        simulation = Simulation.current();
        pool = Executors.newFixedThreadPool(threads, factory);
        pending.clear();
        down = false;
        if (lasting) {
            ExecutorService made = pool;
            simulation.atEnd(made::shutdownNow);
        }
    }

    /** A task that runs at a time, once or periodically. */
    private final class Task<T> extends FutureTask<T> implements RunnableScheduledFuture<T> {
        private final long period;
        private Simulation.Timer timer;

        Task(Callable<T> work, long delay, long period) {
            super(work);
            this.period = period;
            arm(delay);
        }

        private void arm(long delay) {
            pending.add(this);
            timer = simulation.after(delay, this::fire);
        }

        /** Starts a thread: the carrier thread must not wait for the pool's locks. */
        private void fire() {
            simulation.start("due", this::handOver);
        }

        private void handOver() {
            pending.remove(this);
            if (!pool.isShutdown()) {
                pool.execute(this);
            }
            endIfDone();
        }

        @Override
        public void run() {
            if (period == 0) {
                super.run();
            } else if (runAndReset() && !down) {
                arm(period);
            }
        }

        @Override
        public boolean cancel(boolean interrupt) {
            timer.cancel();
            pending.remove(this);
            boolean cancelled = super.cancel(interrupt);
            endIfDone();
            return cancelled;
        }

        @Override
        public boolean isPeriodic() {
            return period != 0;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(timer.at() - simulation.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(
                    getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }

    private <T> Task<T> add(Callable<T> work, long delay, long period) {
        if (lasting && simulation != Simulation.current()) {
            begin();
        }
        if (down) {
            throw new RejectedExecutionException("it is shut down");
        }
        return new Task<>(work, Math.max(0, delay), period);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable work, long delay, TimeUnit unit) {
        return add(Executors.callable(work), unit.toNanos(delay), 0);
    }

    @Override
    public <T> ScheduledFuture<T> schedule(Callable<T> work, long delay, TimeUnit unit) {
        return add(work, unit.toNanos(delay), 0);
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(
            Runnable work, long first, long period, TimeUnit unit) {
        return add(Executors.callable(work), unit.toNanos(first), unit.toNanos(period));
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(
            Runnable work, long first, long period, TimeUnit unit) {
        return scheduleWithFixedDelay(work, first, period, unit);
    }

    @Override
    public void execute(Runnable work) {
        schedule(work, 0, TimeUnit.NANOSECONDS);
    }

    @Override
    public void setExecuteExistingDelayedTasksAfterShutdownPolicy(boolean keeps) {
        keepsDelayed = keeps;
    }

    private void endIfDone() {
        if (down && pending.isEmpty()) {
            pool.shutdown();
        }
    }

    @Override
    public void shutdown() {
        down = true;
        List.copyOf(pending).stream()
                .filter(task -> !keepsDelayed || task.isPeriodic())
                .forEach(task -> task.cancel(false));
        endIfDone();
    }

    @Override
    public List<Runnable> shutdownNow() {
        down = true;
        List<Runnable> left = List.copyOf(pending);
        List.copyOf(pending).forEach(task -> task.cancel(false));
        pool.shutdownNow();
        return left;
    }

    @Override
    public boolean isShutdown() {
        return down;
    }

    @Override
    public boolean isTerminated() {
        return pool.isTerminated();
    }

    @Override
    public boolean awaitTermination(long time, TimeUnit unit) throws InterruptedException {
        return SimulatedCalls.awaitTermination(pool, time, unit);
    }

    @Override
    public void close() {
        shutdown();
        pool.close();
    }
}
