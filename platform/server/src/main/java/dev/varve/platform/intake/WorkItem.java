package dev.varve.platform.intake;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;

/** Work for a body, with its state in a {@link FairWorkQueue}, which alone changes the counters. */
final class WorkItem<T> {
    private final Object owner;
    private final boolean isLong;
    private final Callable<T> work;
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private final Semaphore turn = new Semaphore(0);

    /** Number in the order of arrival. */
    long number;

    /** Sum of its turns. */
    long usedNanos;

    boolean hasBegun;

    /** Whether it has used so much time that few such items may be in progress. */
    boolean isHeavy;

    private volatile long turnBegin;
    private boolean isStarted;

    /**
     * @param owner owner of the work; equal for all work that shares turns
     * @param isLong whether it is of the kind of which only one is in progress at a time
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

    /** Returns the result, which completes once the turn has ended. */
    CompletableFuture<T> result() {
        return result;
    }

    /**
     * Gives a turn, and wakes its thread if that waits in {@link #awaitTurn}.
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

    /** Returns when its turn began. */
    long turnBegin() {
        return turnBegin;
    }

    /** Waits for a turn. Not interruptible: the work is half done. */
    void awaitTurn() {
        turn.acquireUninterruptibly();
    }
}
