package dev.varve.platform.http;

import dev.varve.platform.http.access.RoutePurpose;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.metrics.Metrics;
import dev.varve.platform.http.upstream.ProxyInfo;
import dev.varve.platform.http.upstream.UpstreamProxy;
import dev.varve.platform.intake.RequestIngress;

import tools.jackson.databind.node.ObjectNode;

import java.util.List;

/** The routes of a server that forwards chats to an upstream server, mapped to their paths. */
final class ProxyRoutes {
    private final RequestLifecycle lifecycle;
    private final RouteTable routes;
    private final UpstreamProxy proxy;
    private final RequestDrain drain;
    private final Metrics metrics;

    /**
     * @param proxy sends requests to the upstream server
     * @param drain counts the running requests
     * @param options options for the web page and access
     */
    ProxyRoutes(
            RequestLifecycle lifecycle,
            UpstreamProxy proxy,
            RequestDrain drain,
            RequestIngress ingress,
            Metrics metrics,
            HttpOptions options) {
        this.lifecycle = lifecycle;
        this.proxy = proxy;
        this.drain = drain;
        this.metrics = metrics;
        routes = new RouteTable(new UnknownRoute(lifecycle));
        mapProbes();
        mapInformation(options);
        routes.map(new ProxyChatRoute(lifecycle, proxy, drain, ingress), "/chat/completions");
        mapMissing();
    }

    private void mapProbes() {
        map("/livez", RoutePurpose.LIVENESS, BodylessRoute.json(exchange -> status("ok")));
        map(
                "/health",
                RoutePurpose.LIVENESS,
                BodylessRoute.json(
                        exchange -> {
                            drain.requireOpen();
                            return status("ok").put("mode", "proxy");
                        }));
        map(
                "/metrics",
                RoutePurpose.METRICS,
                exchange ->
                        ApiRoutes.write(
                                metrics.encode(List.of(), ApiRoutes.accept(exchange)), exchange));
    }

    private static ObjectNode status(String word) {
        return Json.object().put("status", word);
    }

    private void map(
            String label, RoutePurpose purpose, BodylessRoute.Answer answer, String... aliases) {
        routes.map(route(label, purpose, answer), aliases);
    }

    private Route route(String label, RoutePurpose purpose, BodylessRoute.Answer answer) {
        return new BodylessRoute(label, purpose, Route.Methods.READ, lifecycle, answer);
    }

    private void mapInformation(HttpOptions options) {
        ProxyInfo facts = new ProxyInfo(proxy.upstream());
        RootRoute.map(
                routes,
                route(
                        "/",
                        RoutePurpose.SERVICE,
                        BodylessRoute.json(exchange -> index(options.address().basePath()))),
                lifecycle,
                options);
        map("/props", RoutePurpose.SERVICE, BodylessRoute.json(exchange -> facts.properties()));
        map(
                "/v1/models",
                RoutePurpose.SERVICE,
                forwarded(exchange -> proxy.models(exchange.request(), exchange.response())),
                "/models");
        routes.mapAt(
                route(
                        Route.OTHER,
                        RoutePurpose.SERVICE,
                        forwarded(
                                exchange ->
                                        proxy.model(
                                                RetrieveModelRoute.id(exchange.request()),
                                                exchange.request(),
                                                exchange.response()))),
                RetrieveModelRoute.PREFIX + "*");
    }

    /** Returns an answer that comes from the upstream server, for which shutdown waits. */
    private BodylessRoute.Answer forwarded(BodylessRoute.Answer answer) {
        return exchange -> {
            drain.begin();
            try {
                return answer.write(exchange);
            } finally {
                drain.end();
            }
        };
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
        routes.mapAt(
                new BodylessRoute(
                        label,
                        RoutePurpose.SERVICE,
                        Route.Methods.ANY,
                        lifecycle,
                        exchange -> {
                            throw ApiException.status(
                                    501,
                                    "not_proxied",
                                    label
                                            + ": this server has no model; it forwards only"
                                            + " /v1/chat/completions and /v1/models to the upstream"
                                            + " server");
                        }),
                paths);
    }

    /** Returns the routes by their paths. */
    RouteTable routes() {
        return routes;
    }
}
