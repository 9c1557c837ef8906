package dev.varve.platform.prefix;

import dev.varve.api.ggml.HostMemory;
import dev.varve.platform.setting.ByteCount;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/**
 * Off-heap memory in cells of one size, which prevents fragmentation: released cells fit every
 * other allocation. The pool grows in slabs up to its limit. Not thread-safe; another thread than
 * the allocating one may use the bytes of a {@link HostAllocation}.
 */
final class HostMemoryPool implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.prefix");
    static final int CELL_BYTES = 8 << 10;

    /** Small, because the system clears the pages of a new slab while the engine waits. */
    private static final int SLAB_CELLS = 64;

    static final int SLAB_BYTES = SLAB_CELLS * CELL_BYTES;

    private int mostCells;

    /** Replaced, not modified: other threads read it. */
    private volatile HostMemory[] slabs = new HostMemory[0];

    /** Free cells; only the first {@link #freeCount} entries are valid. */
    private int[] free = new int[SLAB_CELLS];

    private int freeCount;
    private int allocatedCells;

    /**
     * @param bytes maximum size
     */
    HostMemoryPool(long bytes) {
        mostCells = (int) Math.min(bytes / CELL_BYTES, Integer.MAX_VALUE / 2);
    }

    /** Bytes that an allocation of {@code bytes} bytes occupies. */
    static long rounded(long bytes) {
        return (bytes + CELL_BYTES - 1) / CELL_BYTES * CELL_BYTES;
    }

    /** Maximum bytes, with all cells full. */
    long limit() {
        return (long) mostCells * CELL_BYTES;
    }

    /** Bytes of the cells in use. */
    long used() {
        return (long) (allocatedCells - freeCount) * CELL_BYTES;
    }

    /**
     * Allocates a number of bytes; empty if they are not free. Their content is undefined: new
     * memory is not cleared, nor is that of released cells.
     */
    Optional<HostAllocation> allocate(long bytes) {
        long count = rounded(bytes) / CELL_BYTES;
        if (count > mostCells - allocatedCells + freeCount) {
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
     * Allocates at most one slab ahead of an allocation, because the system call takes time.
     *
     * @return whether enough cells are free now, or the pool cannot grow further
     */
    boolean prepare(long bytes) {
        long wanted = Math.min(rounded(bytes) / CELL_BYTES, mostCells - allocatedCells + freeCount);
        return freeCount >= wanted || !grow() || freeCount >= wanted;
    }

    /** Adds a slab; if the system has no more memory, the current size becomes the limit. */
    private boolean grow() {
        int cells = Math.min(SLAB_CELLS, mostCells - allocatedCells);
        HostMemory[] more = Arrays.copyOf(slabs, slabs.length + 1);
        try {
            more[slabs.length] = HostMemory.allocate(cells * CELL_BYTES);
        } catch (OutOfMemoryError e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the system has no more memory for the prefix cache: {0} are used",
                    ByteCount.format((long) allocatedCells * CELL_BYTES));
            mostCells = allocatedCells;
            return false;
        }
        slabs = more;
        if (free.length < allocatedCells + cells) {
            free = Arrays.copyOf(free, Math.max(allocatedCells + cells, 2 * free.length));
        }
        // The lowest cell is taken first.
        for (int cell = allocatedCells + cells - 1; cell >= allocatedCells; cell--) {
            free[freeCount++] = cell;
        }
        allocatedCells += cells;
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

    /** Returns all memory to the system if none of it is in use. */
    void shrink() {
        if (used() == 0) {
            close();
            slabs = new HostMemory[0];
            allocatedCells = 0;
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
