package dev.varve.api.transport;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A byte stream in both directions, in order and without loss until one side closes. One thread may
 * read while another one writes, and both directions flow at once. Any thread may call {@link
 * #close}, which ends both directions.
 */
public interface Connection extends AutoCloseable {
    /** Human-readable name of the other side. */
    String peer();

    /**
     * Returns whether both sides run on the same machine, as the same user, and can share memory.
     */
    boolean sameHost();

    /**
     * Fills the rest of a buffer.
     *
     * @throws java.io.EOFException if the other side closed first
     * @throws IOException if the connection broke or was closed
     */
    void read(ByteBuffer target) throws IOException;

    /**
     * Writes all remaining bytes of the buffers, in their order. Blocks while the other side does
     * not read.
     *
     * @throws IOException if the connection broke or was closed
     */
    void write(ByteBuffer... parts) throws IOException;

    /**
     * Closes the connection: blocked reads and writes fail with an {@link IOException}. A second
     * call does nothing.
     */
    @Override
    void close();
}
