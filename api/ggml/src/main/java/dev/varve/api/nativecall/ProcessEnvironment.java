package dev.varve.api.nativecall;

import java.util.Optional;

/**
 * The environment of this process as native libraries see it; Java copies it once at startup. Some
 * of ggml's settings can be set only there.
 *
 * <p>The C library does not synchronize it: the thread that loads backends writes it before a
 * backend is loaded, and never afterwards.
 */
public final class ProcessEnvironment {
    private ProcessEnvironment() {}

    /** Returns the value of a variable; empty if it is not set. */
    public static Optional<String> get(String name) {
        try (NativeScope scope = NativeScope.open()) {
            return SystemLibrary.c().callText("getenv", scope.text(name));
        }
    }

    /**
     * Sets a variable for native code of this process and for processes that it starts.
     *
     * @throws IllegalArgumentException if the name is empty or contains {@code =}, or if name or
     *     value contains a zero
     */
    public static void set(String name, String value) {
        if (name.isEmpty() || name.contains("=")) {
            throw new IllegalArgumentException(
                    "expected the name of an environment variable, found '" + name + "'");
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
