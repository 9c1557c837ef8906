package dev.varve.platform.http.page;

import dev.varve.platform.digest.Sha256;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * All files of the web page, in memory. Their paths contain a digest of all contents, so that a
 * browser may cache each file forever: another version has other paths. Each file is compressed at
 * its first request. Thread-safe.
 */
final class WebUiFiles {
    /** Placeholder for the digest in the first file. */
    private static final String MARK = "PAGE_MARK";

    /** Placeholder in the first file for whether the server requires a key. */
    private static final String KEY = "PAGE_KEY";

    private static final String LIST = "files.txt";
    private static final String FIRST = "index.html";

    private final Map<String, byte[]> bytes;
    private final Map<String, WebUiFile> files = new ConcurrentHashMap<>();
    private final String first;
    private final String mark;

    /** Makes the files; {@code bytes} has the contents by name and includes {@code index.html}. */
    private WebUiFiles(Map<String, byte[]> bytes) {
        mark = mark(bytes);
        first = new String(bytes.remove(FIRST), StandardCharsets.UTF_8).replace(MARK, mark);
        this.bytes = bytes;
    }

    /** Reads the files that are packaged with the server. */
    static WebUiFiles load() {
        Map<String, byte[]> bytes = new TreeMap<>();
        new String(read(LIST), StandardCharsets.UTF_8)
                .lines()
                .forEach(name -> bytes.put(name, read(name)));
        return new WebUiFiles(bytes);
    }

    private static byte[] read(String name) {
        try (InputStream in = WebUiFiles.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the web page's file " + name + " is missing");
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("the web page's file " + name + " cannot be read", e);
        }
    }

    private static String mark(Map<String, byte[]> bytes) {
        MessageDigest digest = Sha256.begin();
        bytes.forEach(
                (name, content) -> {
                    String head = name + "\n" + content.length + "\n";
                    digest.update(head.getBytes(StandardCharsets.UTF_8));
                    digest.update(content);
                });
        return WebUiFile.mark(digest);
    }

    /** Returns the digest that precedes the names of all files but the first. */
    String mark() {
        return mark;
    }

    /** Returns the file that a browser opens. */
    WebUiFile first(boolean needsKey) {
        String html = first.replace(KEY, needsKey ? "needed" : "none");
        return WebUiFile.of(FIRST, html.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns another file by its name. */
    Optional<WebUiFile> find(String name) {
        return Optional.ofNullable(bytes.get(name))
                .map(
                        content ->
                                files.computeIfAbsent(
                                        name, missing -> WebUiFile.of(missing, content)));
    }
}
