package dev.varve.plugin.grpc.net;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A network namespace with a cable to the one of the test: {@value #HERE} here, {@value #THERE}
 * there (addresses that RFC 2544 sets aside for tests).
 */
final class Namespace implements AutoCloseable {
    static final String HERE = "198.18.213.1";
    static final String THERE = "198.18.213.2";

    private final String name = "varve" + ProcessHandle.current().pid();
    private final String near = "vn" + ProcessHandle.current().pid();
    private final String far = "vf" + ProcessHandle.current().pid();

    private Namespace() {}

    /**
     * Makes it.
     *
     * @throws IOException if this machine or user cannot
     */
    static Namespace open() throws IOException, InterruptedException {
        Namespace namespace = new Namespace();
        try {
            ip("netns", "add", namespace.name);
            ip(
                    "link",
                    "add",
                    namespace.near,
                    "type",
                    "veth",
                    "peer",
                    "name",
                    namespace.far,
                    "netns",
                    namespace.name);
            ip("addr", "add", HERE + "/30", "dev", namespace.near);
            ip("link", "set", namespace.near, "up");
            ip("-n", namespace.name, "addr", "add", THERE + "/30", "dev", namespace.far);
            ip("-n", namespace.name, "link", "set", namespace.far, "up");
            return namespace;
        } catch (IOException e) {
            namespace.close();
            throw e;
        }
    }

    private static void ip(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(Arrays.asList(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (process.waitFor() != 0) {
            throw new IOException(String.join(" ", command) + ": " + output);
        }
    }

    /** A process inside. */
    Process start(List<String> command) throws IOException {
        List<String> all = new ArrayList<>(List.of("ip", "netns", "exec", name));
        all.addAll(command);
        return new ProcessBuilder(all).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }

    /** Sets the far end of the link down; the near end keeps its address and receives nothing. */
    void cut() throws IOException, InterruptedException {
        ip("-n", name, "link", "set", far, "down");
    }

    @Override
    public void close() {
        // The link by itself, since connections that wait for an answer keep the namespace alive.
        remove("link", "del", near);
        remove("netns", "del", name);
    }

    private static void remove(String... arguments) {
        try {
            ip(arguments);
        } catch (IOException e) {
            // It was never made.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
