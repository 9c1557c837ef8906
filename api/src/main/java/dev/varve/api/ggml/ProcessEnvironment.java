package dev.varve.api.ggml;

import static dev.varve.api.ggml.CType.C_INT;
import static dev.varve.api.ggml.CType.C_POINTER;
import static dev.varve.api.ggml.Native.returns;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * The environment of this process as native libraries see it; Java keeps a copy of its own from the
 * start. Some of ggml's settings are read from nowhere else.
 *
 * <p>The C library does not guard it: it is written before a backend is loaded, from the thread
 * that loads backends, and never afterwards.
 */
public final class ProcessEnvironment {
    private static final MethodHandle GETENV =
            Native.bindSystem("getenv", returns(C_POINTER, C_POINTER));
    private static final MethodHandle SETENV =
            Native.bindSystem("setenv", returns(C_INT, C_POINTER, C_POINTER, C_INT));

    private ProcessEnvironment() {}

    /** The value of a variable; empty if it is not set. */
    public static Optional<String> get(String name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(name);
            MemorySegment value = Native.call(() -> (MemorySegment) GETENV.invokeExact(text));
            return Native.isNull(value) ? Optional.empty() : Optional.of(Native.string(value));
        }
    }

    /** Sets a variable for native code of this process and for processes that it starts. */
    public static void set(String name, String value) {
        if (name.isEmpty() || name.contains("=")) {
            throw new IllegalArgumentException("no name of a variable: '" + name + "'");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment variable = arena.allocateFrom(name);
            MemorySegment text = arena.allocateFrom(value);
            int status = Native.call(() -> (int) SETENV.invokeExact(variable, text, 1));
            if (status != 0) {
                throw new IllegalStateException("variable " + name + " cannot be set");
            }
        }
    }
}
