package dev.varve.platform.preemption;

import java.util.concurrent.Callable;

/**
 * A point in long work where a scheduler may run other work first. Does nothing on threads without
 * a scheduler, such as those of the command line. Any thread may call it.
 */
public final class PreemptionPoint {
    /** Several times the number of frames that a scheduler needs. */
    private static final int SCHEDULER_FRAMES = 256;

    private static final ScopedValue<EngineCore> CURRENT = ScopedValue.newInstance();

    /** Decides at each point whether the work of its thread waits. */
    @FunctionalInterface
    public interface EngineCore {
        /**
         * Returns when the work may continue.
         *
         * @return nanoseconds that it waited
         */
        long reached();
    }

    private PreemptionPoint() {}

    /**
     * Runs work whose preemption points notify a scheduler.
     *
     * @throws Exception the exception of the work
     */
    public static <T> T schedule(EngineCore scheduler, Callable<T> work) throws Exception {
        return ScopedValue.where(CURRENT, scheduler).call(work::call);
    }

    /**
     * Lets other work run first, if the scheduler of this thread requires it. Call it every few
     * hundred microseconds.
     *
     * @return nanoseconds that the work waited, which do not count as its own time
     */
    public static long reach() {
        if (!CURRENT.isBound()) {
            return 0;
        }
        // Recursive work may reach this point with its stack nearly used up. It then fails here, at
        // a defined point, and never while the scheduler changes its state.
        requireStack(SCHEDULER_FRAMES);
        return CURRENT.get().reached();
    }

    private static int requireStack(int frames) {
        return frames == 0 ? 0 : 1 + requireStack(frames - 1);
    }
}
