package dev.varve.api.ggml;

import static dev.varve.api.ggml.Native.C_INT;
import static dev.varve.api.ggml.Native.C_POINTER;
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
            MemorySegment value = (MemorySegment) GETENV.invokeExact(arena.allocateFrom(name));
            return Native.isNull(value) ? Optional.empty() : Optional.of(Native.string(value));
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }

    /** Sets a variable for native code of this process and for processes that it starts. */
    public static void set(String name, String value) {
        if (name.isEmpty() || name.contains("=")) {
            throw new IllegalArgumentException("no name of a variable: '" + name + "'");
        }
        try (Arena arena = Arena.ofConfined()) {
            int status =
                    (int)
                            SETENV.invokeExact(
                                    arena.allocateFrom(name), arena.allocateFrom(value), 1);
            if (status != 0) {
                throw new IllegalStateException("variable " + name + " cannot be set");
            }
        } catch (Throwable e) {
            throw Native.sneaky(e);
        }
    }
}
