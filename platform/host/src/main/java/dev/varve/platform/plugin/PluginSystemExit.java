package dev.varve.platform.plugin;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A call of {@link System#exit} by a plugin. Nothing can prevent it, but a shutdown hook can name
 * the plugin. {@link Runtime#halt} runs no hook and stays unseen, as does an exit in a thread that
 * the plugin itself started.
 *
 * @param file the jar, or the folder of jars
 * @param method what was called of it; empty while it was loaded
 */
public record PluginSystemExit(Path file, Optional<String> method) {
    /** Of the whole process, since that is what ends: a shutdown hook belongs to no catalog. */
    private static final Map<Thread, PluginSystemExit> CALLED = new ConcurrentHashMap<>();

    /** Marks that the current thread runs a plugin's code, until it is closed. */
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
                : () -> CALLED.put(thread, before); // a plugin's code that led to another one's
    }

    /**
     * The plugin whose code ends the process; for shutdown hooks. Empty where a signal or the
     * program itself does.
     */
    public static Optional<PluginSystemExit> find() {
        return CALLED.entrySet().stream()
                .filter(call -> exits(call.getKey()))
                .map(Map.Entry::getValue)
                .findFirst();
    }

    /** Whether the thread waits in {@link Runtime#exit}, which no signal comes through. */
    private static boolean exits(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(
                        frame ->
                                frame.getClassName().equals(Runtime.class.getName())
                                        && frame.getMethodName().equals("exit"));
    }

    /** Whether it was being loaded, so that the program has not begun its work. */
    public boolean isLoading() {
        return method.isEmpty();
    }

    /** One line for people, without a line break. */
    public String describe() {
        return "the plugin "
                + file.getFileName()
                + " ended the program (System.exit) "
                + method.map(name -> "in " + name).orElse("while it was loaded");
    }
}
