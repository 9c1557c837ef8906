package dev.varve.platform.sequence;

import dev.varve.platform.sequence.SequenceCache.Checkpoint;
import dev.varve.platform.shard.SequenceChunk;

import java.util.List;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * Allocates the state rows of sequences: a current one for each, and one for a checkpoint. If rows
 * are short, it evicts until one is free.
 */
final class StateRowAllocator {
    private final StateRowPool rows;
    private final BooleanSupplier evict;

    /**
     * @param count number of rows, including the zero row
     * @param evict frees rows by an export or an eviction; returns whether there was a holder to
     *     free
     */
    StateRowAllocator(int count, BooleanSupplier evict) {
        rows = new StateRowPool(count);
        this.evict = evict;
    }

    boolean hasFree() {
        return rows.hasFree();
    }

    /** Keeps a row unchanged until its release, even if its sequence is dropped. */
    void retain(int row) {
        rows.share(row);
    }

    void release(int row) {
        rows.release(row);
    }

    /** Whether a sequence holds a row that no other one holds. */
    boolean holdsAlone(SequenceCache sequence) {
        return IntStream.of(sequence.stateRow(), sequence.checkpoint().row())
                .anyMatch(row -> row != SequenceChunk.ZERO_ROW && !rows.isShared(row));
    }

    /** Adds a holder of a sequence's rows, each of which counts once. */
    void share(SequenceCache sequence) {
        rows.share(sequence.stateRow());
        if (sequence.checkpoint().row() != sequence.stateRow()) {
            rows.share(sequence.checkpoint().row());
        }
    }

    /** Releases the rows of a sequence that its successor has not taken over. */
    void releaseOthers(SequenceCache from, SequenceCache to) {
        IntStream.of(from.stateRow(), from.checkpoint().row())
                .distinct()
                .filter(row -> row != to.stateRow() && row != to.checkpoint().row())
                .forEach(rows::release);
    }

    /**
     * Evicts until each sequence of a batch can get a row. Must run before any row is taken: a
     * sequence that shares its row with a resident needs no new row after the eviction of that
     * resident, and would hold three rows if it had taken one before.
     */
    void evictFor(List<ScheduledTokens> advances) {
        for (ScheduledTokens advance : advances) {
            if (advance.savesCheckpoint()) {
                // First, so that no sequence ever holds more than two rows.
                dropCheckpoint(advance.sequence());
            }
        }
        while (rows.free() < needed(advances) && evict.getAsBoolean()) {
            // The evicted resident may have been the one that shared a row.
        }
    }

    private int needed(List<ScheduledTokens> advances) {
        int needed = 0;
        for (ScheduledTokens advance : advances) {
            needed += advance.savesCheckpoint() || needsOtherRow(advance.sequence()) ? 1 : 0;
        }
        return needed;
    }

    /**
     * Row that the next forward of a sequence writes: its own, unless that is the zero row, its
     * checkpoint or shared with forks. Evicts if no row is free.
     */
    int next(SequenceCache sequence) {
        OptionalInt row = toWrite(sequence);
        while (row.isEmpty() && evict.getAsBoolean()) {
            // The evicted resident may have been the one that shared it.
            row = toWrite(sequence);
        }
        return row.orElseThrow(StateRowAllocator::tooMany);
    }

    /**
     * Row that a second forward of a sequence in one batch writes, after a first one that leaves
     * the current row for a checkpoint: the current row again, unless it must not be overwritten.
     * Must run before {@link #enter} for the first one.
     */
    int nextAfterCheckpoint(SequenceCache sequence) {
        int row = next(sequence);
        if (row == sequence.stateRow()) {
            // The sequence releases it when it enters the row of the checkpoint.
            rows.share(row);
        }
        return row;
    }

    private OptionalInt toWrite(SequenceCache sequence) {
        return needsOtherRow(sequence) ? rows.allocateLow() : OptionalInt.of(sequence.stateRow());
    }

    private boolean needsOtherRow(SequenceCache sequence) {
        int row = sequence.stateRow();
        return row == SequenceChunk.ZERO_ROW
                || row == sequence.checkpoint().row()
                || rows.isShared(row);
    }

    /**
     * Returns whether a sequence shares its state with others and has no checkpoint of it, so that
     * another sequence may write to it once this one has left it.
     */
    boolean mayBeOverwritten(SequenceCache sequence) {
        int row = sequence.stateRow();
        return row != SequenceChunk.ZERO_ROW
                && row != sequence.checkpoint().row()
                && rows.isShared(row);
    }

    /** Takes a free row in addition to the current ones; evicts if no row is free. */
    int allocateOther() {
        OptionalInt row = rows.allocateHigh();
        while (row.isEmpty() && evict.getAsBoolean()) {
            row = rows.allocateHigh();
        }
        return row.orElseThrow(StateRowAllocator::tooMany);
    }

    private static IllegalStateException tooMany() {
        return new IllegalStateException(
                "running sequences hold more state rows than were planned");
    }

    /** Makes a row the current one of a sequence. */
    void enter(SequenceCache sequence, int row) {
        if (row != sequence.stateRow()) {
            if (sequence.stateRow() != sequence.checkpoint().row()) {
                rows.release(sequence.stateRow());
            }
            sequence.enterRow(row);
        }
    }

    private void dropCheckpoint(SequenceCache sequence) {
        if (sequence.checkpoint().row() != sequence.stateRow()) {
            rows.release(sequence.checkpoint().row());
        }
        sequence.setCheckpoint(Checkpoint.NONE);
    }

    /** Releases the rows of a dropped sequence. */
    void drop(SequenceCache sequence) {
        dropCheckpoint(sequence);
        rows.release(sequence.stateRow());
    }
}
