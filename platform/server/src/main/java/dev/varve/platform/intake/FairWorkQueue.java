package dev.varve.platform.intake;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Order in which work runs: the owner that recently used the least time goes first (weighted fair
 * queueing with equal weights). So a thousand requests of one owner, or a slow one, delay another
 * owner's requests by no more than a turn. The work of one owner runs in its order of arrival. Does
 * not use threads. Not thread-safe.
 *
 * <p>Work that has begun can be suspended and keeps its thread and memory meanwhile. So at most
 * {@value #MOST_BEGUN} items are in progress. Of items that used {@value #HEAVY_MILLIS} ms or more,
 * which may hold tens of MiB, at most {@value #MOST_HEAVY} are in progress, and of long bodies one.
 */
final class FairWorkQueue {
    /** Limit for threads of suspended work. */
    private static final int MOST_BEGUN = 64;

    private static final int MOST_HEAVY = 2;
    private static final int HEAVY_MILLIS = 50;
    private static final long HEAVY_NANOS = HEAVY_MILLIS * 1_000_000L;
    private static final int CORES_PER_THREAD = 4;

    private static final Comparator<Owner> LEAST_USED =
            Comparator.<Owner>comparingLong(owner -> owner.usedNanos)
                    .thenComparingLong(owner -> owner.number);

    private final int turns;
    private final int shortTurns;
    private final Map<Object, Owner> owners = new HashMap<>();

    /** Owners with work that has not begun. */
    private final TreeSet<Owner> waiting = new TreeSet<>(LEAST_USED);

    private final List<WorkItem<?>> suspended = new ArrayList<>();
    private int running;
    private int runningLong;
    private int begun;
    private int begunLong;
    private int heavy;
    private long numbers;

    /** Usage of an owner that always had work; new owners start with it. */
    private long virtualTime;

    /** Owner of the work: a key or a connection. */
    private static final class Owner {
        private final Object key;
        private final long number;
        private final Deque<WorkItem<?>> shortWork = new ArrayDeque<>();
        private final Deque<WorkItem<?>> longWork = new ArrayDeque<>();
        private long usedNanos;
        private int begun;

        private Owner(Object key, long number, long usedNanos) {
            this.key = key;
            this.number = number;
            this.usedNanos = usedNanos;
        }

        private Deque<WorkItem<?>> work(WorkItem<?> item) {
            return item.isLong() ? longWork : shortWork;
        }

        private boolean waits() {
            return !shortWork.isEmpty() || !longWork.isEmpty();
        }
    }

    /**
     * Creates a queue; {@code cores} is the number of cores of the machine, of which at least one
     * is left to the engine.
     */
    FairWorkQueue(int cores) {
        turns = Math.max(1, cores - 1);
        shortTurns = Math.max(1, cores / CORES_PER_THREAD);
    }

    /** Adds work behind all work of its owner. */
    void add(WorkItem<?> item) {
        item.number = numbers++;
        Owner owner =
                owners.computeIfAbsent(
                        item.owner(), key -> new Owner(key, item.number, virtualTime));
        owner.work(item).add(item);
        waiting.add(owner);
    }

    /** Removes work that has not begun; returns whether it was removed. */
    boolean remove(WorkItem<?> item) {
        Owner owner = owners.get(item.owner());
        boolean removed = owner != null && owner.work(item).remove(item);
        if (removed) {
            settle(owner);
        }
        return removed;
    }

    /** Removes and returns all work that has not begun. */
    List<WorkItem<?>> removeAll() {
        List<WorkItem<?>> all = new ArrayList<>();
        for (Owner owner : List.copyOf(waiting)) {
            all.addAll(owner.shortWork);
            all.addAll(owner.longWork);
            owner.shortWork.clear();
            owner.longWork.clear();
            settle(owner);
        }
        return all;
    }

    /** Starts and returns the next work; empty if there is none, or no turn is free. */
    Optional<WorkItem<?>> next() {
        if (running >= turns) {
            return Optional.empty();
        }
        Optional<WorkItem<?>> next = best();
        next.ifPresent(this::begin);
        return next;
    }

    /** Ends the turn of work that continues later, and counts its time. */
    void suspend(WorkItem<?> item, long nanos) {
        returnTurn(item, nanos);
        suspended.add(item);
    }

    /** Ends the turn of finished work, and counts its time. */
    void end(WorkItem<?> item, long nanos) {
        returnTurn(item, nanos);
        begun--;
        begunLong -= item.isLong() ? 1 : 0;
        heavy -= item.isHeavy ? 1 : 0;
        Owner owner = owners.get(item.owner());
        owner.begun--;
        settle(owner);
    }

    private Optional<WorkItem<?>> best() {
        Optional<WorkItem<?>> going =
                suspended.stream()
                        .filter(this::mayResume)
                        .min(
                                Comparator.<WorkItem<?>>comparingLong(
                                                item -> owners.get(item.owner()).usedNanos)
                                        .thenComparingLong(item -> item.number));
        Optional<WorkItem<?>> fresh = begun < MOST_BEGUN ? fresh() : Optional.empty();
        if (going.isEmpty() || fresh.isEmpty()) {
            return going.or(() -> fresh);
        }
        Owner first = owners.get(going.get().owner());
        Owner other = owners.get(fresh.get().owner());
        // Of the same owner, work that has begun comes first, to limit the work in progress.
        return first == other || first.usedNanos < other.usedNanos ? going : fresh;
    }

    private Optional<WorkItem<?>> fresh() {
        for (Owner owner : waiting) {
            WorkItem<?> shortItem = hasShortTurn() ? owner.shortWork.peek() : null;
            WorkItem<?> longItem =
                    runningLong == 0 && begunLong == 0 ? owner.longWork.peek() : null;
            if (shortItem != null || longItem != null) {
                boolean takesShort =
                        longItem == null || shortItem != null && shortItem.number < longItem.number;
                return Optional.of(takesShort ? shortItem : longItem);
            }
        }
        return Optional.empty();
    }

    private boolean hasShortTurn() {
        return running - runningLong < shortTurns;
    }

    private boolean mayResume(WorkItem<?> item) {
        if (item.isLong()) {
            return runningLong == 0;
        }
        return hasShortTurn() && (heavy < MOST_HEAVY || !needsPlace(item));
    }

    private static boolean needsPlace(WorkItem<?> item) {
        return !item.isLong() && !item.isHeavy && item.usedNanos >= HEAVY_NANOS;
    }

    private void begin(WorkItem<?> item) {
        Owner owner = owners.get(item.owner());
        running++;
        runningLong += item.isLong() ? 1 : 0;
        if (item.hasBegun) {
            suspended.remove(item);
            if (needsPlace(item)) {
                item.isHeavy = true;
                heavy++;
            }
            return;
        }
        item.hasBegun = true;
        owner.work(item).remove();
        owner.begun++;
        begun++;
        begunLong += item.isLong() ? 1 : 0;
        settle(owner);
    }

    private void returnTurn(WorkItem<?> item, long nanos) {
        running--;
        runningLong -= item.isLong() ? 1 : 0;
        item.usedNanos += nanos;
        virtualTime += nanos / owners.size();
        Owner owner = owners.get(item.owner());
        // The order of the set must not change while the owner is in it.
        waiting.remove(owner);
        owner.usedNanos += nanos;
        settle(owner);
    }

    /** Removes an owner without work: its former usage does not count for ever. */
    private void settle(Owner owner) {
        if (owner.waits()) {
            waiting.add(owner);
        } else {
            waiting.remove(owner);
            if (owner.begun == 0) {
                owners.remove(owner.key);
            }
        }
    }
}
