package dev.varve.platform.intake;

/** The whole body of a request, and the memory that it counts for. Thread-safe. */
public final class HeldBody {
    private final Runnable release;
    private byte[] bytes;

    HeldBody(byte[] bytes, Runnable release) {
        this.bytes = bytes;
        this.release = release;
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
