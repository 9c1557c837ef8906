package dev.varve.platform.http;

import dev.varve.api.VarveException;
import dev.varve.platform.http.access.AccessControl;
import dev.varve.platform.http.metrics.Metrics;
import dev.varve.platform.http.metrics.StreamCounts;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.http.resume.ResumableStreamLimits;
import dev.varve.platform.http.resume.ResumableStreamStore;
import dev.varve.platform.http.serving.ModelManager;
import dev.varve.platform.intake.RequestIngress;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/**
 * The HTTP server. Listens as soon as it is started; until {@link #ready} its routes respond that
 * the model is loading.
 */
public final class HttpServer implements AutoCloseable {
    private final JettyServer jetty;
    private final RequestIngress ingress;
    private final ResumableStreamStore streams =
            new ResumableStreamStore(ResumableStreamLimits.DEFAULT, System::nanoTime);
    private final OfferedModels offeredModels;
    private volatile Optional<ModelManager> served = Optional.empty();

    private HttpServer(HttpOptions options) {
        Metrics metrics = new Metrics(options.monitoring().vllmNames());
        metrics.exposeStreams(
                () -> new StreamCounts(streams.count(), streams.bytes(), streams.abandoned()));
        metrics.exposeTraces(options.monitoring().tracing()::counts);
        offeredModels = new OfferedModels(metrics);
        ingress = new RequestIngress(options.limits());
        AccessControl access = new AccessControl(options.address(), options.access());
        ApiRoutes api = new ApiRoutes(access, ingress, metrics, offeredModels, options, streams);
        jetty = new JettyServer(options, access, ingress, api.routes());
    }

    /** Creates a server that does not listen yet. */
    public static HttpServer prepare(HttpOptions options) {
        return new HttpServer(options);
    }

    /**
     * Creates a server and listens.
     *
     * @throws VarveException of kind UNAVAILABLE if the address cannot be bound
     */
    public static HttpServer start(HttpOptions options) {
        HttpServer http = prepare(options);
        try {
            http.listen();
            return http;
        } catch (VarveException e) {
            http.close();
            throw e;
        }
    }

    /**
     * Binds and listens, once.
     *
     * @throws VarveException of kind UNAVAILABLE if the address cannot be bound
     */
    public void listen() {
        jetty.listen();
        streams.watch();
    }

    /** Returns the address at which clients reach the server. */
    public URI uri() {
        return jetty.uri();
    }

    /** Serves a model from now on. */
    public void ready(ServedModel model) {
        ready(ModelManager.of(model));
    }

    /** Serves models from now on; the caller owns and closes them. */
    public void ready(ModelManager models) {
        served = Optional.of(models);
        offeredModels.ready(models);
    }

    /**
     * Refuses new work and waits for running requests, but not for clients that may resume streams.
     *
     * @return whether all requests ended within {@code limit}
     */
    public boolean drain(Duration limit) {
        offeredModels.drain();
        streams.drain();
        return served.map(models -> models.drain(limit)).orElse(true);
    }

    @Override
    public void close() {
        try (ingress;
                streams) {
            jetty.close();
        }
    }
}
