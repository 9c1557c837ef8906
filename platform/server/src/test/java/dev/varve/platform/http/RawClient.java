package dev.varve.platform.http;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** A client that sends exactly the given bytes. */
final class RawClient implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Socket socket;

    private RawClient(Socket socket) {
        this.socket = socket;
    }

    static RawClient of(TestServer server) throws IOException {
        return of(server.server.uri().getPort());
    }

    static RawClient of(int port) throws IOException {
        Socket socket = new Socket("127.0.0.1", port);
        socket.setSoTimeout((int) PATIENCE.toMillis());
        return new RawClient(socket);
    }

    /** A client with a small window, for one that does not read. */
    static RawClient withSmallWindow(TestServer server) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4 << 10);
        socket.setSoTimeout((int) PATIENCE.toMillis());
        socket.connect(new InetSocketAddress("127.0.0.1", server.server.uri().getPort()));
        return new RawClient(socket);
    }

    RawClient send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.UTF_8));
    }

    RawClient send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return this;
    }

    /** Headers of a post, and a beginning of its body. */
    RawClient beginPost(String path, int length, String beginning) throws IOException {
        return send(
                "POST "
                        + path
                        + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                        + length
                        + "\r\n\r\n"
                        + beginning);
    }

    /** Says that nothing more will be sent. */
    RawClient endOfSending() throws IOException {
        socket.shutdownOutput();
        return this;
    }

    /** The bytes that the server sends. */
    InputStream stream() throws IOException {
        return socket.getInputStream();
    }

    /** The first line of an answer; empty if the server closed the connection. */
    String statusLine() throws IOException {
        try {
            String line =
                    new BufferedReader(
                                    new InputStreamReader(
                                            socket.getInputStream(), StandardCharsets.UTF_8))
                            .readLine();
            return line == null ? "" : line;
        } catch (SocketException e) {
            return "";
        }
    }

    /** All that comes until the server closes the connection. */
    String rest() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        InputStream in = socket.getInputStream();
        try {
            in.transferTo(all);
        } catch (SocketException e) {
            // The server closed before it had read everything; what came until then counts.
            return all.toString(StandardCharsets.UTF_8);
        }
        return all.toString(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
