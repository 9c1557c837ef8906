package dev.varve.api.nativecall;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.varve.api.VarveException;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.Optional;

/**
 * A library of the operating system, never closed. Needs no ggml.
 *
 * <p>Functions are looked up by name at each call, and there is a method per type of result.
 * Functions with a variable number of arguments, structs by value or floats are not supported. Too
 * slow for calls per token. Any thread may call, as far as the library allows it.
 */
public final class SystemLibrary {
    /** {@code RTLD_LAZY}: symbols are resolved when they are used. */
    private static final int LAZY = 1;

    private static final Linker LINKER = Linker.nativeLinker();

    /** The C library, which is loaded in every process. */
    private static final SystemLibrary C =
            new SystemLibrary("the C library", LINKER.defaultLookup());

    /** {@code void * dlopen(const char * file, int mode)} */
    private static final MethodHandle DLOPEN =
            C.bind("dlopen", FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_INT));

    /** {@code char * dlerror(void)}; looked up in advance, since a lookup clears the last error. */
    private static final MethodHandle DLERROR = C.bind("dlerror", FunctionDescriptor.of(ADDRESS));

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
            MemorySegment opened = (MemorySegment) run(DLOPEN, scope.text(name).segment(), LAZY);
            return opened.address() != 0
                    ? Optional.empty()
                    : Optional.of(text((MemorySegment) run(DLERROR)).orElse("unknown reason"));
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
        invoke(function, Optional.empty(), arguments);
    }

    /** As {@link #call}, for a result of type {@code int}. */
    public int callInt(String function, NativeArgument... arguments) {
        return (int) invoke(function, Optional.of(JAVA_INT), arguments);
    }

    /** As {@link #call}, for a result of type {@code int64_t} or {@code size_t}. */
    public long callLong(String function, NativeArgument... arguments) {
        return (long) invoke(function, Optional.of(JAVA_LONG), arguments);
    }

    /** As {@link #call}, for a pointer as the result. */
    public NativePointer callPointer(String function, NativeArgument... arguments) {
        return new NativePointer((MemorySegment) invoke(function, Optional.of(ADDRESS), arguments));
    }

    /**
     * As {@link #call}, for a {@code const char *} as the result: a zero-terminated text in UTF-8;
     * empty for {@code NULL}.
     */
    public Optional<String> callText(String function, NativeArgument... arguments) {
        return text((MemorySegment) invoke(function, Optional.of(ADDRESS), arguments));
    }

    private Object invoke(
            String function, Optional<ValueLayout> result, NativeArgument... arguments) {
        MemoryLayout[] parameters =
                Arrays.stream(arguments).map(SystemLibrary::layout).toArray(MemoryLayout[]::new);
        FunctionDescriptor descriptor =
                result.map(type -> FunctionDescriptor.of(type, parameters))
                        .orElseGet(() -> FunctionDescriptor.ofVoid(parameters));
        Object[] values = Arrays.stream(arguments).map(SystemLibrary::value).toArray();
        return run(bind(function, descriptor), values);
    }

    @SuppressWarnings("restricted")
    private MethodHandle bind(String function, FunctionDescriptor descriptor) {
        return symbols.find(function)
                .map(symbol -> LINKER.downcallHandle(symbol, descriptor))
                .orElseThrow(() -> unavailable(name + ": function " + function + " is missing"));
    }

    private static Object run(MethodHandle handle, Object... values) {
        try {
            return handle.invokeWithArguments(values);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("a downcall throws no checked exception", e);
        }
    }

    @SuppressWarnings("restricted")
    private static Optional<String> text(MemorySegment pointer) {
        return pointer.address() == 0
                ? Optional.empty()
                : Optional.of(pointer.reinterpret(Long.MAX_VALUE).getString(0));
    }

    private static MemoryLayout layout(NativeArgument argument) {
        return switch (argument) {
            case NativeArgument.Int number -> JAVA_INT;
            case NativeArgument.Int64 number -> JAVA_LONG;
            case NativePointer pointer -> ADDRESS;
            case NativeMemory memory -> ADDRESS;
        };
    }

    private static Object value(NativeArgument argument) {
        return switch (argument) {
            case NativeArgument.Int(int value) -> value;
            case NativeArgument.Int64(long value) -> value;
            case NativePointer pointer -> pointer.address();
            case NativeMemory memory -> memory.segment();
        };
    }

    private static VarveException unavailable(String message) {
        return new VarveException(VarveException.Kind.UNAVAILABLE, message);
    }

    @Override
    public String toString() {
        return name;
    }
}
