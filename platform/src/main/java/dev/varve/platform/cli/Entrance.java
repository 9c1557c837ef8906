package dev.varve.platform.cli;

import dev.varve.platform.http.HttpOptions;
import dev.varve.platform.http.HttpServer;

import java.net.URI;
import java.util.Optional;

/** The HTTP server of a process, which starts when it is told to. Owns the server. */
final class Entrance implements AutoCloseable {
    private final HttpOptions options;
    private Optional<HttpServer> http = Optional.empty();

    Entrance(HttpOptions options) {
        this.options = options;
    }

    /**
     * Starts the server, once.
     *
     * @return its address
     */
    URI open() {
        http = Optional.of(HttpServer.start(options));
        return server().uri();
    }

    /** The server, which was started. */
    HttpServer server() {
        return http.orElseThrow();
    }

    @Override
    public void close() {
        http.ifPresent(HttpServer::close);
    }
}
