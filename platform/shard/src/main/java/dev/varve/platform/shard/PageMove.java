package dev.varve.platform.shard;

import java.util.Objects;

/**
 * K and V rows of all full attention layers that go from slots to host memory, where the shard
 * keeps them under the page's name, or come back from there. What a page holds there stays until it
 * is dropped, or moved out again.
 *
 * @param page name of the page, unique for its content; positive
 * @param slot first of its slots, a multiple of {@link Pages#TOKENS}
 * @param direction where the rows go
 */
public record PageMove(long page, int slot, Direction direction) implements RowMove {
    /** Where rows go. */
    public enum Direction {
        /** To host memory. */
        OUT,
        /** To the slots. */
        IN
    }

    /** Checks the name and the place. */
    public PageMove {
        Objects.requireNonNull(direction);
        Pages.requireName(page);
        Pages.requireSlot(slot);
    }

    /** Rows that go to host memory. */
    public static PageMove out(long page, int slot) {
        return new PageMove(page, slot, Direction.OUT);
    }

    /** Rows that come back. */
    public static PageMove in(long page, int slot) {
        return new PageMove(page, slot, Direction.IN);
    }
}
