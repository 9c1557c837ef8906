package dev.varve.platform.shard.scoring;

/**
 * Heads of an attention layer.
 *
 * @param length elements of a head
 * @param queryHeads of the queries
 * @param keyHeads of the keys and values, at most as many
 */
public record HeadShape(int length, int queryHeads, int keyHeads) {
    /** Checks the numbers. */
    public HeadShape {
        if (length < 1 || keyHeads < 1 || queryHeads < keyHeads) {
            throw new IllegalArgumentException(
                    "invalid attention shape: heads of "
                            + length
                            + " elements, "
                            + queryHeads
                            + " query heads and "
                            + keyHeads
                            + " key heads");
        }
    }

    /** The key head of a query head. */
    public int keyHead(int queryHead) {
        return (int) ((long) queryHead * keyHeads / queryHeads);
    }

    /** Factor for products of queries and keys. */
    public double scale() {
        return 1 / Math.sqrt(length);
    }

    int queryRow() {
        return length * queryHeads;
    }

    int keyRow() {
        return length * keyHeads;
    }
}
