package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.platform.shard.AcceptedPath;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.StateCommit;
import dev.varve.platform.shard.WindowRegionPositions;

import java.util.OptionalInt;

/**
 * Maps the rows of the sliding layers to positions. Each state row has a region with the slots of a
 * window and a chunk. Positions are consecutive in a region, so that attention reads them in order;
 * when a region is full, the rows that are still visible move to its beginning.
 */
final class WindowSlotMap {
    private static final int BLOCK = KvSlotSpan.BLOCK;

    /** First slot that a chunk reads. */
    enum ReadStart {
        /** The block of the oldest position that the chunk attends to: the fewest slots. */
        OLDEST_VISIBLE,

        /**
         * The block of the oldest position that any position in the block of the chunk's first one
         * attends to: steps read the same slots until a new block begins, so that their graph stays
         * the same.
         */
        SAME_WITHIN_BLOCK
    }

    private final RowMover rows;
    private final WindowRegionPositions rule;
    private final ReadStart readStart;

    /** Position in the first slot of each region. */
    private final int[] begins;

    /** End of the written positions of each region. */
    private final int[] ends;

    /**
     * @param rows moves the rows
     * @param window positions that a token attends to; empty without sliding layers
     * @param stateRows state rows, including the zero row, which has no region
     */
    WindowSlotMap(
            RowMover rows,
            OptionalInt window,
            int regionSlots,
            int stateRows,
            ReadStart readStart) {
        this.rows = rows;
        this.readStart = readStart;
        rule = new WindowRegionPositions(window, regionSlots);
        begins = new int[stateRows];
        ends = new int[stateRows];
    }

    /** Creates regions of which chunks read the fewest slots. */
    WindowSlotMap(RowMover rows, OptionalInt window, int regionSlots, int stateRows) {
        this(rows, window, regionSlots, stateRows, ReadStart.OLDEST_VISIBLE);
    }

    private static int roundUp(int tokens) {
        return KvSlotSpan.roundUp(tokens);
    }

    /** Whether the model has sliding windows. */
    boolean slides() {
        return rule.window().isPresent();
    }

    /** First position that a chunk after {@code end} positions reads. */
    private int firstRead(int end) {
        return switch (readStart) {
            case OLDEST_VISIBLE -> rule.first(end);
            case SAME_WITHIN_BLOCK -> rule.first(end / BLOCK * BLOCK);
        };
    }

    /** Position in the first slot of an imported region after {@code end} positions. */
    private int importBegin(int end) {
        return Math.min(rule.begin(end), firstRead(end));
    }

    /** Moves the rows that a chunk needs into the region of its write row. */
    AttendedKvRange place(SequenceChunk chunk) {
        if (rule.window().isEmpty()) {
            return AttendedKvRange.NONE;
        }
        int first = chunk.firstPosition();
        int end = first + chunk.tokens().length;
        int from = chunk.readRow();
        int to = chunk.writeRow();
        int oldest = Math.max(0, first - rule.window().getAsInt() + 1);
        int start = rule.first(first);
        if (first > 0) {
            // Regions begin at whole blocks, so that none begins after the first visible one.
            requireKept(chunk, from, oldest);
        }
        int begin = first == 0 ? 0 : begins[from];
        boolean full = end - begin > rule.regionSlots();
        if (full) {
            begin = start;
        }
        if (end - begin > rule.regionSlots()) {
            throw new IllegalArgumentException(
                    "positions "
                            + first
                            + " to "
                            + (end - 1)
                            + " and the window before them exceed the region of "
                            + rule.regionSlots()
                            + " slots");
        }
        if (first > 0 && (full || from != to)) {
            rows.move(
                    region(from) + start - begins[from], region(to) + start - begin, first - start);
        }
        begins[to] = begin;
        ends[to] = end;
        // A region that still begins at position 0 is read as if no position was ever dropped.
        int seen = begin == 0 && chunk.tokens().length == 1 ? 0 : Math.max(begin, firstRead(first));
        return new AttendedKvRange(seen, region(to) + seen - begin, roundUp(end) - seen);
    }

    /**
     * Shortens a window: drops the rejected tokens of its last chunk.
     *
     * @throws IllegalArgumentException if the row does not hold the accepted ones
     */
    void commit(StateCommit commit) {
        if (rule.window().isEmpty()) {
            return;
        }
        int row = commit.writeRow();
        if (ends[row] <= commit.firstPosition() + commit.path().last()
                || begins[row] > commit.firstPosition()) {
            throw new IllegalArgumentException(
                    "state row "
                            + row
                            + " holds the window of positions "
                            + begins[row]
                            + " to "
                            + ends[row]
                            + ", which cannot end at "
                            + commit.end());
        }
        for (AcceptedPath.Move move : commit.path().moves()) {
            int slot = region(row) + commit.firstPosition() - begins[row];
            rows.move(slot + move.from(), slot + move.to(), move.count());
        }
        ends[row] = commit.end();
    }

    /**
     * Checks that the read row ends where the chunk begins; otherwise it would attend to rows of
     * other sequences.
     */
    private void requireKept(SequenceChunk chunk, int row, int oldest) {
        if (row == SequenceChunk.ZERO_ROW
                || ends[row] != chunk.firstPosition()
                || begins[row] > oldest) {
            throw new IllegalArgumentException(
                    "state row "
                            + row
                            + " holds the window of positions "
                            + begins[row]
                            + " to "
                            + ends[row]
                            + ", but the chunk begins at position "
                            + chunk.firstPosition());
        }
    }

    /**
     * Slot of the first row of a window to export.
     *
     * @throws VarveException of kind INVALID_REQUEST if the region does not hold it
     */
    int slotToRead(CachePart.Window part) {
        int row = part.row();
        if (ends[row] != part.end() || begins[row] > part.first()) {
            throw refused(part, "positions " + begins[row] + " to " + ends[row]);
        }
        return region(row) + part.first() - begins[row];
    }

    /**
     * Slot of the first row of a window to import.
     *
     * @throws VarveException of kind INVALID_REQUEST if the region cannot hold it
     */
    int slotToWrite(CachePart.Window part) {
        int begin = importBegin(part.end());
        if (part.first() != rule.first(part.end()) || part.end() - begin > rule.regionSlots()) {
            throw refused(part, "positions from " + rule.first(part.end()));
        }
        return region(part.row()) + part.first() - begin;
    }

    /** Records an imported window. */
    void adopt(CachePart.Window part) {
        begins[part.row()] = importBegin(part.end());
        ends[part.row()] = part.end();
    }

    private static VarveException refused(CachePart.Window part, String expected) {
        return new VarveException(
                VarveException.Kind.INVALID_REQUEST,
                "window of layer "
                        + part.layer()
                        + " in state row "
                        + part.row()
                        + ": expected "
                        + expected
                        + ", found positions "
                        + part.first()
                        + " to "
                        + part.end());
    }

    private int region(int row) {
        return (row - 1) * rule.regionSlots();
    }
}
