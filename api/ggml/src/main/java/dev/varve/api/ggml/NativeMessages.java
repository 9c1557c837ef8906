package dev.varve.api.ggml;

import static dev.varve.api.ggml.Native.C_INT;
import static dev.varve.api.ggml.Native.C_POINTER;
import static dev.varve.api.ggml.Native.returnsNothing;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.charset.StandardCharsets;

/**
 * Log lines and the abort message of ggml. Any native thread may call the callbacks, and they must
 * not throw.
 */
final class NativeMessages {
    private static final System.Logger LOG = System.getLogger("dev.varve.ggml");

    /** Opened in advance: as little as possible should be loaded while the process is ending. */
    private static final FileOutputStream STDERR = new FileOutputStream(FileDescriptor.err);

    private static final String ABORTED = "varve: ggml aborted while ";
    private static final String NO_REASON = "ggml gives no reason";

    private static final NativeLog LINES = new NativeLog(NativeMessages::write);

    /** Per thread: an error of another thread is not the reason of a failure here. */
    private static final ThreadLocal<String> LAST_ERROR = ThreadLocal.withInitial(() -> NO_REASON);

    private static volatile String context = "starting";

    private NativeMessages() {}

    @SuppressWarnings("restricted")
    static void install() {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            MethodHandle log =
                    lookup.findStatic(
                            NativeMessages.class,
                            "log",
                            MethodType.methodType(
                                    void.class,
                                    int.class,
                                    MemorySegment.class,
                                    MemorySegment.class));
            MethodHandle abort =
                    lookup.findStatic(
                            NativeMessages.class,
                            "abort",
                            MethodType.methodType(void.class, MemorySegment.class));
            CoreApi.logSet(
                    Native.linker()
                            .upcallStub(
                                    log,
                                    returnsNothing(C_INT, C_POINTER, C_POINTER),
                                    Arena.global()),
                    MemorySegment.NULL);
            CoreApi.setAbortCallback(
                    Native.linker().upcallStub(abort, returnsNothing(C_POINTER), Arena.global()));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Sets the current activity, for the message of an abort. */
    static void context(String what) {
        context = what;
    }

    static void forgetError() {
        LAST_ERROR.remove();
    }

    /** The last error that ggml logged on this thread. */
    static String lastError() {
        return LAST_ERROR.get();
    }

    private static void log(int level, MemorySegment text, MemorySegment user) {
        try {
            LINES.take(level, () -> Native.string(text));
        } catch (Throwable e) {
            // An exception that leaves an upcall ends the process.
            LAST_ERROR.set("a log line was lost");
        }
    }

    private static void write(System.Logger.Level level, String line) {
        if (level == System.Logger.Level.ERROR) {
            LAST_ERROR.set(line);
        }
        LOG.log(level, line);
    }

    /** ggml calls abort() after this; only the message can be saved. */
    private static void abort(MemorySegment message) {
        try {
            String text =
                    ABORTED.concat(context)
                            .concat(": ")
                            .concat(Native.string(message))
                            .concat("\n");
            STDERR.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (Throwable e) {
            // Nothing else is possible: the process is ending.
            context = "aborting";
        }
    }
}
