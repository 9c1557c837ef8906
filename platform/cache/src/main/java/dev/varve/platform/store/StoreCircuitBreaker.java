package dev.varve.platform.store;

import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Circuit breaker for a store that does not respond: after a failure no request queries the store,
 * and a thread of its own probes it until it responds. Thread-safe.
 */
final class StoreCircuitBreaker implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.store");

    /** Number of late responses in a row that count as a failure. */
    private static final int MOST_LATE = 3;

    /** Maximum number of different reasons that are logged of one outage. */
    private static final int MOST_REASONS = 4;

    private static final long LEAST_WAIT_MILLIS = 250;
    private static final long MOST_WAIT_MILLIS = Duration.ofSeconds(5).toMillis();

    private final String shown;
    private final Probe probe;
    private final ScheduledExecutorService trying =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().name("varve-shared-probe").daemon(true).factory());
    private volatile boolean closed;
    private long wait = LEAST_WAIT_MILLIS;
    private int late;

    /** The logged reasons of the present outage: a store that starts may fail in several ways. */
    private final Set<String> reasons = new HashSet<>();

    /** Checks whether the store responds. */
    interface Probe {
        void run() throws IOException;
    }

    /**
     * Creates a breaker that allows no queries before the first successful probe.
     *
     * @param shown the store's address, for display
     */
    StoreCircuitBreaker(String shown, Probe probe) {
        this.shown = shown;
        this.probe = probe;
    }

    /**
     * Probes the store for the first time.
     *
     * @param limit maximum time to wait for the response, which may still arrive later
     */
    void begin(Duration limit) {
        try {
            trying.submit(this::attempt).get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (TimeoutException e) {
            LOG.log(System.Logger.Level.DEBUG, "{0} did not respond in time", shown);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    /** Whether the store may be queried. */
    boolean isClosed() {
        return closed;
    }

    /** Records a useful response; resets the probe interval and the number of late responses. */
    synchronized void succeeded() {
        wait = LEAST_WAIT_MILLIS;
        late = 0;
    }

    /**
     * Records a response that was too late for its request. A short prompt has a short deadline, so
     * only several late responses in a row count as a failure.
     */
    synchronized void late(String why) {
        late++;
        if (late >= MOST_LATE) {
            failed(why);
        }
    }

    /** Records that the store did not respond, or not in time. */
    synchronized void failed(String why) {
        if (closed || (reasons.size() < MOST_REASONS && !reasons.contains(why))) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "prefixes are not shared through {0} for now: {1}",
                    shown,
                    why);
            reasons.add(why);
        }
        if (closed) {
            closed = false;
            tryLater();
        }
    }

    private synchronized void tryLater() {
        try {
            trying.schedule(this::attempt, wait, TimeUnit.MILLISECONDS);
            wait = Math.min(MOST_WAIT_MILLIS, 2 * wait);
        } catch (RejectedExecutionException e) {
            // The breaker was closed meanwhile.
            closed = false;
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
        if (!reasons.isEmpty()) {
            LOG.log(System.Logger.Level.INFO, "prefixes are shared through {0} again", shown);
        }
        reasons.clear();
        late = 0;
        closed = true;
    }

    @Override
    public synchronized void close() {
        closed = false;
        trying.shutdownNow();
    }
}
