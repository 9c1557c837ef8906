package dev.varve.platform.http.fetch;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A server on a loopback port that sends prepared bytes for each path. */
public final class CannedServer implements AutoCloseable {
    private final ServerSocket socket;
    private final Map<String, byte[]> replies = new ConcurrentHashMap<>();

    /** The heads of all requests. */
    public final List<String> requests = new CopyOnWriteArrayList<>();

    /** Opens a server without replies. */
    public CannedServer() throws IOException {
        this(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()));
    }

    CannedServer(ServerSocket socket) {
        this.socket = socket;
        Thread.ofVirtual().start(this::serve);
    }

    /** Its port. */
    public int port() {
        return socket.getLocalPort();
    }

    /** Sets the whole reply for a path. */
    CannedServer reply(String path, String reply) {
        replies.put(path, reply.getBytes(StandardCharsets.ISO_8859_1));
        return this;
    }

    /** Sets a file for a path. */
    public CannedServer file(String path, String content) {
        return reply(
                path,
                "HTTP/1.1 200 OK\r\nContent-Length: " + content.length() + "\r\n\r\n" + content);
    }

    CannedServer redirect(String path, String location) {
        return reply(path, "HTTP/1.1 302 Found\r\nLocation: " + location + "\r\n\r\n");
    }

    private void serve() {
        while (true) {
            try {
                Socket client = socket.accept();
                Thread.ofVirtual().start(() -> answer(client));
            } catch (SocketException e) {
                return;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private void answer(Socket client) {
        try (client) {
            BufferedReader reader =
                    new BufferedReader(
                            new InputStreamReader(
                                    client.getInputStream(), StandardCharsets.ISO_8859_1));
            StringBuilder head = new StringBuilder();
            for (String line = reader.readLine();
                    line != null && !line.isEmpty();
                    line = reader.readLine()) {
                head.append(line).append('\n');
            }
            requests.add(head.toString());
            byte[] reply = replies.get(head.toString().split(" ", 3)[1]);
            if (reply == null) {
                // Silent until the client ends the connection.
                client.getInputStream().read();
                return;
            }
            client.getOutputStream().write(reply);
            client.getOutputStream().flush();
        } catch (IOException e) {
            // The client ended the connection.
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
