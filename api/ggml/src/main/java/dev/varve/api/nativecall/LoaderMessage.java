package dev.varve.api.nativecall;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Explains messages of the dynamic loader of glibc and musl: which condition of the system keeps a
 * library from being loaded, and the remedy.
 */
public final class LoaderMessage {
    private static final Pattern VERSION =
            Pattern.compile("version [`']([A-Z]+)_([0-9.]+)' not found");
    private static final Pattern MISSING =
            Pattern.compile(
                    "(?:^|[ :])([^ :]+): cannot open shared object file: No such file|Error loading"
                            + " shared library ([^ :]+): No such file");
    private static final Pattern SYMBOL = Pattern.compile("undefined symbol: (\\w+)");

    private LoaderMessage() {}

    /**
     * Returns the explanation.
     *
     * @param message message of {@code dlerror}
     * @return the message itself if it is of no known form
     */
    public static String explain(String message) {
        if (message.contains("failed to map segment") && !message.contains("allocate memory")) {
            return "its folder does not allow programs (mount option noexec); set VARVE_CACHE to a"
                    + " folder on another file system";
        }
        Matcher version = VERSION.matcher(message);
        if (version.find()) {
            return "it needs "
                    + library(version.group(1))
                    + " "
                    + version.group(2)
                    + " or newer, and this system has an older one";
        }
        Matcher missing = MISSING.matcher(message);
        if (missing.find()) {
            String name = missing.group(1) == null ? missing.group(2) : missing.group(1);
            return "the library " + name + " is missing; install it, or set LD_LIBRARY_PATH";
        }
        Matcher symbol = SYMBOL.matcher(message);
        if (symbol.find()) {
            return "the libraries that it uses are of another version: they have no "
                    + symbol.group(1);
        }
        if (message.contains("invalid ELF header") || message.contains("file too short")) {
            return "the file is damaged, or no library";
        }
        return message.contains("wrong ELF class") || message.contains("wrong machine")
                ? "it was built for another processor"
                : message;
    }

    private static String library(String prefix) {
        return switch (prefix) {
            case "GLIBC" -> "glibc";
            case "GLIBCXX", "CXXABI" -> "libstdc++ with " + prefix;
            default -> prefix;
        };
    }
}
