package dev.varve.platform.shard;

import java.nio.ByteBuffer;

/**
 * Target or source of the bytes of cache parts. The shard calls it from any thread, one part at a
 * time and once per part, before the call that it was passed to completes.
 */
public interface CachePartCallback {
    /**
     * Receives the bytes of an exported part.
     *
     * @param index of the part in the call's list
     * @param bytes all bytes of the part; valid during the call only
     */
    void accept(int index, ByteBuffer bytes);

    /**
     * Writes the bytes of a part to import.
     *
     * @param index of the part in the call's list
     * @param target has exactly the size of the part
     */
    void give(int index, ByteBuffer target);
}
