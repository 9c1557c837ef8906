package dev.varve.platform.http;

import dev.varve.platform.http.access.AccessControl;
import dev.varve.platform.http.access.Purpose;
import dev.varve.platform.http.answer.AnswerDelivery;
import dev.varve.platform.http.answer.PendingAnswer;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.metrics.Metrics;
import dev.varve.platform.http.model.HealthReport;
import dev.varve.platform.http.openai.CompletionRequests;
import dev.varve.platform.intake.Intake;
import dev.varve.platform.setting.SettingNames;

import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletHolder;
import org.eclipse.jetty.server.Request;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The routes, mapped to their paths. These mappings are the only list of routes: who may call one,
 * and whether its body is read, is decided by the route that they give for a path.
 */
final class ApiContext {
    private static final String DEFAULT = "/";

    private final ServletContextHandler handler = new ServletContextHandler("/", false, false);
    private final AccessControl access;
    private final RequestCycle cycle;
    private final Offer offer;
    private final Metrics metrics;
    private final SettingNames names;
    private final RouteContext context;
    private final AnswerDelivery delivery;
    private final Route unknown;

    ApiContext(
            AccessControl access, Intake intake, Metrics metrics, Offer offer, SettingNames names) {
        this.access = access;
        this.metrics = metrics;
        this.offer = offer;
        this.names = names;
        cycle = new RequestCycle(access, metrics, names);
        context = new RouteContext(cycle, offer, intake);
        delivery = new AnswerDelivery(metrics, names);
        unknown = new UnknownRoute(cycle);
        map(unknown, DEFAULT);
        mapProbes();
        mapFacts();
        mapCache();
        mapTexts();
        mapGeneration();
    }

    private void mapProbes() {
        map(
                new ReadRoute(
                        "/livez",
                        Purpose.LIFE_SIGN,
                        cycle,
                        ReadRoute.json(() -> Json.object().put("status", "ok"))),
                "/livez");
        map(
                new ReadRoute(
                        "/health",
                        Purpose.LIFE_SIGN,
                        cycle,
                        exchange ->
                                HealthReport.write(
                                        offer.require().served().engine(),
                                        names,
                                        exchange.response())),
                "/health");
        map(new ReadRoute("/metrics", Purpose.MEASUREMENT, cycle, this::writeMetrics), "/metrics");
    }

    private void writeMetrics(Exchange exchange) throws IOException {
        byte[] text = metrics.text(offer.status()).getBytes(StandardCharsets.UTF_8);
        exchange.response().setContentType(Metrics.CONTENT_TYPE);
        exchange.response().getOutputStream().write(text);
    }

    private void mapFacts() {
        map(facts("/", ReadRoute.json(this::index)), "");
        map(
                facts(
                        "/props",
                        ReadRoute.json(
                                () -> offer.require().facts().properties(names, access.scopes()))),
                "/props");
        map(
                facts("/v1/models", ReadRoute.json(() -> offer.require().facts().models())),
                "/v1/models",
                "/models");
        map(new ModelRoute(cycle, offer), ModelRoute.PREFIX + "*");
    }

    private ReadRoute facts(String label, ReadRoute.Reader reader) {
        return new ReadRoute(label, Purpose.SERVICE, cycle, reader);
    }

    private ObjectNode index() {
        return Json.object()
                .put("name", "varve")
                .put("status", offer.isReady() ? "ok" : "loading")
                .put("api", "/v1/chat/completions");
    }

    private void mapCache() {
        map(new CacheListRoute(cycle, offer), "/cache");
        map(new CacheClearRoute(cycle, offer), "/cache/clear");
    }

    private void mapTexts() {
        map(
                new TextRoute(
                        "/apply-template",
                        context,
                        (model, body) -> model.chat().applyTemplate(body)),
                "/apply-template");
        map(
                new TextRoute("/tokenize", context, (model, body) -> model.facts().tokenize(body)),
                "/tokenize");
        map(
                new TextRoute(
                        "/detokenize", context, (model, body) -> model.facts().detokenize(body)),
                "/detokenize");
    }

    private void mapGeneration() {
        map(
                new GenerationRoute(
                        "/v1/chat/completions",
                        context,
                        delivery,
                        (model, body) -> model.chat().read(body)),
                "/v1/chat/completions",
                "/chat/completions");
        map(
                new GenerationRoute(
                        "/v1/completions",
                        context,
                        delivery,
                        (model, body) -> {
                            PendingAnswer pending = CompletionRequests.read(body, model.served());
                            return gone -> pending;
                        }),
                "/v1/completions",
                "/completions");
    }

    private void map(Route route, String... paths) {
        Holder holder = new Holder(route);
        for (String path : paths) {
            handler.addServlet(holder, path);
        }
    }

    /** The holder of a route, which tells it before the servlet is initialised too. */
    private static final class Holder extends ServletHolder {
        private final Route route;

        Holder(Route route) {
            super(route);
            this.route = route;
        }
    }

    /** What handles requests that were let in. */
    ServletContextHandler handler() {
        return handler;
    }

    /** The route of a request, by its path as it is written. */
    Route find(Request request) {
        String path = Optional.ofNullable(request.getHttpURI().getPath()).orElse("");
        return path.startsWith("/")
                        && handler.getServletHandler()
                                        .getMatchedServlet(path)
                                        .getResource()
                                        .getServletHolder()
                                instanceof Holder holder
                ? holder.route
                : unknown;
    }
}
