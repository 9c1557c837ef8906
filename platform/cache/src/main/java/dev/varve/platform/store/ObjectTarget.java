package dev.varve.platform.store;

import java.nio.ByteBuffer;

/** Where an object's bytes go. Called by one thread. */
public interface ObjectTarget {
    /**
     * Judges the object before its payload is read.
     *
     * @param header what its writer put before the payload
     * @param bytes of the payload
     * @return whether it is what was looked for
     */
    boolean accept(ByteBuffer header, long bytes);

    /**
     * Takes a run of the payload's bytes, which are those that were written.
     *
     * @param bytes valid during the call
     */
    void take(long offset, ByteBuffer bytes);
}
