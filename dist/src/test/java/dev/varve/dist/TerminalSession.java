package dev.varve.dist;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A command on a terminal of its own, which {@code script} of util-linux opens. The test types, and
 * waits for text on the screen.
 */
final class TerminalSession implements AutoCloseable {
    private static final long SECONDS = 120;

    private final Process process;

    /** Everything that was shown, guarded by itself. */
    private final StringBuilder screen = new StringBuilder();

    private int seen;
    private boolean ended;

    private TerminalSession(Process process) {
        this.process = process;
        Thread.ofPlatform().daemon(true).start(this::read);
    }

    /** Whether this machine has the program that opens a terminal. */
    static boolean isAvailable() throws IOException, InterruptedException {
        try {
            return new ProcessBuilder("script", "--version").start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** Starts a command with 80 columns; {@code builder} has its arguments and environment. */
    static TerminalSession start(ProcessBuilder builder) throws IOException {
        List<String> quoted =
                builder.command().stream()
                        .map(each -> "'" + each.replace("'", "'\\''") + "'")
                        .toList();
        builder.command(
                List.of(
                        "script",
                        "-qec",
                        "stty cols 80 rows 24; exec " + String.join(" ", quoted),
                        "/dev/null"));
        builder.environment().put("TERM", "xterm-256color");
        builder.redirectErrorStream(true);
        return new TerminalSession(builder.start());
    }

    private void read() {
        try (Reader reader =
                new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)) {
            char[] buffer = new char[1024];
            for (int count = reader.read(buffer); count >= 0; count = reader.read(buffer)) {
                synchronized (screen) {
                    screen.append(buffer, 0, count);
                    screen.notifyAll();
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            synchronized (screen) {
                ended = true;
                screen.notifyAll();
            }
        }
    }

    /** Waits for a text behind the one that was awaited before, and returns what came up to it. */
    String await(String text) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        synchronized (screen) {
            int found = screen.indexOf(text, seen);
            while (found < 0) {
                long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (ended || left <= 0) {
                    throw new AssertionError("expected " + text + " on the screen:\n" + screen);
                }
                screen.wait(left);
                found = screen.indexOf(text, seen);
            }
            String before = screen.substring(seen, found);
            seen = found + text.length();
            return before;
        }
    }

    /** Types a text; {@code \r} is Enter and {@code \3} Ctrl-C. */
    void type(String text) throws IOException {
        process.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    /** Waits for the end of the command and returns its exit status. */
    int status() throws InterruptedException {
        if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("the command has not ended; on the screen:\n" + screen);
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
