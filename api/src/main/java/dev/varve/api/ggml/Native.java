package dev.varve.api.ggml;

import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.Optional;

/** The making and calling of method handles. */
final class Native {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final Linker.Option[] PLAIN = {};

    private static final Linker.Option[] LEAF = {Linker.Option.critical(false)};

    private Native() {}

    /** A call that may take long, log or call back. */
    static MethodHandle bind(String name, Signature signature) {
        return link(GgmlLibrary.symbol(name), signature, PLAIN);
    }

    /**
     * A call of nanoseconds that never calls back, such as reading a field. Not for what may log or
     * assert: an upcall from within ends the process without the message.
     */
    static MethodHandle bindLeaf(String name, Signature signature) {
        return link(GgmlLibrary.symbol(name), signature, LEAF);
    }

    /** A function that the library handed out as a pointer. */
    static MethodHandle bindPointer(MemorySegment function, Signature signature) {
        return link(function, signature, PLAIN);
    }

    /** A function of the C library. */
    static MethodHandle bindSystem(String name, Signature signature) {
        return link(
                LINKER.defaultLookup()
                        .find(name)
                        .orElseThrow(
                                () ->
                                        GgmlLibrary.unavailable(
                                                "the C library has no function " + name, null)),
                signature,
                PLAIN);
    }

    @SuppressWarnings("restricted")
    private static MethodHandle link(
            MemorySegment function, Signature signature, Linker.Option[] options) {
        return signature.typed(LINKER.downcallHandle(function, signature.descriptor(), options));
    }

    static Linker linker() {
        return LINKER;
    }

    static Signature returns(CType result, CType... parameters) {
        return new Signature(Optional.of(result), List.of(parameters));
    }

    static Signature returnsNothing(CType... parameters) {
        return new Signature(Optional.empty(), List.of(parameters));
    }

    /** Calls a C function; {@code invokeExact} declares that it may throw anything. */
    @FunctionalInterface
    interface Downcall<T> {
        T invoke() throws Throwable;
    }

    /** Calls a C function without a result. */
    @FunctionalInterface
    interface VoidDowncall {
        void invoke() throws Throwable;
    }

    /**
     * The one place that handles what a downcall declares to throw but cannot. The lambda costs
     * nothing once compiled: it is inlined together with the handle, which stays a constant.
     */
    static <T> T call(Downcall<T> downcall) {
        try {
            return downcall.invoke();
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("a downcall throws no checked exception", e);
        }
    }

    /**
     * As {@link #call}. The lambda must be a block: only in a statement does the compiler give
     * {@code invokeExact} the type {@code void}.
     */
    static void run(VoidDowncall downcall) {
        call(
                () -> {
                    downcall.invoke();
                    return Boolean.TRUE;
                });
    }

    /** The whole address space as one segment. */
    @SuppressWarnings("restricted")
    static MemorySegment allMemory() {
        return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    }

    static boolean isNull(MemorySegment pointer) {
        return pointer.address() == 0;
    }

    @SuppressWarnings("restricted")
    static String string(MemorySegment pointer) {
        return isNull(pointer) ? "" : pointer.reinterpret(4096).getString(0);
    }
}
