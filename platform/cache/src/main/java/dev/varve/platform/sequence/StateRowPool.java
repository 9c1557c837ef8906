package dev.varve.platform.sequence;

import dev.varve.platform.shard.SequenceChunk;

import java.util.BitSet;
import java.util.OptionalInt;

/**
 * Which recurrent state rows are free, and how many sequences hold each of the others: forks share
 * the row of the state that they begin with until each writes one of its own. Current states come
 * from the low end and checkpoints from the high end, so that the states of running sequences tend
 * to be neighbours, which one operator can take together.
 */
final class StateRowPool {
    private final BitSet free = new BitSet();

    /** Holders of each row. */
    private final int[] holders;

    StateRowPool(int rows) {
        holders = new int[rows];
        free.set(SequenceChunk.ZERO_ROW + 1, rows);
    }

    OptionalInt takeLow() {
        return take(free.nextSetBit(0));
    }

    OptionalInt takeHigh() {
        return take(free.length() - 1);
    }

    private OptionalInt take(int row) {
        if (row < 0) {
            return OptionalInt.empty();
        }
        free.clear(row);
        holders[row] = 1;
        return OptionalInt.of(row);
    }

    /** How many rows nobody holds. */
    int free() {
        return free.cardinality();
    }

    boolean hasFree() {
        return !free.isEmpty();
    }

    /** One more sequence holds a row; the zero row is nobody's. */
    void share(int row) {
        if (row != SequenceChunk.ZERO_ROW) {
            requireHeld(row);
            holders[row]++;
        }
    }

    /** Whether other sequences hold the row as well. */
    boolean isShared(int row) {
        return holders[row] > 1;
    }

    /**
     * A sequence gives a row back, which is free when the last one did; the zero row is ignored.
     */
    void release(int row) {
        if (row != SequenceChunk.ZERO_ROW) {
            requireHeld(row);
            if (--holders[row] == 0) {
                free.set(row);
            }
        }
    }

    private void requireHeld(int row) {
        if (holders[row] == 0) {
            throw new IllegalStateException("state row " + row + " is free already");
        }
    }
}
