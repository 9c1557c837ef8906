package dev.varve.platform.plugin;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Records a call of {@link System#exit} by a plugin. The server cannot prevent the exit, but a
 * shutdown hook can name the plugin. {@link Runtime#halt} runs no hook and is not detected; the
 * same holds for an exit in a thread that the plugin itself started.
 *
 * @param file the jar, or the folder of jars
 * @param method the called method; empty while the plugin was loaded
 */
public record PluginSystemExit(Path file, Optional<String> method) {
    /** Global for the process, since the exit ends it: a shutdown hook belongs to no catalog. */
    private static final Map<Thread, PluginSystemExit> CALLED = new ConcurrentHashMap<>();

    /** Marks that the current thread runs a plugin's code, until the scope is closed. */
    @FunctionalInterface
    interface Scope extends AutoCloseable {
        @Override
        void close();
    }

    static Scope loading(Path file) {
        return enter(new PluginSystemExit(file, Optional.empty()));
    }

    static Scope calling(Path file, String method) {
        return enter(new PluginSystemExit(file, Optional.of(method)));
    }

    private static Scope enter(PluginSystemExit call) {
        Thread thread = Thread.currentThread();
        PluginSystemExit before = CALLED.put(thread, call);
        return before == null
                ? () -> CALLED.remove(thread)
                : () -> CALLED.put(thread, before); // a plugin's code that called another plugin's
    }

    /**
     * Returns the plugin whose code ends the process; for shutdown hooks. Empty if a signal or the
     * program itself ends it.
     */
    public static Optional<PluginSystemExit> find() {
        return CALLED.entrySet().stream()
                .filter(call -> exits(call.getKey()))
                .map(Map.Entry::getValue)
                .findFirst();
    }

    /**
     * Whether the thread waits in {@link Runtime#exit}; an exit by a signal does not go through it.
     */
    private static boolean exits(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(
                        frame ->
                                frame.getClassName().equals(Runtime.class.getName())
                                        && frame.getMethodName().equals("exit"));
    }

    /** Whether the plugin was being loaded, which means that the program has not begun its work. */
    public boolean isLoading() {
        return method.isEmpty();
    }

    /** Returns one line for messages, without a line break. */
    public String describe() {
        return "the plugin "
                + file.getFileName()
                + " ended the program (System.exit) "
                + method.map(name -> "in " + name).orElse("while it was loaded");
    }
}
