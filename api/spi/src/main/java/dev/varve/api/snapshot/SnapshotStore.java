package dev.varve.api.snapshot;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * A bounded number of values of one size, each under a key of one size. Several threads may use it
 * at once.
 *
 * <p>Buffers may be heap or direct buffers. A call reads the remaining bytes of a buffer, from its
 * position on. Positions and limits are not changed, except the position of a target.
 */
public interface SnapshotStore extends AutoCloseable {
    /**
     * Stores a value, replacing an earlier one.
     *
     * @return whether there was space for it; without space nothing has changed
     * @throws IOException if it could not be written
     */
    boolean put(ByteBuffer key, ByteBuffer value) throws IOException;

    /**
     * Reads the beginning of a value, as many bytes as the target can hold.
     *
     * @param target at most as large as a value; full afterwards, its position at its limit
     * @return whether the value exists; if not, the target is unchanged
     * @throws IOException if it could not be read
     */
    boolean get(ByteBuffer key, ByteBuffer target) throws IOException;

    /**
     * Deletes a value.
     *
     * @return whether it existed
     * @throws IOException if it could not be written
     */
    boolean delete(ByteBuffer key) throws IOException;

    /**
     * Lists all keys, in any order.
     *
     * @param consumer receives each key, which is valid during its call; it must not use the store
     * @throws IOException if they could not be read
     */
    void keys(Consumer<ByteBuffer> consumer) throws IOException;

    /** Number of values that the store holds. */
    long size();

    /**
     * Closes the store; it can be opened again with its present content. Calls in progress finish
     * first; later ones fail with an {@link IllegalStateException}. A second close does nothing.
     *
     * @throws IOException if stored values may be missing when it is opened again
     */
    @Override
    void close() throws IOException;
}
