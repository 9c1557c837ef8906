package dev.varve.platform.cli;

import dev.varve.platform.plugin.PluginSystemExit;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** Entry point of {@code varve}. */
public final class Main {
    private Main() {}

    /** Runs a command and ends the process: 0 for success, 1 for a failure, 2 for wrong usage. */
    public static void main(String[] arguments) {
        System.setProperty(ShutdownLogManager.PROPERTY, ShutdownLogManager.class.getName());
        // Varve's own code does not use the default locale; this is for the libraries.
        Locale.setDefault(Locale.ROOT);
        PrintWriter out = new PrintWriter(System.out, false, StandardCharsets.UTF_8);
        PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        Runtime.getRuntime()
                .addShutdownHook(new Thread(() -> reportPluginExit(err), "varve-plugin-exit"));
        int exitCode =
                RawArguments.undecodableArgument(arguments)
                        .map(complaint -> refuse(err, complaint))
                        .orElseGet(() -> run(out, err, arguments));
        out.flush();
        err.flush();
        System.exit(exitCode);
    }

    /**
     * Reports the plugin that ended the program. While plugins are loaded no orderly shutdown is
     * needed, and the exit status is a failure, whatever status the plugin chose.
     */
    private static void reportPluginExit(PrintWriter err) {
        PluginSystemExit.find()
                .ifPresent(
                        exit -> {
                            err.println("varve: " + exit.describe());
                            if (exit.isLoading()) {
                                Runtime.getRuntime().halt(ExitStatus.FAILURE.code());
                            }
                        });
    }

    private static int refuse(PrintWriter err, String complaint) {
        err.println("varve: " + complaint);
        return ExitStatus.USAGE.code();
    }

    /**
     * Runs a command in this process.
     *
     * @return 0 for success, 1 for a failure, 2 for wrong usage
     */
    public static int run(PrintWriter out, PrintWriter err, String... arguments) {
        return VarveCommand.execute(Environment.ofProcess(), out, err, arguments);
    }
}
