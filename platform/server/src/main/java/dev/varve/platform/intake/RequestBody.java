package dev.varve.platform.intake;

import java.util.function.Function;

/** The whole body of a request, and the memory that it counts for. Thread-safe. */
public final class RequestBody {
    private final Runnable release;
    private byte[] bytes;

    RequestBody(byte[] bytes, Runnable release) {
        this.bytes = bytes;
        this.release = release;
    }

    /** What the bytes say, which stay here. */
    public synchronized <T> T look(Function<byte[], T> reader) {
        return reader.apply(bytes);
    }

    /** How many bytes are here. */
    public synchronized int length() {
        return bytes.length;
    }

    /** The bytes, once: they are the caller's then, and empty for others. */
    public synchronized byte[] take() {
        byte[] taken = bytes;
        bytes = new byte[0];
        return taken;
    }

    /**
     * Its memory counts no more; the bytes must be in nobody's hands. May be called again, and
     * happens by itself when the request is complete.
     */
    public void release() {
        release.run();
    }
}
