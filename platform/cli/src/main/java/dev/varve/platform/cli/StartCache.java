package dev.varve.platform.cli;

import java.io.File;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Creates the start-up cache while a command works, so that no start waits for it. The launcher
 * reports that it found none with a system property; a process of low priority then runs {@code
 * varve warm-up}. Without the cache later starts only take longer, so failures are logged.
 */
final class StartCache implements AutoCloseable {
    /** {@code plain}, or {@code disk} for the Java options of a disk cache; set by the launcher. */
    private static final String MISSING_PROPERTY = "varve.start-cache";

    /** Another process creates the cache. */
    private static final int BUSY = 75;

    private static final System.Logger LOG = System.getLogger(StartCache.class.getName());

    private final Optional<Process> creation;
    private volatile boolean closed;

    private StartCache(Optional<Process> creation) {
        this.creation = creation;
    }

    /** Begins to create the cache if there is none. */
    static StartCache createIfMissing(Environment environment) {
        String options = System.getProperty(MISSING_PROPERTY);
        Optional<Path> launcher =
                environment
                        .home()
                        .map(home -> home.resolve("bin/varve"))
                        .filter(Files::isExecutable);
        if (options == null || launcher.isEmpty()) {
            return new StartCache(Optional.empty());
        }
        List<String> command =
                new ArrayList<>(List.of("nice", "-n", "19", launcher.get().toString(), "warm-up"));
        if (options.equals("disk")) {
            command.add("--kv-cache-dir=unused");
        }
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD);
        builder.environment().put("VARVE_JAVA_HOME", System.getProperty("java.home"));
        try {
            StartCache cache = new StartCache(Optional.of(builder.start()));
            LOG.log(
                    Level.INFO,
                    "creating the start-up cache in the background, once; later starts take less"
                            + " time");
            cache.creation.orElseThrow().onExit().thenAccept(cache::report);
            return cache;
        } catch (IOException e) {
            LOG.log(Level.WARNING, "the start-up cache cannot be created: {0}", e.getMessage());
            return new StartCache(Optional.empty());
        }
    }

    private void report(Process ended) {
        if (closed || ended.exitValue() == BUSY) {
            return;
        }
        if (ended.exitValue() == 0) {
            LOG.log(Level.INFO, "the start-up cache is complete");
        } else {
            LOG.log(
                    Level.WARNING,
                    "the start-up cache was not created, and starts take longer without it: {0}",
                    reason(ended));
        }
    }

    /** Returns the launcher's lines on stderr, which are few, as one line. */
    private static String reason(Process ended) {
        try {
            String lines =
                    new String(ended.getErrorStream().readAllBytes(), StandardCharsets.UTF_8)
                            .strip()
                            .replaceAll("\\R", "; ");
            return lines.isEmpty() ? "varve warm-up ended with status " + ended.exitValue() : lines;
        } catch (IOException e) {
            return "varve warm-up ended with status " + ended.exitValue();
        }
    }

    /** Ends the creation if it is not complete; a later start begins again. */
    @Override
    public void close() {
        closed = true;
        creation.ifPresent(Process::destroy);
    }
}
