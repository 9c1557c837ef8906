package dev.varve.api.snapshot;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * A bounded number of values of one size, each under a key of one size. Several threads may use it
 * at once.
 *
 * <p>Buffers may lie in or outside of the heap. What a call reads of a buffer is what remains in
 * it, from its position on; positions and limits are left as they were, but for that of a target.
 */
public interface SnapshotStore extends AutoCloseable {
    /**
     * Keeps a value; one that was there before is replaced.
     *
     * @return whether there was room for it; without room nothing has changed
     * @throws IOException if it could not be written
     */
    boolean put(ByteBuffer key, ByteBuffer value) throws IOException;

    /**
     * Reads the beginning of a value, as many bytes as the target takes.
     *
     * @param target at most as large as a value; full afterwards, its position at its limit
     * @return whether there is such a value; without one the target is left as it was
     * @throws IOException if it could not be read
     */
    boolean get(ByteBuffer key, ByteBuffer target) throws IOException;

    /**
     * Forgets a value.
     *
     * @return whether there was one
     * @throws IOException if it could not be written
     */
    boolean delete(ByteBuffer key) throws IOException;

    /**
     * Lists all keys, in any order.
     *
     * @param taker gets each of them, for as long as its call takes; it may not use the store
     * @throws IOException if they could not be read
     */
    void keys(Consumer<ByteBuffer> taker) throws IOException;

    /** Values that it holds. */
    long size();

    /**
     * Ends its use, after which it is found again as it is now. Calls that are under way end first;
     * later ones fail with an {@link IllegalStateException}. A second close does nothing.
     *
     * @throws IOException if what was put may not be found again
     */
    @Override
    void close() throws IOException;
}
