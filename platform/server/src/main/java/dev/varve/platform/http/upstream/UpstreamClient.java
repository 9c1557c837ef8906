package dev.varve.platform.http.upstream;

import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/** HTTP client of the upstream server. Thread-safe; each call blocks the calling thread. */
final class UpstreamClient implements AutoCloseable {
    /** Header that names the servers through which a request went. */
    static final String VIA = "Via";

    private final UpstreamServer server;
    private final UpstreamTimeouts limits;

    /** Identifies requests that went through this server. */
    private final String pseudonym = "varve-" + UUID.randomUUID();

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpClient client;

    UpstreamClient(UpstreamServer server, UpstreamTimeouts limits) {
        this.server = server;
        this.limits = limits;
        // No redirects: the prompt and the key are for the upstream server alone. No upgrade to
        // HTTP/2, which some servers refuse with an error.
        client =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .followRedirects(HttpClient.Redirect.NEVER)
                        .connectTimeout(limits.connect())
                        .executor(threads)
                        .build();
    }

    /**
     * Posts a JSON object and waits for the headers of the reply.
     *
     * @param authorization value of the {@code Authorization} header
     * @param disconnected whether the client disconnected; called regularly
     * @throws UpstreamException if no reply arrives
     * @throws IOException if the client disconnected
     */
    UpstreamReply post(
            String route, byte[] json, Optional<String> authorization, BooleanSupplier disconnected)
            throws IOException, InterruptedException {
        return send(
                request(route, authorization)
                        .header("Content-Type", "application/json")
                        .header("Accept", "application/json, text/event-stream")
                        .POST(HttpRequest.BodyPublishers.ofByteArray(json)),
                disconnected);
    }

    /** Sends a GET request and waits for the headers of the reply. */
    UpstreamReply get(String route, Optional<String> authorization, BooleanSupplier disconnected)
            throws IOException, InterruptedException {
        return send(
                request(route, authorization).header("Accept", "application/json").GET(),
                disconnected);
    }

    private HttpRequest.Builder request(String route, Optional<String> authorization) {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.at(route));
        // Replies are parsed, so they must not be compressed.
        request.header("Accept-Encoding", "identity");
        request.header(VIA, "1.1 " + pseudonym);
        authorization.ifPresent(value -> request.header("Authorization", value));
        return request;
    }

    /**
     * Returns whether this client sent a request.
     *
     * @param via value of the request's {@code Via} header
     */
    boolean hasSent(Optional<String> via) {
        return via.filter(hops -> hops.contains(pseudonym)).isPresent();
    }

    private UpstreamReply send(HttpRequest.Builder request, BooleanSupplier disconnected)
            throws IOException, InterruptedException {
        UpstreamWait wait = new UpstreamWait(limits.idleTimeout(), disconnected);
        CompletableFuture<HttpResponse<ReplyBody>> pending =
                client.sendAsync(request.build(), headers -> new ReplyBody());
        boolean replied = false;
        try {
            HttpResponse<ReplyBody> response = wait.await(nanos -> within(pending, nanos));
            replied = true;
            return checked(UpstreamReply.of(response, wait));
        } finally {
            if (!replied) {
                // Closes the connection, so that the upstream server stops generating.
                pending.cancel(true);
                // Cancels a reply that has just begun.
                pending.thenAccept(response -> response.body().cancel());
            }
        }
    }

    private static Optional<HttpResponse<ReplyBody>> within(
            CompletableFuture<HttpResponse<ReplyBody>> pending, long nanos)
            throws InterruptedException {
        try {
            return Optional.of(pending.get(nanos, TimeUnit.NANOSECONDS));
        } catch (TimeoutException e) {
            return Optional.empty();
        } catch (ExecutionException e) {
            throw failure(e.getCause());
        }
    }

    private static UpstreamReply checked(UpstreamReply reply) {
        if (reply.status() / 100 == 3) {
            reply.close();
            throw new UpstreamException(
                    UpstreamException.Kind.BROKEN,
                    "the upstream server replied with status "
                            + reply.status()
                            + ", a redirect, which this server does not follow");
        }
        return reply;
    }

    private static RuntimeException failure(Throwable cause) {
        return switch (cause) {
            case HttpTimeoutException timeout ->
                    new UpstreamException(
                            UpstreamException.Kind.TIMEOUT,
                            "the upstream server did not accept the connection in time",
                            timeout);
            case ConnectException refused ->
                    new UpstreamException(
                            UpstreamException.Kind.UNREACHABLE,
                            refused.getCause() instanceof UnresolvedAddressException
                                    ? "the upstream server's host name cannot be resolved"
                                    : "the upstream server cannot be reached",
                            refused);
            case IOException broken ->
                    new UpstreamException(
                            UpstreamException.Kind.BROKEN,
                            "the upstream server gave no reply",
                            broken);
            default -> new IllegalStateException("a request to the upstream server failed", cause);
        };
    }

    /** Ends running requests. */
    @Override
    public void close() {
        client.shutdownNow();
        threads.shutdownNow();
    }
}
