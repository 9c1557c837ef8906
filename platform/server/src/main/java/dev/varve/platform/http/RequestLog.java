package dev.varve.platform.http;

import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.trace.RequestContext;
import dev.varve.platform.log.LogFields;
import dev.varve.platform.log.LogValue;
import dev.varve.platform.setting.SettingNames;

import jakarta.servlet.http.HttpServletRequest;

import org.eclipse.jetty.server.Request;

import java.util.Objects;
import java.util.Optional;

/**
 * Logs each request in one line when it ends: at info, and at debug those that only probe the
 * server. Contains no text of prompts or responses, no query and no key.
 */
final class RequestLog {
    private static final System.Logger LOG = System.getLogger("dev.varve.http.request");

    /** Longest shown text from a client, such as the reason of an error, in characters. */
    private static final int MAX_TEXT = 500;

    private static final int MAX_METHOD = 20;

    private RequestLog() {}

    /** Response to a request: its HTTP status and its request id. */
    record Response(int status, String requestId) {}

    /** Logs a request that a route handled. */
    static void log(
            Route route,
            HttpServletRequest request,
            Response response,
            RequestContext context,
            RequestOutcome outcome,
            SettingNames names) {
        System.Logger.Level level =
                route.purpose().isUnlogged() ? System.Logger.Level.DEBUG : System.Logger.Level.INFO;
        if (!LOG.isLoggable(level)) {
            return;
        }
        LogFields fields =
                new LogFields()
                        .put("request_id", response.requestId())
                        .put("client", Objects.requireNonNullElse(request.getRemoteAddr(), ""))
                        .put("model", context.model());
        context.progress().addTo(fields, context.begin());
        outcome.finishReason().ifPresent(reason -> fields.put("finish_reason", reason));
        fields.putMillis("total_ms", System.nanoTime() - context.begin());
        context.progress().error().ifPresent(error -> put(fields, error, names));
        write(level, request.getMethod(), route.label(), response.status(), fields);
    }

    /** Logs a request that no route received, such as one with malformed headers. */
    static void logRejected(Request request, String requestId, ApiException error) {
        LogFields fields =
                new LogFields()
                        .put("request_id", requestId)
                        .put(
                                "client",
                                Objects.requireNonNullElse(Request.getRemoteAddr(request), ""))
                        .putMillis("total_ms", System.nanoTime() - request.getBeginNanoTime());
        put(fields, error, SettingNames.IDENTIFIERS);
        write(
                System.Logger.Level.INFO,
                Optional.ofNullable(request.getMethod())
                        .filter(text -> !text.isEmpty())
                        .orElse("-"),
                Route.OTHER,
                error.status(),
                fields);
    }

    private static void put(LogFields fields, ApiException error, SettingNames names) {
        error.code().ifPresent(code -> fields.put("error_code", code));
        fields.put("error_type", error.type())
                .put("error", bounded(names.render(error.getMessage()), MAX_TEXT));
    }

    private static void write(
            System.Logger.Level level, String method, String route, int status, LogFields fields) {
        LOG.log(
                level,
                "{0} {1} {2}{3}",
                new LogValue("method", bounded(method, MAX_METHOD)),
                new LogValue("route", route),
                new LogValue("status", status),
                fields);
    }

    private static String bounded(String text, int most) {
        return text.length() > most ? text.substring(0, most) + "…" : text;
    }
}
