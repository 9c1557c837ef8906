package dev.varve.platform.shard.local;

/** Copies rows of caches to another place; the places may overlap. */
@FunctionalInterface
interface RowMover {
    /** Copies {@code count} rows. */
    void move(int from, int to, int count);
}
