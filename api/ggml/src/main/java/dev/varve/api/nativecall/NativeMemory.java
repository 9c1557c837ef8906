package dev.varve.api.nativecall;

import static java.lang.foreign.ValueLayout.ADDRESS_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;

/**
 * Memory that a function reads or fills: a struct, an array, a text. Fields are accessed by their
 * offset in bytes; an offset outside is refused. Lives as long as its {@link NativeScope}; as an
 * argument it is passed by its address.
 */
public final class NativeMemory implements NativeArgument {
    private final NativeScope scope;
    private final MemorySegment segment;

    NativeMemory(NativeScope scope, MemorySegment segment) {
        this.scope = scope;
        this.segment = segment;
    }

    /** Length in bytes. */
    public long size() {
        return segment.byteSize();
    }

    /** Reads a C {@code int}. */
    public int getInt(long offset) {
        return field(offset, JAVA_INT_UNALIGNED).get(JAVA_INT_UNALIGNED, 0);
    }

    /** Writes a C {@code int}. */
    public void setInt(long offset, int value) {
        field(offset, JAVA_INT_UNALIGNED).set(JAVA_INT_UNALIGNED, 0, value);
    }

    /** Reads an {@code int64_t} or {@code size_t}. */
    public long getLong(long offset) {
        return field(offset, JAVA_LONG_UNALIGNED).get(JAVA_LONG_UNALIGNED, 0);
    }

    /** Writes an {@code int64_t} or {@code size_t}. */
    public void setLong(long offset, long value) {
        field(offset, JAVA_LONG_UNALIGNED).set(JAVA_LONG_UNALIGNED, 0, value);
    }

    /** Reads a pointer. */
    public NativePointer getPointer(long offset) {
        return new NativePointer(field(offset, ADDRESS_UNALIGNED).get(ADDRESS_UNALIGNED, 0));
    }

    /** Writes a pointer. */
    public void setPointer(long offset, NativePointer value) {
        field(offset, ADDRESS_UNALIGNED).set(ADDRESS_UNALIGNED, 0, value.address());
    }

    /** Writes a pointer to other memory, which must live as long as the pointer may be followed. */
    public void setPointer(long offset, NativeMemory target) {
        field(offset, ADDRESS_UNALIGNED).set(ADDRESS_UNALIGNED, 0, target.segment());
    }

    /**
     * Reads a text in UTF-8 that begins at an offset.
     *
     * @throws IndexOutOfBoundsException if no zero terminates it inside this memory
     */
    public String getText(long offset) {
        byte[] bytes = range(offset, size() - offset).toArray(ValueLayout.JAVA_BYTE);
        for (int end = 0; end < bytes.length; end++) {
            if (bytes[end] == 0) {
                return new String(bytes, 0, end, StandardCharsets.UTF_8);
            }
        }
        throw new IndexOutOfBoundsException(
                "the text at byte " + offset + " has no end within the memory of " + size());
    }

    /** Returns all of the memory, for a call. */
    MemorySegment segment() {
        scope.requireOpen();
        return segment;
    }

    private MemorySegment field(long offset, ValueLayout layout) {
        return range(offset, layout.byteSize());
    }

    private MemorySegment range(long offset, long bytes) {
        MemorySegment open = segment();
        if (offset < 0 || bytes < 0 || offset > size() - bytes) {
            throw new IndexOutOfBoundsException(
                    bytes + " bytes at " + offset + " exceed the memory of " + size());
        }
        return open.asSlice(offset, bytes);
    }
}
