package dev.varve.platform.intake;

import java.util.function.Function;

/** Whole body of a request, and the memory that it occupies in the budget. Thread-safe. */
public final class RequestBody {
    private final Runnable release;
    private byte[] bytes;

    RequestBody(byte[] bytes, Runnable release) {
        this.bytes = bytes;
        this.release = release;
    }

    /** Reads the bytes, which stay here. */
    public synchronized <T> T peek(Function<byte[], T> reader) {
        return reader.apply(bytes);
    }

    /** Returns the number of bytes. */
    public synchronized int length() {
        return bytes.length;
    }

    /** Returns the bytes once: the caller owns them then, and the body is empty afterwards. */
    public synchronized byte[] take() {
        byte[] taken = bytes;
        bytes = new byte[0];
        return taken;
    }

    /**
     * Frees its memory in the budget; the bytes must not be in use any more. May be called again,
     * and is called automatically when the request is complete.
     */
    public void release() {
        release.run();
    }
}
