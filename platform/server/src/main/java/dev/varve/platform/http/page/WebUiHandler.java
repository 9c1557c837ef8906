package dev.varve.platform.http.page;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import java.io.IOException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Writes the web page's files with the headers that browsers need. The files are read at the first
 * request. Thread-safe.
 */
public final class WebUiHandler {
    /**
     * The page runs and shows only content of the server itself, and model output becomes HTML only
     * through the sanitizer. The second policy of trusted types starts the worker that reads PDF
     * files.
     */
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; connect-src"
                    + " 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none';"
                    + " frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types"
                    + " dompurify varve-worker";

    /** The worker has a policy of its own, and may neither load nor send anything. */
    private static final String WORKER_POLICY = "default-src 'none'";

    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "::1", "[::1]");
    private static final String IMMUTABLE = "public, max-age=31536000, immutable";
    private static final String REVALIDATE = "no-cache";

    private final boolean needsKey;

    /** Makes a handler; {@code needsKey}: whether the server requires a key. */
    public WebUiHandler(boolean needsKey) {
        this.needsKey = needsKey;
    }

    /** Loads the files at the first request. */
    private static final class Loaded {
        private static final WebUiFiles FILES = WebUiFiles.load();
    }

    /** Returns whether a request expects the web page instead of server information. */
    public static boolean expectsPage(String method, Optional<String> accept) {
        return (method.equals("GET") || method.equals("HEAD"))
                && accept.stream()
                        .flatMap(value -> Stream.of(value.split(",")))
                        .map(each -> each.strip().toLowerCase(Locale.ROOT))
                        .anyMatch(
                                each -> each.equals("text/html") || each.startsWith("text/html;"));
    }

    /** Writes the file that a browser opens. */
    public void writeFirst(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        response.addHeader("Vary", "Accept");
        response.setHeader("Content-Security-Policy", POLICY);
        response.setHeader("X-Frame-Options", "DENY");
        if (isTrusted(request)) {
            response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
        }
        response.setHeader(
                "Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()");
        write(Loaded.FILES.first(needsKey), REVALIDATE, request, response);
    }

    /**
     * Returns whether browsers trust the connection: over plain HTTP from other hosts they ignore
     * some headers and log a warning.
     */
    private static boolean isTrusted(HttpServletRequest request) {
        return request.isSecure()
                || "https".equals(request.getHeader("X-Forwarded-Proto"))
                || LOOPBACK.contains(request.getServerName());
    }

    /**
     * Writes another file.
     *
     * @param path digest and name, as in the first file
     * @return whether the file exists
     */
    public boolean write(String path, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        String begin = Loaded.FILES.mark() + "/";
        Optional<WebUiFile> file =
                path.startsWith(begin)
                        ? Loaded.FILES.find(path.substring(begin.length()))
                        : Optional.empty();
        if (file.isEmpty()) {
            return false;
        }
        response.setHeader("Content-Security-Policy", WORKER_POLICY);
        write(file.get(), IMMUTABLE, request, response);
        return true;
    }

    private void write(
            WebUiFile file, String keep, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        boolean packed = acceptsGzip(request);
        String tag = "\"" + file.mark() + (packed ? "-gzip\"" : "\"");
        response.setHeader("ETag", tag);
        response.setHeader("Cache-Control", keep);
        response.addHeader("Vary", "Accept-Encoding");
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("Referrer-Policy", "no-referrer");
        response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
        if (isKnown(tag, request)) {
            response.setStatus(304);
            return;
        }
        byte[] body = packed ? file.packed() : file.plain();
        response.setContentType(file.type());
        response.setContentLength(body.length);
        if (packed) {
            response.setHeader("Content-Encoding", "gzip");
        }
        if (!request.getMethod().equals("HEAD")) {
            response.getOutputStream().write(body);
        }
    }

    private static boolean acceptsGzip(HttpServletRequest request) {
        return Optional.ofNullable(request.getHeader("Accept-Encoding")).stream()
                .flatMap(value -> Stream.of(value.split(",")))
                .map(each -> each.replace(" ", "").toLowerCase(Locale.ROOT))
                .anyMatch(
                        each ->
                                each.equals("gzip")
                                        || each.startsWith("gzip;")
                                                && !each.matches("gzip;q=0(\\.0*)?"));
    }

    private static boolean isKnown(String tag, HttpServletRequest request) {
        return Optional.ofNullable(request.getHeader("If-None-Match")).stream()
                .flatMap(value -> Arrays.stream(value.split(",")))
                .map(String::strip)
                .anyMatch(each -> each.equals("*") || each.equals(tag) || each.equals("W/" + tag));
    }
}
