package dev.varve.api.nativecall;

import java.util.Optional;

/**
 * The environment of this process as native libraries see it; Java keeps a copy of its own from the
 * start. Some of ggml's settings are read from nowhere else.
 *
 * <p>The C library does not guard it: it is written before a backend is loaded, from the thread
 * that loads backends, and never afterwards.
 */
public final class ProcessEnvironment {
    private ProcessEnvironment() {}

    /** The value of a variable; empty if it is not set. */
    public static Optional<String> get(String name) {
        try (NativeScope scope = NativeScope.open()) {
            return SystemLibrary.c().callText("getenv", scope.text(name));
        }
    }

    /**
     * Sets a variable for native code of this process and for processes that it starts.
     *
     * @throws IllegalArgumentException if the name is empty or holds {@code =}, or if one of the
     *     texts holds a zero
     */
    public static void set(String name, String value) {
        if (name.isEmpty() || name.contains("=")) {
            throw new IllegalArgumentException("no name of a variable: '" + name + "'");
        }
        try (NativeScope scope = NativeScope.open()) {
            int status =
                    SystemLibrary.c()
                            .callInt(
                                    "setenv",
                                    scope.text(name),
                                    scope.text(value),
                                    NativeArgument.of(1));
            if (status != 0) {
                throw new IllegalStateException("variable " + name + " cannot be set");
            }
        }
    }
}
