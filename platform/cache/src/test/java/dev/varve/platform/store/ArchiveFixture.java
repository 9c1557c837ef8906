package dev.varve.platform.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.api.snapshot.SnapshotStoreProvider;
import dev.varve.contracts.SlotStore;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** Archives in a folder, and objects whose bytes follow from their names. */
final class ArchiveFixture {
    static final int BLOCK = 256;

    private final Path folder;
    private SnapshotStoreProvider provider = new SlotStore.Provider();
    private Namespace namespace = new Namespace(digest("model"), Map.of("model", "m.gguf"));
    private boolean readOnly;
    private long budget = 64 << 20;
    private long reserve;
    private Optional<Duration> ttl = Optional.empty();
    private Optional<ChunkCipher> cipher = Optional.empty();
    private long blockBytes = 6000;
    private Instant now = Instant.ofEpochSecond(1_800_000_000);

    ArchiveFixture(Path folder) {
        this.folder = folder;
    }

    ArchiveFixture with(SnapshotStoreProvider other) {
        provider = other;
        return this;
    }

    ArchiveFixture of(String model) {
        namespace = new Namespace(digest(model), Map.of("model", model));
        return this;
    }

    ArchiveFixture readOnly(boolean other) {
        readOnly = other;
        return this;
    }

    ArchiveFixture budget(long bytes) {
        budget = bytes;
        return this;
    }

    ArchiveFixture reserve(long bytes) {
        reserve = bytes;
        return this;
    }

    ArchiveFixture ttl(Duration time) {
        ttl = Optional.of(time);
        return this;
    }

    ArchiveFixture cipher(Path file) {
        cipher = Optional.of(ChunkCipher.of(file));
        return this;
    }

    ArchiveFixture blocks(long bytes) {
        blockBytes = bytes;
        return this;
    }

    void pass(Duration time) {
        now = now.plus(time);
    }

    DiskArchive open() throws IOException {
        return DiskArchive.open(
                new ArchiveSettings(
                        folder,
                        namespace,
                        blockBytes,
                        readOnly,
                        new ArchiveSettings.Limits(budget, reserve, ttl),
                        cipher,
                        () -> now),
                provider);
    }

    static byte[] digest(String text) {
        try {
            return MessageDigest.getInstance("SHA-256")
                    .digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    static ObjectKey key(String text) {
        return ObjectKey.of(digest(text));
    }

    /** A block of a text, behind the blocks of its prefixes: {@code "a/b"} lies behind "a". */
    static ObjectDescriptor block(String path) {
        int depth = path.split("/").length;
        int cut = path.lastIndexOf('/');
        return new ObjectDescriptor(
                key(path),
                cut < 0 ? key("root") : key(path.substring(0, cut)),
                ObjectKind.BLOCK,
                depth * BLOCK,
                BLOCK);
    }

    /** A checkpoint some tokens behind a block, or behind the root for an empty path. */
    static ObjectDescriptor checkpoint(String path, int tail) {
        int depth = path.isEmpty() ? 0 : path.split("/").length;
        return new ObjectDescriptor(
                key(path + "+" + tail),
                path.isEmpty() ? key("root") : key(path),
                ObjectKind.CHECKPOINT,
                depth * BLOCK + tail,
                tail);
    }

    /** Hidden states of a block or checkpoint. */
    static ObjectDescriptor features(ObjectDescriptor of) {
        return new ObjectDescriptor(
                key("features of " + of.key()),
                of.parent(),
                ObjectKind.FEATURES,
                of.position(),
                of.tail());
    }

    /** The payload of an object; some are large, some are small, all have several chunks. */
    static byte[] payload(ObjectDescriptor name, int size) {
        byte[] bytes = new byte[size];
        new Random(name.key().hashCode()).nextBytes(bytes);
        return bytes;
    }

    static ObjectSource source(ObjectDescriptor name, int size) {
        byte[] bytes = payload(name, size);
        return new ObjectSource() {
            @Override
            public ByteBuffer header() {
                return ByteBuffer.wrap(name.key().bytes());
            }

            @Override
            public long bytes() {
                return bytes.length;
            }

            @Override
            public void give(long offset, ByteBuffer target) {
                target.put(bytes, (int) offset, target.remaining());
            }
        };
    }

    static WriteResult write(DiskArchive archive, ObjectDescriptor name, int size) {
        return archive.write(name, source(name, size));
    }

    /** Reads an object, whose bytes must be those that were written. */
    static void read(DiskArchive archive, ObjectDescriptor name, int size)
            throws ArchiveMissException {
        byte[] read = new byte[size];
        archive.read(
                name.key(),
                new ObjectTarget() {
                    @Override
                    public boolean accept(ByteBuffer header, long bytes) {
                        assertEquals(ByteBuffer.wrap(name.key().bytes()), header);
                        assertEquals(size, bytes);
                        return true;
                    }

                    @Override
                    public void write(long offset, ByteBuffer bytes) {
                        bytes.get(read, (int) offset, bytes.remaining());
                    }
                });
        assertArrayEquals(payload(name, size), read);
    }

    /** Whether an object is there and can be read; if so, it is right. */
    static boolean has(DiskArchive archive, ObjectDescriptor name, int size) {
        if (archive.find(name.key()).isEmpty()) {
            return false;
        }
        try {
            read(archive, name, size);
            return true;
        } catch (ArchiveMissException e) {
            return false;
        }
    }
}
