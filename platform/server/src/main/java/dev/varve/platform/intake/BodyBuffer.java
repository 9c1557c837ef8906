package dev.varve.platform.intake;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Bytes of a body that is being received. The buffer grows with the received bytes, whatever a
 * header announced, and copies no part when it adds the next one.
 */
final class BodyBuffer {
    private static final int FIRST_PART = 2 << 10;
    private static final int LARGEST_PART = 1 << 20;

    private final List<byte[]> full = new ArrayList<>();
    private byte[] last = new byte[0];
    private int lastUsed;
    private int size;

    int size() {
        return size;
    }

    /** Returns how many bytes of memory {@link #append} will allocate for {@code more} bytes. */
    int growth(int more) {
        int missing = more - (last.length - lastUsed);
        return missing <= 0 ? 0 : Math.max(missing, Math.clamp(size, FIRST_PART, LARGEST_PART));
    }

    void append(ByteBuffer more) {
        int growth = growth(more.remaining());
        size += more.remaining();
        int fits = Math.min(more.remaining(), last.length - lastUsed);
        more.get(last, lastUsed, fits);
        lastUsed += fits;
        if (growth > 0) {
            full.add(last);
            last = new byte[growth];
            lastUsed = more.remaining();
            more.get(last, 0, lastUsed);
        }
    }

    /** Returns all bytes in one array and empties the buffer. */
    byte[] take() {
        byte[] whole = new byte[size];
        int at = 0;
        for (byte[] part : full) {
            System.arraycopy(part, 0, whole, at, part.length);
            at += part.length;
        }
        System.arraycopy(last, 0, whole, at, lastUsed);
        full.clear();
        last = new byte[0];
        return whole;
    }
}
