package dev.varve.platform.sequence;

import dev.varve.platform.sequence.CachedSequence.Checkpoint;
import dev.varve.platform.shard.SequenceChunk;

import java.util.List;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * The state rows of sequences: the current one of each, and one for a checkpoint. Where rows are
 * short, others give way until there is one.
 */
final class StateRowAllocator {
    private final StateRowPool rows;
    private final BooleanSupplier giveWay;

    /**
     * @param count rows, the zero row included
     * @param giveWay lets somebody give way who may hold rows; says whether there was one
     */
    StateRowAllocator(int count, BooleanSupplier giveWay) {
        rows = new StateRowPool(count);
        this.giveWay = giveWay;
    }

    boolean hasFree() {
        return rows.hasFree();
    }

    /** Keeps a row as it is until it is released, whatever becomes of its sequence. */
    void hold(int row) {
        rows.share(row);
    }

    void release(int row) {
        rows.release(row);
    }

    /** Whether a sequence holds a row that no other one does. */
    boolean holdsAlone(CachedSequence sequence) {
        return IntStream.of(sequence.stateRow(), sequence.checkpoint().row())
                .anyMatch(row -> row != SequenceChunk.ZERO_ROW && !rows.isShared(row));
    }

    /** One more holder of a sequence's rows, each of which counts once. */
    void share(CachedSequence sequence) {
        rows.share(sequence.stateRow());
        if (sequence.checkpoint().row() != sequence.stateRow()) {
            rows.share(sequence.checkpoint().row());
        }
    }

    /** A sequence goes on as another one, which has taken over some of its rows. */
    void releaseOthers(CachedSequence from, CachedSequence to) {
        IntStream.of(from.stateRow(), from.checkpoint().row())
                .distinct()
                .filter(row -> row != to.stateRow() && row != to.checkpoint().row())
                .forEach(rows::release);
    }

    /**
     * Others give way until each sequence of a batch finds a row. Before any is taken: a sequence
     * that shares its row with a resident needs no other one once that is gone, and would hold
     * three of them if it had taken it.
     */
    void makeRoom(List<ScheduledTokens> advances) {
        for (ScheduledTokens advance : advances) {
            if (advance.keepState()) {
                // First, so that no sequence ever holds more than two rows.
                dropCheckpoint(advance.sequence());
            }
        }
        while (rows.free() < needed(advances) && giveWay.getAsBoolean()) {
            // The resident may have been the one that shared a row.
        }
    }

    private int needed(List<ScheduledTokens> advances) {
        int needed = 0;
        for (ScheduledTokens advance : advances) {
            needed += advance.keepState() || mustLeave(advance.sequence()) ? 1 : 0;
        }
        return needed;
    }

    /**
     * The row that the next forward of a sequence writes: its own, unless that is the zero row, its
     * checkpoint or shared with forks. Others give way.
     */
    int next(CachedSequence sequence) {
        OptionalInt row = toWrite(sequence);
        while (row.isEmpty() && giveWay.getAsBoolean()) {
            // The resident may have been the one that shared it.
            row = toWrite(sequence);
        }
        return row.orElseThrow(StateRowAllocator::tooMany);
    }

    private OptionalInt toWrite(CachedSequence sequence) {
        return mustLeave(sequence) ? rows.takeLow() : OptionalInt.of(sequence.stateRow());
    }

    private boolean mustLeave(CachedSequence sequence) {
        int row = sequence.stateRow();
        return row == SequenceChunk.ZERO_ROW
                || row == sequence.checkpoint().row()
                || rows.isShared(row);
    }

    /** A free row beside the current ones; others give way. */
    int takeOther() {
        OptionalInt row = rows.takeHigh();
        while (row.isEmpty() && giveWay.getAsBoolean()) {
            row = rows.takeHigh();
        }
        return row.orElseThrow(StateRowAllocator::tooMany);
    }

    private static IllegalStateException tooMany() {
        return new IllegalStateException("running sequences hold more rows than were planned");
    }

    /** A sequence's state is in another row from now on. */
    void enter(CachedSequence sequence, int row) {
        if (row != sequence.stateRow()) {
            if (sequence.stateRow() != sequence.checkpoint().row()) {
                rows.release(sequence.stateRow());
            }
            sequence.enterRow(row);
        }
    }

    private void dropCheckpoint(CachedSequence sequence) {
        if (sequence.checkpoint().row() != sequence.stateRow()) {
            rows.release(sequence.checkpoint().row());
        }
        sequence.keepCheckpoint(Checkpoint.NONE);
    }

    /** A sequence is gone. */
    void drop(CachedSequence sequence) {
        dropCheckpoint(sequence);
        rows.release(sequence.stateRow());
    }
}
