package dev.varve.api.ggml;

import static dev.varve.api.ggml.CType.C_INT;
import static dev.varve.api.ggml.CType.C_POINTER;
import static dev.varve.api.ggml.Native.returns;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/** Libraries of the operating system that a backend's own library needs. Needs no ggml. */
public final class SystemLibrary {
    /** {@code RTLD_LAZY}: no symbol of it is needed here. */
    private static final int LAZY = 1;

    private static final MethodHandle DLOPEN =
            Native.bindSystem("dlopen", returns(C_POINTER, C_POINTER, C_INT));
    private static final MethodHandle DLERROR = Native.bindSystem("dlerror", returns(C_POINTER));

    private SystemLibrary() {}

    /**
     * Why a library cannot be opened, in the words of the dynamic loader; empty if it can. An
     * opened one stays open: the backend that needs it is loaded next.
     *
     * @param name as it stands in the dependencies of a library, such as {@code libcuda.so.1}, or a
     *     path
     */
    public static Optional<String> whyMissing(String name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment file = arena.allocateFrom(name);
            MemorySegment opened =
                    Native.call(() -> (MemorySegment) DLOPEN.invokeExact(file, LAZY));
            if (!Native.isNull(opened)) {
                return Optional.empty();
            }
            return Optional.of(
                    Native.call(() -> Native.string((MemorySegment) DLERROR.invokeExact())));
        }
    }
}
