package dev.varve.platform.cli;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/**
 * Counts SIGINT and SIGTERM: the first one stops the process in order, the second one hurries it,
 * and a third one ends it at once. A shutdown hook alone would see only the first one. Thread-safe.
 */
final class StopSignals implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.cli");
    private static final List<String> NAMES = List.of("INT", "TERM");

    /** The exit status of a process that a signal ends is this plus the number of the signal. */
    private static final int SIGNALLED = 128;

    /**
     * The actions that signals trigger: the first, the second and each further one.
     *
     * @param stop begins an orderly stop with an exit status
     * @param endDrain shortens the stop that has begun
     * @param exitNow ends the process at once with an exit status
     */
    record Reactions(IntConsumer stop, Runnable endDrain, IntConsumer exitNow) {
        static Reactions of(Runnable hurry) {
            return new Reactions(System::exit, hurry, Runtime.getRuntime()::halt);
        }
    }

    /** Restores the handler that a signal had before. */
    private interface Restoring {
        void run() throws ReflectiveOperationException;
    }

    private final AtomicInteger received = new AtomicInteger();
    private final Reactions reactions;
    private final List<Restoring> before = new ArrayList<>();

    StopSignals(Reactions reactions) {
        this.reactions = reactions;
    }

    /**
     * Counts from now on, until this is closed. If Java may not handle signals, none is counted.
     */
    void install() {
        try {
            for (String name : NAMES) {
                before.add(install(name));
            }
        } catch (ReflectiveOperationException e) {
            LOG.log(System.Logger.Level.DEBUG, "a second SIGINT or SIGTERM will have no effect", e);
        }
    }

    /**
     * Installs a handler by reflection: javac warns of this type, and only -nowarn suppresses it.
     */
    private Restoring install(String name) throws ReflectiveOperationException {
        Class<?> signal = Class.forName("sun.misc.Signal");
        Class<?> handler = Class.forName("sun.misc.SignalHandler");
        Method handle = signal.getMethod("handle", signal, handler);
        Method number = signal.getMethod("getNumber");
        Object handled = signal.getConstructor(String.class).newInstance(name);
        Object ours =
                Proxy.newProxyInstance(
                        handler.getClassLoader(),
                        new Class<?>[] {handler},
                        (proxy, method, arguments) -> {
                            if (method.getDeclaringClass() == handler) {
                                receive((int) number.invoke(handled));
                            }
                            return null;
                        });
        Object earlier = handle.invoke(null, handled, ours);
        return () -> handle.invoke(null, handled, earlier);
    }

    /** Handles one signal; called on a thread of its own. */
    void receive(int number) {
        int status = SIGNALLED + number;
        switch (received.incrementAndGet()) {
            case 1 -> reactions.stop().accept(status);
            case 2 -> reactions.endDrain().run();
            default -> reactions.exitNow().accept(status);
        }
    }

    @Override
    public void close() {
        try {
            for (Restoring each : before) {
                each.run();
            }
        } catch (InvocationTargetException e) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "failed to restore the previous handler of a signal",
                    e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
