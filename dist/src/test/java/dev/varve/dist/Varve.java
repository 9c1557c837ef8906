package dev.varve.dist;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the launcher of an installation as a person would. */
final class Varve {
    static final Path INSTALLATION =
            Path.of(System.getProperty("varve.test.root"), "dist", "target", "varve");

    /** How a command ended. */
    record Outcome(int status, String out, String err) {}

    /** A server that is ready; closing stops it. */
    static final class Server implements AutoCloseable {
        private final Process process;
        private final String url;

        private Server(Process process, String url) {
            this.process = process;
            this.url = url;
        }

        String url() {
            return url;
        }

        /** Asks it to stop, as a service manager does. */
        void terminate() {
            process.destroy();
        }

        /** Stops it without a word. */
        void kill() {
            process.destroyForcibly();
        }

        boolean ends() throws InterruptedException {
            return process.waitFor(60, TimeUnit.SECONDS);
        }

        @Override
        public void close() {
            process.destroyForcibly();
            process.onExit().join();
        }
    }

    private final Path installation;
    private final Path folder;

    Varve(Path installation, Path folder) {
        this.installation = installation;
        this.folder = folder;
    }

    Outcome run(Object... arguments) throws IOException, InterruptedException {
        Path out = Files.createTempFile(folder, "out", ".txt");
        Path err = Files.createTempFile(folder, "err", ".txt");
        Process process =
                builder(arguments).redirectOutput(out.toFile()).redirectError(err.toFile()).start();
        if (!process.waitFor(120, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("no end of " + List.of(arguments));
        }
        return new Outcome(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    /** Starts a server on a free port and waits until it is ready. */
    Server serve(Object... arguments) throws IOException {
        List<Object> all = new ArrayList<>(List.of("serve", "--port", "0"));
        all.addAll(List.of(arguments));
        Process process =
                builder(all.toArray())
                        .redirectError(Files.createTempFile(folder, "serve", ".txt").toFile())
                        .start();
        BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith("Serving ")) {
                return new Server(process, line.substring(line.indexOf("http://")));
            }
        }
        throw new AssertionError(
                "the server ended with status " + process.onExit().join().exitValue());
    }

    private ProcessBuilder builder(Object... arguments) {
        List<String> command =
                new ArrayList<>(List.of(installation.resolve("bin/varve").toString()));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("VARVE_CACHE", folder.resolve("cache").toString());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        return builder;
    }
}
