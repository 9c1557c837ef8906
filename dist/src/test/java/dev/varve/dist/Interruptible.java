package dev.varve.dist;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts programs with the default reaction to SIGINT. A shell that starts a build in the
 * background ignores that signal in it, every process below inherits that, and Java handles no
 * signal that it found ignored.
 */
final class Interruptible {
    /**
     * Prefixes for a command; the first one that this machine has is used. The last one changes
     * nothing. All of them become the command, whose process id is that of the process started.
     */
    static final List<String> PREFIX =
            List.of(
                            List.of("env", "--default-signal=INT"),
                            List.of("perl", "-e", "$SIG{INT} = 'DEFAULT'; exec @ARGV or die $!"),
                            List.of(
                                    "python3",
                                    "-c",
                                    "import os, signal, sys; signal.signal(signal.SIGINT,"
                                            + " signal.SIG_DFL); os.execvp(sys.argv[1],"
                                            + " sys.argv[1:])"),
                            List.<String>of())
                    .stream()
                    .filter(prefix -> prefix.isEmpty() || works(prefix))
                    .findFirst()
                    .orElseThrow();

    private Interruptible() {}

    private static boolean works(List<String> prefix) {
        try {
            List<String> command = new ArrayList<>(prefix);
            command.add("true");
            return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
