package dev.varve.platform.prefix;

import dev.varve.api.ggml.HostMemory;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/**
 * Memory outside of the heap in cells of one size, so that it never gets fragmented: what was
 * released can be taken again for anything else. It grows in slabs up to its limit. Not
 * thread-safe; the bytes of a {@link HostAllocation} may be used by another thread than the one
 * that took them.
 */
final class HostMemoryPool implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.prefix");
    static final int CELL_BYTES = 8 << 10;

    /** Few, since a new slab is filled with zeros while others wait: 1.5 ms on a slow machine. */
    private static final int SLAB_CELLS = 64;

    static final int SLAB_BYTES = SLAB_CELLS * CELL_BYTES;

    private int mostCells;

    /** Replaced, not changed: other threads read it. */
    private volatile HostMemory[] slabs = new HostMemory[0];

    /** Cells that are free; the first {@link #freeCount} count. */
    private int[] free = new int[SLAB_CELLS];

    private int freeCount;
    private int made;

    /**
     * @param bytes most that it may hold
     */
    HostMemoryPool(long bytes) {
        mostCells = (int) Math.min(bytes / CELL_BYTES, Integer.MAX_VALUE / 2);
    }

    /** Bytes that {@code bytes} bytes take here. */
    static long rounded(long bytes) {
        return (bytes + CELL_BYTES - 1) / CELL_BYTES * CELL_BYTES;
    }

    /** Most bytes that it may hold, all cells full. */
    long limit() {
        return (long) mostCells * CELL_BYTES;
    }

    /** Bytes of the cells that are taken. */
    long used() {
        return (long) (made - freeCount) * CELL_BYTES;
    }

    /** Room for a number of bytes; empty if that is not free. */
    Optional<HostAllocation> take(long bytes) {
        long count = rounded(bytes) / CELL_BYTES;
        if (count > mostCells - made + freeCount) {
            return Optional.empty();
        }
        while (freeCount < count) {
            if (!grow()) {
                return Optional.empty();
            }
        }
        freeCount -= (int) count;
        return Optional.of(
                new HostAllocation(
                        this, bytes, Arrays.copyOfRange(free, freeCount, freeCount + (int) count)));
    }

    /**
     * Takes a little of what some bytes will need from the system, which takes time.
     *
     * @return whether that was all, or there is no more
     */
    boolean prepare(long bytes) {
        long wanted = Math.min(rounded(bytes) / CELL_BYTES, mostCells - made + freeCount);
        return freeCount >= wanted || !grow() || freeCount >= wanted;
    }

    /** Another slab; without one the limit is what there is. */
    private boolean grow() {
        int cells = Math.min(SLAB_CELLS, mostCells - made);
        HostMemory[] more = Arrays.copyOf(slabs, slabs.length + 1);
        try {
            more[slabs.length] = HostMemory.allocate(cells * CELL_BYTES);
        } catch (OutOfMemoryError e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the system has no more memory for computed prompts: {0} MiB are used",
                    (long) made * CELL_BYTES >> 20);
            mostCells = made;
            return false;
        }
        slabs = more;
        if (free.length < made + cells) {
            free = Arrays.copyOf(free, Math.max(made + cells, 2 * free.length));
        }
        // The lowest one first.
        for (int cell = made + cells - 1; cell >= made; cell--) {
            free[freeCount++] = cell;
        }
        made += cells;
        return true;
    }

    void release(int[] cells) {
        for (int cell : cells) {
            free[freeCount++] = cell;
        }
    }

    /** The bytes of a cell. */
    ByteBuffer cell(int number) {
        return slabs[number / SLAB_CELLS]
                .bytes()
                .slice(number % SLAB_CELLS * CELL_BYTES, CELL_BYTES);
    }

    /** Gives all memory back to the system if nothing of it is taken. */
    void shrink() {
        if (used() == 0) {
            close();
            slabs = new HostMemory[0];
            made = 0;
            freeCount = 0;
        }
    }

    @Override
    public void close() {
        for (HostMemory slab : slabs) {
            slab.close();
        }
    }
}
