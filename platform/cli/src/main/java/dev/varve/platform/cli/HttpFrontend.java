package dev.varve.platform.cli;

import dev.varve.platform.http.HttpOptions;
import dev.varve.platform.http.HttpServer;

import java.net.URI;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * The HTTP server of a process, which listens after {@link #open}. It is prepared concurrently on a
 * thread of its own, since that takes as long as reading a model. Owns the server.
 */
final class HttpFrontend implements AutoCloseable {
    private final CompletableFuture<HttpServer> http;

    /**
     * Begins to prepare the server.
     *
     * @throws dev.varve.api.VarveException if its address does not exist; not later, since a model
     *     and its draft are planned meanwhile
     */
    HttpFrontend(HttpOptions options) {
        options.address().requireExisting();
        http =
                CompletableFuture.supplyAsync(
                        () -> HttpServer.prepare(options),
                        Thread.ofPlatform().name("varve-prepare").daemon()::start);
    }

    /**
     * Starts listening; called once.
     *
     * @return its address
     */
    URI open() {
        server().listen();
        return server().uri();
    }

    /**
     * Returns the server; waits until it is prepared.
     *
     * @throws dev.varve.api.VarveException if its address, certificate or options cannot be used
     */
    HttpServer server() {
        try {
            return http.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException reason ? reason : e;
        }
    }

    @Override
    public void close() {
        // A server that could not be prepared has nothing to close.
        http.handle((server, failure) -> Optional.ofNullable(server))
                .join()
                .ifPresent(HttpServer::close);
    }
}
