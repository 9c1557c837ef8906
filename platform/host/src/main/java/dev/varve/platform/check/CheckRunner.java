package dev.varve.platform.check;

import dev.varve.api.VarveException;

import java.time.Duration;
import java.util.Iterator;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * Runs the checks of a device one after the other, each in a thread of its own. A check that fails
 * or takes too long does not end the others.
 */
public final class CheckRunner {
    /** How long a check may take, as a multiple of the time after which it is slow. */
    static final int GIVE_UP = 4;

    private final String device;
    private final CheckListener listener;
    private final Duration grace;
    private final LongSupplier nanos;

    /** Whether another check can run. */
    public enum Ending {
        /** All checks have results. */
        COMPLETE,

        /**
         * A check ignored its time limit. It may hold the device for ever, so the remaining checks
         * need another process.
         */
        STUCK,

        /** The thread was interrupted. */
        INTERRUPTED
    }

    /**
     * @param device name for the results
     * @param grace how long a check that was interrupted may take to end
     */
    public CheckRunner(String device, CheckListener listener, Duration grace) {
        this(device, listener, grace, System::nanoTime);
    }

    /**
     * @param nanos clock by which the duration of a check is measured, in nanoseconds
     */
    CheckRunner(String device, CheckListener listener, Duration grace, LongSupplier nanos) {
        this.device = device;
        this.listener = listener;
        this.grace = grace;
        this.nanos = nanos;
    }

    /**
     * Runs checks.
     *
     * @param from number of the first one
     */
    public Ending run(Iterator<Check> checks, int from) {
        for (int index = from; checks.hasNext(); index++) {
            Check check = checks.next();
            listener.onBegin(index, check.group(), check.name());
            Ending ending = run(check);
            if (ending != Ending.COMPLETE) {
                return ending;
            }
            check.details()
                    .get()
                    .forEach(
                            (name, verdict) ->
                                    listener.onResult(
                                            new CheckResult(
                                                    device, check.group(), name, verdict, 0)));
        }
        return Ending.COMPLETE;
    }

    private Ending run(Check check) {
        FutureTask<Verdict> task = new FutureTask<>(check.body());
        Thread thread = Thread.ofPlatform().daemon().name("check").unstarted(task);
        long begin = nanos.getAsLong();
        thread.start();
        try {
            Verdict verdict = await(task, check.limit());
            double seconds = (nanos.getAsLong() - begin) / 1e9;
            report(check, inTime(verdict, check.limit(), seconds), seconds);
            return Ending.COMPLETE;
        } catch (TimeoutException _) {
            return giveUp(check, thread, begin);
        } catch (InterruptedException _) {
            thread.interrupt();
            Thread.currentThread().interrupt();
            return Ending.INTERRUPTED;
        }
    }

    private static Verdict await(FutureTask<Verdict> task, Duration limit)
            throws InterruptedException, TimeoutException {
        try {
            return task.get(GIVE_UP * limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            return Verdict.failed("", describe(e.getCause()));
        }
    }

    private Ending giveUp(Check check, Thread thread, long begin) {
        thread.interrupt();
        boolean ended = false;
        try {
            ended = thread.join(grace);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        report(
                check,
                Verdict.failed(
                        "a result within " + seconds(check.limit()), "none; the check was ended"),
                (nanos.getAsLong() - begin) / 1e9);
        return ended ? Ending.COMPLETE : Ending.STUCK;
    }

    private void report(Check check, Verdict verdict, double seconds) {
        listener.onResult(new CheckResult(device, check.group(), check.name(), verdict, seconds));
    }

    private static Verdict inTime(Verdict verdict, Duration limit, double seconds) {
        return verdict.status() == CheckStatus.OK && seconds > limit.toMillis() / 1e3
                ? Verdict.slow(
                        "a result within " + seconds(limit),
                        String.format(Locale.ROOT, "%.1f s; %s", seconds, verdict.found()))
                : verdict;
    }

    private static String seconds(Duration limit) {
        return String.format(Locale.ROOT, "%.0f s", limit.toMillis() / 1e3);
    }

    /** Describes a failure in one line; exceptions of Varve describe themselves. */
    static String describe(Throwable failure) {
        String message = String.valueOf(failure.getMessage()).strip();
        String line = message.replaceAll("\\s*\\R\\s*", " ");
        return failure instanceof VarveException
                ? line
                : failure.getClass().getSimpleName() + ": " + line;
    }
}
