package dev.varve.platform.http;

import dev.varve.platform.http.access.Purpose;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.metrics.Metrics;
import dev.varve.platform.http.upstream.UpstreamFacts;
import dev.varve.platform.http.upstream.UpstreamProxy;
import dev.varve.platform.intake.Intake;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.List;

/** The routes of a server whose chats another one answers, mapped to their paths. */
final class ProxyContext {
    private final RequestCycle cycle;
    private final RouteTable routes;
    private final UpstreamProxy proxy;
    private final OpenRequests open;
    private final Metrics metrics;

    /**
     * @param proxy asks the other server
     * @param open the requests that it is busy with
     * @param options whether browsers are shown a page, and who may call
     */
    ProxyContext(
            RequestCycle cycle,
            UpstreamProxy proxy,
            OpenRequests open,
            Intake intake,
            Metrics metrics,
            HttpOptions options) {
        this.cycle = cycle;
        this.proxy = proxy;
        this.open = open;
        this.metrics = metrics;
        routes = new RouteTable(new UnknownRoute(cycle));
        mapProbes();
        mapFacts(options);
        routes.map(
                new ProxyChatRoute(cycle, proxy, open, intake),
                "/v1/chat/completions",
                "/chat/completions");
        mapMissing();
    }

    private void mapProbes() {
        map("/livez", Purpose.LIFE_SIGN, ReadRoute.json(() -> status("ok")));
        map(
                "/health",
                Purpose.LIFE_SIGN,
                ReadRoute.json(
                        () -> {
                            open.requireOpen();
                            return status("ok").put("mode", "proxy");
                        }));
        map("/metrics", Purpose.MEASUREMENT, this::writeMetrics);
    }

    private static ObjectNode status(String word) {
        return Json.object().put("status", word);
    }

    private void writeMetrics(Exchange exchange) throws IOException {
        ApiContext.write(metrics.expose(List.of(), ApiContext.accept(exchange)), exchange);
    }

    private void map(String path, Purpose purpose, ReadRoute.Reader reader) {
        routes.map(new ReadRoute(path, purpose, cycle, reader), path);
    }

    private void mapFacts(HttpOptions options) {
        UpstreamFacts facts = new UpstreamFacts(proxy.upstream());
        FrontRoute.map(
                routes,
                new ReadRoute(
                        "/",
                        Purpose.SERVICE,
                        cycle,
                        ReadRoute.json(() -> index(options.address().basePath()))),
                cycle,
                options);
        map("/props", Purpose.SERVICE, ReadRoute.json(facts::properties));
        routes.map(
                new ProxyReadRoute(
                        "/v1/models",
                        cycle,
                        open,
                        exchange -> proxy.models(exchange.request(), exchange.response())),
                "/v1/models",
                "/models");
        routes.map(
                new ProxyReadRoute(
                        Route.OTHER,
                        cycle,
                        open,
                        exchange ->
                                proxy.model(
                                        ModelRoute.id(exchange.request()),
                                        exchange.request(),
                                        exchange.response())),
                ModelRoute.PREFIX + "*");
    }

    private static ObjectNode index(String basePath) {
        return status("ok")
                .put("name", "varve")
                .put("mode", "proxy")
                .put("api", basePath + "/v1/chat/completions");
    }

    /** Who asks for these may take this server for one with a model. */
    private void mapMissing() {
        missing("/v1/completions", "/v1/completions", "/completions");
        missing("/v1/embeddings", "/v1/embeddings", "/embeddings");
        missing("/v1/responses", "/v1/responses");
        missing("/v1/messages", "/v1/messages");
        missing("/apply-template", "/apply-template");
        missing("/tokenize", "/tokenize");
        missing("/detokenize", "/detokenize");
        missing("/api", "/api/chat", "/api/generate", "/api/tags", "/api/ps", "/api/show");
        missing("/v1/streams", StreamRoute.PREFIX + "*");
        missing("/cache", "/cache", "/cache/clear");
    }

    private void missing(String label, String... paths) {
        routes.map(new ModelNeededRoute(label, cycle), paths);
    }

    /** The routes by their paths. */
    RouteTable routes() {
        return routes;
    }
}
