package dev.varve.api.nativecall;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.Collections;

/**
 * Calls C functions whose arguments and result are whole numbers and pointers, each as a word of 64
 * bits. Java creates about ten classes for each combination of types that is called, at every
 * start, so functions share two combinations, the first of them with those of ggml. Arguments that
 * a call has in addition are zero, and the function does not read them; see {@code CallShape} in
 * {@code dev.varve.api.ggml}.
 */
final class WordCall {
    private static final Linker LINKER = Linker.nativeLinker();

    /** Arguments that registers hold. */
    private static final int FEW = 6;

    private static final int MANY = 12;

    private WordCall() {}

    /**
     * Calls a function.
     *
     * @param arguments at most 12; an {@code int} is extended to a word
     * @return the result, of which a function with a shorter one sets only the lowest bits
     * @throws IllegalArgumentException if there are more arguments
     */
    static long call(MemorySegment function, long... arguments) {
        if (arguments.length > MANY) {
            throw new IllegalArgumentException(
                    "expected at most " + MANY + " arguments, found " + arguments.length);
        }
        try {
            return arguments.length <= FEW
                    ? callFew(function, Arrays.copyOf(arguments, FEW))
                    : callMany(function, Arrays.copyOf(arguments, MANY));
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("a downcall throws no checked exception", e);
        }
    }

    private static long callFew(MemorySegment function, long[] a) throws Throwable {
        return (long) bind(function, FEW).invokeExact(a[0], a[1], a[2], a[3], a[4], a[5]);
    }

    private static long callMany(MemorySegment function, long[] a) throws Throwable {
        return (long)
                bind(function, MANY)
                        .invokeExact(
                                a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10],
                                a[11]);
    }

    @SuppressWarnings("restricted")
    private static MethodHandle bind(MemorySegment function, int arguments) {
        MemoryLayout[] words =
                Collections.nCopies(arguments, JAVA_LONG).toArray(MemoryLayout[]::new);
        return LINKER.downcallHandle(function, FunctionDescriptor.of(JAVA_LONG, words));
    }
}
