package dev.varve.api.nativecall;

import java.lang.foreign.Arena;

/**
 * Owns the memory that a few calls need, and frees all of it when it is closed. For the thread that
 * opened it; closing twice is allowed.
 */
public final class NativeScope implements AutoCloseable {
    /** Maximum alignment of any C type. */
    private static final long ALIGNMENT = 16;

    private final Arena arena = Arena.ofConfined();

    private NativeScope() {}

    /** Opens a scope without memory. */
    public static NativeScope open() {
        return new NativeScope();
    }

    /**
     * Allocates zeroed memory, aligned for any type.
     *
     * @throws IllegalArgumentException unless {@code bytes} is positive
     * @throws IllegalStateException if the scope is closed
     */
    public NativeMemory allocate(int bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("memory must have at least 1 byte, got " + bytes);
        }
        requireOpen();
        return new NativeMemory(this, arena.allocate(bytes, ALIGNMENT));
    }

    /**
     * Allocates a zero-terminated text in UTF-8.
     *
     * @throws IllegalArgumentException if it contains a zero, where C would end it
     * @throws IllegalStateException if the scope is closed
     */
    public NativeMemory text(String text) {
        if (text.indexOf('\0') >= 0) {
            throw new IllegalArgumentException("a text must not contain a zero byte");
        }
        requireOpen();
        return new NativeMemory(this, arena.allocateFrom(text));
    }

    void requireOpen() {
        if (!arena.scope().isAlive()) {
            throw new IllegalStateException("the native scope is closed");
        }
    }

    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
