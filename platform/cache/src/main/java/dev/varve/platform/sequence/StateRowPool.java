package dev.varve.platform.sequence;

import dev.varve.platform.shard.SequenceChunk;

import java.util.BitSet;
import java.util.OptionalInt;

/**
 * Free recurrent state rows, and the number of holders of each other row: forks share the row of
 * their common state until each writes its own. Current states come from the low end and
 * checkpoints from the high end, so that the states of running sequences tend to be adjacent and
 * one operator can process them together.
 */
final class StateRowPool {
    private final BitSet free = new BitSet();

    /** Number of holders of each row. */
    private final int[] holders;

    StateRowPool(int rows) {
        holders = new int[rows];
        free.set(SequenceChunk.ZERO_ROW + 1, rows);
    }

    OptionalInt allocateLow() {
        return allocate(free.nextSetBit(0));
    }

    OptionalInt allocateHigh() {
        return allocate(free.length() - 1);
    }

    private OptionalInt allocate(int row) {
        if (row < 0) {
            return OptionalInt.empty();
        }
        free.clear(row);
        holders[row] = 1;
        return OptionalInt.of(row);
    }

    /** Number of rows without a holder. */
    int free() {
        return free.cardinality();
    }

    boolean hasFree() {
        return !free.isEmpty();
    }

    /** Adds a holder of a row; the zero row has no holders. */
    void share(int row) {
        if (row != SequenceChunk.ZERO_ROW) {
            requireAllocated(row);
            holders[row]++;
        }
    }

    /** Whether the row has more than one holder. */
    boolean isShared(int row) {
        return holders[row] > 1;
    }

    /** Removes a holder of a row, which is free after the last one; the zero row is ignored. */
    void release(int row) {
        if (row != SequenceChunk.ZERO_ROW) {
            requireAllocated(row);
            if (--holders[row] == 0) {
                free.set(row);
            }
        }
    }

    private void requireAllocated(int row) {
        if (holders[row] == 0) {
            throw new IllegalStateException("state row " + row + " is free already");
        }
    }
}
