package dev.varve.api.ggml;

import dev.varve.api.VarveException;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicInteger;

/** A file mapped read-only. Buffers over the mapping must be closed before it. */
public final class MappedFile implements AutoCloseable {
    private static final long PAGE = 4096;

    private final Path path;
    private final Arena arena;
    private final MemorySegment content;
    private final AtomicInteger lent = new AtomicInteger();

    private MappedFile(Path path, Arena arena, MemorySegment content) {
        this.path = path;
        this.arena = arena;
        this.content = content;
    }

    /**
     * Maps a file.
     *
     * @throws VarveException of kind UNREADABLE_FILE if it cannot be read
     */
    public static MappedFile open(Path path) {
        Arena arena = Arena.ofShared();
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            return new MappedFile(
                    path,
                    arena,
                    channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena));
        } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
            arena.close();
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    path + ": cannot be mapped: " + e.getMessage(),
                    e);
        }
    }

    /** The file. */
    public Path path() {
        return path;
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
        // Pages at the edges hold neighbours' bytes, so only whole pages go.
        advise(
                Math.ceilDiv(offset, PAGE) * PAGE,
                (offset + bytes) / PAGE * PAGE,
                MemoryAdvice.DONT_NEED);
    }

    /** Asks the kernel to read a range ahead. Best effort. */
    public void prefetch(long offset, long bytes) {
        requireRange(offset, bytes);
        advise(offset / PAGE * PAGE, offset + bytes, MemoryAdvice.WILL_NEED);
    }

    /** Reads a range into memory, so that whoever uses it next need not wait for the disk. */
    public void load(long offset, long bytes) {
        slice(offset, bytes).load();
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
                    path + ": " + bytes + " bytes at " + offset + " leave the file of " + size());
        }
    }

    /** Counts a buffer over this mapping; the result takes it back. */
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
        }
    }
}
