package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.SlotSpan;
import dev.varve.platform.shard.StateCommit;
import dev.varve.platform.shard.TokenPath;
import dev.varve.platform.shard.WindowRule;

import java.util.OptionalInt;

/**
 * Which rows of the sliding layers hold which positions. Each state row has a region of as many
 * slots as a window and a chunk need. Positions follow each other in a region, so attention reads
 * them in their order; where a region is full, the rows that are still visible move to its
 * beginning.
 */
final class WindowRegions {
    private static final int BLOCK = SlotSpan.BLOCK;

    private final RowMover rows;
    private final WindowRule rule;

    /** Per region, the position in its first slot. */
    private final int[] begins;

    /** Per region, the positions that were written end here. */
    private final int[] ends;

    /**
     * @param rows where the rows are
     * @param window positions that a token sees, empty where no layer slides
     * @param stateRows state rows, the zero row included, which has no region
     */
    WindowRegions(RowMover rows, OptionalInt window, int regionSlots, int stateRows) {
        this.rows = rows;
        rule = new WindowRule(window, regionSlots);
        begins = new int[stateRows];
        ends = new int[stateRows];
    }

    private static int roundUp(int tokens) {
        return SlotSpan.roundUp(tokens);
    }

    /** Brings the rows that a slice needs into the region of its write row. */
    KvView place(SequenceChunk slice) {
        if (rule.window().isEmpty()) {
            return KvView.NONE;
        }
        int first = slice.firstPosition();
        int end = first + slice.tokens().length;
        int from = slice.readRow();
        int to = slice.writeRow();
        int oldest = Math.max(0, first - rule.window().getAsInt() + 1);
        int start = rule.first(first);
        if (first > 0) {
            // Regions begin at whole blocks, so that none begins behind the first one seen.
            requireKept(slice, from, oldest);
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
        // A region that still begins at position 0 is read as if nothing were ever dropped.
        int seen = begin == 0 && slice.tokens().length == 1 ? 0 : start;
        return new KvView(seen, region(to) + seen - begin, roundUp(end) - seen);
    }

    /**
     * A window ends earlier: the rest of what its last slice wrote does not count.
     *
     * @throws IllegalArgumentException if the row does not hold it
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
        for (TokenPath.Move move : commit.path().moves()) {
            int slot = region(row) + commit.firstPosition() - begins[row];
            rows.move(slot + move.from(), slot + move.to(), move.count());
        }
        ends[row] = commit.end();
    }

    /** A slice continues what its read row holds; anything else would attend to foreign rows. */
    private void requireKept(SequenceChunk slice, int row, int oldest) {
        if (row == SequenceChunk.ZERO_ROW
                || ends[row] != slice.firstPosition()
                || begins[row] > oldest) {
            throw new IllegalArgumentException(
                    "state row "
                            + row
                            + " holds the window of positions "
                            + begins[row]
                            + " to "
                            + ends[row]
                            + ", not what position "
                            + slice.firstPosition()
                            + " follows");
        }
    }

    /**
     * Slot of the first row of a window that is to be copied out.
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
     * Slot of the first row of a window that is to be copied in.
     *
     * @throws VarveException of kind INVALID_REQUEST if the region cannot hold it
     */
    int slotToWrite(CachePart.Window part) {
        int begin = rule.begin(part.end());
        if (part.first() != rule.first(part.end()) || part.end() - begin > rule.regionSlots()) {
            throw refused(part, "those from " + rule.first(part.end()) + " on");
        }
        return region(part.row()) + part.first() - begin;
    }

    /** Takes note of a window that was copied in. */
    void adopt(CachePart.Window part) {
        begins[part.row()] = rule.begin(part.end());
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
