package dev.varve.platform.store;

import java.nio.ByteBuffer;

/** Where an object's bytes come from. Asked by one thread at a time. */
public interface ObjectSource {
    /** What stands before the payload, which whoever reads it needs to judge it. */
    ByteBuffer header();

    /** Bytes of the payload. */
    long bytes();

    /**
     * Fills a buffer with the payload's bytes from an offset on.
     *
     * @param target takes as many as remain in it
     */
    void give(long offset, ByteBuffer target);
}
