package dev.varve.platform.failure;

import dev.varve.platform.shard.ShardLostException;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Runs optional work of an engine (prefix cache, drafts, choice of pages, events). A failure counts
 * as a miss for its sequence, is counted and logged, and never fails a step. Counts failed steps as
 * well. For the engine's thread only.
 */
public final class FailureCounter {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");

    /** Number of failures within {@link #WINDOW} from which on an engine is degraded. */
    private static final int DEGRADED_FAILURES = 3;

    private static final Duration WINDOW = Duration.ofMinutes(10);

    /** Minimum time between two logged stack traces. */
    private static final Duration TRACE = Duration.ofMinutes(1);

    private final LongSupplier nanoTime;
    private final Deque<Failure> recent = new ArrayDeque<>();
    private long optional;
    private long steps;
    private Optional<Long> tracedAt = Optional.empty();

    /** A recent failure and its time. */
    private record Failure(long nanos, String reason) {}

    /**
     * @param nanoTime as {@link System#nanoTime}
     */
    public FailureCounter(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /**
     * Counts of failures so far.
     *
     * @param optional optional work that failed, each a miss for one sequence
     * @param steps steps that failed
     * @param reason why the engine is degraded: the number of recent failures and the latest one;
     *     empty if there were few
     */
    public record Report(long optional, long steps, Optional<String> reason) {
        /** No failures. */
        public static final Report NONE = new Report(0, 0, Optional.empty());

        /** Returns the sum of two engines' failures, with the first reason present. */
        public Report plus(Report other) {
            return new Report(
                    optional + other.optional, steps + other.steps, reason.or(() -> other.reason));
        }
    }

    /**
     * Runs optional work.
     *
     * @param what description of a failure for the log, such as "the prefix cache could not look up
     *     a prefix"
     * @param instead result if the work fails
     * @throws ShardLostException if a shard is lost, which is no failure of this work
     */
    public <T> T guard(String what, Supplier<T> work, T instead) {
        try {
            return work.get();
        } catch (ShardLostException e) {
            throw e;
        } catch (RuntimeException | StackOverflowError e) {
            count(what, e);
            return instead;
        }
    }

    /** Runs optional work without a result; returns whether it succeeded. */
    public boolean guard(String what, Runnable work) {
        return guard(
                what,
                () -> {
                    work.run();
                    return true;
                },
                false);
    }

    /** Counts a failure of optional work. */
    public void count(String what, Throwable failure) {
        optional++;
        record(what, failure);
        if (tracedAt.filter(at -> nanoTime.getAsLong() - at < TRACE.toNanos()).isPresent()) {
            LOG.log(System.Logger.Level.WARNING, "{0}: {1}", what, failure.toString());
        } else {
            tracedAt = Optional.of(nanoTime.getAsLong());
            LOG.log(System.Logger.Level.WARNING, what, failure);
        }
    }

    /** Counts a step that failed. */
    public void countStep(Throwable failure) {
        steps++;
        record("a step failed", failure);
    }

    private void record(String what, Throwable failure) {
        recent.addLast(new Failure(nanoTime.getAsLong(), what + ": " + failure));
        if (recent.size() > DEGRADED_FAILURES) {
            recent.removeFirst();
        }
    }

    /** Counts of failures so far. */
    public Report report() {
        boolean degraded =
                recent.size() == DEGRADED_FAILURES
                        && nanoTime.getAsLong() - recent.getFirst().nanos() < WINDOW.toNanos();
        return new Report(
                optional,
                steps,
                degraded
                        ? Optional.of(
                                DEGRADED_FAILURES
                                        + " or more failures within "
                                        + WINDOW.toMinutes()
                                        + " minutes; the latest: "
                                        + recent.getLast().reason())
                        : Optional.empty());
    }
}
