package dev.varve.platform.http.upstream;

import dev.varve.api.VarveException;
import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.http.access.ClientAccess;
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
 * Sends requests on to another server, and its replies back. Thread-safe; each request has a thread
 * of its own that may wait.
 */
public final class UpstreamProxy implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.varve.http");

    /** Label of metrics: the other server's models are its own. */
    public static final String MODEL = "";

    private static final String CHAT = "/chat/completions";
    private static final String MODELS = "/models";

    private final Upstream upstream;
    private final ClientAccess access;
    private final Metrics metrics;
    private final SettingNames names;
    private final UpstreamClient client;

    /**
     * A proxy of a server.
     *
     * @param access who may call this server: where it asks for keys, they are its own and go no
     *     further
     * @param names what settings are called in the messages of errors
     */
    public UpstreamProxy(
            Upstream upstream, ClientAccess access, Metrics metrics, SettingNames names) {
        this.upstream = upstream;
        this.access = access;
        this.metrics = metrics;
        this.names = names;
        client = new UpstreamClient(upstream.target(), upstream.limits());
    }

    /** What it works with. */
    public Upstream upstream() {
        return upstream;
    }

    /**
     * Reads the body of a chat, which takes the longer the longer that is.
     *
     * @throws ApiException if it is no JSON object, or the fields that this server knows are wrong
     */
    public ForwardedChat read(byte[] body) {
        return ForwardedChat.read(body, upstream.target().model(), upstream.compressor());
    }

    /**
     * Has a chat answered.
     *
     * @throws IOException if the client went away
     * @throws ApiException if the other server gives no reply
     */
    public RequestOutcome chat(
            ForwardedChat chat, HttpServletRequest request, HttpServletResponse response)
            throws IOException, InterruptedException {
        return exchange(
                request,
                response,
                probe -> {
                    Optional<CompressionReport> report = shorten(chat, probe);
                    report.ifPresent(each -> ResponseDelivery.tell(each, MODEL, response, metrics));
                    try (UpstreamReply reply =
                            client.post(
                                    CHAT, chat.bytes(), authorization(request), probe::isGone)) {
                        return relay(reply, report.map(UsageExtension::new), response);
                    }
                });
    }

    private Optional<CompressionReport> shorten(ForwardedChat chat, ConnectionProbe probe)
            throws IOException {
        try {
            return chat.shorten(probe::isGone);
        } catch (CancellationException e) {
            throw new ClientGoneException(e);
        } catch (VarveException e) {
            metrics.countFailedCompression(MODEL);
            LOG.log(System.Logger.Level.WARNING, "a prompt is sent as it is: " + e.getMessage());
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
     * Tells the models of the other server, or the one that all requests are for.
     *
     * @throws IOException if the client went away
     * @throws ApiException if the other server gives no reply
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
                            client.get(MODELS, authorization(request), probe::isGone)) {
                        return relay(reply, Optional.empty(), response);
                    }
                });
    }

    /**
     * Tells one of them.
     *
     * @param id without escapes
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
                            client.get(MODELS, authorization(request), probe::isGone)) {
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
                                () -> ApiException.status(404, "model_not_found", "no such model"));
        JsonResponse.write(response, 200, entry);
        return RequestOutcome.PLAIN;
    }

    /** What is done while a client waits. */
    private interface BatchEntry {
        RequestOutcome run(ConnectionProbe probe) throws IOException, InterruptedException;
    }

    private RequestOutcome exchange(
            HttpServletRequest request, HttpServletResponse response, BatchEntry work)
            throws IOException, InterruptedException {
        requireNoLoop(request);
        try (ConnectionProbe probe = new ConnectionProbe(request)) {
            metrics.countUpstreamRequest();
            RequestOutcome outcome = work.run(probe);
            if (probe.mustClose()) {
                // The connection ends with the probe; the answer must be out by then.
                response.flushBuffer();
            }
            return outcome;
        } catch (UpstreamException e) {
            count(e);
            throw e.forClients();
        }
    }

    /** A server that is its own upstream would ask itself until no connection is left. */
    private void requireNoLoop(HttpServletRequest request) {
        if (client.hasSent(Optional.ofNullable(request.getHeader(UpstreamClient.VIA)))) {
            throw ApiException.status(
                    508,
                    "upstream_loop",
                    "the upstream server sends requests on to this one, which cannot answer them");
        }
    }

    private void count(UpstreamException failure) {
        metrics.countUpstreamFailure(failure.kind().word());
        LOG.log(System.Logger.Level.WARNING, failure.getMessage());
    }

    /** The key of this server's own, or what the client brings where that is not for this one. */
    private Optional<String> authorization(HttpServletRequest request) {
        Optional<String> own = upstream.target().key().map(key -> "Bearer " + key);
        return own.isPresent() || access.needsKey()
                ? own
                : Optional.ofNullable(request.getHeader("Authorization"))
                        .filter(UpstreamTarget::isSendable);
    }

    @Override
    public void close() {
        client.close();
    }
}
