package dev.varve.client.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A program that a test runs, with nothing of the environment of the build but where programs are.
 *
 * @param command what to run, with arguments
 * @param folder where to run it
 * @param variables its environment, beside {@code PATH}
 */
record Command(List<String> command, Path folder, Map<String, String> variables) {
    private static final int LIMIT_SECONDS = 240;
    private static final Path NOWHERE = Path.of("/dev/null");

    /** How it ended. */
    record Outcome(int status, String out, String err) {}

    /**
     * Runs it to its end.
     *
     * @param scratch folder for what it writes
     */
    Outcome run(Path scratch) throws IOException, InterruptedException {
        Path out = Files.createTempFile(scratch, "out", ".txt");
        Path err = Files.createTempFile(scratch, "err", ".txt");
        Process process = start(out, err);
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            stop(process);
            throw new AssertionError(
                    "no end of " + command + ": " + Files.readString(out) + Files.readString(err));
        }
        return new Outcome(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    /** Starts the command and discards its output. */
    Process start() throws IOException {
        return start(NOWHERE, NOWHERE);
    }

    /** Ends a process and what it has started. */
    static void stop(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        process.onExit().join();
    }

    private Process start(Path out, Path err) throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectInput(NOWHERE.toFile())
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile());
        builder.environment().keySet().retainAll(List.of("PATH"));
        builder.environment().putAll(variables);
        return builder.start();
    }
}
