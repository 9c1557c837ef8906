package dev.varve.platform.shard;

/**
 * Decides whether the {@link TopTokens} of a row suffice for a choice, or whether the row has to be
 * copied from the device. The thread that computes the batch calls it, once for each row that
 * requested them, in the order of the rows.
 */
@FunctionalInterface
public interface TopCheck {
    /** They suffice for all rows. */
    TopCheck ALWAYS = (chunk, top) -> true;

    /**
     * Returns whether the best tokens of a row suffice. Changes no state.
     *
     * @param chunk index of the row's chunk in its batch
     */
    boolean suffices(int chunk, TopTokens top);
}
