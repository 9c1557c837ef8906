package dev.varve.platform.intake;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;

/**
 * Work that a body causes, with its place in a {@link FairWorkQueue}, which alone changes the
 * counters.
 */
final class WorkItem<T> {
    private final Object owner;
    private final boolean isLong;
    private final Callable<T> work;
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final Semaphore turn = new Semaphore(0);

    /** Place in the order in which work came. */
    long number;

    /** Time in which it had a turn. */
    long usedNanos;

    boolean hasBegun;

    /** Whether it has used so much that few like it may be under way. */
    boolean isHeavy;

    private volatile long turnBegin;
    private boolean isStarted;

    /**
     * @param owner whose work it is; equal for all work that shares turns
     * @param isLong whether it is of the kind of which one is under way at a time
     */
    WorkItem(Object owner, boolean isLong, Callable<T> work) {
        this.owner = owner;
        this.isLong = isLong;
        this.work = work;
    }

    Object owner() {
        return owner;
    }

    boolean isLong() {
        return isLong;
    }

    Callable<T> work() {
        return work;
    }

    /** Completed once the turn is given back. */
    CompletableFuture<T> result() {
        return result;
    }

    /**
     * Lets its thread run, which may wait in {@link #awaitTurn}.
     *
     * @return whether it needs a thread, since this is the first turn
     */
    boolean giveTurn(long now) {
        turnBegin = now;
        if (isStarted) {
            turn.release();
            return false;
        }
        isStarted = true;
        return true;
    }

    /** When its turn began. */
    long turnBegin() {
        return turnBegin;
    }

    /** Waits for a turn. Not to be interrupted: the work is half done. */
    void awaitTurn() {
        turn.acquireUninterruptibly();
    }
}
