package dev.varve.platform.shard;

/**
 * K and V rows of all full attention layers that are copied to another place before a batch is
 * computed; the regions may overlap.
 *
 * @param from first slot to read
 * @param to first slot to write
 * @param count number of slots
 */
public record SlotCopy(int from, int to, int count) implements RowMove {
    /** Checks that there are such slots. */
    public SlotCopy {
        if (from < 0 || to < 0 || count < 1 || Math.max(from, to) > Integer.MAX_VALUE - count) {
            throw new IllegalArgumentException(
                    "copy of " + count + " slots from " + from + " to " + to);
        }
    }

    /** First slot behind what the copy touches. */
    public int end() {
        return Math.max(from, to) + count;
    }
}
