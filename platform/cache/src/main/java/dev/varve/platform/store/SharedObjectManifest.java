package dev.varve.platform.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Optional;

/**
 * What says of an object in a shared store that it is there: written last, and read first. Its
 * parts stand under a name that its writer made up, so that parts of two writers are never taken
 * for one object, though both computed the same prompt.
 *
 * <p>As bytes: a magic number and a format (int each), the writer's name for the parts ({@value
 * #NAME_BYTES} bytes), and the object's bytes (long), all big-endian, in a chunk of its own.
 *
 * @param key the object's own
 * @param content under which its parts are
 * @param bytes of the whole object
 */
public record SharedObjectManifest(ObjectKey key, ObjectKey content, long bytes) {
    /** Bytes of a name for parts. */
    static final int NAME_BYTES = 16;

    /** The number of the chunk that a head is, beside those of an object's content. */
    static final int PART = -1;

    private static final int MAGIC = 0x5641_5248;
    private static final int FORMAT = 1;
    private static final int BYTES = 2 * Integer.BYTES + NAME_BYTES + Long.BYTES;

    /** The head of an object of which a writer calls the parts by a name. */
    static SharedObjectManifest of(ObjectKey key, byte[] name, long bytes) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update("varve parts ".getBytes(StandardCharsets.US_ASCII));
            digest.update(key.bytes());
            return new SharedObjectManifest(key, ObjectKey.of(digest.digest(name)), bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    static void put(byte[] name, long bytes, ByteBuffer to) {
        to.putInt(MAGIC).putInt(FORMAT).put(name).putLong(bytes);
    }

    /** Reads it; empty if this is none. */
    static Optional<SharedObjectManifest> take(ObjectKey key, ByteBuffer from) {
        if (from.remaining() != BYTES || from.getInt() != MAGIC || from.getInt() != FORMAT) {
            return Optional.empty();
        }
        byte[] name = new byte[NAME_BYTES];
        from.get(name);
        long bytes = from.getLong();
        return bytes < 1 ? Optional.empty() : Optional.of(of(key, name, bytes));
    }
}
