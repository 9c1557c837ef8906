package dev.varve.dist;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs the launcher of an installation as a person would. */
final class Varve {
    static final Path INSTALLATION =
            Path.of(System.getProperty("varve.test.root"), "dist", "target", "varve");

    /** Threads of a server whose test sets no {@code --threads}; 0: the server decides. */
    private static final int THREADS = Integer.getInteger("varve.test.threads", 0);

    /** How a command ended. */
    record Outcome(int status, String out, String err) {}

    /** A server that is ready; closing stops it. */
    static final class Server implements AutoCloseable {
        private final Process process;
        private final String url;
        private final Path err;

        private Server(Process process, String url, Path err) {
            this.process = process;
            this.url = url;
            this.err = err;
        }

        /** The text that the server has written to stderr so far. */
        String err() throws IOException {
            return Files.readString(err);
        }

        /** The processes that it started. */
        List<ProcessHandle> children() {
            return process.children().toList();
        }

        String url() {
            return url;
        }

        /** Asks it to stop, as a service manager does. */
        void terminate() {
            process.destroy();
        }

        /** Sends a signal, such as INT. */
        void signal(String name) throws IOException, InterruptedException {
            int status =
                    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                            .inheritIO()
                            .start()
                            .waitFor();
            if (status != 0) {
                throw new IOException("kill -" + name + " failed");
            }
        }

        /** The exit status, once it ended. */
        int status() {
            return process.exitValue();
        }

        /** Stops it without a word. */
        void kill() {
            process.destroyForcibly();
        }

        boolean ends() throws InterruptedException {
            return endsWithin(Duration.ofSeconds(60));
        }

        boolean endsWithin(Duration time) throws InterruptedException {
            return process.waitFor(time);
        }

        @Override
        public void close() {
            process.destroyForcibly();
            process.onExit().join();
        }
    }

    private final Path installation;
    private final Path folder;
    private final Map<String, String> variables;

    /**
     * Options for Java in programs that do little: the compiler that costs least, and by day few
     * warm-up steps, of which a server computes thousands when it is idle.
     */
    private static final String JAVA_OPTIONS =
            "-XX:TieredStopAtLevel=1"
                    + (Boolean.getBoolean("varve.test.thorough")
                            ? ""
                            : " -Ddev.varve.engine.warmup.steps=50");

    /**
     * An installation whose programs do little.
     *
     * @param folder for its cache and its output
     */
    Varve(Path installation, Path folder) {
        this(installation, folder, Map.of("VARVE_JAVA_OPTS", JAVA_OPTIONS));
    }

    private Varve(Path installation, Path folder, Map<String, String> variables) {
        this.installation = installation;
        this.folder = folder;
        this.variables = variables;
    }

    /** The same with one more environment variable. */
    Varve with(String variable, String value) {
        Map<String, String> all = new HashMap<>(variables);
        all.put(variable, value);
        return new Varve(installation, folder, all);
    }

    Outcome run(Object... arguments) throws IOException, InterruptedException {
        return runWithInput("", arguments);
    }

    /** Runs a command that reads a text from a pipe. */
    Outcome runWithInput(String input, Object... arguments)
            throws IOException, InterruptedException {
        Path out = Files.createTempFile(folder, "out", ".txt");
        Path err = Files.createTempFile(folder, "err", ".txt");
        Process process =
                builder(arguments).redirectOutput(out.toFile()).redirectError(err.toFile()).start();
        try (OutputStream in = process.getOutputStream()) {
            in.write(input.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // The command ended without reading its input.
        }
        if (!process.waitFor(120, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("no end of " + List.of(arguments));
        }
        return new Outcome(process.exitValue(), Files.readString(out), Files.readString(err));
    }

    /** Starts a command and does not wait for it. Its output is dropped. */
    Server begin(Object... arguments) throws IOException {
        Path err = Files.createTempFile(folder, "err", ".txt");
        return new Server(
                builder(arguments)
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(err.toFile())
                        .start(),
                "",
                err);
    }

    /** Starts a command on a terminal of its own. */
    TerminalSession onTerminal(Object... arguments) throws IOException {
        return TerminalSession.start(builder(arguments));
    }

    /** Starts a server on a free port and waits until it is ready. */
    Server serve(Object... arguments) throws IOException {
        List<Object> all = new ArrayList<>(List.of("serve", "--port", "0"));
        all.addAll(List.of(arguments));
        if (THREADS > 0 && !all.contains("--threads")) {
            all.addAll(List.of("--threads", THREADS));
        }
        return start("Serving ", all);
    }

    /** Starts a process for shards at an address and waits until it listens. */
    Server shard(String address, Object... arguments) throws IOException {
        List<Object> all = new ArrayList<>(List.of("shard", "--listen", address));
        all.addAll(List.of(arguments));
        return start("listening on ", all);
    }

    /** The last word of the line that reports success is the address of the server. */
    private Server start(String success, List<Object> arguments) throws IOException {
        Path err = Files.createTempFile(folder, "err", ".txt");
        Process process = builder(arguments.toArray()).redirectError(err.toFile()).start();
        BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith(success)) {
                return new Server(process, line.substring(line.lastIndexOf(' ') + 1), err);
            }
        }
        throw new AssertionError(
                "the process ended with status "
                        + process.onExit().join().exitValue()
                        + ": "
                        + Files.readString(err));
    }

    private Path cache() {
        return folder.resolve("cache");
    }

    /** Copies the libraries that the build unpacked: to unpack them takes 0.3 s for each folder. */
    private void copyLibraries() throws IOException {
        Path unpacked = INSTALLATION.resolveSibling("start-cache");
        if (!Files.isDirectory(unpacked)) {
            return;
        }
        synchronized (Varve.class) {
            try (DirectoryStream<Path> folders =
                    Files.newDirectoryStream(unpacked, "ggml-????????????")) {
                for (Path each : folders) {
                    copy(each, cache().resolve(each.getFileName()));
                }
            }
        }
    }

    private static void copy(Path source, Path target) throws IOException {
        if (Files.exists(target)) {
            return;
        }
        Files.createDirectories(target);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(source)) {
            for (Path file : files) {
                Files.copy(file, target.resolve(file.getFileName()));
            }
        }
    }

    /** Whether the start-up cache that the build created fits: other jars would need another. */
    private boolean hasStartRecord() throws IOException {
        Path jars = installation.resolve("lib");
        return Files.exists(jars) && Files.isSameFile(jars, INSTALLATION.resolve("lib"));
    }

    private ProcessBuilder builder(Object... arguments) throws IOException {
        List<String> command = new ArrayList<>(Interruptible.PREFIX);
        command.add(installation.resolve("bin/varve").toString());
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        copyLibraries();
        ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("VARVE_CACHE", cache().toString());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        if (!hasStartRecord() || command.contains("--kv-cache-dir")) {
            // The installation has no record for these.
            builder.environment().put("VARVE_AOT", "off");
        }
        builder.environment().putAll(variables);
        return builder;
    }
}
