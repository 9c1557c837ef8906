package dev.varve.platform.shard;

/**
 * Copies K and V rows of all full attention layers to other slots before a batch is computed; the
 * regions may overlap.
 *
 * @param from first slot to read
 * @param to first slot to write
 * @param count number of slots
 */
public record KvSlotCopy(int from, int to, int count) implements KvRowOperation {
    /** Checks that the slots are valid. */
    public KvSlotCopy {
        if (from < 0 || to < 0 || count < 1 || Math.max(from, to) > Integer.MAX_VALUE - count) {
            throw new IllegalArgumentException(
                    "invalid copy of " + count + " slots from " + from + " to " + to);
        }
    }

    /** First slot after all slots of the copy. */
    public int end() {
        return Math.max(from, to) + count;
    }
}
