package dev.varve.platform.store;

import java.nio.ByteBuffer;

/** Source of the bytes of an object. Called by one thread at a time. */
public interface ObjectSource {
    /** Header before the payload, by which a reader checks the object. */
    ByteBuffer header();

    /** Bytes of the payload. */
    long bytes();

    /**
     * Fills a buffer with the payload's bytes from an offset on.
     *
     * @param target receives as many bytes as remain in it
     */
    void give(long offset, ByteBuffer target);
}
