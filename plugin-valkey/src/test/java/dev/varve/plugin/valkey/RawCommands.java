package dev.varve.plugin.valkey;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Commands of another writer. */
final class RawCommands {
    private RawCommands() {}

    static void send(int port, String... commands) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                BufferedReader from =
                        new BufferedReader(
                                new InputStreamReader(
                                        socket.getInputStream(), StandardCharsets.US_ASCII))) {
            for (String command : commands) {
                socket.getOutputStream()
                        .write((command + "\r\n").getBytes(StandardCharsets.US_ASCII));
                String answer = from.readLine();
                if (answer.startsWith("-")) {
                    throw new IOException(answer);
                }
            }
        }
    }
}
