package dev.varve.platform.shard;

import java.nio.ByteBuffer;

/**
 * Where the bytes of cache parts go, or come from. Called by any thread, for one part after the
 * other and each once, before the call that it was given to is done.
 */
public interface CachePartTransfer {
    /**
     * Takes the bytes of a part that was copied out.
     *
     * @param index the part's place among those of the call
     * @param bytes all of them; valid during the call only
     */
    void take(int index, ByteBuffer bytes);

    /**
     * Gives the bytes of a part that is to be copied in.
     *
     * @param index the part's place among those of the call
     * @param target has room for exactly these
     */
    void give(int index, ByteBuffer target);
}
