package dev.varve.api.ggml;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A file mapped read-only. Buffers over the mapping must be closed before it.
 *
 * <p>A mapped page beyond the end of the file kills the process (SIGBUS) when native code touches
 * it, so a file must not be shortened while it is mapped. {@link #requireWhole} detects most such
 * files before their pages are touched. A file that is {@linkplain #openForReading read} instead
 * has no such pages.
 */
public final class MappedFile implements AutoCloseable {
    private static final long PAGE = 4096;
    private static final long PIECE = 1 << 24;

    private final Path path;
    private final Arena arena;
    private final MemorySegment content;
    private final Optional<RandomAccessFile> mapped;
    private final AtomicInteger lent = new AtomicInteger();

    private MappedFile(
            Path path, Arena arena, MemorySegment content, Optional<RandomAccessFile> mapped) {
        this.path = path;
        this.arena = arena;
        this.content = content;
        this.mapped = mapped;
    }

    /**
     * Maps a file.
     *
     * @throws VarveException of kind UNREADABLE_FILE if it cannot be read
     */
    public static MappedFile open(Path path) {
        Arena arena = Arena.ofShared();
        RandomAccessFile file = null;
        try {
            // Unlike a channel, it stays open when a thread that reads its length is interrupted.
            file = new RandomAccessFile(path.toFile(), "r");
            FileChannel channel = file.getChannel();
            MemorySegment content =
                    channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
            return new MappedFile(path, arena, content, Optional.of(file));
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            arena.close();
            close(file);
            throw unreadable(path, "mapped", e);
        }
    }

    /**
     * Reserves addresses for a file without mapping it. A range holds the file's bytes after it was
     * {@link #load loaded}, and zeros before that and after {@link #releasePages}. For files on
     * network file systems, whose pages may be lost at any time.
     *
     * @throws VarveException of kind UNREADABLE_FILE if it cannot be read
     */
    public static MappedFile openForReading(Path path) {
        Arena arena = Arena.ofShared();
        try {
            MemorySegment content = MemoryReservation.reserve(Files.size(path), arena);
            return new MappedFile(path, arena, content, Optional.empty());
        } catch (IOException | IllegalStateException e) {
            arena.close();
            throw unreadable(path, "read", e);
        }
    }

    private static VarveException unreadable(Path path, String done, Exception e) {
        return new VarveException(
                VarveException.Kind.UNREADABLE_FILE,
                path + ": cannot be " + done + ": " + FileErrors.reason(e),
                e);
    }

    /**
     * Compares the file's length with the one that was mapped. Takes about a microsecond.
     *
     * @throws VarveException of kind CORRUPT_FILE if the file has become shorter
     */
    public void requireWhole() {
        if (mapped.isEmpty()) {
            return;
        }
        long found;
        try {
            found = mapped.get().length();
        } catch (IOException e) {
            throw unreadable(path, "read", e);
        }
        if (found < size()) {
            throw shorter(found);
        }
    }

    private VarveException shorter(long found) {
        return new VarveException(
                VarveException.Kind.CORRUPT_FILE,
                path
                        + ": expected "
                        + size()
                        + " bytes, found "
                        + found
                        + ": the file was shortened while the server uses it; replace a model file"
                        + " by renaming the new one, never by writing over the old one");
    }

    /** The file. */
    public Path path() {
        return path;
    }

    /** Returns whether pages of the file itself are used, and not a copy. */
    public boolean isMapped() {
        return mapped.isPresent();
    }

    /** Bytes of the file. */
    public long size() {
        return content.byteSize();
    }

    /**
     * Lets the kernel drop the pages of a range from this process; they are read again when
     * touched. Best effort.
     */
    public void releasePages(long offset, long bytes) {
        requireRange(offset, bytes);
        // Pages at the edges also hold bytes of neighbouring ranges, so only whole pages are
        // released.
        advise(
                Math.ceilDiv(offset, PAGE) * PAGE,
                (offset + bytes) / PAGE * PAGE,
                MemoryAdvice.DONT_NEED);
    }

    /** Advises the kernel to read a range ahead. Best effort. */
    public void prefetch(long offset, long bytes) {
        requireRange(offset, bytes);
        advise(offset / PAGE * PAGE, offset + bytes, MemoryAdvice.WILL_NEED);
    }

    /**
     * Reads a range into memory, so that its next reader does not wait for the disk.
     *
     * @throws VarveException of kind CORRUPT_FILE if the file has become shorter
     */
    public void load(long offset, long bytes) {
        MemorySegment range = slice(offset, bytes);
        if (mapped.isEmpty()) {
            read(offset, range);
            return;
        }
        requireWhole();
        try {
            range.load();
        } catch (InternalError e) {
            // The JVM turns SIGBUS in its own code into this error.
            requireWhole();
            throw e;
        }
    }

    private void read(long offset, MemorySegment range) {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            for (long done = 0; done < range.byteSize(); ) {
                long piece = Math.min(PIECE, range.byteSize() - done);
                ByteBuffer target = range.asSlice(done, piece).asByteBuffer();
                int count = channel.read(target, offset + done);
                if (count < 0) {
                    throw shorter(channel.size());
                }
                done += count;
            }
        } catch (IOException e) {
            throw unreadable(path, "read", e);
        }
    }

    private void advise(long begin, long end, int advice) {
        if (end > begin) {
            MemoryAdvice.give(slice(begin, end - begin), advice);
        }
    }

    MemorySegment slice(long offset, long bytes) {
        requireRange(offset, bytes);
        return content.asSlice(offset, bytes);
    }

    private void requireRange(long offset, long bytes) {
        if (!arena.scope().isAlive()) {
            throw new IllegalStateException(path + ": the file is closed");
        }
        if (offset < 0 || bytes < 0 || offset > size() - bytes) {
            throw new IndexOutOfBoundsException(
                    path + ": " + bytes + " bytes at " + offset + " exceed the file of " + size());
        }
    }

    /**
     * Lets the kernel use small pages for all of the file, so that a range uses the memory of its
     * own pages only. Best effort.
     */
    public void preferSmallPages() {
        if (size() > 0) {
            advise(0, size(), MemoryAdvice.NO_HUGE_PAGE);
        }
    }

    /**
     * Returns the address of some pages of a file that is not mapped.
     *
     * @param end may be beyond the end of the file, on its last page
     */
    long pageAddress(long begin, long end) {
        if (mapped.isPresent() || begin < 0 || end > Math.ceilDiv(size(), PAGE) * PAGE) {
            throw new IllegalArgumentException(
                    path + ": no pages to read to from " + begin + " to " + end);
        }
        return slice(begin, 0).address();
    }

    /** Counts a buffer over this mapping; running the result removes it from the count. */
    Runnable lend() {
        lent.incrementAndGet();
        return lent::decrementAndGet;
    }

    /**
     * Unmaps the file; closing twice is allowed.
     *
     * @throws IllegalStateException if a buffer over it is still open
     */
    @Override
    public void close() {
        if (lent.get() > 0) {
            throw new IllegalStateException(
                    path + ": " + lent.get() + " buffers over the mapping are open");
        }
        if (arena.scope().isAlive()) {
            arena.close();
            mapped.ifPresent(MappedFile::close);
        }
    }

    private static void close(RandomAccessFile file) {
        try {
            if (file != null) {
                file.close();
            }
        } catch (IOException e) {
            // The file was only read.
        }
    }
}
