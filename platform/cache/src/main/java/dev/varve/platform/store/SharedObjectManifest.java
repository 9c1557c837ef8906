package dev.varve.platform.store;

import dev.varve.platform.digest.Sha256;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;

/**
 * Head of an object in a shared store, which makes it exist: written last, and read first. The keys
 * of its parts are derived from a random name of its writer, so that parts of two writers are never
 * mixed, even if both computed the same prompt.
 *
 * <p>As bytes: a magic number and a format (int each), the writer's name for the parts ({@value
 * #NAME_BYTES} bytes), and the object's bytes (long), all big-endian, in a chunk of its own.
 *
 * @param key key of the object
 * @param content key of its parts
 * @param bytes of the whole object
 */
public record SharedObjectManifest(ObjectKey key, ObjectKey content, long bytes) {
    /** Bytes of a name for parts. */
    static final int NAME_BYTES = 16;

    /** Chunk number of a head, which differs from those of an object's content. */
    static final int PART = -1;

    private static final int MAGIC = 0x5641_5248;
    private static final int FORMAT = 1;
    private static final int BYTES = 2 * Integer.BYTES + NAME_BYTES + Long.BYTES;

    /** Creates the head of an object whose parts have a writer's name. */
    static SharedObjectManifest of(ObjectKey key, byte[] name, long bytes) {
        MessageDigest digest = Sha256.begin();
        digest.update("varve parts ".getBytes(StandardCharsets.US_ASCII));
        digest.update(key.bytes());
        return new SharedObjectManifest(key, ObjectKey.of(digest.digest(name)), bytes);
    }

    static void put(byte[] name, long bytes, ByteBuffer to) {
        to.putInt(MAGIC).putInt(FORMAT).put(name).putLong(bytes);
    }

    /** Decodes a head; empty if the bytes are not valid. */
    static Optional<SharedObjectManifest> read(ObjectKey key, ByteBuffer from) {
        if (from.remaining() != BYTES || from.getInt() != MAGIC || from.getInt() != FORMAT) {
            return Optional.empty();
        }
        byte[] name = new byte[NAME_BYTES];
        from.get(name);
        long bytes = from.getLong();
        return bytes < 1 ? Optional.empty() : Optional.of(of(key, name, bytes));
    }
}
