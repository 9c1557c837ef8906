package dev.varve.api.transport;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Bytes in both directions, in order and without loss until one side closes. One thread reads while
 * another one writes, and both directions flow at once; {@link #close} may be called from any
 * thread and ends both.
 */
public interface Connection extends AutoCloseable {
    /** The other side, for people. */
    String peer();

    /** Whether both sides run on the same machine, as the same user, and can share memory. */
    boolean sameHost();

    /**
     * Fills the rest of a buffer.
     *
     * @throws java.io.EOFException if the other side closed first
     * @throws IOException if the connection broke or was closed
     */
    void read(ByteBuffer target) throws IOException;

    /**
     * Writes all that remains in the buffers, in their order. Waits while the other side does not
     * read.
     *
     * @throws IOException if the connection broke or was closed
     */
    void write(ByteBuffer... parts) throws IOException;

    /** Ends whoever reads or writes with an {@link IOException}; a second call does nothing. */
    @Override
    void close();
}
