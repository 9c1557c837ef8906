package dev.varve.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A {@code redis-server} or {@code valkey-server} of this machine on a free port, which keeps
 * nothing on disk.
 */
public final class RedisServer implements AutoCloseable {
    private static final int TRIES = 5;

    private final Path program;
    private final List<String> options;
    private final int port;
    private OptionalInt tlsPort = OptionalInt.empty();
    private Process process;

    private RedisServer(Path program, int port, List<String> options) throws IOException {
        this.program = program;
        this.port = port;
        this.options = options;
        process = launch();
    }

    /** The program, if it is installed. */
    public static Optional<Path> program() {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Stream.of("redis-server", "valkey-server")
                .flatMap(
                        name ->
                                Stream.of(path.split(":"))
                                        .map(folder -> Path.of(folder).resolve(name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /**
     * Starts a server, and waits until it responds.
     *
     * @param options of the program, such as {@code --maxmemory 1mb}
     * @throws IOException if it is not installed, or does not start
     */
    public static RedisServer start(String... options) throws IOException {
        Path program = program().orElseThrow(() -> new IOException("no redis-server is installed"));
        for (int i = 0; ; i++) {
            try {
                return new RedisServer(program, freePort(), List.of(options));
            } catch (IOException e) {
                // Another program may use the port by now.
                if (i == TRIES) {
                    throw e;
                }
            }
        }
    }

    /**
     * Starts a server that listens with TLS at {@link #tlsUri} as well, and requests no
     * certificates of clients.
     */
    public static RedisServer startWithTls(TestCertificates.Pair identity) throws IOException {
        int port = freePort();
        RedisServer server =
                start(
                        "--tls-port",
                        Integer.toString(port),
                        "--tls-cert-file",
                        identity.certificate().toString(),
                        "--tls-key-file",
                        identity.key().toString(),
                        "--tls-auth-clients",
                        "no",
                        "--tls-ca-cert-file",
                        identity.certificate().toString());
        server.tlsPort = OptionalInt.of(port);
        return server;
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private Process launch() throws IOException {
        List<String> command = new ArrayList<>(List.of(program.toString()));
        command.addAll(List.of("--port", Integer.toString(port), "--bind", "127.0.0.1"));
        command.addAll(List.of("--save", "", "--appendonly", "no", "--daemonize", "no"));
        command.addAll(options);
        Process started =
                new ProcessBuilder(command)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        boolean[] answers = new boolean[1];
        Await.until(
                "redis-server answers or ends",
                () -> {
                    answers[0] = answers();
                    return answers[0] || !started.isAlive();
                });
        if (!answers[0]) {
            throw new IOException("redis-server ended with " + started.exitValue());
        }
        return started;
    }

    private boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 1000);
            OutputStream to = socket.getOutputStream();
            to.write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            to.flush();
            InputStream from = socket.getInputStream();
            // A server that requires a password responds as well.
            int first = from.read();
            return first == '+' || first == '-';
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the port at which it listens. */
    public int port() {
        return port;
    }

    /** Its address. */
    public URI uri() {
        return URI.create("redis://127.0.0.1:" + port + "/0");
    }

    /** Returns its address for clients that use TLS. */
    public URI tlsUri() {
        return URI.create("rediss://127.0.0.1:" + tlsPort.orElseThrow() + "/0");
    }

    /** Kills it; its contents are lost. */
    public void kill() {
        process.destroyForcibly();
        try {
            process.waitFor(Await.LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Restarts it, empty, at the same port. */
    public void restart() {
        try {
            process = launch();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        kill();
    }
}
