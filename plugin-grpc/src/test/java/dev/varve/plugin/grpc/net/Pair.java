package dev.varve.plugin.grpc.net;

import dev.varve.api.transport.Connection;
import dev.varve.api.transport.Listener;
import dev.varve.api.transport.TransportOptions;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Both ends of a connection. */
record Pair(Listener listener, Connection client, Connection server) implements AutoCloseable {
    private static final String SCHEME = "grpc:";

    static Pair open(TransportOptions options) throws IOException {
        return open("127.0.0.1:0", options, options);
    }

    static Pair open(String address, TransportOptions listening, TransportOptions connecting)
            throws IOException {
        NetworkTransport transport = new NetworkTransport();
        Listener listener = transport.listen(address, listening);
        try {
            Connection client = transport.connect(target(listener), connecting);
            return new Pair(listener, client, listener.accept());
        } catch (IOException | RuntimeException e) {
            listener.close();
            throw e;
        }
    }

    /** Returns the part of a listener's address after the scheme. */
    static String target(Listener listener) {
        return listener.address().substring(SCHEME.length());
    }

    static void send(Connection connection, String text) throws IOException {
        connection.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }

    static String receive(Connection connection, int bytes) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(bytes);
        connection.read(buffer);
        return new String(buffer.array(), StandardCharsets.UTF_8);
    }

    /** Whether words come through in both directions. */
    boolean talks() throws IOException {
        send(client, "ping");
        send(server, "pong");
        return receive(server, 4).equals("ping") && receive(client, 4).equals("pong");
    }

    @Override
    public void close() {
        client.close();
        server.close();
        listener.close();
    }
}
