package dev.varve.platform.http;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.ShardStatus;
import dev.varve.platform.http.metrics.Metrics;
import dev.varve.platform.intake.HeldBody;
import dev.varve.platform.intake.Intake;
import dev.varve.platform.intake.IntakeException;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import org.eclipse.jetty.server.Request;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/** All routes. Each request has a virtual thread of its own. */
final class ApiServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;
    private static final System.Logger LOG = System.getLogger("dev.varve.http");

    private final transient AccessControl access;
    private final transient Intake intake;
    private final transient Metrics metrics;
    private transient volatile ServedModel served;
    private transient volatile ModelRoutes modelRoutes;
    private transient volatile ChatRoute chatRoute;
    private transient volatile boolean draining;

    ApiServlet(AccessControl access, Intake intake, Metrics metrics) {
        this.access = access;
        this.intake = intake;
        this.metrics = metrics;
    }

    /** Whether the body of a request is wanted; what is refused anyway needs none. */
    boolean readsBody(Request request) {
        return served != null
                && !draining
                && request.getMethod().equals("POST")
                && Routes.takesBody(Routes.of(Routes.path(request)));
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
        String route = Routes.of(request.getRequestURI());
        String finish = "";
        int tokens = 0;
        response.setHeader("x-request-id", requestId(request));
        try {
            access.allowOrigin(request, response);
            Admission.Admitted admitted = admitted(request, response);
            if (request.getMethod().equals("OPTIONS")) {
                response.setStatus(204);
            } else {
                AnswerWriter.Outcome outcome = answer(route, admitted, request, response);
                finish = outcome.finishReason();
                tokens = outcome.generatedTokens();
            }
        } catch (ApiException e) {
            fail(response, e);
        } catch (VarveException e) {
            fail(response, ApiException.of(e));
        } catch (IntakeException e) {
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
        String label = Routes.label(route);
        metrics.countRequest(label, response.getStatus(), finish);
        if (!Routes.isProbe(label)) {
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

    private static Admission.Admitted admitted(
            HttpServletRequest request, HttpServletResponse response) throws IOException {
        return switch (Admission.of(request)) {
            case Admission.Admitted admitted -> admitted;
            case Admission.Refused refused -> {
                if (refused.endsConnection()) {
                    response.setHeader("Connection", "close");
                }
                throw refused.reason();
            }
            case Admission.Gone gone -> throw new IOException("the client went away");
        };
    }

    private static String requestId(HttpServletRequest request) {
        String given = Optional.ofNullable(request.getHeader("x-request-id")).orElse("");
        return given.matches("[\\w.:-]{1,128}") ? given : UUID.randomUUID().toString();
    }

    private AnswerWriter.Outcome answer(
            String route,
            Admission.Admitted admitted,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException, InterruptedException {
        String method = request.getMethod();
        boolean readable = Routes.isReadable(route);
        if (!readable && !Routes.takesBody(route)) {
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
        // The model may be ready since it was settled that the body is not wanted.
        HeldBody body = admitted.body().orElseThrow(ApiException::loading);
        return switch (route) {
            case "/v1/chat/completions" ->
                    generate(request, response, admitted.caller(), body, chatRoute::read, model);
            case "/v1/completions" ->
                    generate(
                            request,
                            response,
                            admitted.caller(),
                            body,
                            fields -> CompletionRoute.read(fields, model),
                            model);
            case "/apply-template" -> plain(body, chatRoute::applyTemplate, response);
            case "/tokenize" -> plain(body, modelRoutes::tokenize, response);
            default -> plain(body, modelRoutes::detokenize, response);
        };
    }

    /** What a body becomes, worked out beside the engine. */
    private <T> T work(HeldBody body, Function<ObjectNode, T> use) throws InterruptedException {
        byte[] bytes = body.take();
        return intake.work(bytes.length, () -> use.apply(Json.parse(bytes)));
    }

    private void read(String route, HttpServletResponse response) throws IOException {
        switch (route) {
            case "/livez" -> AnswerWriter.json(response, 200, Json.object().put("status", "ok"));
            case "/health" -> health(requireModel().engine(), response);
            case "/metrics" -> {
                byte[] text =
                        metrics.text(
                                        Optional.ofNullable(served)
                                                .map(model -> model.engine().status()))
                                .getBytes(StandardCharsets.UTF_8);
                response.setContentType(Metrics.CONTENT_TYPE);
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
                        response,
                        200,
                        modelRoutes.model(route.substring(Routes.MODEL_PREFIX.length())));
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

    /**
     * The answer is written out beside the engine too: it may be larger than its body, in whose
     * place in memory it then stands.
     */
    private AnswerWriter.Outcome plain(
            HeldBody body, Function<ObjectNode, ObjectNode> use, HttpServletResponse response)
            throws IOException, InterruptedException {
        byte[] answer = work(body, use.andThen(Json::writeBytes));
        AnswerWriter.json(response, 200, answer);
        return new AnswerWriter.Outcome("", 0);
    }

    private AnswerWriter.Outcome generate(
            HttpServletRequest request,
            HttpServletResponse response,
            Caller caller,
            HeldBody body,
            Function<ObjectNode, PendingAnswer> parse,
            ServedModel model)
            throws IOException, InterruptedException {
        PendingAnswer pending = work(body, parse);
        // The answer may take hours, and nothing of the body is left.
        body.release();
        int count = pending.choices().size();
        try (ConnectionProbe probe = new ConnectionProbe(request);
                Choices choices = new Choices(count, metrics, probe::abort)) {
            choices.submit(model.engine(), caller.scope(), pending.choices());
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

    private static void fail(HttpServletResponse response, ApiException error) throws IOException {
        if (response.isCommitted()) {
            return;
        }
        response.resetBuffer();
        error.retryAfterSeconds()
                .ifPresent(seconds -> response.setHeader("Retry-After", Integer.toString(seconds)));
        AnswerWriter.json(response, error.status(), AnswerWriter.errorBody(error));
    }
}
