package dev.varve.plugin.grpc.net;

import dev.varve.api.transport.Connection;
import dev.varve.api.transport.Listener;
import dev.varve.api.transport.TransportOptions;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Listens in a process of its own, sends back what it reads, and says how that ended. */
final class EchoProcess {
    private EchoProcess() {}

    /** Arguments: address, certificate, key, authority, token. */
    public static void main(String[] arguments) throws IOException {
        TransportOptions options =
                new TransportOptions(
                        Duration.ofSeconds(10),
                        Optional.of(
                                new TransportOptions.Identity(
                                        Path.of(arguments[1]), Path.of(arguments[2]))),
                        Optional.of(Path.of(arguments[3])),
                        Optional.of(arguments[4]),
                        false);
        try (Listener listener = new NetworkTransport().listen(arguments[0], options)) {
            System.out.println(listener.address());
            try (Connection connection = listener.accept()) {
                ByteBuffer buffer = ByteBuffer.allocate(1024);
                while (true) {
                    connection.read(buffer.clear());
                    connection.write(buffer.flip());
                }
            } catch (IOException e) {
                System.out.println("ended: " + e.getMessage());
            }
        }
    }
}
