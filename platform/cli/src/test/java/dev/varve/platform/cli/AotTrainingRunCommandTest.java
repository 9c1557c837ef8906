package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** A training run without a response fails, so that the launcher keeps no record of it. */
class AotTrainingRunCommandTest {
    @TempDir private Path home;

    @Test
    void runWithoutAServerFails() {
        StringWriter err = new StringWriter();
        int status =
                VarveCommand.execute(
                        new Environment(Map.of(), Optional.of(home), Set.of()),
                        new PrintWriter(new StringWriter()),
                        new PrintWriter(err),
                        "warm-up");

        assertEquals(1, status);
        assertEquals("varve: the training run started no server\n", err.toString());
    }

    @Test
    void onlyASuccessfulResponseCounts() {
        assertDoesNotThrow(() -> post("HTTP/1.1 200 OK\r\n\r\n"));

        IOException failure =
                assertThrows(IOException.class, () -> post("HTTP/1.1 503 Busy\r\n\r\n"));
        assertEquals("HTTP/1.1 503 Busy", failure.getMessage());
        assertThrows(IOException.class, () -> post(""));
    }

    /** Sends an empty request to a server with this response. */
    private static void post(String response) throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> respond(server, response));
            AotTrainingRunCommand.post(
                    URI.create(
                            "http://"
                                    + server.getInetAddress().getHostAddress()
                                    + ":"
                                    + server.getLocalPort()),
                    "");
        }
    }

    private static void respond(ServerSocket server, String response) {
        try (Socket client = server.accept()) {
            InputStream in = client.getInputStream();
            int last = 0;
            // The request ends with an empty line.
            while (last != 0x0d0a0d0a) {
                last = last << 8 | in.read();
            }
            client.getOutputStream().write(response.getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
