package dev.varve.api.ggml;

import static dev.varve.api.ggml.Native.C_INT;
import static dev.varve.api.ggml.Native.C_POINTER;
import static dev.varve.api.ggml.Native.C_SIZE_T;
import static dev.varve.api.ggml.Native.returns;

import dev.varve.api.VarveException;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file mapped read-only. Buffers over the mapping must be closed before it. */
public final class MappedFile implements AutoCloseable {
    private static final int DONT_NEED = 4;
    private static final long PAGE = 4096;

    private final Path path;
    private final Arena arena;
    private final MemorySegment content;

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
        } catch (IOException e) {
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
        long begin = Math.ceilDiv(offset, PAGE) * PAGE;
        long end = (offset + bytes) / PAGE * PAGE;
        if (end > begin) {
            try {
                int ignored =
                        (int)
                                Advice.MADVISE.invokeExact(
                                        slice(begin, end - begin), end - begin, DONT_NEED);
            } catch (Throwable e) {
                throw Native.sneaky(e);
            }
        }
    }

    MemorySegment slice(long offset, long bytes) {
        return content.asSlice(offset, bytes);
    }

    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }

    /** {@code int madvise(void * address, size_t length, int advice)} */
    private static final class Advice {
        static final MethodHandle MADVISE =
                Native.bindPointer(
                        Native.linker().defaultLookup().find("madvise").orElseThrow(),
                        returns(C_INT, C_POINTER, C_SIZE_T, C_INT));
    }
}
