package dev.varve.testkit.simulation;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.Executor;

/** Virtual threads with a scheduler of our own, which the JDK keeps for its own tests. */
final class VirtualThreads {
    private static final MethodHandle BUILDER = builder();

    private VirtualThreads() {}

    private static MethodHandle builder() {
        try {
            Class<?> type = Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder");
            return MethodHandles.privateLookupIn(type, MethodHandles.lookup())
                    .findConstructor(type, MethodType.methodType(void.class, Executor.class))
                    .asType(MethodType.methodType(Thread.Builder.OfVirtual.class, Executor.class));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(
                    "needs --add-opens java.base/java.lang=ALL-UNNAMED: " + e, e);
        }
    }

    static Thread unstarted(Executor scheduler, String name, Runnable task) {
        try {
            Thread.Builder.OfVirtual builder =
                    (Thread.Builder.OfVirtual) BUILDER.invokeExact(scheduler);
            return builder.name(name).unstarted(task);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }
}
