package dev.varve.platform.http;

import dev.varve.platform.chat.ChatPrompt;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.http.access.AccessControl;
import dev.varve.platform.http.access.Caller;
import dev.varve.platform.http.access.RoutePurpose;
import dev.varve.platform.http.answer.HeartbeatFormat;
import dev.varve.platform.http.answer.PendingPreparation;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.answer.ResponseDelivery;
import dev.varve.platform.http.anthropic.MessagesDialect;
import dev.varve.platform.http.conversation.ApiDialect;
import dev.varve.platform.http.encoding.EmbeddingRequest;
import dev.varve.platform.http.encoding.RerankRequest;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.JsonResponse;
import dev.varve.platform.http.live.ActiveRequests;
import dev.varve.platform.http.llamacpp.LlamaCppCompletions;
import dev.varve.platform.http.metrics.EncodedMetrics;
import dev.varve.platform.http.metrics.Metrics;
import dev.varve.platform.http.model.HealthReport;
import dev.varve.platform.http.model.ModelQueries;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.http.ollama.OllamaDialect;
import dev.varve.platform.http.ollama.OllamaEmbeddings;
import dev.varve.platform.http.ollama.OllamaModels;
import dev.varve.platform.http.ollama.OllamaRequestTranslator;
import dev.varve.platform.http.openai.ChatCompletionsDialect;
import dev.varve.platform.http.openai.CompletionRequests;
import dev.varve.platform.http.responses.ResponsesDialect;
import dev.varve.platform.http.responses.ResponsesHeartbeat;
import dev.varve.platform.http.resume.ResumableStreamStore;
import dev.varve.platform.http.serving.ModelListResponse;
import dev.varve.platform.http.serving.ModelStatus;
import dev.varve.platform.intake.RequestIngress;
import dev.varve.platform.setting.SettingNames;

import tools.jackson.databind.JsonNode;
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
    private final RequestLifecycle lifecycle;
    private final OfferedModels offeredModels;
    private final SettingNames names;
    private final RouteContext context;
    private final ResponseDelivery delivery;
    private final ApiDialect chat = new ChatCompletionsDialect();
    private final ApiDialect messages = new MessagesDialect();
    private final ModelListResponse models;

    ApiRoutes(
            AccessControl access,
            RequestIngress ingress,
            Metrics metrics,
            OfferedModels offeredModels,
            HttpOptions options,
            ResumableStreamStore streams) {
        this.access = access;
        this.offeredModels = offeredModels;
        names = options.names();
        models = new ModelListResponse(names);
        lifecycle = new RequestLifecycle(access, metrics, options.monitoring().tracing(), names);
        context = new RouteContext(lifecycle, offeredModels, ingress, options.fields());
        ActiveRequests activeRequests = new ActiveRequests();
        delivery =
                new ResponseDelivery(
                        metrics,
                        names,
                        streams,
                        options.resume(),
                        activeRequests,
                        lifecycle.failures());
        routes = new RouteTable(new UnknownRoute(lifecycle));
        mapProbes();
        mapInformation(options);
        mapMonitoring(activeRequests);
        mapTexts();
        mapEncoding();
        mapGeneration();
        mapOllama();
        routes.mapAt(new StreamRoute(lifecycle, streams), StreamRoute.PREFIX + "*");
    }

    private void mapProbes() {
        report("/livez", RoutePurpose.LIVENESS, exchange -> Json.object().put("status", "ok"));
        map("/health", RoutePurpose.LIVENESS, this::writeHealth, "/v1/health");
        map(
                "/metrics",
                RoutePurpose.METRICS,
                exchange -> write(offeredModels.metrics(accept(exchange)), exchange));
    }

    /**
     * Writes the health of a failed model, else of the default model if that is loaded. With
     * several models a failed one is reloaded while the server accepts requests, so it is not
     * reported.
     */
    private RequestOutcome writeHealth(Exchange exchange) throws IOException {
        boolean several = offeredModels.require().areSeveral();
        Optional<Engine> engine =
                offeredModels.loaded().stream()
                        .map(ServedModel::engine)
                        .filter(each -> !several && each.broken().isDone())
                        .findFirst()
                        .or(
                                () ->
                                        offeredModels
                                                .require()
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
        return RequestOutcome.PLAIN;
    }

    /** Returns the {@code Accept} header of a request. */
    static Optional<String> accept(Exchange exchange) {
        return Optional.ofNullable(exchange.request().getHeader("Accept"));
    }

    /** Sends metrics. */
    static RequestOutcome write(EncodedMetrics metrics, Exchange exchange) throws IOException {
        exchange.response().setContentType(metrics.contentType());
        exchange.response().setContentLength(metrics.bytes().length);
        exchange.response().getOutputStream().write(metrics.bytes());
        return RequestOutcome.PLAIN;
    }

    private void mapInformation(HttpOptions options) {
        report("/props", RoutePurpose.SERVICE, this::properties);
        report("/v1/models", RoutePurpose.SERVICE, this::models, "/models");
        report("/slots", RoutePurpose.SERVICE, this::slots);
        mapAdapters();
        routes.mapAt(
                new RetrieveModelRoute(lifecycle, offeredModels, models),
                RetrieveModelRoute.PREFIX + "*");
        Route facts =
                route(
                        "/",
                        RoutePurpose.SERVICE,
                        Route.Methods.READ,
                        exchange -> index(options.address().basePath()));
        RootRoute.map(routes, facts, lifecycle, options);
    }

    private void mapAdapters() {
        routes.map(new LoraAdaptersRoute(context));
        routes.map(new LoraAdapterAddRoute(context));
        LoraAdapterRemoval removal = new LoraAdapterRemoval(context);
        routes.mapAt(
                route(
                        "/lora-adapters/ID",
                        RoutePurpose.OPERATION,
                        Route.Methods.DELETE,
                        removal::remove),
                LoraAdapterRemoval.PREFIX + "*");
    }

    private JsonNode properties(Exchange exchange) {
        ModelStatus view = offeredModels.view(RequestedModelName.inQuery(exchange.request()));
        return offeredModels
                .queries(view)
                .map(
                        facts ->
                                facts.properties(
                                        names, access.scopes(), exchange.admitted().caller()))
                .orElseGet(() -> models.properties(view));
    }

    /**
     * Returns the slots of the requested model, or of the default one; an empty list while it is
     * not loaded.
     */
    private JsonNode slots(Exchange exchange) {
        ModelStatus view = offeredModels.view(RequestedModelName.inQuery(exchange.request()));
        return offeredModels
                .queries(view)
                .map(ModelQueries::slots)
                .orElseGet(Json.MAPPER::createArrayNode);
    }

    private JsonNode models(Exchange exchange) {
        List<ModelStatus> views = offeredModels.require().views();
        boolean agent = QueryParameter.of(exchange.request(), "client_version").isPresent();
        return agent ? models.agentModels(views) : models.models(views);
    }

    private ObjectNode index(String basePath) {
        return Json.object()
                .put("name", "varve")
                .put("status", offeredModels.isReady() ? "ok" : "loading")
                .put("api", basePath + "/v1/chat/completions");
    }

    private void mapMonitoring(ActiveRequests activeRequests) {
        report("/status", RoutePurpose.MONITORING, this::status);
        PrefixCacheEndpoints cache = new PrefixCacheEndpoints(offeredModels);
        report("/cache", RoutePurpose.OPERATION, cache::list);
        routes.map(route("/cache/clear", RoutePurpose.OPERATION, Route.Methods.POST, cache::clear));
        routes.mapAt(
                route(
                        "/replicas/ID",
                        RoutePurpose.OPERATION,
                        Route.Methods.POST,
                        new ReplicaEndpoints(offeredModels, names, ReplicaEndpoints.PATIENCE)
                                ::change),
                ReplicaEndpoints.PREFIX + "*");
        ActiveRequestEndpoints requests = new ActiveRequestEndpoints(offeredModels, activeRequests);
        report("/requests", RoutePurpose.MONITORING, requests::list);
        routes.map(new RequestControlRoute(context, requests), "/chat/completions/control");
        routes.mapAt(
                route(
                        "/requests/ID",
                        RoutePurpose.MONITORING,
                        Route.Methods.DELETE,
                        requests::cancel),
                ActiveRequestEndpoints.PREFIX + "*");
    }

    /** {@code GET /status?model=ID}: reports the current status of a model. Does not load it. */
    private JsonNode status(Exchange exchange) {
        ModelStatus view = offeredModels.view(RequestedModelName.inQuery(exchange.request()));
        ObjectNode status = models.status(view);
        Caller caller = exchange.admitted().caller();
        offeredModels
                .queries(view)
                .ifPresent(each -> each.status(status, names, access.scopes(), caller));
        return status;
    }

    private void mapTexts() {
        routes.map(
                TextProcessingRoute.ofPrompts(
                        "/apply-template",
                        context,
                        chat,
                        prompt ->
                                Json.object()
                                        .put("prompt", prompt.text())
                                        .put("tokens", prompt.tokens().length)));
        routes.map(
                TextProcessingRoute.ofDialect(
                        "/v1/messages/count_tokens",
                        context,
                        messages,
                        prompt -> Json.object().put("input_tokens", prompt.tokens().length)),
                "/messages/count_tokens",
                "/v1/v1/messages/count_tokens");
        routes.map(
                TextProcessingRoute.ofDialect(
                        "/v1/chat/completions/render", context, chat, ApiRoutes::rendered));
        routes.map(
                new TextProcessingRoute(
                        "/v1/completions/render",
                        context,
                        (model, body) -> {
                            CompletionRequests.RULES.check(body, context.policy());
                            ArrayNode prompts = Json.MAPPER.createArrayNode();
                            CompletionRequests.prompts(body, model.served())
                                    .forEach(prompt -> prompts.add(rendered(prompt)));
                            return prompts;
                        }));
        routes.map(
                new TextProcessingRoute(
                        "/tokenize",
                        context,
                        (model, body) ->
                                model.queries()
                                        .tokenize(
                                                body,
                                                LlamaCppCompletions.tokens(body, model.served()))));
        routes.map(
                new TextProcessingRoute(
                        "/detokenize", context, (model, body) -> model.queries().detokenize(body)));
    }

    /** Returns a prompt as text and as token ids; {@code /v1/completions} accepts both. */
    private static ObjectNode rendered(ChatPrompt prompt) {
        ObjectNode shown = Json.object();
        shown.put("prompt", prompt.text());
        // Not a JSON node for each id: a prompt may have a million.
        shown.putPOJO("token_ids", prompt.tokens());
        return shown;
    }

    private void mapEncoding() {
        routes.map(
                new EncodingRoute(
                        "/v1/embeddings",
                        context,
                        (served, body) -> {
                            EmbeddingRequest.RULES.check(body, context.policy());
                            return EmbeddingRequest.read(body, served);
                        }),
                "/embeddings");
        routes.map(
                new EncodingRoute(
                        "/v1/rerank",
                        context,
                        (served, body) -> {
                            RerankRequest.RULES.check(body, context.policy());
                            return RerankRequest.read(body, served);
                        }),
                "/rerank",
                "/reranking",
                "/v1/reranking");
    }

    private void mapGeneration() {
        routes.map(
                new GenerationRoute(
                        "/v1/chat/completions",
                        context,
                        delivery,
                        model -> HeartbeatFormat.OPENAI,
                        chat),
                "/chat/completions");
        routes.map(
                new GenerationRoute(
                        "/v1/messages",
                        context,
                        delivery,
                        model -> MessagesDialect.EARLY,
                        messages),
                "/messages",
                // For clients whose base URL already contains the version.
                "/v1/v1/messages");
        routes.map(
                new GenerationRoute(
                        "/v1/responses",
                        context,
                        delivery,
                        ErrorForm.OPENAI,
                        ResponsesHeartbeat::new,
                        (model, body) -> {
                            ResponsesDialect.RULES.check(body, context.policy());
                            return model.preparer().read(ResponsesDialect.of(body), body);
                        }),
                "/responses");
        routes.map(
                new GenerationRoute(
                        "/v1/completions",
                        context,
                        delivery,
                        ErrorForm.OPENAI,
                        model -> HeartbeatFormat.OPENAI,
                        (model, body) -> {
                            CompletionRequests.RULES.check(body, context.policy());
                            return PendingPreparation.done(
                                    CompletionRequests.read(body, model.served()));
                        }),
                "/completions");
        routes.map(
                new GenerationRoute(
                        "/completion",
                        context,
                        delivery,
                        ErrorForm.OPENAI,
                        model -> HeartbeatFormat.OPENAI,
                        (model, body) -> {
                            LlamaCppCompletions.RULES.check(body, context.policy());
                            return LlamaCppCompletions.read(body, model.served());
                        }));
        routes.map(
                new GenerationRoute(
                        "/infill",
                        context,
                        delivery,
                        ErrorForm.OPENAI,
                        model -> HeartbeatFormat.OPENAI,
                        (model, body) -> {
                            LlamaCppCompletions.INFILL_RULES.check(body, context.policy());
                            return PendingPreparation.done(
                                    LlamaCppCompletions.readInfill(body, model.served()));
                        }));
    }

    private void mapOllama() {
        report("/api/version", RoutePurpose.SERVICE, exchange -> OllamaModels.version());
        report(
                "/api/tags",
                RoutePurpose.SERVICE,
                exchange -> OllamaModels.tags(offeredModels.require().views()));
        report(
                "/api/ps",
                RoutePurpose.SERVICE,
                exchange -> OllamaModels.running(offeredModels.require().views()));
        routes.map(new OllamaShowRoute(context));
        routes.map(
                new EncodingRoute(
                        "/api/embed",
                        context,
                        (served, body) -> OllamaEmbeddings.embed(body, served, context.policy())));
        routes.map(
                new EncodingRoute(
                        "/api/embeddings",
                        context,
                        (served, body) -> OllamaEmbeddings.old(body, served, context.policy())));
        mapOllama(
                "/api/chat",
                OllamaDialect.CHAT,
                (model, body) ->
                        model.preparer()
                                .read(OllamaDialect.CHAT, OllamaRequestTranslator.chat(body)));
        mapOllama(
                "/api/generate",
                OllamaDialect.GENERATE,
                (model, body) ->
                        OllamaRequestTranslator.isRaw(body)
                                ? PendingPreparation.done(
                                        OllamaDialect.readRaw(body, model.served()))
                                : model.preparer()
                                        .read(
                                                OllamaDialect.GENERATE,
                                                OllamaRequestTranslator.generate(body)));
    }

    private void mapOllama(
            String path,
            OllamaDialect dialect,
            BiFunction<OfferedModels.ModelWithReaders, ObjectNode, PendingPreparation> parse) {
        routes.map(
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
                        .withoutGeneration(
                                (model, body) ->
                                        OllamaRequestTranslator.isEmpty(body)
                                                ? Optional.of(
                                                        dialect.loaded(
                                                                model.served().description().id()))
                                                : Optional.empty()));
    }

    private void report(
            String label, RoutePurpose purpose, BodylessRoute.Report report, String... aliases) {
        map(label, purpose, BodylessRoute.json(report), aliases);
    }

    private void map(
            String label, RoutePurpose purpose, BodylessRoute.Answer answer, String... aliases) {
        routes.map(
                new BodylessRoute(label, purpose, Route.Methods.READ, lifecycle, answer), aliases);
    }

    private Route route(
            String label,
            RoutePurpose purpose,
            Route.Methods methods,
            BodylessRoute.Report report) {
        return new BodylessRoute(label, purpose, methods, lifecycle, BodylessRoute.json(report));
    }

    /** Returns the routes by their paths. */
    RouteTable routes() {
        return routes;
    }
}
