package dev.varve.platform.wire;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.StreamSupport;

/**
 * File behind the two rings of a channel, in memory and readable for its owner only. The connecting
 * side creates it and unlinks its name at once; the other side opens it through the creator's
 * descriptor. So the kernel frees the memory when the last of both processes ends, however it ends.
 *
 * <p>Layout, little-endian: at 0 the magic (u64), at 8 the bytes of each ring (u64), at 16 the
 * nonce; at {@value #PAGE} the cursors of the ring from the creator to the other side, one page
 * later those of the other ring; then the data of the first ring and of the second.
 *
 * <p>The name exists for some microseconds between two system calls. A process that is killed in
 * between leaves a file. Earlier releases also left files, since they kept the name for the whole
 * handshake and held a lock. {@link #create} removes files of processes that no longer exist and
 * whose lock is free.
 */
final class RingFile {
    private static final System.Logger LOG = System.getLogger("dev.varve.wire");

    static final long MIN_RING_BYTES = 64 << 10;
    static final long MAX_RING_BYTES = 1 << 30;
    static final int PAGE = 4096;

    private static final long MAGIC = 0x31474e4952565256L;
    private static final String PREFIX = "varve-ring-";
    private static final int DATA_START = 3 * PAGE;

    private RingFile() {}

    /**
     * Both rings of the file.
     *
     * @param toPeer ring that this side writes
     * @param fromPeer ring that the other side writes
     */
    record Rings(RingProducer toPeer, RingConsumer fromPeer) {}

    /** File that only its creator has mapped; the other side can open it until this is closed. */
    record Created(RingFileDescriptor address, FileChannel channel, Rings rings)
            implements AutoCloseable {
        /** Closes the descriptor; the mapping stays. */
        @Override
        public void close() {
            try {
                channel.close();
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "a shared memory file cannot be closed", e);
            }
        }
    }

    /** Returns the folder of shared memory on this machine. */
    static Path folder() {
        return Path.of("/dev/shm");
    }

    /**
     * Creates the file for a nonce.
     *
     * @throws IOException if there is no folder for shared memory, or it is full
     */
    static Created create(Path folder, RingNonce nonce, long ringBytes) throws IOException {
        removeStale(folder);
        long size = DATA_START + 2 * aligned(ringBytes);
        long room = Files.getFileStore(folder).getUsableSpace();
        if (room < size) {
            throw new IOException(
                    String.format(
                            Locale.ROOT,
                            "%s: expected %d free bytes, found %d",
                            folder,
                            size,
                            room));
        }
        String name = PREFIX + ProcessHandle.current().pid() + "-" + nonce.hex();
        // DELETE_ON_CLOSE deletes right after opening if the system supports it.
        FileChannel channel =
                FileChannel.open(
                        folder.resolve(name),
                        Set.of(
                                StandardOpenOption.CREATE_NEW,
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE,
                                StandardOpenOption.DELETE_ON_CLOSE),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")));
        try {
            channel.write(ByteBuffer.allocate(1), size - 1);
            MappedByteBuffer head = map(channel, 0, PAGE);
            head.putLong(0, MAGIC).putLong(8, aligned(ringBytes)).put(16, nonce.bytes());
            return new Created(
                    RingFileDescriptor.ofDeleted(name),
                    channel,
                    rings(channel, aligned(ringBytes), true));
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            throw e;
        }
    }

    /**
     * Maps the file that the other side created.
     *
     * @throws IOException if the file does not exist or differs from the announcement
     */
    static Rings open(RingFileDescriptor address, RingNonce nonce, long ringBytes)
            throws IOException {
        if (ringBytes < MIN_RING_BYTES || ringBytes > MAX_RING_BYTES) {
            throw new IOException(
                    "ring: expected "
                            + MIN_RING_BYTES
                            + " to "
                            + MAX_RING_BYTES
                            + " bytes, found "
                            + ringBytes);
        }
        Path file = address.path();
        // Checked before it is opened: opening a pipe or a device may have side effects.
        PosixFileAttributes facts = Files.readAttributes(file, PosixFileAttributes.class);
        long size = DATA_START + 2 * aligned(ringBytes);
        if (!facts.isRegularFile()
                || facts.size() != size
                || !PosixFilePermissions.toString(facts.permissions()).equals("rw-------")) {
            throw new IOException(
                    "shared memory file has another type, size or mode than announced");
        }
        try (FileChannel channel =
                FileChannel.open(file, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE))) {
            MappedByteBuffer head = map(channel, 0, PAGE);
            byte[] found = new byte[RingNonce.BYTES];
            head.get(16, found);
            if (head.getLong(0) != MAGIC
                    || head.getLong(8) != aligned(ringBytes)
                    || !Arrays.equals(found, nonce.bytes())) {
                throw new IOException("shared memory file has another content than announced");
            }
            return rings(channel, aligned(ringBytes), false);
        }
    }

    private static Rings rings(FileChannel channel, long ringBytes, boolean creator)
            throws IOException {
        int own = creator ? PAGE : 2 * PAGE;
        int other = creator ? 2 * PAGE : PAGE;
        long ownData = DATA_START + (creator ? 0 : ringBytes);
        long otherData = DATA_START + (creator ? ringBytes : 0);
        return new Rings(
                new RingProducer(
                        new RingCursors(map(channel, own, PAGE)), map(channel, ownData, ringBytes)),
                new RingConsumer(
                        new RingCursors(map(channel, other, PAGE)),
                        map(channel, otherData, ringBytes)));
    }

    private static MappedByteBuffer map(FileChannel channel, long offset, long bytes)
            throws IOException {
        MappedByteBuffer mapped = channel.map(MapMode.READ_WRITE, offset, bytes);
        mapped.order(ByteOrder.LITTLE_ENDIAN);
        return mapped;
    }

    private static void removeStale(Path folder) throws IOException {
        List<Path> found;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, PREFIX + "*-*")) {
            found = List.copyOf(StreamSupport.stream(files.spliterator(), false).toList());
        }
        for (Path file : found) {
            if (ownerIsGone(file)) {
                removeIfUnlocked(file);
            }
        }
    }

    private static boolean ownerIsGone(Path file) {
        String name = file.getFileName().toString();
        String owner = name.substring(PREFIX.length(), name.lastIndexOf('-'));
        Optional<Long> process =
                owner.matches("\\d{1,18}") ? Optional.of(Long.parseLong(owner)) : Optional.empty();
        return process.isPresent() && ProcessHandle.of(process.get()).isEmpty();
    }

    /**
     * Removes a file whose lock is free. The lock detects a live process of another container,
     * whose process id has no meaning here.
     */
    private static void removeIfUnlocked(Path file) {
        try (FileChannel channel =
                        FileChannel.open(
                                file,
                                Set.of(
                                        StandardOpenOption.READ,
                                        StandardOpenOption.WRITE,
                                        LinkOption.NOFOLLOW_LINKS));
                FileLock lock = channel.tryLock()) {
            if (lock != null) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | OverlappingFileLockException e) {
            // owned by another user, or removed meanwhile: not ours to remove
            return;
        }
    }

    private static long aligned(long bytes) {
        return (bytes + PAGE - 1) / PAGE * PAGE;
    }
}
