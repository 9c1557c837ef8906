package dev.varve.platform.http;

import dev.varve.platform.http.access.RoutePurpose;
import dev.varve.platform.http.answer.ConnectionProbe;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.answer.ResumableStreamSender;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.JsonResponse;
import dev.varve.platform.http.resume.ResumableStream;
import dev.varve.platform.http.resume.ResumableStreamStore;

import jakarta.servlet.http.HttpServletRequest;

import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * {@code GET /v1/streams/ID} resumes a stream whose connection broke, {@code DELETE} cancels it.
 * The id in the path is not decoded.
 */
final class StreamRoute extends Route {
    private static final long serialVersionUID = 1L;

    /** Path prefix before the id. */
    static final String PREFIX = "/v1/streams/";

    private static final String AFTER = "after=";
    private static final String LAST = "Last-Event-ID";
    private static final Pattern DIGITS = Pattern.compile("[0-9]{1,18}");

    private final transient ResumableStreamStore streams;

    StreamRoute(RequestLifecycle lifecycle, ResumableStreamStore streams) {
        super("/v1/streams", RoutePurpose.SERVICE, Methods.READ_OR_DELETE, lifecycle);
        this.streams = streams;
    }

    @Override
    RequestOutcome answer(Exchange exchange) throws IOException, InterruptedException {
        HttpServletRequest request = exchange.request();
        String id = below(PREFIX, request);
        ResumableStream stream =
                streams.find(id, exchange.admitted().caller().owner())
                        .orElseThrow(
                                () ->
                                        ApiException.status(
                                                404,
                                                "stream_not_found",
                                                "stream not found: it was not resumable, or the"
                                                        + " server has deleted it"));
        return request.getMethod().equals("DELETE")
                ? cancel(stream, exchange)
                : read(stream, after(request, id), exchange);
    }

    private RequestOutcome cancel(ResumableStream stream, Exchange exchange) throws IOException {
        streams.cancel(stream);
        JsonResponse.write(
                exchange.response(),
                200,
                Json.object()
                        .put("id", stream.id())
                        .put("object", "stream.deleted")
                        .put("deleted", true));
        return RequestOutcome.PLAIN;
    }

    private static RequestOutcome read(ResumableStream stream, long after, Exchange exchange)
            throws IOException, InterruptedException {
        if (stream.isReadTo(after)) {
            // A browser's EventSource stops reconnecting at this status.
            exchange.response().setStatus(204);
            return RequestOutcome.PLAIN;
        }
        try (ConnectionProbe probe = new ConnectionProbe(exchange.request())) {
            RequestOutcome outcome =
                    new ResumableStreamSender(stream, probe, exchange.response()).deliver(after);
            if (probe.mustClose()) {
                // Closing the probe ends the connection; flush the response before that.
                exchange.response().flushBuffer();
            }
            return outcome;
        }
    }

    /**
     * Returns the number of the last event that the client has. The header takes precedence over
     * the query, which a browser repeats unchanged when it reconnects.
     */
    private static long after(HttpServletRequest request, String id) {
        Optional<String> last =
                Optional.ofNullable(request.getHeader(LAST)).filter(text -> !text.isBlank());
        if (last.isPresent()) {
            String begin = id + ":";
            if (!last.get().startsWith(begin)) {
                throw ApiException.invalid(LAST, LAST + ": expected " + begin + "NUMBER");
            }
            return number(LAST, last.get().substring(begin.length()));
        }
        return Arrays.stream(Optional.ofNullable(request.getQueryString()).orElse("").split("&"))
                .filter(part -> part.startsWith(AFTER))
                .map(part -> number("after", part.substring(AFTER.length())))
                .findFirst()
                .orElse(0L);
    }

    private static long number(String name, String text) {
        if (!DIGITS.matcher(text).matches()) {
            throw ApiException.invalid(name, name + ": expected an event number");
        }
        return Long.parseLong(text);
    }
}
