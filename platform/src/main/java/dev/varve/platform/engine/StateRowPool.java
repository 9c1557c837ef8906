package dev.varve.platform.engine;

import dev.varve.platform.shard.Slice;

import java.util.BitSet;
import java.util.OptionalInt;

/**
 * Which recurrent state rows are free. Current states come from the low end and checkpoints from
 * the high end, so that the states of running sequences tend to be neighbours, which one operator
 * can take together.
 */
final class StateRowPool {
    private final BitSet free = new BitSet();

    StateRowPool(int rows) {
        free.set(Slice.ZERO_ROW + 1, rows);
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
        return OptionalInt.of(row);
    }

    /** Gives a row back; the zero row is nobody's and ignored. */
    void release(int row) {
        if (row != Slice.ZERO_ROW) {
            if (free.get(row)) {
                throw new IllegalStateException("state row " + row + " is free already");
            }
            free.set(row);
        }
    }

    int freeRows() {
        return free.cardinality();
    }
}
