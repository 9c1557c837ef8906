package dev.varve.dist;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The browser and the server of the smallest demo model that the test classes of this process
 * share. Each test has its own browser context: its own storage, cookies and pages. Both end with
 * the process.
 */
final class SharedPage {
    private static Optional<Path> folder = Optional.empty();
    private static Optional<PageBrowser> browser = Optional.empty();
    private static Optional<Varve.Server> server = Optional.empty();

    private SharedPage() {}

    /** Returns the browser; a test is skipped if no browser can be started. */
    static synchronized PageBrowser browser() throws IOException {
        if (browser.isEmpty()) {
            browser = Optional.of(PageBrowser.start(folder()));
        }
        return browser.get();
    }

    /**
     * Returns the server. A test must not stop it, nor depend on its counters or its prefix cache.
     */
    static synchronized Varve.Server server() throws IOException {
        if (server.isEmpty()) {
            server = Optional.of(DemoServer.start(new Varve(Varve.INSTALLATION, folder())));
        }
        return server.get();
    }

    private static Path folder() throws IOException {
        if (folder.isEmpty()) {
            folder = Optional.of(Files.createTempDirectory("varve-page"));
            Runtime.getRuntime().addShutdownHook(new Thread(SharedPage::close));
        }
        return folder.get();
    }

    private static synchronized void close() {
        try {
            browser.ifPresent(PageBrowser::close);
        } finally {
            server.ifPresent(Varve.Server::close);
            delete(folder.orElseThrow());
        }
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            List<Path> inner = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : inner) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
