package dev.varve.api.nativecall;

/** An argument of a function of a {@link SystemLibrary}: a number, a pointer, or memory. */
public sealed interface NativeArgument
        permits NativeArgument.Int, NativeArgument.Int64, NativePointer, NativeMemory {
    /** A C {@code int}, or an {@code enum}. */
    static NativeArgument of(int value) {
        return new Int(value);
    }

    /** A C {@code int64_t} or {@code size_t}; not for an {@code int}. */
    static NativeArgument of(long value) {
        return new Int64(value);
    }

    /**
     * A C {@code int}, or an {@code enum}.
     *
     * @param value the number
     */
    record Int(int value) implements NativeArgument {}

    /**
     * A C {@code int64_t} or {@code size_t}.
     *
     * @param value the number; a {@code size_t} beyond {@code long} by its bits
     */
    record Int64(long value) implements NativeArgument {}
}
