package dev.varve.bench.kill;

import dev.varve.platform.store.ArchiveMissException;
import dev.varve.platform.store.ArchiveSettings;
import dev.varve.platform.store.DiskArchive;
import dev.varve.platform.store.Namespace;
import dev.varve.platform.store.ObjectDescriptor;
import dev.varve.platform.store.ObjectKey;
import dev.varve.platform.store.ObjectKind;
import dev.varve.platform.store.ObjectSource;
import dev.varve.platform.store.ObjectTarget;
import dev.varve.platform.store.WriteResult;
import dev.varve.plugin.chronicle.ChronicleProvider;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;

/** Objects of a disk cache whose bytes follow from their numbers. */
final class NumberedObjects implements AutoCloseable {
    /** Bytes on disk, after which old objects are evicted. */
    static final long BUDGET = 64L << 20;

    /** Objects in a chain, each the parent of the next. */
    static final int CHAIN = 8;

    private static final int BLOCK = 256;
    private static final int MOST_BYTES = 64 << 10;
    private static final byte[] ROOT = new byte[ObjectKey.BYTES];

    private final DiskArchive archive;

    /** Result of reading an object. */
    enum Found {
        /** All of its bytes are right. */
        RIGHT,
        /** It is not there, or was reported as unreadable. */
        ABSENT,
        /** It was found to be corrupt, and not used. */
        CORRUPT,
        /** Its bytes are wrong, and nothing reported that. */
        WRONG
    }

    private NumberedObjects(DiskArchive archive) {
        this.archive = archive;
    }

    /** Opens the disk cache in a folder for writing, as a server does. */
    static NumberedObjects open(Path folder) throws IOException {
        ArchiveSettings settings =
                new ArchiveSettings(
                        folder,
                        new Namespace(ROOT, Map.of("model", "numbers")),
                        MOST_BYTES / 2,
                        false,
                        new ArchiveSettings.Limits(BUDGET, 0, Optional.empty()),
                        Optional.empty(),
                        InstantSource.system());
        return new NumberedObjects(DiskArchive.open(settings, new ChronicleProvider()));
    }

    /** Returns the key of the object with a number. */
    private static ObjectKey key(int number) {
        byte[] key = new byte[ObjectKey.BYTES];
        ByteBuffer.wrap(key).putLong(mix(number)).putLong(mix(~number)).putInt(number);
        return ObjectKey.of(key);
    }

    private static long mix(long number) {
        long mixed = (number + 1) * 0x9E37_79B9_7F4A_7C15L;
        mixed = (mixed ^ mixed >>> 32) * 0xD6E8_FEB8_6659_FD93L;
        return mixed ^ mixed >>> 32;
    }

    /** Bytes of an object: 8 to 64 KiB, a multiple of 8. */
    static int bytes(int number) {
        return (8 << 10) + (int) (mix(number) >>> 40) % (56 << 10) / 8 * 8;
    }

    private static ByteBuffer payload(int number) {
        ByteBuffer payload = ByteBuffer.allocate(bytes(number));
        for (long seed = mix(number); payload.hasRemaining(); seed += 0x9E37_79B9_7F4A_7C15L) {
            payload.putLong(seed ^ seed >>> 29);
        }
        return payload.flip();
    }

    private static ObjectDescriptor descriptor(int number) {
        int depth = number % CHAIN;
        ObjectKey parent = depth == 0 ? ObjectKey.of(ROOT) : key(number - 1);
        return new ObjectDescriptor(
                key(number), parent, ObjectKind.BLOCK, (depth + 1) * BLOCK, BLOCK);
    }

    WriteResult write(int number) {
        ByteBuffer payload = payload(number);
        return archive.write(
                descriptor(number),
                new ObjectSource() {
                    @Override
                    public ByteBuffer header() {
                        return ByteBuffer.allocate(Integer.BYTES).putInt(0, number);
                    }

                    @Override
                    public long bytes() {
                        return payload.limit();
                    }

                    @Override
                    public void give(long offset, ByteBuffer target) {
                        int length = target.remaining();
                        target.put(payload.slice((int) offset, length));
                    }
                });
    }

    /** Reads an object and compares all of its bytes. */
    Found read(int number) {
        if (archive.find(key(number)).isEmpty()) {
            return Found.ABSENT;
        }
        ByteBuffer read = ByteBuffer.allocate(bytes(number));
        Received received = new Received(number, read);
        try {
            archive.read(key(number), received);
        } catch (ArchiveMissException e) {
            return e.reason() == ArchiveMissException.Reason.CORRUPT ? Found.CORRUPT : Found.ABSENT;
        }
        boolean right = received.fits && read.equals(payload(number));
        return right ? Found.RIGHT : Found.WRONG;
    }

    /** Takes the bytes of an object. */
    private static final class Received implements ObjectTarget {
        private final int number;
        private final ByteBuffer read;
        private boolean fits;

        Received(int number, ByteBuffer read) {
            this.number = number;
            this.read = read;
        }

        @Override
        public boolean accept(ByteBuffer header, long bytes) {
            fits =
                    header.remaining() == Integer.BYTES
                            && header.getInt(header.position()) == number
                            && bytes == read.limit();
            return fits;
        }

        @Override
        public void write(long offset, ByteBuffer bytes) {
            read.put((int) offset, bytes, bytes.position(), bytes.remaining());
        }
    }

    @Override
    public void close() {
        archive.close();
    }
}
