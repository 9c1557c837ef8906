package dev.varve.platform.http;

import dev.varve.platform.http.access.RouteAccess;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.metrics.Metrics;
import dev.varve.platform.http.upstream.ProxyInfo;
import dev.varve.platform.http.upstream.UpstreamProxy;
import dev.varve.platform.intake.RequestIngress;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.List;

/** The routes of a server that forwards chats to an upstream server, mapped to their paths. */
final class ProxyRoutes {
    private final RequestLifecycle cycle;
    private final RouteTable routes;
    private final UpstreamProxy proxy;
    private final RequestDrain open;
    private final Metrics metrics;

    /**
     * @param proxy sends requests to the upstream server
     * @param open counts the running requests
     * @param options options for the web page and access
     */
    ProxyRoutes(
            RequestLifecycle cycle,
            UpstreamProxy proxy,
            RequestDrain open,
            RequestIngress intake,
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
        map("/livez", RouteAccess.LIFE_SIGN, GetRoute.json(() -> status("ok")));
        map(
                "/health",
                RouteAccess.LIFE_SIGN,
                GetRoute.json(
                        () -> {
                            open.requireOpen();
                            return status("ok").put("mode", "proxy");
                        }));
        map("/metrics", RouteAccess.MEASUREMENT, this::writeMetrics);
    }

    private static ObjectNode status(String word) {
        return Json.object().put("status", word);
    }

    private void writeMetrics(Exchange exchange) throws IOException {
        ApiRoutes.write(metrics.expose(List.of(), ApiRoutes.accept(exchange)), exchange);
    }

    private void map(String path, RouteAccess purpose, GetRoute.Reader reader) {
        routes.map(new GetRoute(path, purpose, cycle, reader), path);
    }

    private void mapFacts(HttpOptions options) {
        ProxyInfo facts = new ProxyInfo(proxy.upstream());
        RootRoute.map(
                routes,
                new GetRoute(
                        "/",
                        RouteAccess.SERVICE,
                        cycle,
                        GetRoute.json(() -> index(options.address().basePath()))),
                cycle,
                options);
        map("/props", RouteAccess.SERVICE, GetRoute.json(facts::properties));
        routes.map(
                new ProxyGetRoute(
                        "/v1/models",
                        cycle,
                        open,
                        exchange -> proxy.models(exchange.request(), exchange.response())),
                "/v1/models",
                "/models");
        routes.map(
                new ProxyGetRoute(
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

    /** Maps paths that clients may call because they expect a server with a model. */
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
        routes.map(new ProxyUnsupportedRoute(label, cycle), paths);
    }

    /** Returns the routes by their paths. */
    RouteTable routes() {
        return routes;
    }
}
