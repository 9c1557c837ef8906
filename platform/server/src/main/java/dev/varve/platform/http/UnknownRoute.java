package dev.varve.platform.http;

import dev.varve.platform.http.access.RoutePurpose;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.json.ApiException;

import jakarta.servlet.http.HttpServletRequest;

import java.util.List;
import java.util.Optional;

/** Handles requests for paths without a route. */
final class UnknownRoute extends Route {
    private static final long serialVersionUID = 1L;
    private static final int MAX_SHOWN = 200;

    /** Advice for requests below some paths. */
    private record Hint(List<String> paths, String words) {}

    private static final List<Hint> HINTS =
            List.of(
                    new Hint(
                            List.of("/embeddings", "/embedding", "/score", "/pooling"),
                            "use /v1/embeddings for vectors and /v1/rerank for scores"),
                    new Hint(
                            List.of("/audio", "/images", "/realtime", "/videos"),
                            "this server accepts and returns text only"),
                    new Hint(
                            List.of("/responses/", "/conversations"),
                            "this server stores no responses; send the whole conversation to"
                                    + " /v1/responses"),
                    new Hint(
                            List.of("/messages/batches", "/batches", "/files", "/fine_tuning"),
                            "this server stores no files or batches; send single requests,"
                                    + " concurrently if needed"),
                    new Hint(
                            List.of("/assistants", "/threads", "/moderations", "/uploads"),
                            "use /v1/chat/completions, /v1/responses or /v1/messages"),
                    new Hint(List.of("/complete"), "use /v1/completions or /v1/messages"),
                    new Hint(
                            List.of("/api/"),
                            "this server has Ollama's routes /api/chat, /api/generate, /api/embed,"
                                    + " /api/tags, /api/ps, /api/show and /api/version; only the"
                                    + " operator adds or removes models"));

    UnknownRoute(RequestLifecycle lifecycle) {
        super(OTHER, RoutePurpose.SERVICE, Methods.ANY, lifecycle);
    }

    @Override
    RequestOutcome answer(Exchange exchange) {
        HttpServletRequest request = exchange.request();
        String path = request.getRequestURI();
        throw ApiException.status(
                404,
                "",
                "unknown endpoint "
                        + request.getMethod()
                        + " "
                        + (path.length() > MAX_SHOWN ? "…" : path)
                        + hint(path).map(words -> "; " + words).orElse(""));
    }

    /** Returns advice for clients that expect another server's API. */
    private static Optional<String> hint(String path) {
        String plain = path.startsWith("/v1/") ? path.substring(3) : path;
        return HINTS.stream()
                .filter(each -> each.paths().stream().anyMatch(plain::startsWith))
                .findFirst()
                .map(Hint::words);
    }
}
