package dev.varve.dist;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A browser without a window, as its user would have it.
 *
 * @param program Chromium or its like
 * @param folder for profiles, a new one for each page
 */
record Browser(Path program, Path folder) {
    private static final List<String> PROGRAMS =
            List.of("chromium", "chromium-browser", "google-chrome");

    /** How long a page may take with all that it starts, in its own clock. */
    private static final int PAGE_MILLIS = 10_000;

    /** The name that stands for a site of somebody else, which points to this machine. */
    static final String FOREIGN = "evil.test";

    /** Empty where none is installed. */
    static Optional<Browser> find(Path folder) {
        return Stream.of(Optional.ofNullable(System.getenv("PATH")).orElse("").split(":"))
                .flatMap(place -> PROGRAMS.stream().map(name -> Path.of(place, name)))
                .filter(Files::isExecutable)
                .findFirst()
                .map(program -> new Browser(program, folder));
    }

    /** Opens a page and returns what it looks like when nothing happens any more. */
    String open(String url) throws IOException, InterruptedException {
        Path out = Files.createTempFile(folder, "page", ".html");
        Path profile = Files.createTempDirectory(folder, "profile");
        Process process =
                new ProcessBuilder(
                                program.toString(),
                                "--headless",
                                "--no-sandbox",
                                "--disable-gpu",
                                "--disable-quic",
                                "--disable-dev-shm-usage",
                                "--no-first-run",
                                "--disable-background-networking",
                                "--disable-component-update",
                                "--disable-sync",
                                "--host-resolver-rules=MAP " + FOREIGN + " 127.0.0.1",
                                "--user-data-dir=" + profile,
                                "--virtual-time-budget=" + PAGE_MILLIS,
                                "--dump-dom",
                                url)
                        .redirectOutput(out.toFile())
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            throw new AssertionError("the browser did not come back from " + url);
        }
        return Files.readString(out);
    }
}
