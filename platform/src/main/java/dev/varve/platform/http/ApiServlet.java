package dev.varve.platform.http;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.CacheScope;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.ShardStatus;

import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import tools.jackson.databind.node.ObjectNode;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;

/** All routes. Each request has a virtual thread of its own. */
final class ApiServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;
    private static final System.Logger LOG = System.getLogger("dev.varve.http");
    private static final Set<String> GET_ROUTES =
            Set.of("/", "/health", "/livez", "/v1/models", "/props", "/metrics");
    private static final Set<String> POST_ROUTES =
            Set.of(
                    "/v1/chat/completions",
                    "/v1/completions",
                    "/apply-template",
                    "/tokenize",
                    "/detokenize");
    private static final String MODEL_PREFIX = "/v1/models/";
    private static final String OTHER = "other";

    private final transient HttpOptions options;
    private final transient AccessControl access;
    private final transient Metrics metrics;
    private transient volatile ServedModel served;
    private transient volatile ModelRoutes modelRoutes;
    private transient volatile ChatRoute chatRoute;
    private transient volatile boolean draining;

    ApiServlet(HttpOptions options, Metrics metrics) {
        this.options = options;
        this.metrics = metrics;
        access = new AccessControl(options);
    }

    void ready(ServedModel model) {
        ToolSupport tools = ToolSupport.of(model);
        modelRoutes = new ModelRoutes(model, tools);
        chatRoute = new ChatRoute(model, tools);
        served = model;
    }

    void drain() {
        draining = true;
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        long begin = System.nanoTime();
        String route = route(request);
        String finish = "";
        int tokens = 0;
        response.setHeader("x-request-id", requestId(request));
        try {
            access.allowOrigin(request, response);
            if (request.getMethod().equals("OPTIONS")) {
                response.setStatus(204);
            } else {
                CacheScope scope = access.requireKey(request);
                AnswerWriter.Outcome outcome = answer(route, scope, request, response);
                finish = outcome.finishReason();
                tokens = outcome.generatedTokens();
            }
        } catch (ApiException e) {
            fail(response, e);
        } catch (VarveException e) {
            fail(response, ApiException.of(e));
        } catch (IOException e) {
            finish = "disconnect";
            metrics.countDisconnect();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            fail(response, ApiException.draining());
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "a request failed", e);
            fail(
                    response,
                    ApiException.status(
                            500, "internal_error", "internal error; the log has the details"));
        }
        String label = GET_ROUTES.contains(route) || POST_ROUTES.contains(route) ? route : OTHER;
        metrics.countRequest(label, response.getStatus(), finish);
        if (!label.equals("/health") && !label.equals("/livez") && !label.equals("/metrics")) {
            long millis = (System.nanoTime() - begin) / 1_000_000;
            LOG.log(
                    System.Logger.Level.INFO,
                    "{0} {1} {2} in {3} ms{4}{5}",
                    request.getMethod(),
                    label,
                    Integer.toString(response.getStatus()),
                    Long.toString(millis),
                    tokens > 0 ? ", " + tokens + " tokens" : "",
                    finish.isEmpty() ? "" : ", " + finish);
        }
    }

    /** The path; generation routes are known with and without their version. */
    private static String route(HttpServletRequest request) {
        String path = request.getRequestURI();
        String versioned = "/v1" + path;
        return POST_ROUTES.contains(versioned) || versioned.equals("/v1/models") ? versioned : path;
    }

    private static String requestId(HttpServletRequest request) {
        String given = Optional.ofNullable(request.getHeader("x-request-id")).orElse("");
        return given.matches("[\\w.:-]{1,128}") ? given : UUID.randomUUID().toString();
    }

    private AnswerWriter.Outcome answer(
            String route,
            CacheScope scope,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException, InterruptedException {
        String method = request.getMethod();
        boolean readable = GET_ROUTES.contains(route) || route.startsWith(MODEL_PREFIX);
        if (!readable && !POST_ROUTES.contains(route)) {
            throw ApiException.status(
                    404,
                    "",
                    "unknown endpoint " + method + " " + (route.length() > 200 ? "…" : route));
        }
        if (readable ? !(method.equals("GET") || method.equals("HEAD")) : !method.equals("POST")) {
            response.setHeader("Allow", readable ? "GET, HEAD, OPTIONS" : "POST, OPTIONS");
            throw ApiException.status(405, "", route + " does not take " + method);
        }
        if (readable) {
            AnswerWriter.Outcome nothing = new AnswerWriter.Outcome("", 0);
            read(route, response);
            return nothing;
        }
        ServedModel model = requireModel();
        return switch (route) {
            case "/v1/chat/completions" ->
                    generate(request, response, chatRoute::read, model, scope);
            case "/v1/completions" ->
                    generate(
                            request,
                            response,
                            body -> CompletionRoute.read(body, model),
                            model,
                            scope);
            case "/apply-template" ->
                    plain(response, chatRoute.applyTemplate(body(request, response)));
            case "/tokenize" -> plain(response, modelRoutes.tokenize(body(request, response)));
            default -> plain(response, modelRoutes.detokenize(body(request, response)));
        };
    }

    private void read(String route, HttpServletResponse response) throws IOException {
        switch (route) {
            case "/livez" -> AnswerWriter.json(response, 200, Json.object().put("status", "ok"));
            case "/health" -> health(requireModel().engine(), response);
            case "/metrics" -> {
                byte[] text =
                        metrics.write(
                                        Optional.ofNullable(served)
                                                .map(model -> model.engine().status()))
                                .getBytes(StandardCharsets.UTF_8);
                response.setContentType("text/plain; version=0.0.4; charset=utf-8");
                response.getOutputStream().write(text);
            }
            case "/" ->
                    AnswerWriter.json(
                            response,
                            200,
                            Json.object()
                                    .put("name", "varve")
                                    .put("status", served == null ? "loading" : "ok")
                                    .put("api", "/v1/chat/completions"));
            case "/props" -> {
                requireModel();
                AnswerWriter.json(response, 200, modelRoutes.properties());
            }
            case "/v1/models" -> {
                requireModel();
                AnswerWriter.json(response, 200, modelRoutes.models());
            }
            default -> {
                requireModel();
                AnswerWriter.json(
                        response, 200, modelRoutes.model(route.substring(MODEL_PREFIX.length())));
            }
        }
    }

    private static void health(Engine engine, HttpServletResponse response) throws IOException {
        if (engine.broken().isDone()) {
            ObjectNode body =
                    Json.object()
                            .put("status", "failed")
                            .put("reason", engine.broken().join().getMessage());
            AnswerWriter.json(response, 503, body);
            return;
        }
        List<ShardStatus> missing = engine.status().missingShards();
        if (missing.isEmpty()) {
            AnswerWriter.json(response, 200, Json.object().put("status", "ok"));
        } else {
            AnswerWriter.json(response, 503, ShardReport.degraded(missing));
        }
    }

    private ServedModel requireModel() {
        ServedModel model = served;
        if (draining) {
            throw ApiException.draining();
        }
        if (model == null) {
            throw ApiException.loading();
        }
        return model;
    }

    private static AnswerWriter.Outcome plain(HttpServletResponse response, ObjectNode body)
            throws IOException {
        AnswerWriter.json(response, 200, body);
        return new AnswerWriter.Outcome("", 0);
    }

    private AnswerWriter.Outcome generate(
            HttpServletRequest request,
            HttpServletResponse response,
            Function<ObjectNode, PendingAnswer> parse,
            ServedModel model,
            CacheScope scope)
            throws IOException, InterruptedException {
        PendingAnswer pending = parse.apply(body(request, response));
        int count = pending.choices().size();
        try (ConnectionProbe probe = new ConnectionProbe(request);
                Choices choices = new Choices(count, metrics, probe::abort)) {
            choices.submit(model.engine(), scope, pending.choices());
            AnswerWriter.Outcome outcome =
                    new AnswerWriter(response, probe, pending.format(), pending.call())
                            .write(choices, count);
            if (probe.mustClose()) {
                // The connection ends with the probe; the answer must be out by then.
                response.flushBuffer();
            }
            return outcome;
        }
    }

    private ObjectNode body(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        try {
            return Json.parse(bytes(request));
        } catch (IOException e) {
            try (ConnectionProbe probe = new ConnectionProbe(request)) {
                if (probe.isGone()) {
                    throw e;
                }
            }
            // What follows on this connection cannot be told from the rest of the body.
            response.setHeader("Connection", "close");
            throw ApiException.invalid("", "the request body is not framed as its headers say");
        }
    }

    private byte[] bytes(HttpServletRequest request) throws IOException {
        if (request.getContentLengthLong() > options.maxBodyBytes()) {
            throw tooLarge();
        }
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        byte[] part = new byte[8192];
        ServletInputStream in = request.getInputStream();
        for (int read = in.read(part); read >= 0; read = in.read(part)) {
            if (body.size() + read > options.maxBodyBytes()) {
                throw tooLarge();
            }
            body.write(part, 0, read);
        }
        return body.toByteArray();
    }

    private ApiException tooLarge() {
        return ApiException.status(
                413,
                "request_too_large",
                "the request body exceeds " + options.maxBodyBytes() + " bytes (--max-body)");
    }

    private static void fail(HttpServletResponse response, ApiException error) throws IOException {
        if (response.isCommitted()) {
            return;
        }
        response.resetBuffer();
        error.retryAfterSeconds()
                .ifPresent(seconds -> response.setHeader("Retry-After", Integer.toString(seconds)));
        ObjectNode body = AnswerWriter.errorBody(error);
        if (error.status() == 503 && error.type().equals("unavailable_error")) {
            ((ObjectNode) body.get("error")).put("code", 503);
        }
        AnswerWriter.json(response, error.status(), body);
    }
}
