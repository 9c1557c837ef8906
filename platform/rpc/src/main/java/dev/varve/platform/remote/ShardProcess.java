package dev.varve.platform.remote;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.platform.log.LogValue;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.ShardLostException;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One run of a shard process. It listens on a socket in its own folder, which only this user may
 * enter, and reads its secret from standard input. It ends when standard input closes, which
 * happens however this process ends.
 */
final class ShardProcess {
    private static final System.Logger LOG = System.getLogger("dev.varve.remote");

    /** Time limit in which a Java runtime starts, loads its plugins and finds its devices. */
    private static final Duration START_LIMIT = Duration.ofSeconds(60);

    private static final Duration END_LIMIT = Duration.ofSeconds(5);
    private static final Duration LAST_WORDS_LIMIT = Duration.ofMillis(500);
    private static final int MAX_LINES = 5;

    /** An exit status above this value encodes a signal number. */
    private static final int SIGNALLED = 128;

    private final String name;
    private final Process process;
    private final Path folder;
    private final String token;
    private final CompletableFuture<Void> listening = new CompletableFuture<>();
    private final Deque<String> lastLines = new ArrayDeque<>();

    private ShardProcess(String name, Process process, Path folder, String token) {
        this.name = name;
        this.process = process;
        this.folder = folder;
        this.token = token;
    }

    /**
     * Starts a process.
     *
     * @throws VarveException of kind UNAVAILABLE if the program does not exist
     */
    static ShardProcess start(ShardLaunch launch) {
        Path folder = makeFolder(launch);
        try {
            return run(launch, folder);
        } catch (IOException e) {
            deleteFolder(folder);
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    launch.name() + ": the shard process cannot be started: " + e.getMessage(),
                    e);
        }
    }

    private static ShardProcess run(ShardLaunch launch, Path folder) throws IOException {
        byte[] secret = new byte[32];
        new SecureRandom().nextBytes(secret);
        String token = HexFormat.of().formatHex(secret);
        List<String> command = new ArrayList<>(launch.command());
        command.add("--listen");
        command.add("unix:" + folder.resolve("shard"));
        command.add("--supervised");
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().putAll(launch.environment());
        Process process = builder.start();
        ShardProcess started = new ShardProcess(launch.name(), process, folder, token);
        started.follow(process.getInputStream());
        started.follow(process.getErrorStream());
        process.onExit().thenRun(() -> deleteFolder(folder));
        // The secret is not passed in arguments or environment, which other users may read.
        try {
            OutputStream input = process.getOutputStream();
            input.write((token + "\n").getBytes(StandardCharsets.UTF_8));
            input.flush();
        } catch (IOException e) {
            // It ended already; waiting for it reports why.
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "the token could not be sent to the shard process",
                    e);
        }
        return started;
    }

    /**
     * Waits until the process listens.
     *
     * @throws ShardLostException with its last output lines if a signal ends it before
     * @throws VarveException of kind UNAVAILABLE with its last output lines if it ends before
     *     otherwise
     */
    void awaitListening() {
        CompletableFuture<?> first = CompletableFuture.anyOf(listening, process.onExit());
        try {
            first.get(START_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw unavailable("it did not listen within " + START_LIMIT.toSeconds() + " s");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new VarveException(VarveException.Kind.CANCELLED, "interrupted", e);
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
        if (!listening.isDone()) {
            String words = lastWords().orElse("");
            if (process.exitValue() > SIGNALLED) {
                throw new ShardLostException(failed(words));
            }
            throw unavailable(words);
        }
    }

    private VarveException unavailable(String why) {
        return new VarveException(VarveException.Kind.UNAVAILABLE, failed(why));
    }

    private String failed(String why) {
        return name + ": the shard process failed: " + why;
    }

    /** Logs the output of the process and keeps the last lines. */
    private void follow(InputStream stream) {
        Thread.ofPlatform()
                .name("varve-output-" + name)
                .daemon(true)
                .start(
                        () -> {
                            try (BufferedReader reader =
                                    new BufferedReader(
                                            new InputStreamReader(
                                                    stream, StandardCharsets.UTF_8))) {
                                String line;
                                while ((line = reader.readLine()) != null) {
                                    readLine(line);
                                }
                            } catch (IOException e) {
                                LOG.log(System.Logger.Level.DEBUG, name + ": output ended", e);
                            }
                        });
    }

    private void readLine(String line) {
        if (line.startsWith(LISTENING)) {
            listening.complete(null);
            return;
        }
        OutputLine read = OutputLine.parse(line);
        if (read.mayExplainFailure()) {
            synchronized (lastLines) {
                if (lastLines.size() == MAX_LINES) {
                    lastLines.removeFirst();
                }
                lastLines.addLast(read.text());
            }
        }
        LOG.log(read.level(), "[{0}] {1}", new LogValue("shard", name), read.text());
    }

    /** Text that a shard process prints before its address once servers may connect. */
    static final String LISTENING = "listening on ";

    /** Returns the address of its socket, without the scheme. */
    String address() {
        return folder.resolve("shard").toString();
    }

    String token() {
        return token;
    }

    long pid() {
        return process.pid();
    }

    /** Returns exit status and last lines if the process ended; else empty. */
    Optional<String> lastWords() {
        try {
            if (!process.waitFor(LAST_WORDS_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                return Optional.empty();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
        int status = process.exitValue();
        String how =
                status > SIGNALLED
                        ? "killed by signal " + (status - SIGNALLED)
                        : "exit status " + status;
        synchronized (lastLines) {
            return Optional.of(
                    lastLines.isEmpty() ? how : how + ": " + String.join(" | ", lastLines));
        }
    }

    /** Asks the process to end, and kills it if it does not. */
    void end() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, name + ": its input was closed already", e);
        }
        if (!hasEnded()) {
            process.destroy();
            if (!hasEnded()) {
                kill();
            }
        }
    }

    private boolean hasEnded() {
        try {
            return process.waitFor(END_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Kills the process and waits for its end. */
    void kill() {
        process.destroyForcibly();
        hasEnded();
        deleteFolder(folder);
    }

    private static Path makeFolder(ShardLaunch launch) {
        try {
            if (launch.workFolder().isPresent()) {
                Path work = launch.workFolder().get();
                if (Files.exists(work) && !Files.isDirectory(work)) {
                    throw new VarveException(
                            VarveException.Kind.INVALID_REQUEST,
                            Setting.SHARD_WORK_FOLDER
                                    + ": expected a folder, found a file: "
                                    + work);
                }
                if (!Files.exists(work)) {
                    Files.createDirectory(
                            work,
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rwx------")));
                }
                return Files.createTempDirectory(work, "varve-");
            }
            return Files.createTempDirectory("varve-");
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    launch.name()
                            + ": the folder for the shard's socket cannot be created: "
                            + FileErrors.reason(e),
                    e);
        }
    }

    private static void deleteFolder(Path folder) {
        try {
            Files.deleteIfExists(folder.resolve("shard"));
            Files.deleteIfExists(folder);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "{0} cannot be deleted: {1}", folder, e);
        }
    }
}
