package dev.varve.api.nativecall;

import dev.varve.api.VarveException;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.Optional;

/**
 * A library of the operating system, never closed. Needs no ggml.
 *
 * <p>Functions are looked up by name at each call, and there is a method per type of result.
 * Functions with more than 12 arguments, a variable number of them, structs by value or floats are
 * not supported. Too slow for calls per token. Any thread may call, as far as the library allows
 * it.
 */
public final class SystemLibrary {
    /** {@code RTLD_LAZY}: symbols are resolved when they are used. */
    private static final int LAZY = 1;

    /** The C library, which is loaded in every process. */
    private static final SystemLibrary C =
            new SystemLibrary("the C library", Linker.nativeLinker().defaultLookup());

    /** {@code void * dlopen(const char * file, int mode)} */
    private static final MemorySegment DLOPEN = C.find("dlopen");

    /** {@code char * dlerror(void)}; looked up in advance, since a lookup clears the last error. */
    private static final MemorySegment DLERROR = C.find("dlerror");

    private final String name;
    private final SymbolLookup symbols;

    private SystemLibrary(String name, SymbolLookup symbols) {
        this.name = name;
        this.symbols = symbols;
    }

    /**
     * Opens a library.
     *
     * @param name name as in the dependencies of a library, such as {@code libvulkan.so.1}, or a
     *     path
     * @throws VarveException of kind UNAVAILABLE if it cannot be opened, with the message of the
     *     dynamic loader
     */
    @SuppressWarnings("restricted")
    public static SystemLibrary open(String name) {
        whyMissing(name)
                .ifPresent(
                        reason -> {
                            throw unavailable(name + " cannot be opened: " + reason);
                        });
        return new SystemLibrary(name, SymbolLookup.libraryLookup(name, Arena.global()));
    }

    /**
     * Returns the dynamic loader's message if a library cannot be opened; empty if it can. An
     * opened library stays open, because the backend that needs it is loaded next.
     *
     * @param name as for {@link #open}
     */
    public static Optional<String> whyMissing(String name) {
        try (NativeScope scope = NativeScope.open()) {
            long opened = invoke(DLOPEN, scope.text(name), NativeArgument.of(LAZY));
            return opened != 0
                    ? Optional.empty()
                    : Optional.of(text(invoke(DLERROR)).orElse("unknown reason"));
        }
    }

    static SystemLibrary c() {
        return C;
    }

    /** Returns whether the library has a function of this name. */
    public boolean has(String function) {
        return symbols.find(function).isPresent();
    }

    /**
     * Calls a function without a result.
     *
     * @throws VarveException of kind UNAVAILABLE if the library has no such function
     * @throws IllegalStateException if memory among the arguments was freed
     */
    public void call(String function, NativeArgument... arguments) {
        invoke(find(function), arguments);
    }

    /** As {@link #call}, for a result of type {@code int}. */
    public int callInt(String function, NativeArgument... arguments) {
        return (int) invoke(find(function), arguments);
    }

    /** As {@link #call}, for a result of type {@code int64_t} or {@code size_t}. */
    public long callLong(String function, NativeArgument... arguments) {
        return invoke(find(function), arguments);
    }

    /** As {@link #call}, for a pointer as the result. */
    public NativePointer callPointer(String function, NativeArgument... arguments) {
        return new NativePointer(MemorySegment.ofAddress(invoke(find(function), arguments)));
    }

    /**
     * As {@link #call}, for a {@code const char *} as the result: a zero-terminated text in UTF-8;
     * empty for {@code NULL}.
     */
    public Optional<String> callText(String function, NativeArgument... arguments) {
        return text(invoke(find(function), arguments));
    }

    private MemorySegment find(String function) {
        return symbols.find(function)
                .orElseThrow(() -> unavailable(name + ": function " + function + " is missing"));
    }

    private static long invoke(MemorySegment function, NativeArgument... arguments) {
        try {
            return WordCall.call(
                    function, Arrays.stream(arguments).mapToLong(SystemLibrary::word).toArray());
        } finally {
            Reference.reachabilityFence(arguments);
        }
    }

    @SuppressWarnings("restricted")
    private static Optional<String> text(long address) {
        return address == 0
                ? Optional.empty()
                : Optional.of(
                        MemorySegment.ofAddress(address).reinterpret(Long.MAX_VALUE).getString(0));
    }

    private static long word(NativeArgument argument) {
        return switch (argument) {
            case NativeArgument.Int(int value) -> value;
            case NativeArgument.Int64(long value) -> value;
            case NativePointer pointer -> pointer.address().address();
            case NativeMemory memory -> address(memory.segment());
        };
    }

    private static long address(MemorySegment memory) {
        if (!memory.isAccessibleBy(Thread.currentThread())) {
            throw new WrongThreadException("the memory belongs to another thread");
        }
        return memory.address();
    }

    private static VarveException unavailable(String message) {
        return new VarveException(VarveException.Kind.UNAVAILABLE, message);
    }

    @Override
    public String toString() {
        return name;
    }
}
