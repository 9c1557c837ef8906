package dev.varve.platform.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/**
 * Journal file of a namespace: a sequence of entries, each with its length and a checksum. An entry
 * that a killed process left half-written at the end is cut off. Thread-safe.
 */
final class Journal implements AutoCloseable {
    private static final long MAGIC = 0x5641_5256_454A_3031L;

    /**
     * Maximum size that is read. Each start compacts the journal if that is worth it, so none of
     * ours is as long.
     */
    private static final long MOST_BYTES = 256L << 20;

    private static final int FRAME = Short.BYTES + Integer.BYTES;

    private final Path file;
    private final FileChannel channel;
    private final Optional<Object> identity;
    private final ByteBuffer buffer = ByteBuffer.allocateDirect(FRAME + JournalEntry.MOST_BYTES);
    private long read;
    private final boolean writes;
    private boolean begun = true;

    private Journal(Path file, FileChannel channel, boolean writes) throws IOException {
        this.file = file;
        this.channel = channel;
        this.writes = writes;
        identity = identity(file);
    }

    /** Identity of the file, if the system reports one. */
    private static Optional<Object> identity(Path file) throws IOException {
        return Optional.ofNullable(Files.readAttributes(file, BasicFileAttributes.class).fileKey());
    }

    /**
     * Opens a journal for writing; creates an empty one if there is none, or none of this format.
     */
    static Journal write(Path file) throws IOException {
        PrivateFiles.create(file);
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        Journal journal = new Journal(file, channel, true);
        if (!journal.begins() || channel.size() > MOST_BYTES) {
            journal.begun = channel.size() == 0;
            channel.truncate(0);
            channel.write(ByteBuffer.allocate(Long.BYTES).putLong(MAGIC).flip(), 0);
            journal.read = Long.BYTES;
        }
        return journal;
    }

    /** Opens a journal for reading. */
    static Journal read(Path file) throws IOException {
        Journal journal = new Journal(file, FileChannel.open(file, StandardOpenOption.READ), false);
        journal.begun = journal.begins();
        return journal;
    }

    /** Whether the file begins with the magic number; reading continues after it. */
    private boolean begins() throws IOException {
        ByteBuffer begin = ByteBuffer.allocate(Long.BYTES);
        while (begin.hasRemaining() && channel.read(begin, begin.position()) >= 0) {
            // A regular file returns some bytes at each call.
        }
        boolean journal = !begin.hasRemaining() && begin.flip().getLong() == MAGIC;
        read = journal ? Long.BYTES : Long.MAX_VALUE;
        return journal;
    }

    /** Passes on the entries that were not passed on before, as far as they are complete. */
    synchronized void replay(Consumer<JournalEntry> consumer) throws IOException {
        long size = channel.size();
        if (read >= size || size - read > MOST_BYTES) {
            return;
        }
        ByteBuffer all = ByteBuffer.allocate(Math.toIntExact(size - read));
        while (all.hasRemaining() && channel.read(all, read + all.position()) >= 0) {
            // A regular file returns some bytes at each call.
        }
        all.flip();
        for (Optional<JournalEntry> entry = next(all); entry.isPresent(); entry = next(all)) {
            consumer.accept(entry.get());
        }
        read += all.position();
    }

    /** Reads the next complete entry; without one, the buffer's position does not change. */
    private static Optional<JournalEntry> next(ByteBuffer all) {
        int begin = all.position();
        if (all.remaining() >= FRAME) {
            int length = all.getShort();
            int checksum = all.getInt();
            if (length > 0 && length <= all.remaining()) {
                ByteBuffer body = all.slice(all.position(), length);
                if (checksum == checksum(body)) {
                    Optional<JournalEntry> entry = JournalEntry.read(body);
                    if (entry.isPresent()) {
                        all.position(all.position() + length);
                        return entry;
                    }
                }
            }
        }
        all.position(begin);
        return Optional.empty();
    }

    private static int checksum(ByteBuffer body) {
        CRC32C checksum = new CRC32C();
        checksum.update(body.duplicate());
        return (int) checksum.getValue();
    }

    /** Cuts off an incomplete entry; to be called after all entries were passed on. */
    synchronized void truncateIncomplete() throws IOException {
        if (channel.size() > read) {
            channel.truncate(read);
        }
    }

    /**
     * Whether no entry is lost, as far as that is detectable; to be called after all entries were
     * passed on. A journal that another process writes may end with an incomplete entry.
     */
    synchronized boolean isComplete() throws IOException {
        return begun && (!writes || channel.size() == read);
    }

    /** Whether the path is a different file now, or the file was started again. */
    synchronized boolean isReplaced() {
        try {
            return channel.size() < read && read < Long.MAX_VALUE
                    || !identity(file).equals(identity);
        } catch (IOException e) {
            return true;
        }
    }

    /** Appends an entry. */
    synchronized void append(JournalEntry entry) throws IOException {
        buffer.clear().position(FRAME);
        entry.put(buffer);
        int length = buffer.position() - FRAME;
        buffer.putShort(0, (short) length);
        buffer.putInt(Short.BYTES, checksum(buffer.slice(FRAME, length)));
        buffer.flip();
        long at = channel.size();
        while (buffer.hasRemaining()) {
            at += channel.write(buffer, at);
        }
        read = at;
    }

    /** Creates a journal of the given entries and replaces the one at {@code file}, atomically. */
    static Journal replace(Path file, Collection<? extends JournalEntry> entries)
            throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".new");
        Files.deleteIfExists(next);
        Journal journal = write(next);
        try {
            for (JournalEntry entry : entries) {
                journal.append(entry);
            }
            Files.move(
                    next,
                    file,
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
            return new Journal(file, journal.channel, true).from(journal.read);
        } catch (IOException e) {
            journal.close();
            throw e;
        }
    }

    private Journal from(long position) {
        read = position;
        return this;
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
