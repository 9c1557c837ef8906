package dev.varve.platform.store;

import java.nio.ByteBuffer;

/** Receives the bytes of an object. Called by one thread. */
public interface ObjectTarget {
    /**
     * Checks the object before its payload is read.
     *
     * @param header header that its writer put before the payload
     * @param bytes number of bytes of the payload
     * @return whether it is the requested object
     */
    boolean accept(ByteBuffer header, long bytes);

    /**
     * Receives a run of the payload's bytes, which are verified.
     *
     * @param bytes valid during the call
     */
    void write(long offset, ByteBuffer bytes);
}
