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

/** Asks the other server. Thread-safe; whoever asks waits on its own thread. */
final class UpstreamClient implements AutoCloseable {
    /** Names the servers that a request went through. */
    static final String VIA = "Via";

    private final UpstreamTarget target;
    private final UpstreamLimits limits;

    /** By which this server knows requests that went through it. */
    private final String pseudonym = "varve-" + UUID.randomUUID();

    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpClient client;

    UpstreamClient(UpstreamTarget target, UpstreamLimits limits) {
        this.target = target;
        this.limits = limits;
        // No redirects: the prompt and the key are for this server alone. And no attempt to agree
        // on HTTP/2, which some servers answer with an error.
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
     * @param authorization the header's value
     * @param gone whether the client went away; asked now and then
     * @throws UpstreamException if there is no reply
     * @throws IOException if the client went away
     */
    UpstreamReply post(
            String route, byte[] json, Optional<String> authorization, BooleanSupplier gone)
            throws IOException, InterruptedException {
        return send(
                request(route, authorization)
                        .header("Content-Type", "application/json")
                        .header("Accept", "application/json, text/event-stream")
                        .POST(HttpRequest.BodyPublishers.ofByteArray(json)),
                gone);
    }

    /** Likewise, reads something. */
    UpstreamReply get(String route, Optional<String> authorization, BooleanSupplier gone)
            throws IOException, InterruptedException {
        return send(request(route, authorization).header("Accept", "application/json").GET(), gone);
    }

    private HttpRequest.Builder request(String route, Optional<String> authorization) {
        HttpRequest.Builder request = HttpRequest.newBuilder(target.at(route));
        // Replies are read on their way.
        request.header("Accept-Encoding", "identity");
        request.header(VIA, "1.1 " + pseudonym);
        authorization.ifPresent(value -> request.header("Authorization", value));
        return request;
    }

    /**
     * Whether a request comes from here.
     *
     * @param via its header of this name
     */
    boolean hasSent(Optional<String> via) {
        return via.filter(hops -> hops.contains(pseudonym)).isPresent();
    }

    private UpstreamReply send(HttpRequest.Builder request, BooleanSupplier gone)
            throws IOException, InterruptedException {
        UpstreamTimeout patience = new UpstreamTimeout(limits.silence(), gone);
        CompletableFuture<HttpResponse<ReplyBody>> pending =
                client.sendAsync(request.build(), headers -> new ReplyBody());
        boolean replied = false;
        try {
            HttpResponse<ReplyBody> response = patience.await(nanos -> within(pending, nanos));
            replied = true;
            return checked(UpstreamReply.of(response, patience));
        } finally {
            if (!replied) {
                // Ends the connection, so that the other server does not go on for nobody.
                pending.cancel(true);
                // Unless the reply has just begun.
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
                    "the upstream server answered with status "
                            + reply.status()
                            + ", a redirect, which is not followed");
        }
        return reply;
    }

    private static RuntimeException failure(Throwable cause) {
        return switch (cause) {
            case HttpTimeoutException timeout ->
                    new UpstreamException(
                            UpstreamException.Kind.TIMEOUT,
                            "the upstream server did not take the connection in time",
                            timeout);
            case ConnectException refused ->
                    new UpstreamException(
                            UpstreamException.Kind.UNREACHABLE,
                            refused.getCause() instanceof UnresolvedAddressException
                                    ? "the upstream server's name is not known"
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

    /** Ends what runs. */
    @Override
    public void close() {
        client.shutdownNow();
        threads.shutdownNow();
    }
}
