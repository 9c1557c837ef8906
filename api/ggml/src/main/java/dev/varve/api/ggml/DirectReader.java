package dev.varve.api.ggml;

import static dev.varve.api.ggml.Native.C_INT;
import static dev.varve.api.ggml.Native.C_INT64;
import static dev.varve.api.ggml.Native.C_POINTER;
import static dev.varve.api.ggml.Native.C_SIZE_T;
import static dev.varve.api.ggml.Native.returns;
import static dev.varve.api.ggml.NativeCall.call;
import static dev.varve.api.ggml.NativeCall.pointer;

import dev.varve.api.VarveException;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/**
 * Reads whole pages of a file without leaving them in the page cache: directly ({@code O_DIRECT})
 * where the file system supports it, otherwise with buffers that are dropped after each read. Linux
 * only. Any number of threads may read at the same time.
 */
public final class DirectReader implements AutoCloseable {
    /** Offsets and lengths are multiples of it. */
    public static final int PAGE = 4096;

    private static final int CLOSE_ON_EXEC = 0x80000;

    /** {@code O_DIRECT}, which is another bit on ARM. */
    private static final int DIRECT =
            System.getProperty("os.arch").equals("aarch64") ? 0x10000 : 0x4000;

    /** {@code POSIX_FADV_DONTNEED} */
    private static final int DONT_NEED = 4;

    /**
     * {@code int open(const char * path, int flags, ...)}; the mode is not used. In the calling
     * conventions of Linux the fixed arguments are those of any function.
     */
    private static final MethodHandle OPEN =
            Native.bindSystem("open", returns(C_INT, C_POINTER, C_INT));

    /** {@code ssize_t pread(int fd, void * target, size_t count, off_t offset)} */
    private static final MethodHandle PREAD =
            Native.bindSystem("pread", returns(C_INT64, C_INT, C_POINTER, C_SIZE_T, C_INT64));

    /** {@code int posix_fadvise(int fd, off_t offset, off_t length, int advice)} */
    private static final MethodHandle FADVISE =
            Native.bindSystem("posix_fadvise", returns(C_INT, C_INT, C_INT64, C_INT64, C_INT));

    /** {@code int close(int fd)} */
    private static final MethodHandle CLOSE = Native.bindSystem("close", returns(C_INT, C_INT));

    private final Path path;
    private final int buffered;

    /** Negative if the file system refuses direct reads. */
    private final int direct;

    private volatile boolean isDirect;
    private boolean closed;

    private DirectReader(Path path, int buffered, int direct) {
        this.path = path;
        this.buffered = buffered;
        this.direct = direct;
        isDirect = direct >= 0;
    }

    /**
     * Opens a file.
     *
     * @throws VarveException of kind UNREADABLE_FILE if it cannot be opened
     */
    public static DirectReader open(Path path) {
        DirectReader buffered = openBuffered(path);
        return new DirectReader(path, buffered.buffered, open(path, CLOSE_ON_EXEC | DIRECT));
    }

    /** Opens a file whose file system refuses direct reads. */
    static DirectReader openBuffered(Path path) {
        int buffered = open(path, CLOSE_ON_EXEC);
        if (buffered < 0) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE, path + ": cannot be opened");
        }
        return new DirectReader(path, buffered, -1);
    }

    private static int open(Path path, int flags) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocateFrom(path.toString());
            return (int) call(OPEN, pointer(name), flags);
        }
    }

    /** Returns whether reads bypass the page cache. */
    public boolean isDirect() {
        return isDirect;
    }

    /**
     * Reads pages of the file to the same place of the addresses that are reserved for it.
     *
     * @param target opened with {@link MappedFile#openForReading} for the same file
     * @param begin offset of the first page
     * @param end offset after the last page, which may be beyond the end of the file
     * @return bytes that were read; fewer if the file ends earlier
     * @throws VarveException of kind UNREADABLE_FILE if reading fails
     */
    public long read(MappedFile target, long begin, long end) {
        if (begin % PAGE != 0 || end % PAGE != 0 || begin >= end) {
            throw new IllegalArgumentException(
                    "expected whole pages, found " + begin + " to " + end);
        }
        long address = target.pageAddress(begin, end);
        long done = 0;
        while (done < end - begin) {
            long count = readOnce(address + done, begin + done, end - begin - done);
            if (count == 0) {
                break;
            }
            done += count;
        }
        return done;
    }

    private long readOnce(long address, long offset, long bytes) {
        // After a short direct read the rest may not be aligned.
        if (isDirect && offset % PAGE == 0) {
            long count = pread(direct, address, offset, bytes);
            if (count >= 0) {
                return count;
            }
            isDirect = false;
        }
        long count = pread(buffered, address, offset, bytes);
        if (count < 0) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    path + ": reading " + bytes + " bytes at " + offset + " failed");
        }
        call(FADVISE, buffered, offset, bytes, DONT_NEED);
        return count;
    }

    private static long pread(int file, long address, long offset, long bytes) {
        return call(PREAD, file, address, bytes, offset);
    }

    /** Closes the file; closing twice is allowed. No read may be in progress. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        close(buffered);
        if (direct >= 0) {
            close(direct);
        }
    }

    private static void close(int file) {
        call(CLOSE, file);
    }
}
