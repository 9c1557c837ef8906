package dev.varve.bench.http;

import dev.varve.bench.http.stream.Excerpt;
import dev.varve.bench.http.stream.ServerFailure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A server that is started for a measurement. {@link #close} ends it with SIGTERM. */
public final class ServerProcess implements AutoCloseable {
    /** Stands in a command for the port that the server is to listen on. */
    public static final String PORT = "{port}";

    /** Characters of its output that a message shows. */
    private static final int SHOWN = 200;

    private static final Duration END_LIMIT = Duration.ofSeconds(30);

    private final Process process;
    private final Path log;
    private final InetSocketAddress address;
    private final long begin;

    /** Ends the server with the benchmark, however that ends. */
    private final Thread hook;

    private ServerProcess(Process process, Path log, InetSocketAddress address, long begin) {
        hook = new Thread(process::destroy, "ends-server");
        Runtime.getRuntime().addShutdownHook(hook);
        this.process = process;
        this.log = log;
        this.address = address;
        this.begin = begin;
    }

    /**
     * Starts a shell command, which replaces the shell.
     *
     * @param command one command, with {@value #PORT} in it
     */
    public static ServerProcess start(String command) throws IOException {
        InetSocketAddress address =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), freePort());
        Path log = Files.createTempFile("varve-http-bench", ".log");
        String line = "exec " + command.replace(PORT, Integer.toString(address.getPort()));
        ProcessBuilder builder =
                new ProcessBuilder("/bin/sh", "-c", line)
                        .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile());
        long begin = System.nanoTime();
        return new ServerProcess(builder.start(), log, address, begin);
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** Its address. */
    public URI uri() {
        return URI.create("http://127.0.0.1:" + address.getPort());
    }

    /** Nanoseconds since it was started. */
    long age() {
        return System.nanoTime() - begin;
    }

    /** The server's own process. */
    public ProcessHandle process() {
        return process.toHandle();
    }

    /** Processes that it started. */
    public Stream<ProcessHandle> children() {
        return process.children();
    }

    /** Whether the server listens. */
    boolean listens() {
        try (Socket socket = new Socket()) {
            socket.connect(address);
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    /**
     * Waits for a moment, or until the process ends.
     *
     * @throws ServerFailure if it ended, with what it wrote last
     */
    public void pause(Duration moment) throws InterruptedException {
        if (process.waitFor(moment)) {
            throw failure("the server ended with status " + process.exitValue());
        }
    }

    /** A failure with the end of what the process wrote. */
    public ServerFailure failure(String what) {
        try {
            String written = new String(Files.readAllBytes(log), StandardCharsets.UTF_8).strip();
            String last = written.substring(Math.max(0, written.length() - SHOWN));
            return new ServerFailure(what + "; it wrote last: " + Excerpt.of(last));
        } catch (IOException e) {
            return new ServerFailure(what, e);
        }
    }

    /**
     * Sends the process SIGTERM, and waits for its end.
     *
     * @throws ServerFailure if it had to be killed
     */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(END_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly();
                throw failure(
                        "the server did not end within "
                                + END_LIMIT.toSeconds()
                                + " s of SIGTERM and was killed");
            }
        } catch (InterruptedException _) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        } finally {
            forgetHook();
            log.toFile().delete();
        }
    }

    private void forgetHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException _) {
            // It is running already, and ends what has ended.
        }
    }
}
