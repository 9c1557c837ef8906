package dev.varve.testkit.simulation;

import java.util.concurrent.locks.LockSupport;

/**
 * A thread that waits for the simulation itself. Permits from other threads and interrupts are
 * deferred until then: code that is simulated must find them as if it had never waited here.
 */
final class Parking {
    private final Thread thread;
    private boolean ended;

    Parking(Thread thread) {
        this.thread = thread;
    }

    /** Waits for {@link #end}. */
    void park() {
        boolean interrupted = false;
        int wakes = 0;
        while (!ended) {
            LockSupport.park(this);
            wakes += ended ? 0 : 1;
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            thread.interrupt();
        }
        if (wakes > 0) {
            LockSupport.unpark(thread);
        }
    }

    void end() {
        ended = true;
        LockSupport.unpark(thread);
    }
}
