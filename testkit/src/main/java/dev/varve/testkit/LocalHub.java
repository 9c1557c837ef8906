package dev.varve.testkit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A server that behaves like a hub of models: revisions, lists of files in pages, and contents
 * behind a redirect to another server. Faults can be scheduled for the contents.
 */
public final class LocalHub implements AutoCloseable {
    /** The commit of every repository. */
    public static final String COMMIT = "0123456789abcdef0123456789abcdef01234567";

    /** Files of one page of a list. */
    private static final int PAGE = 2;

    /**
     * A request that was received.
     *
     * @param content whether the server of contents received it
     */
    public record Request(boolean content, String path, Map<String, List<String>> headers) {
        /** The first value of a header. */
        public Optional<String> header(String name) {
            return Optional.ofNullable(headers.get(name)).map(List::getFirst);
        }
    }

    /** Something that goes wrong with one response of the server of contents. */
    public sealed interface Fault {
        /** The connection ends after some bytes. */
        record Break(int bytes) implements Fault {}

        /**
         * Nothing more is sent after some bytes until a test resumes it or this server ends.
         *
         * @param reached counted down when the bytes were sent
         * @param resume the rest is sent when it is counted down
         */
        record Stall(int bytes, CountDownLatch reached, CountDownLatch resume) implements Fault {
            /** A stall that ends with the server. */
            public static Stall after(int bytes) {
                return new Stall(bytes, new CountDownLatch(1), new CountDownLatch(1));
            }
        }

        /** Another status, with a header. */
        record Status(int status, String header, String value) implements Fault {}

        /** Other content of the same length. */
        record Corrupt() implements Fault {}

        /** The whole content, whatever range was requested. */
        record IgnoreRange() implements Fault {}
    }

    private final HttpServer hub;
    private final HttpServer contents;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Map<String, Map<String, byte[]>> repositories = new ConcurrentHashMap<>();
    private final Map<String, HttpHandler> answers = new ConcurrentHashMap<>();
    private final Queue<Fault> faults = new ConcurrentLinkedQueue<>();
    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private final CountDownLatch ends = new CountDownLatch(1);

    private LocalHub() throws IOException {
        hub = server(false, this::answer);
        contents = server(true, this::content);
    }

    /** Starts both servers on free ports. */
    public static LocalHub start() throws IOException {
        return new LocalHub();
    }

    private HttpServer server(boolean content, HttpHandler handler) throws IOException {
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext(
                "/",
                exchange -> {
                    try (exchange) {
                        requests.add(
                                new Request(
                                        content,
                                        exchange.getRequestURI().getRawPath(),
                                        new TreeMap<>(exchange.getRequestHeaders())));
                        handler.handle(exchange);
                    }
                });
        server.start();
        return server;
    }

    /** Address for {@code HF_ENDPOINT}. */
    public String endpoint() {
        return "http://127.0.0.1:" + hub.getAddress().getPort();
    }

    /** Address of a file on the server of contents. */
    public String contentUrl(String repository, String path) {
        return "http://127.0.0.1:"
                + contents.getAddress().getPort()
                + "/"
                + repository
                + "/"
                + path;
    }

    /** Adds or replaces a file. */
    public LocalHub put(String repository, String path, byte[] content) {
        repositories.computeIfAbsent(repository, _ -> new ConcurrentHashMap<>()).put(path, content);
        return this;
    }

    /** Schedules a fault for the next response of the server of contents without one. */
    public LocalHub fail(Fault fault) {
        faults.add(fault);
        return this;
    }

    /** Answers requests for a path of the hub in another way. */
    public LocalHub answer(String path, HttpHandler handler) {
        answers.put(path, handler);
        return this;
    }

    /** Requests so far, in order. */
    public List<Request> requests() {
        return List.copyOf(requests);
    }

    /** Requests of contents so far, in order. */
    public List<Request> contentRequests() {
        return requests.stream().filter(Request::content).toList();
    }

    /** SHA-256 of a content, in hexadecimal digits. */
    public static String sha256(byte[] content) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        HttpHandler other = answers.get(path);
        if (other != null) {
            other.handle(exchange);
            return;
        }
        for (Map.Entry<String, Map<String, byte[]>> each : repositories.entrySet()) {
            String api = "/api/models/" + each.getKey();
            String resolve = "/" + each.getKey() + "/resolve/" + COMMIT + "/";
            if (path.equals(api + "/revision/main")) {
                send(exchange, 200, "{\"sha\": \"" + COMMIT + "\"}");
                return;
            }
            if (path.equals(api + "/tree/" + COMMIT)) {
                list(exchange, new TreeMap<>(each.getValue()));
                return;
            }
            byte[] file = path.startsWith(resolve) ? file(each, path, resolve) : null;
            if (file != null) {
                exchange.getResponseHeaders().set("X-Linked-ETag", '"' + sha256(file) + '"');
                redirect(exchange, contentUrl(each.getKey(), path.substring(resolve.length())));
                return;
            }
        }
        exchange.getResponseHeaders().set("X-Error-Code", "RepoNotFound");
        send(exchange, 404, "{\"error\": \"not found\"}");
    }

    private static byte[] file(
            Map.Entry<String, Map<String, byte[]>> repository, String path, String prefix) {
        return repository.getValue().get(path.substring(prefix.length()));
    }

    private void list(HttpExchange exchange, TreeMap<String, byte[]> files) throws IOException {
        String query = exchange.getRequestURI().getQuery();
        int begin = query.contains("cursor=") ? Integer.parseInt(query.replaceAll("\\D", "")) : 0;
        List<String> entries =
                new ArrayList<>(List.of("{\"type\": \"directory\", \"path\": \"x\"}"));
        files.entrySet().stream()
                .skip(begin)
                .limit(PAGE)
                .forEach(
                        file ->
                                entries.add(
                                        "{\"type\": \"file\", \"path\": \""
                                                + file.getKey()
                                                + "\", \"size\": "
                                                + file.getValue().length
                                                + ", \"oid\": \""
                                                + "0".repeat(40)
                                                + "\", \"lfs\": {\"oid\": \""
                                                + sha256(file.getValue())
                                                + "\", \"size\": "
                                                + file.getValue().length
                                                + "}}"));
        if (begin + PAGE < files.size()) {
            exchange.getResponseHeaders()
                    .set(
                            "Link",
                            "<"
                                    + endpoint()
                                    + exchange.getRequestURI().getPath()
                                    + "?recursive=true&cursor="
                                    + (begin + PAGE)
                                    + ">; rel=\"next\"");
        }
        send(exchange, 200, "[" + String.join(", ", entries) + "]");
    }

    private void content(HttpExchange exchange) throws IOException {
        String[] path = exchange.getRequestURI().getPath().split("/", 4);
        byte[] file =
                path.length < 4
                        ? null
                        : repositories.getOrDefault(path[1] + "/" + path[2], Map.of()).get(path[3]);
        if (file == null) {
            send(exchange, 404, "");
            return;
        }
        Fault fault = faults.poll();
        switch (fault) {
            case Fault.Status(int status, String header, String value) -> {
                exchange.getResponseHeaders().set(header, value);
                send(exchange, status, "");
            }
            case Fault.Corrupt() -> {
                byte[] wrong = file.clone();
                wrong[wrong.length / 2] ^= 1;
                send(exchange, wrong, sha256(file), fault);
            }
            case null, default -> send(exchange, file, sha256(file), fault);
        }
    }

    private void send(HttpExchange exchange, byte[] file, String tag, Fault fault)
            throws IOException {
        String range = exchange.getRequestHeaders().getFirst("Range");
        String condition = exchange.getRequestHeaders().getFirst("If-Range");
        exchange.getResponseHeaders().set("ETag", '"' + tag + '"');
        int begin = 0;
        if (range != null
                && !(fault instanceof Fault.IgnoreRange)
                && (condition == null || condition.equals('"' + tag + '"'))) {
            begin = Integer.parseInt(range.replaceAll("bytes=(\\d+)-", "$1"));
            exchange.getResponseHeaders()
                    .set(
                            "Content-Range",
                            "bytes " + begin + "-" + (file.length - 1) + "/" + file.length);
        }
        byte[] rest = Arrays.copyOfRange(file, begin, file.length);
        exchange.sendResponseHeaders(begin > 0 ? 206 : 200, rest.length);
        OutputStream body = exchange.getResponseBody();
        switch (fault) {
            case Fault.Break(int bytes) -> {
                body.write(rest, 0, Math.min(bytes, rest.length));
                body.flush();
            }
            case Fault.Stall(int bytes, CountDownLatch reached, CountDownLatch resume) -> {
                int sent = Math.min(bytes, rest.length);
                body.write(rest, 0, sent);
                body.flush();
                reached.countDown();
                await(resume);
                body.write(rest, sent, rest.length - sent);
            }
            case null, default -> body.write(rest);
        }
    }

    /** Waits for a latch or the end of this server. */
    private void await(CountDownLatch latch) {
        Thread waiting = Thread.startVirtualThread(() -> release(latch));
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            waiting.interrupt();
        }
    }

    private void release(CountDownLatch latch) {
        try {
            ends.await();
            latch.countDown();
        } catch (InterruptedException e) {
            // The latch was counted down.
        }
    }

    /** Sends a redirect. */
    public static void redirect(HttpExchange exchange, String location) throws IOException {
        exchange.getResponseHeaders().set("Location", location);
        exchange.sendResponseHeaders(302, -1);
    }

    /** Sends a text. */
    public static void send(HttpExchange exchange, int status, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
        if (bytes.length > 0) {
            exchange.getResponseBody().write(bytes);
        }
    }

    @Override
    public void close() {
        ends.countDown();
        hub.stop(0);
        contents.stop(0);
        threads.close();
    }
}
