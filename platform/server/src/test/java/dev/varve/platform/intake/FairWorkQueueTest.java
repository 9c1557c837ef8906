package dev.varve.platform.intake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

class FairWorkQueueTest {
    private static final long MILLI = 1_000_000;
    private static final int ONE_TURN = 2;
    private static final int MANY_TURNS = 64;

    private static WorkItem<Void> shortItem(Object owner) {
        return new WorkItem<>(owner, false, () -> null);
    }

    private static WorkItem<Void> longItem(Object owner) {
        return new WorkItem<>(owner, true, () -> null);
    }

    private static WorkItem<Void> added(FairWorkQueue schedule, WorkItem<Void> item) {
        schedule.add(item);
        return item;
    }

    @Test
    void thousandRequestsOfOneOwnerDelayAnotherByOneTurn() {
        FairWorkQueue schedule = new FairWorkQueue(ONE_TURN);
        WorkItem<Void> first = added(schedule, shortItem("busy"));
        for (int i = 0; i < 1000; i++) {
            schedule.add(shortItem("busy"));
        }
        WorkItem<Void> other = added(schedule, shortItem("other"));
        assertSame(first, schedule.next().orElseThrow());

        schedule.end(first, 5 * MILLI);

        assertSame(other, schedule.next().orElseThrow());
    }

    @Test
    void workOfAnOwnerIsFirstInFirstOut() {
        FairWorkQueue schedule = new FairWorkQueue(ONE_TURN);
        List<WorkItem<Void>> items = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            items.add(added(schedule, shortItem("owner")));
        }

        for (WorkItem<Void> item : items) {
            assertSame(item, schedule.next().orElseThrow());
            schedule.end(item, MILLI);
        }

        assertEquals(Optional.empty(), schedule.next());
    }

    @Test
    void suspendedWorkWaitsForOwnersThatUsedLess() {
        FairWorkQueue schedule = new FairWorkQueue(ONE_TURN);
        WorkItem<Void> slow = added(schedule, shortItem("slow"));
        schedule.next();
        WorkItem<Void> quick = added(schedule, shortItem("quick"));

        schedule.suspend(slow, 5 * MILLI);

        assertSame(quick, schedule.next().orElseThrow());
        schedule.end(quick, MILLI);
        assertSame(slow, schedule.next().orElseThrow());
    }

    @Test
    void suspendedWorkContinuesAtOnceInAnEmptyQueue() {
        FairWorkQueue schedule = new FairWorkQueue(ONE_TURN);
        WorkItem<Void> slow = added(schedule, shortItem("slow"));
        schedule.next();

        schedule.suspend(slow, 500 * MILLI);

        assertSame(slow, schedule.next().orElseThrow());
    }

    @Test
    void startedWorkOfAnOwnerPrecedesItsFurtherWork() {
        FairWorkQueue schedule = new FairWorkQueue(ONE_TURN);
        WorkItem<Void> begun = added(schedule, shortItem("owner"));
        schedule.add(shortItem("owner"));
        schedule.next();

        schedule.suspend(begun, 5 * MILLI);

        assertSame(begun, schedule.next().orElseThrow());
    }

    @Test
    void steadyOwnersDoNotStarveAHeavyOne() {
        FairWorkQueue schedule = new FairWorkQueue(ONE_TURN);
        WorkItem<Void> slow = added(schedule, shortItem("slow"));
        schedule.next();
        schedule.add(shortItem(0));
        schedule.suspend(slow, 500 * MILLI);

        // Two owners share the time: the slow one's turn comes once the others had as much.
        int turns = 0;
        for (WorkItem<?> next = schedule.next().orElseThrow();
                next != slow;
                next = schedule.next().orElseThrow()) {
            assertTrue(++turns <= 2000, "the slow owner starves");
            schedule.add(shortItem(turns));
            schedule.end(next, MILLI);
        }

        assertTrue(turns > 0);
    }

    @Test
    void heavyOwnersHaveLimitedConcurrency() {
        FairWorkQueue schedule = new FairWorkQueue(MANY_TURNS);
        for (int i = 0; i < 5; i++) {
            schedule.add(shortItem(i));
        }
        List<WorkItem<?>> running = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            running.add(schedule.next().orElseThrow());
        }

        running.forEach(item -> schedule.suspend(item, 100 * MILLI));

        WorkItem<?> first = schedule.next().orElseThrow();
        WorkItem<?> second = schedule.next().orElseThrow();
        assertEquals(Optional.empty(), schedule.next());
        schedule.end(first, MILLI);
        WorkItem<?> third = schedule.next().orElseThrow();
        assertEquals(Optional.empty(), schedule.next());
        schedule.end(second, MILLI);
        schedule.end(third, MILLI);
        assertTrue(schedule.next().isPresent());
    }

    @Test
    void lightWorkStartsWhileHeavyWorkWaits() {
        FairWorkQueue schedule = new FairWorkQueue(ONE_TURN);
        for (int i = 0; i < 12; i++) {
            schedule.add(shortItem(i));
        }
        for (int i = 0; i < 12; i++) {
            schedule.suspend(schedule.next().orElseThrow(), 100 * MILLI);
        }
        WorkItem<?> running = schedule.next().orElseThrow();

        WorkItem<Void> little = added(schedule, shortItem("little"));
        int turns = 0;
        WorkItem<?> next = running;
        for (; next != little; next = schedule.next().orElseThrow()) {
            assertTrue(++turns <= 13, "it waits behind what is suspended");
            schedule.suspend(next, 5 * MILLI);
        }

        assertSame(little, next);
    }

    @Test
    void oneLongBodyIsActiveAtATimeEvenIfSuspended() {
        FairWorkQueue schedule = new FairWorkQueue(MANY_TURNS);
        WorkItem<Void> first = added(schedule, longItem("first"));
        WorkItem<Void> second = added(schedule, longItem("second"));
        assertSame(first, schedule.next().orElseThrow());
        assertEquals(Optional.empty(), schedule.next());

        schedule.suspend(first, 100 * MILLI);

        assertSame(first, schedule.next().orElseThrow());
        schedule.end(first, MILLI);
        assertSame(second, schedule.next().orElseThrow());
    }

    @Test
    void shortBodiesOfAnOwnerOvertakeItsLongOnes() {
        FairWorkQueue schedule = new FairWorkQueue(MANY_TURNS);
        schedule.add(longItem("other"));
        schedule.next();
        schedule.add(longItem("owner"));
        WorkItem<Void> quick = added(schedule, shortItem("owner"));

        assertSame(quick, schedule.next().orElseThrow());
    }

    @Test
    void suspendedThreadsAreLimited() {
        FairWorkQueue schedule = new FairWorkQueue(ONE_TURN);
        for (int i = 0; i < 1000; i++) {
            schedule.add(shortItem(i));
        }
        int begun = 0;

        for (int i = 0; i < 2000; i++) {
            WorkItem<?> item = schedule.next().orElseThrow();
            begun += item.usedNanos == 0 ? 1 : 0;
            schedule.suspend(item, MILLI);
        }

        assertEquals(64, begun);
    }

    @Test
    void removedWorkNeverStarts() {
        FairWorkQueue schedule = new FairWorkQueue(ONE_TURN);
        WorkItem<Void> running = added(schedule, shortItem("a"));
        schedule.next();
        WorkItem<Void> waiting = added(schedule, shortItem("b"));

        assertTrue(schedule.remove(waiting));

        assertFalse(schedule.remove(running));
        schedule.end(running, MILLI);
        assertEquals(Optional.empty(), schedule.next());
    }

    @Test
    void allWaitingWorkCanBeRemoved() {
        FairWorkQueue schedule = new FairWorkQueue(ONE_TURN);
        WorkItem<Void> running = added(schedule, shortItem("a"));
        schedule.next();
        WorkItem<Void> one = added(schedule, shortItem("a"));
        WorkItem<Void> two = added(schedule, longItem("b"));

        List<WorkItem<?>> removed = schedule.removeAll();

        assertEquals(List.of(one, two), removed);
        schedule.end(running, MILLI);
        assertEquals(Optional.empty(), schedule.next());
    }
}
