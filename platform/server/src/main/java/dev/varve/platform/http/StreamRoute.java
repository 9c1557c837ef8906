package dev.varve.platform.http;

import dev.varve.platform.http.access.Purpose;
import dev.varve.platform.http.answer.ConnectionProbe;
import dev.varve.platform.http.answer.KeptDelivery;
import dev.varve.platform.http.answer.Outcome;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.JsonAnswer;
import dev.varve.platform.http.resume.KeptStream;
import dev.varve.platform.http.resume.KeptStreams;

import jakarta.servlet.http.HttpServletRequest;

import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * {@code GET /v1/streams/ID} goes on with a stream whose connection broke, {@code DELETE} cancels
 * it. The id is taken as it is written in the path.
 */
final class StreamRoute extends Route {
    private static final long serialVersionUID = 1L;

    /** What stands before the id. */
    static final String PREFIX = "/v1/streams/";

    private static final String AFTER = "after=";
    private static final String LAST = "Last-Event-ID";
    private static final Pattern DIGITS = Pattern.compile("[0-9]{1,18}");

    private final transient KeptStreams streams;

    StreamRoute(RequestCycle cycle, KeptStreams streams) {
        super("/v1/streams", Purpose.SERVICE, Methods.READ_OR_DELETE, cycle);
        this.streams = streams;
    }

    @Override
    Outcome answer(Exchange exchange) throws IOException, InterruptedException {
        HttpServletRequest request = exchange.request();
        String id = below(PREFIX, request);
        KeptStream stream =
                streams.find(id, exchange.admitted().caller().owner())
                        .orElseThrow(
                                () ->
                                        ApiException.status(
                                                404,
                                                "stream_not_found",
                                                "no such stream: it was not resumable, or is"
                                                        + " forgotten by now"));
        return request.getMethod().equals("DELETE")
                ? cancel(stream, exchange)
                : read(stream, after(request, id), exchange);
    }

    private Outcome cancel(KeptStream stream, Exchange exchange) throws IOException {
        streams.cancel(stream);
        JsonAnswer.write(
                exchange.response(),
                200,
                Json.object()
                        .put("id", stream.id())
                        .put("object", "stream.deleted")
                        .put("deleted", true));
        return Outcome.PLAIN;
    }

    private static Outcome read(KeptStream stream, long after, Exchange exchange)
            throws IOException, InterruptedException {
        if (stream.isReadTo(after)) {
            // By this status a browser's EventSource knows that it need not come again.
            exchange.response().setStatus(204);
            return Outcome.PLAIN;
        }
        try (ConnectionProbe probe = new ConnectionProbe(exchange.request())) {
            Outcome outcome = new KeptDelivery(stream, probe, exchange.response()).deliver(after);
            if (probe.mustClose()) {
                // The connection ends with the probe; the answer must be out by then.
                exchange.response().flushBuffer();
            }
            return outcome;
        }
    }

    /** The header counts before the path, which a browser that comes again repeats as it was. */
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
            throw ApiException.invalid(name, name + ": expected the number of an event");
        }
        return Long.parseLong(text);
    }
}
