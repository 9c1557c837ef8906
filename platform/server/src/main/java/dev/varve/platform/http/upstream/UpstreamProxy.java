package dev.varve.platform.http.upstream;

import dev.varve.api.VarveException;
import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.http.access.ClientAccessSettings;
import dev.varve.platform.http.answer.ConnectionProbe;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.answer.ResponseDelivery;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.ClientGoneException;
import dev.varve.platform.http.json.JsonResponse;
import dev.varve.platform.http.metrics.Metrics;
import dev.varve.platform.setting.SettingNames;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CancellationException;

/**
 * Forwards requests to the upstream server and relays its replies. Thread-safe; calls block, so
 * each request needs a thread of its own.
 */
public final class UpstreamProxy implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.http");

    /** Model label in metrics: the upstream server's models are not labelled. */
    public static final String MODEL = "";

    private static final String CHAT = "/chat/completions";
    private static final String MODELS = "/models";

    private final CompressionProxySettings upstream;
    private final ClientAccessSettings access;
    private final Metrics metrics;
    private final SettingNames names;
    private final UpstreamClient client;

    /**
     * Makes a proxy for an upstream server.
     *
     * @param access access to this server: if it requires keys, clients' keys are not forwarded
     * @param names names of settings in error messages
     */
    public UpstreamProxy(
            CompressionProxySettings upstream,
            ClientAccessSettings access,
            Metrics metrics,
            SettingNames names) {
        this.upstream = upstream;
        this.access = access;
        this.metrics = metrics;
        this.names = names;
        client = new UpstreamClient(upstream.target(), upstream.limits());
    }

    /** Returns the upstream server and its settings. */
    public CompressionProxySettings upstream() {
        return upstream;
    }

    /**
     * Reads the body of a chat; takes time in proportion to its length.
     *
     * @throws ApiException if it is no JSON object, or the fields that this server knows are
     *     invalid
     */
    public ForwardedChat read(byte[] body) {
        return ForwardedChat.read(body, upstream.target().model(), upstream.compressor());
    }

    /**
     * Forwards a chat and relays the reply.
     *
     * @throws IOException if the client disconnected
     * @throws ApiException if the upstream server sends no reply
     */
    public RequestOutcome chat(
            ForwardedChat chat, HttpServletRequest request, HttpServletResponse response)
            throws IOException, InterruptedException {
        return exchange(
                request,
                response,
                probe -> {
                    Optional<CompressionReport> report = shorten(chat, probe);
                    report.ifPresent(
                            each ->
                                    ResponseDelivery.reportCompression(
                                            each, MODEL, response, metrics));
                    try (UpstreamReply reply =
                            client.post(
                                    CHAT,
                                    chat.bytes(),
                                    authorization(request),
                                    probe::isDisconnected)) {
                        return relay(reply, report.map(UsageExtension::new), response);
                    }
                });
    }

    private Optional<CompressionReport> shorten(ForwardedChat chat, ConnectionProbe probe)
            throws IOException {
        try {
            return chat.shorten(probe::isDisconnected);
        } catch (CancellationException e) {
            throw new ClientGoneException(e);
        } catch (VarveException e) {
            metrics.countFailedCompression(MODEL);
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the server forwards a prompt uncompressed: " + e.getMessage());
            return Optional.empty();
        }
    }

    private RequestOutcome relay(
            UpstreamReply reply, Optional<UsageExtension> usage, HttpServletResponse response)
            throws IOException, InterruptedException {
        if (!reply.isSuccess()) {
            metrics.countUpstreamFailure("status_" + reply.status() / 100 + "xx");
        }
        ReplyRelay.End end = new ReplyRelay(response, names).relay(reply, usage);
        end.failure().ifPresent(this::count);
        return end.outcome();
    }

    /**
     * Responds with the models of the upstream server, or with the one to which all requests are
     * directed.
     *
     * @throws IOException if the client disconnected
     * @throws ApiException if the upstream server sends no reply
     */
    public RequestOutcome models(HttpServletRequest request, HttpServletResponse response)
            throws IOException, InterruptedException {
        Optional<ObjectNode> own = upstream.target().model().map(ProxyInfo::models);
        if (own.isPresent()) {
            JsonResponse.write(response, 200, own.get());
            return RequestOutcome.PLAIN;
        }
        return exchange(
                request,
                response,
                probe -> {
                    try (UpstreamReply reply =
                            client.get(MODELS, authorization(request), probe::isDisconnected)) {
                        return relay(reply, Optional.empty(), response);
                    }
                });
    }

    /**
     * Responds with one of the models.
     *
     * @param id decoded id
     */
    public RequestOutcome model(String id, HttpServletRequest request, HttpServletResponse response)
            throws IOException, InterruptedException {
        Optional<ObjectNode> own = upstream.target().model().map(ProxyInfo::models);
        if (own.isPresent()) {
            return entry(id, own.get(), response);
        }
        return exchange(
                request,
                response,
                probe -> {
                    try (UpstreamReply reply =
                            client.get(MODELS, authorization(request), probe::isDisconnected)) {
                        return reply.isSuccess()
                                ? entry(id, ReplyRelay.object(reply), response)
                                : relay(reply, Optional.empty(), response);
                    }
                });
    }

    private static RequestOutcome entry(String id, ObjectNode list, HttpServletResponse response)
            throws IOException {
        JsonNode entry =
                ProxyInfo.find(id, list)
                        .orElseThrow(
                                () ->
                                        ApiException.status(
                                                404, "model_not_found", "model not found"));
        JsonResponse.write(response, 200, entry);
        return RequestOutcome.PLAIN;
    }

    /** Work that runs while a client waits. */
    private interface Task {
        RequestOutcome run(ConnectionProbe probe) throws IOException, InterruptedException;
    }

    private RequestOutcome exchange(
            HttpServletRequest request, HttpServletResponse response, Task work)
            throws IOException, InterruptedException {
        requireNoLoop(request);
        try (ConnectionProbe probe = new ConnectionProbe(request)) {
            metrics.countUpstreamRequest();
            RequestOutcome outcome = work.run(probe);
            if (probe.mustClose()) {
                // Closing the probe ends the connection; flush the response before that.
                response.flushBuffer();
            }
            return outcome;
        } catch (UpstreamException e) {
            count(e);
            throw e.forClients();
        }
    }

    /**
     * Refuses a request that went through this server before: a server that is its own upstream
     * would call itself until no connection is left.
     */
    private void requireNoLoop(HttpServletRequest request) {
        if (client.hasSent(Optional.ofNullable(request.getHeader(UpstreamClient.VIA)))) {
            throw ApiException.status(
                    508,
                    "upstream_loop",
                    "the upstream server forwards requests back to this server");
        }
    }

    private void count(UpstreamException failure) {
        metrics.countUpstreamFailure(failure.kind().word());
        LOG.log(System.Logger.Level.WARNING, failure.getMessage());
    }

    /** Returns the configured key, or the client's own header if this server requires no keys. */
    private Optional<String> authorization(HttpServletRequest request) {
        Optional<String> own = upstream.target().key().map(key -> "Bearer " + key);
        return own.isPresent() || access.needsKey()
                ? own
                : Optional.ofNullable(request.getHeader("Authorization"))
                        .filter(UpstreamServer::isSendable);
    }

    @Override
    public void close() {
        client.close();
    }
}
