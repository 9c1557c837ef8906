package dev.varve.testkit;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Keeps the native libraries quiet and remembers their last errors, which explain why a model was
 * refused.
 */
@SuppressWarnings("restricted")
final class NativeLog {
    private static final int LEVEL_ERROR = 4;
    private static final int KEPT_CHARACTERS = 2000;
    private static final StringBuilder ERRORS = new StringBuilder();

    private NativeLog() {}

    /** A {@code ggml_log_callback} that lives as long as the process. */
    static MemorySegment callback() {
        try {
            return Linker.nativeLinker()
                    .upcallStub(
                            MethodHandles.lookup()
                                    .findStatic(
                                            NativeLog.class,
                                            "log",
                                            MethodType.methodType(
                                                    void.class,
                                                    int.class,
                                                    MemorySegment.class,
                                                    MemorySegment.class)),
                            FunctionDescriptor.ofVoid(JAVA_INT, ADDRESS, ADDRESS),
                            Arena.global());
        } catch (ReflectiveOperationException e) {
            throw new AssertionError("the method is in this class", e);
        }
    }

    /** Errors since the last call. */
    static String drain() {
        synchronized (ERRORS) {
            String text = ERRORS.toString().strip();
            ERRORS.setLength(0);
            return text;
        }
    }

    /** Called by native threads; must not throw. */
    private static void log(int level, MemorySegment text, MemorySegment userData) {
        if (level == LEVEL_ERROR) {
            String message = text.reinterpret(Integer.MAX_VALUE).getString(0);
            synchronized (ERRORS) {
                ERRORS.append(message);
                ERRORS.delete(0, Math.max(0, ERRORS.length() - KEPT_CHARACTERS));
            }
        }
    }
}
