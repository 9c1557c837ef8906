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
 * and a third one ends it at once. Java itself shows none behind the first. Thread-safe.
 */
final class StopSignals implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.cli");
    private static final List<String> NAMES = List.of("INT", "TERM");

    /** What shells add to the number of a signal for the exit status. */
    private static final int SIGNALLED = 128;

    /**
     * What signals lead to.
     *
     * @param stop takes the exit status
     * @param hurry the process is stopping already
     * @param halt takes the exit status
     */
    record Reactions(IntConsumer stop, Runnable hurry, IntConsumer halt) {
        static Reactions of(Runnable hurry) {
            return new Reactions(System::exit, hurry, Runtime.getRuntime()::halt);
        }
    }

    /** Puts back what handled a signal before. */
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
     * Counts from now on, until this is closed. Where Java may not handle signals it counts none.
     */
    void install() {
        try {
            for (String name : NAMES) {
                before.add(install(name));
            }
        } catch (ReflectiveOperationException e) {
            LOG.log(System.Logger.Level.DEBUG, "a second signal is not noticed", e);
        }
    }

    /** By reflection: javac warns of this type, and nothing but -nowarn makes it stop. */
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

    /** One signal came, on a thread of its own. */
    void receive(int number) {
        int status = SIGNALLED + number;
        switch (received.incrementAndGet()) {
            case 1 -> reactions.stop().accept(status);
            case 2 -> reactions.hurry().run();
            default -> reactions.halt().accept(status);
        }
    }

    @Override
    public void close() {
        try {
            for (Restoring each : before) {
                each.run();
            }
        } catch (InvocationTargetException e) {
            LOG.log(System.Logger.Level.DEBUG, "a signal keeps its handler", e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }
}
