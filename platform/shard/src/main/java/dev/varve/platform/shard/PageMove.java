package dev.varve.platform.shard;

import java.util.Objects;

/**
 * Moves K and V rows of all full attention layers from slots to host memory, where the shard keeps
 * them under the page's name, or back. Rows in host memory stay until the page is dropped or moved
 * out again.
 *
 * @param page name of the page, unique for its content; positive
 * @param slot first of its slots, a multiple of {@link Pages#TOKENS}
 * @param direction direction of the move
 */
public record PageMove(long page, int slot, Direction direction) implements KvRowOperation {
    /** Direction of the move. */
    public enum Direction {
        /** To host memory. */
        OUT,
        /** To the slots. */
        IN
    }

    /** Checks the name and the slot. */
    public PageMove {
        Objects.requireNonNull(direction);
        Pages.requireName(page);
        Pages.requireSlot(slot);
    }

    /** Creates a move to host memory. */
    public static PageMove out(long page, int slot) {
        return new PageMove(page, slot, Direction.OUT);
    }

    /** Creates a move back to the slots. */
    public static PageMove in(long page, int slot) {
        return new PageMove(page, slot, Direction.IN);
    }
}
