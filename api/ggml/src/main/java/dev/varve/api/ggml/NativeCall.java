package dev.varve.api.ggml;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Calls C functions that {@link Native#bind} bound, in their {@link CallShape}: each argument is a
 * word of 64 bits or a float, words before floats, and the result is a word. Arguments that a shape
 * has in addition are zero.
 *
 * <p>A word that holds a pointer does not keep its memory reachable: callers that pass memory of a
 * Java arena end with a reachability fence.
 */
final class NativeCall {
    private NativeCall() {}

    /**
     * Returns the address of memory for a call.
     *
     * @throws IllegalStateException if the memory was freed
     * @throws WrongThreadException if it belongs to another thread
     * @throws IllegalArgumentException if it is in the Java heap
     */
    static long pointer(MemorySegment memory) {
        if (!memory.isNative()) {
            throw new IllegalArgumentException("expected native memory, found a Java array");
        }
        if (!memory.scope().isAlive()) {
            throw new IllegalStateException("the memory was freed");
        }
        if (!memory.isAccessibleBy(Thread.currentThread())) {
            throw new WrongThreadException("the memory belongs to another thread");
        }
        return memory.address();
    }

    /** Returns a {@code bool} as an argument. */
    static long flag(boolean value) {
        return value ? 1 : 0;
    }

    /** Reads a {@code bool} from a result, of which it is the lowest byte. */
    static boolean isTrue(long result) {
        return (byte) result != 0;
    }

    /** Throws what a call threw; {@code invokeExact} declares that it may throw anything. */
    static RuntimeException unexpected(Throwable failure) {
        switch (failure) {
            case RuntimeException known -> throw known;
            case Error known -> throw known;
            default -> throw new AssertionError("a downcall throws no checked exception", failure);
        }
    }

    static long call(MethodHandle function) {
        return call(function, 0L, 0L, 0L, 0L, 0L, 0L);
    }

    static long call(MethodHandle function, long a) {
        return call(function, a, 0L, 0L, 0L, 0L, 0L);
    }

    static long call(MethodHandle function, long a, long b) {
        return call(function, a, b, 0L, 0L, 0L, 0L);
    }

    static long call(MethodHandle function, long a, long b, long c) {
        return call(function, a, b, c, 0L, 0L, 0L);
    }

    static long call(MethodHandle function, long a, long b, long c, long d) {
        return call(function, a, b, c, d, 0L, 0L);
    }

    static long call(MethodHandle function, long a, long b, long c, long d, long e) {
        return call(function, a, b, c, d, e, 0L);
    }

    static long call(MethodHandle function, long a, long b, long c, long d, long e, long f) {
        try {
            return (long) function.invokeExact(a, b, c, d, e, f);
        } catch (Throwable failure) {
            throw unexpected(failure);
        }
    }

    static long call(
            MethodHandle function, long a, long b, long c, long d, long e, long f, long g) {
        return call(function, a, b, c, d, e, f, g, 0L, 0L, 0L, 0L, 0L);
    }

    static long call(
            MethodHandle function, long a, long b, long c, long d, long e, long f, long g, long h) {
        return call(function, a, b, c, d, e, f, g, h, 0L, 0L, 0L, 0L);
    }

    static long call(
            MethodHandle function,
            long a,
            long b,
            long c,
            long d,
            long e,
            long f,
            long g,
            long h,
            long i) {
        return call(function, a, b, c, d, e, f, g, h, i, 0L, 0L, 0L);
    }

    static long call(
            MethodHandle function,
            long a,
            long b,
            long c,
            long d,
            long e,
            long f,
            long g,
            long h,
            long i,
            long j) {
        return call(function, a, b, c, d, e, f, g, h, i, j, 0L, 0L);
    }

    static long call(
            MethodHandle function,
            long a,
            long b,
            long c,
            long d,
            long e,
            long f,
            long g,
            long h,
            long i,
            long j,
            long k) {
        return call(function, a, b, c, d, e, f, g, h, i, j, k, 0L);
    }

    static long call(
            MethodHandle function,
            long a,
            long b,
            long c,
            long d,
            long e,
            long f,
            long g,
            long h,
            long i,
            long j,
            long k,
            long l) {
        try {
            return (long) function.invokeExact(a, b, c, d, e, f, g, h, i, j, k, l);
        } catch (Throwable failure) {
            throw unexpected(failure);
        }
    }

    static long call(MethodHandle function, long a, long b, float u) {
        return call(function, a, b, 0L, 0L, 0L, 0L, u, 0f, 0f);
    }

    static long call(MethodHandle function, long a, long b, float u, float v) {
        return call(function, a, b, 0L, 0L, 0L, 0L, u, v, 0f);
    }

    static long call(MethodHandle function, long a, long b, long c, float u, float v) {
        return call(function, a, b, c, 0L, 0L, 0L, u, v, 0f);
    }

    static long call(
            MethodHandle function,
            long a,
            long b,
            long c,
            long d,
            long e,
            float u,
            float v,
            float w) {
        return call(function, a, b, c, d, e, 0L, u, v, w);
    }

    static long call(
            MethodHandle function,
            long a,
            long b,
            long c,
            long d,
            long e,
            long f,
            float u,
            float v,
            float w) {
        try {
            return (long) function.invokeExact(a, b, c, d, e, f, u, v, w);
        } catch (Throwable failure) {
            throw unexpected(failure);
        }
    }

    static long call(
            MethodHandle function,
            long a,
            long b,
            long c,
            long d,
            long e,
            long f,
            long g,
            float u,
            float v,
            float w,
            float x,
            float y,
            float z) {
        return call(function, a, b, c, d, e, f, g, 0L, u, v, w, x, y, z);
    }

    static long call(
            MethodHandle function,
            long a,
            long b,
            long c,
            long d,
            long e,
            long f,
            long g,
            long h,
            float u,
            float v,
            float w,
            float x,
            float y,
            float z) {
        try {
            return (long) function.invokeExact(a, b, c, d, e, f, g, h, u, v, w, x, y, z);
        } catch (Throwable failure) {
            throw unexpected(failure);
        }
    }
}
