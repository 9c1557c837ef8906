package dev.varve.platform.http;

import dev.varve.platform.chat.ChatPrompt;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.http.access.AccessControl;
import dev.varve.platform.http.access.RouteAccess;
import dev.varve.platform.http.answer.HeartbeatFormat;
import dev.varve.platform.http.answer.RequestPreparation;
import dev.varve.platform.http.answer.ResponseDelivery;
import dev.varve.platform.http.anthropic.MessagesDialect;
import dev.varve.platform.http.conversation.ApiDialect;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.JsonResponse;
import dev.varve.platform.http.live.ActiveRequests;
import dev.varve.platform.http.llamacpp.LlamaCppCompletions;
import dev.varve.platform.http.metrics.Exposition;
import dev.varve.platform.http.metrics.Metrics;
import dev.varve.platform.http.model.HealthReport;
import dev.varve.platform.http.model.ModelInfo;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.http.ollama.OllamaBody;
import dev.varve.platform.http.ollama.OllamaDialect;
import dev.varve.platform.http.ollama.OllamaModels;
import dev.varve.platform.http.openai.ChatCompletionsDialect;
import dev.varve.platform.http.openai.CompletionRequests;
import dev.varve.platform.http.responses.ResponsesDialect;
import dev.varve.platform.http.responses.ResponsesHeartbeat;
import dev.varve.platform.http.resume.ResumableStreamStore;
import dev.varve.platform.http.serving.ModelListResponse;
import dev.varve.platform.http.serving.ModelStatus;
import dev.varve.platform.intake.RequestIngress;
import dev.varve.platform.setting.SettingNames;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/** The routes of a server that runs a model, mapped to their paths. */
final class ApiRoutes {
    private final RouteTable routes;
    private final AccessControl access;
    private final RequestLifecycle cycle;
    private final OfferedModels offer;
    private final SettingNames names;
    private final RouteContext context;
    private final ResponseDelivery delivery;
    private final ApiDialect chat = new ChatCompletionsDialect();
    private final ApiDialect messages = new MessagesDialect();
    private final ModelListResponse models;
    private final ActiveRequests live = new ActiveRequests();

    ApiRoutes(
            AccessControl access,
            RequestIngress intake,
            Metrics metrics,
            OfferedModels offer,
            HttpOptions options,
            ResumableStreamStore streams) {
        this.access = access;
        this.offer = offer;
        names = options.names();
        models = new ModelListResponse(names);
        cycle = new RequestLifecycle(access, metrics, options.monitoring().tracing(), names);
        context = new RouteContext(cycle, offer, intake, options.fields());
        delivery =
                new ResponseDelivery(
                        metrics, names, streams, options.resume(), live, cycle.failures());
        routes = new RouteTable(new UnknownRoute(cycle));
        mapProbes();
        mapFacts();
        mapFront(options);
        mapCache();
        mapLive();
        mapTexts();
        mapGeneration();
        mapOllama();
        map(new StreamRoute(cycle, streams), StreamRoute.PREFIX + "*");
    }

    private void mapProbes() {
        map(
                new GetRoute(
                        "/livez",
                        RouteAccess.LIFE_SIGN,
                        cycle,
                        GetRoute.json(() -> Json.object().put("status", "ok"))),
                "/livez");
        map(
                new GetRoute("/health", RouteAccess.LIFE_SIGN, cycle, this::writeHealth),
                "/health",
                "/v1/health");
        map(
                new GetRoute("/metrics", RouteAccess.MEASUREMENT, cycle, this::writeMetrics),
                "/metrics");
    }

    /**
     * Writes the health of a failed model, else of the default model if that is loaded. With
     * several models a failed one is reloaded while the server accepts requests, so it is not
     * reported.
     */
    private void writeHealth(Exchange exchange) throws IOException {
        boolean several = offer.require().areSeveral();
        Optional<Engine> engine =
                offer.loaded().stream()
                        .map(ServedModel::engine)
                        .filter(each -> !several && each.broken().isDone())
                        .findFirst()
                        .or(
                                () ->
                                        offer.require()
                                                .defaultModel()
                                                .flatMap(ModelStatus::running)
                                                .map(each -> each.served().engine())
                                                .filter(
                                                        each ->
                                                                !several
                                                                        || !each.broken()
                                                                                .isDone()));
        if (engine.isPresent()) {
            HealthReport.write(engine.get(), names, exchange.response());
        } else {
            JsonResponse.write(exchange.response(), 200, Json.object().put("status", "ok"));
        }
    }

    private void writeMetrics(Exchange exchange) throws IOException {
        write(offer.metrics(accept(exchange)), exchange);
    }

    /** Returns the {@code Accept} header of a request. */
    static Optional<String> accept(Exchange exchange) {
        return Optional.ofNullable(exchange.request().getHeader("Accept"));
    }

    /** Sends metrics. */
    static void write(Exposition metrics, Exchange exchange) throws IOException {
        exchange.response().setContentType(metrics.contentType());
        exchange.response().setContentLength(metrics.bytes().length);
        exchange.response().getOutputStream().write(metrics.bytes());
    }

    private void mapFacts() {
        map(facts("/props", this::writeProperties), "/props");
        map(facts("/v1/models", this::listModels), "/v1/models", "/models");
        map(facts("/slots", this::writeSlots), "/slots");
        map(new ModelRoute(cycle, offer, models), ModelRoute.PREFIX + "*");
    }

    private void mapFront(HttpOptions options) {
        Route facts = facts("/", GetRoute.json(() -> index(options.address().basePath())));
        RootRoute.map(routes, facts, cycle, options);
    }

    private void writeProperties(Exchange exchange) throws IOException {
        ModelStatus view = offer.view(RequestedModel.inQuery(exchange.request()));
        JsonResponse.write(
                exchange.response(),
                200,
                offer.facts(view)
                        .map(
                                facts ->
                                        facts.properties(
                                                names,
                                                access.scopes(),
                                                exchange.admitted().caller()))
                        .orElseGet(() -> models.properties(view)));
    }

    /**
     * Writes the slots of the requested model, or of the default one; an empty list while it is not
     * loaded.
     */
    private void writeSlots(Exchange exchange) throws IOException {
        ModelStatus view = offer.view(RequestedModel.inQuery(exchange.request()));
        JsonResponse.write(
                exchange.response(),
                200,
                offer.facts(view).map(ModelInfo::slots).orElseGet(Json.MAPPER::createArrayNode));
    }

    private void listModels(Exchange exchange) throws IOException {
        List<ModelStatus> views = offer.require().views();
        boolean agent = QueryParameter.of(exchange.request(), "client_version").isPresent();
        JsonResponse.write(
                exchange.response(), 200, agent ? models.agentModels(views) : models.models(views));
    }

    private GetRoute facts(String label, GetRoute.Reader reader) {
        return new GetRoute(label, RouteAccess.SERVICE, cycle, reader);
    }

    private ObjectNode index(String basePath) {
        return Json.object()
                .put("name", "varve")
                .put("status", offer.isReady() ? "ok" : "loading")
                .put("api", basePath + "/v1/chat/completions");
    }

    private void mapCache() {
        map(new CacheListRoute(cycle, offer), "/cache");
        map(new CacheClearRoute(cycle, offer), "/cache/clear");
    }

    private void mapLive() {
        map(new StatusRoute(cycle, offer, models, names, access.scopes()), "/status");
        map(new RequestListRoute(cycle, offer, live), "/requests");
        map(new RequestCancelRoute(cycle, live), RequestCancelRoute.PREFIX + "*");
    }

    private void mapTexts() {
        map(
                new TokenizerRoute(
                        "/apply-template",
                        context,
                        (model, body) -> {
                            ChatPrompt prompt = model.answers().prompt(chat, body);
                            return Json.object()
                                    .put("prompt", prompt.text())
                                    .put("tokens", prompt.tokens().length);
                        }),
                "/apply-template");
        map(
                new TokenizerRoute(
                        "/v1/messages/count_tokens",
                        context,
                        messages,
                        (model, body) ->
                                Json.object()
                                        .put(
                                                "input_tokens",
                                                model.answers()
                                                        .prompt(messages, body)
                                                        .tokens()
                                                        .length)),
                "/v1/messages/count_tokens",
                "/messages/count_tokens",
                "/v1/v1/messages/count_tokens");
        map(
                new TokenizerRoute(
                        "/v1/chat/completions/render",
                        context,
                        chat,
                        (model, body) -> rendered(model.answers().prompt(chat, body))),
                "/v1/chat/completions/render");
        map(
                new TokenizerRoute(
                        "/v1/completions/render",
                        context,
                        (model, body) -> {
                            CompletionRequests.RULES.check(body, context.policy());
                            ArrayNode prompts = Json.MAPPER.createArrayNode();
                            CompletionRequests.prompts(body, model.served())
                                    .forEach(prompt -> prompts.add(rendered(prompt)));
                            return prompts;
                        }),
                "/v1/completions/render");
        map(
                new TokenizerRoute(
                        "/tokenize", context, (model, body) -> model.facts().tokenize(body)),
                "/tokenize");
        map(
                new TokenizerRoute(
                        "/detokenize", context, (model, body) -> model.facts().detokenize(body)),
                "/detokenize");
    }

    /** Returns a prompt as text and as token ids; {@code /v1/completions} accepts both. */
    private static ObjectNode rendered(ChatPrompt prompt) {
        ObjectNode shown = Json.object();
        shown.put("prompt", prompt.text());
        // Not a JSON node for each id: a prompt may have a million.
        shown.putPOJO("token_ids", prompt.tokens());
        return shown;
    }

    private void mapGeneration() {
        map(
                new GenerationRoute(
                        "/v1/chat/completions",
                        context,
                        delivery,
                        model -> HeartbeatFormat.OPENAI,
                        chat),
                "/v1/chat/completions",
                "/chat/completions");
        map(
                new GenerationRoute(
                        "/v1/messages",
                        context,
                        delivery,
                        model -> MessagesDialect.EARLY,
                        messages),
                "/v1/messages",
                "/messages",
                // For clients whose base URL already contains the version.
                "/v1/v1/messages");
        map(
                new GenerationRoute(
                        "/v1/responses",
                        context,
                        delivery,
                        ErrorForm.OPENAI,
                        ResponsesHeartbeat::new,
                        (model, body) -> {
                            ResponsesDialect.RULES.check(body, context.policy());
                            return model.answers().read(ResponsesDialect.of(body), body);
                        }),
                "/v1/responses",
                "/responses");
        map(
                new GenerationRoute(
                        "/v1/completions",
                        context,
                        delivery,
                        ErrorForm.OPENAI,
                        model -> HeartbeatFormat.OPENAI,
                        (model, body) -> {
                            CompletionRequests.RULES.check(body, context.policy());
                            return RequestPreparation.done(
                                    CompletionRequests.read(body, model.served()));
                        }),
                "/v1/completions",
                "/completions");
        map(
                new GenerationRoute(
                        "/completion",
                        context,
                        delivery,
                        ErrorForm.OPENAI,
                        model -> HeartbeatFormat.OPENAI,
                        (model, body) -> {
                            LlamaCppCompletions.RULES.check(body, context.policy());
                            return RequestPreparation.done(
                                    LlamaCppCompletions.read(body, model.served()));
                        }),
                "/completion");
    }

    private void mapOllama() {
        map(facts("/api/version", GetRoute.json(OllamaModels::version)), "/api/version");
        map(
                facts("/api/tags", GetRoute.json(() -> OllamaModels.tags(offer.require().views()))),
                "/api/tags");
        map(
                facts(
                        "/api/ps",
                        GetRoute.json(() -> OllamaModels.running(offer.require().views()))),
                "/api/ps");
        map(new OllamaShowRoute(context), "/api/show");
        mapOllama(
                "/api/chat",
                OllamaDialect.CHAT,
                (model, body) -> model.answers().read(OllamaDialect.CHAT, OllamaBody.chat(body)));
        mapOllama(
                "/api/generate",
                OllamaDialect.GENERATE,
                (model, body) ->
                        OllamaBody.isRaw(body)
                                ? RequestPreparation.done(
                                        OllamaDialect.readRaw(body, model.served()))
                                : model.answers()
                                        .read(OllamaDialect.GENERATE, OllamaBody.generate(body)));
    }

    private void mapOllama(
            String path,
            OllamaDialect dialect,
            BiFunction<OfferedModels.OfferedModel, ObjectNode, RequestPreparation> parse) {
        map(
                new GenerationRoute(
                                path,
                                context,
                                delivery,
                                ErrorForm.OLLAMA,
                                dialect.early(),
                                (model, body) -> {
                                    dialect.rules().check(body, context.policy());
                                    return parse.apply(model, body);
                                })
                        .answering(
                                (model, body) ->
                                        OllamaBody.isEmpty(body)
                                                ? Optional.of(
                                                        dialect.loaded(
                                                                model.served().description().id()))
                                                : Optional.empty()),
                path);
    }

    private void map(Route route, String... paths) {
        routes.map(route, paths);
    }

    /** Returns the routes by their paths. */
    RouteTable routes() {
        return routes;
    }
}
