package dev.varve.platform.store;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Keeps requests from waiting for a store that does not answer: once it has failed it is not asked
 * any more, but tried now and then by a thread of its own until it answers. Thread-safe.
 */
final class StoreCircuitBreaker implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.store");

    /** Answers in a row that came too late for who asked. */
    private static final int MOST_LATE = 3;

    private static final long LEAST_WAIT_MILLIS = 250;
    private static final long MOST_WAIT_MILLIS = Duration.ofSeconds(5).toMillis();

    private final String shown;
    private final Probe probe;
    private final ScheduledExecutorService trying =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().name("varve-shared-probe").daemon(true).factory());
    private volatile boolean answers;
    private long wait = LEAST_WAIT_MILLIS;
    private int late;
    private boolean told;

    /** Finds out whether the store answers. */
    interface Probe {
        void run() throws IOException;
    }

    /**
     * A breaker that does not let anybody ask before the store has answered once.
     *
     * @param shown the store's address for people
     */
    StoreCircuitBreaker(String shown, Probe probe) {
        this.shown = shown;
        this.probe = probe;
    }

    /**
     * Tries the store for the first time.
     *
     * @param limit how long its answer is waited for; it may come later
     */
    void begin(Duration limit) {
        try {
            trying.submit(this::attempt).get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException e) {
            LOG.log(System.Logger.Level.DEBUG, "{0} takes its time", shown);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    /** Whether the store may be asked. */
    boolean isClosed() {
        return answers;
    }

    /** The store was of use, so that the next failure is taken for a single one. */
    synchronized void succeeded() {
        wait = LEAST_WAIT_MILLIS;
        late = 0;
    }

    /**
     * The store did not answer as soon as a request needed it. That says little of the store where
     * little was to be computed, unless it goes on.
     */
    synchronized void late(String why) {
        late++;
        if (late >= MOST_LATE) {
            failed(why);
        }
    }

    /** The store did not answer, or not in time. */
    synchronized void failed(String why) {
        if (answers || !told) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "computed prompts are not shared through {0} for a while: {1}",
                    shown,
                    why);
            told = true;
        }
        if (answers) {
            answers = false;
            tryLater();
        }
    }

    private synchronized void tryLater() {
        try {
            trying.schedule(this::attempt, wait, TimeUnit.MILLISECONDS);
            wait = Math.min(MOST_WAIT_MILLIS, 2 * wait);
        } catch (RejectedExecutionException e) {
            // It was closed meanwhile.
            answers = false;
        }
    }

    private void attempt() {
        try {
            probe.run();
            recovered();
        } catch (IOException | RuntimeException e) {
            failed(String.valueOf(e.getMessage()));
            tryLater();
        }
    }

    private synchronized void recovered() {
        if (told) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "computed prompts are shared through {0} again",
                    shown);
        }
        told = false;
        late = 0;
        answers = true;
    }

    @Override
    public synchronized void close() {
        answers = false;
        trying.shutdownNow();
    }
}
