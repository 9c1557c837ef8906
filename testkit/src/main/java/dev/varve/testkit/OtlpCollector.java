package dev.varve.testkit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.zip.GZIPInputStream;

/** A collector of traces on loopback, which keeps the spans that it receives. */
public final class OtlpCollector implements AutoCloseable {
    private final HttpServer server;
    private final List<OtlpSpan> spans = new CopyOnWriteArrayList<>();
    private final List<String> paths = new CopyOnWriteArrayList<>();
    private final List<String> keys = new CopyOnWriteArrayList<>();
    private volatile int status = 200;

    private OtlpCollector(HttpServer server) {
        this.server = server;
    }

    /** Listens at a free port. */
    public static OtlpCollector start() {
        try {
            OtlpCollector collector =
                    new OtlpCollector(
                            HttpServer.create(
                                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
            collector.server.createContext("/", collector::take);
            collector.server.start();
            return collector;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void take(HttpExchange exchange) throws IOException {
        try (exchange;
                InputStream body = exchange.getRequestBody()) {
            byte[] bytes = body.readAllBytes();
            if ("gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"))) {
                bytes = new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes();
            }
            paths.add(exchange.getRequestURI().getPath());
            keys.addAll(exchange.getRequestHeaders().getOrDefault("Authorization", List.of()));
            if (status == 200) {
                spans.addAll(OtlpSpan.parse(bytes));
            }
            exchange.sendResponseHeaders(status, -1);
        }
    }

    /** Sets the status of all later responses; spans are kept only at status 200. */
    public void answer(int other) {
        status = other;
    }

    /** Returns its URL, without a path. */
    public String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Returns all received spans. */
    public List<OtlpSpan> spans() {
        return List.copyOf(spans);
    }

    /** Returns the paths of the received requests. */
    public List<String> paths() {
        return List.copyOf(paths);
    }

    /** Returns the {@code Authorization} headers of the requests that had one. */
    public List<String> keys() {
        return List.copyOf(keys);
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
