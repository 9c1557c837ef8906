package dev.varve.platform.http;

import dev.varve.platform.engine.Engine;
import dev.varve.platform.http.access.AccessControl;
import dev.varve.platform.http.access.Purpose;
import dev.varve.platform.http.answer.AnswerDelivery;
import dev.varve.platform.http.answer.PendingAnswer;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.JsonAnswer;
import dev.varve.platform.http.metrics.Metrics;
import dev.varve.platform.http.model.HealthReport;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.http.openai.CompletionRequests;
import dev.varve.platform.http.serving.ModelList;
import dev.varve.platform.http.serving.ModelView;
import dev.varve.platform.intake.Intake;
import dev.varve.platform.setting.SettingNames;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The routes of a server that computes with a model, mapped to their paths. */
final class ApiContext {
    private final RouteTable routes;
    private final AccessControl access;
    private final RequestCycle cycle;
    private final Offer offer;
    private final SettingNames names;
    private final RouteContext context;
    private final AnswerDelivery delivery;
    private final ModelList models;

    ApiContext(
            AccessControl access, Intake intake, Metrics metrics, Offer offer, SettingNames names) {
        this.access = access;
        this.offer = offer;
        this.names = names;
        models = new ModelList(names);
        cycle = new RequestCycle(access, metrics, names);
        context = new RouteContext(cycle, offer, intake);
        delivery = new AnswerDelivery(metrics, names);
        routes = new RouteTable(new UnknownRoute(cycle));
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
        map(new ReadRoute("/health", Purpose.LIFE_SIGN, cycle, this::writeHealth), "/health");
        map(new ReadRoute("/metrics", Purpose.MEASUREMENT, cycle, this::writeMetrics), "/metrics");
    }

    /** Of a model that can compute no more, else of the default one, if that is loaded. */
    private void writeHealth(Exchange exchange) throws IOException {
        Optional<Engine> engine =
                offer.loaded().stream()
                        .map(ServedModel::engine)
                        .filter(each -> each.broken().isDone())
                        .findFirst()
                        .or(
                                () ->
                                        offer.require()
                                                .defaultModel()
                                                .flatMap(ModelView::running)
                                                .map(each -> each.served().engine()));
        if (engine.isPresent()) {
            HealthReport.write(engine.get(), names, exchange.response());
        } else {
            JsonAnswer.write(exchange.response(), 200, Json.object().put("status", "ok"));
        }
    }

    private void writeMetrics(Exchange exchange) throws IOException {
        byte[] text = offer.metrics().getBytes(StandardCharsets.UTF_8);
        exchange.response().setContentType(Metrics.CONTENT_TYPE);
        exchange.response().getOutputStream().write(text);
    }

    private void mapFacts() {
        map(facts("/", ReadRoute.json(this::index)), "");
        map(facts("/props", this::writeProperties), "/props");
        map(
                facts("/v1/models", ReadRoute.json(() -> models.models(offer.require().views()))),
                "/v1/models",
                "/models");
        map(new ModelRoute(cycle, offer, models), ModelRoute.PREFIX + "*");
    }

    private void writeProperties(Exchange exchange) throws IOException {
        ModelView view = offer.view(RequestedModel.inQuery(exchange.request()));
        JsonAnswer.write(
                exchange.response(),
                200,
                offer.facts(view)
                        .map(facts -> facts.properties(names, access.scopes()))
                        .orElseGet(() -> models.properties(view)));
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
        routes.map(route, paths);
    }

    /** The routes by their paths. */
    RouteTable routes() {
        return routes;
    }
}
