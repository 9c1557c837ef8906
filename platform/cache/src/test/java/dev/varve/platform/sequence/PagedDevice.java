package dev.varve.platform.sequence;

import dev.varve.platform.shard.HostPageFree;
import dev.varve.platform.shard.KvRowOperation;
import dev.varve.platform.shard.KvSlotCopy;
import dev.varve.platform.shard.PageMove;
import dev.varve.platform.shard.Pages;
import dev.varve.platform.shard.RowRun;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The slots of a device and its host memory, with a number in place of each row. A slot is empty
 * after its page has left it. A change that a shard could not handle is an error.
 */
final class PagedDevice {
    /** Nothing that anybody wrote. */
    static final long NOTHING = Long.MIN_VALUE;

    private final long[] slots;
    private final Map<Long, long[]> host = new HashMap<>();
    private final Set<Long> dropped = new HashSet<>();

    PagedDevice(int count) {
        slots = new long[count];
        Arrays.fill(slots, NOTHING);
    }

    void make(KvRowOperation move) {
        switch (move) {
            case KvSlotCopy(int from, int to, int count) ->
                    System.arraycopy(slots, from, slots, to, count);
            case PageMove(long page, int slot, PageMove.Direction direction) -> {
                if (direction == PageMove.Direction.OUT) {
                    moveOut(page, slot);
                } else {
                    System.arraycopy(require(page), 0, slots, slot, Pages.TOKENS);
                }
            }
            case HostPageFree(long page) -> {
                if (!dropped.add(page)) {
                    throw new AssertionError("page " + page + " is dropped twice");
                }
                host.remove(page);
            }
        }
    }

    void make(List<? extends KvRowOperation> moves) {
        moves.forEach(this::make);
    }

    private void moveOut(long page, int slot) {
        if (dropped.contains(page)) {
            throw new AssertionError("page " + page + " was dropped, and its name is used again");
        }
        long[] rows = Arrays.copyOfRange(slots, slot, slot + Pages.TOKENS);
        if (host.put(page, rows) != null) {
            throw new AssertionError("page " + page + " goes out twice");
        }
        Arrays.fill(slots, slot, slot + Pages.TOKENS, NOTHING);
    }

    private long[] require(long page) {
        long[] rows = host.get(page);
        if (rows == null) {
            throw new AssertionError("page " + page + " is not in host memory");
        }
        return rows;
    }

    void write(int slot, long row) {
        slots[slot] = row;
    }

    long read(int slot) {
        return slots[slot];
    }

    /** Reads the rows of some positions from the slots and host pages that the runs name. */
    long[] read(List<RowRun> runs) {
        long[] rows = new long[runs.stream().mapToInt(RowRun::count).sum()];
        int at = 0;
        for (RowRun run : runs) {
            if (run.page() == 0) {
                System.arraycopy(slots, run.slot(), rows, at, run.count());
            } else {
                System.arraycopy(
                        require(run.page()), run.position() % Pages.TOKENS, rows, at, run.count());
            }
            at += run.count();
        }
        return rows;
    }

    /**
     * Writes rows into the slots and host pages that the runs name, as a load from elsewhere does.
     */
    void adopt(List<RowRun> runs, long[] rows) {
        int at = 0;
        for (RowRun run : runs) {
            if (run.page() == 0) {
                System.arraycopy(rows, at, slots, run.slot(), run.count());
            } else {
                long[] page = host.computeIfAbsent(run.page(), name -> new long[Pages.TOKENS]);
                System.arraycopy(rows, at, page, run.position() % Pages.TOKENS, run.count());
            }
            at += run.count();
        }
    }

    /** Clears the slots. Host memory keeps its pages, as in a shard that continues. */
    void loseSlots() {
        Arrays.fill(slots, NOTHING);
    }

    /** Names of the pages in host memory. */
    Set<Long> hostPages() {
        return Set.copyOf(host.keySet());
    }

    /** Names of pages that were dropped. */
    Set<Long> dropped() {
        return Set.copyOf(dropped);
    }
}
