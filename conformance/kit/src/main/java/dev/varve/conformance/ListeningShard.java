package dev.varve.conformance;

import dev.varve.api.transport.TransportOptions;
import dev.varve.platform.remote.ExternalProcessLink;
import dev.varve.platform.remote.ShardWireOptions;
import dev.varve.platform.wire.unix.UnixTransport;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A shard process that listens for any number of servers, one after the other or together: each of
 * them loads a range of its own, and its weights and caches are freed with its connection.
 */
final class ListeningShard implements AutoCloseable {
    private final Process process;
    private final Path socket;

    private ListeningShard(Process process, Path socket) {
        this.process = process;
        this.socket = socket;
    }

    static ListeningShard start(ShardProgram program) throws IOException {
        Path socket = program.workFolder().resolve("listening");
        List<String> command = program.command();
        command.addAll(List.of("--listen", "unix:" + socket));
        Process process =
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        String line = output.readLine();
        if (line == null || !line.startsWith("listening on ")) {
            process.destroyForcibly();
            throw new IOException("expected a shard that listens, it said " + line);
        }
        Thread.ofVirtual().start(() -> drain(output));
        return new ListeningShard(process, socket);
    }

    private static void drain(BufferedReader output) {
        try {
            while (output.readLine() != null) {
                // The output is discarded, but a full pipe would stop the process.
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a link to it. */
    ExternalProcessLink link() {
        return new ExternalProcessLink(
                new UnixTransport(),
                socket.toString(),
                TransportOptions.defaults(),
                ShardWireOptions.wireOptions("server"));
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
