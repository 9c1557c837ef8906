package dev.varve.platform.http.upstream;

import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.answer.SseWriter;
import dev.varve.platform.http.answer.StreamEvent;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.setting.SettingNames;

import jakarta.servlet.http.HttpServletResponse;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Relays replies to a client: status and body unchanged, streams event by event.
 *
 * @param response response to the client
 * @param names names of settings in messages
 */
record ReplyRelay(HttpServletResponse response, SettingNames names) {
    /** Larger bodies are relayed as they arrive, without parsing. */
    private static final int MOST_READ_BYTES = 16 << 20;

    /** The line that ends a stream, with or without a space. */
    private static final Pattern DONE = Pattern.compile("(?m)^data: ?\\[DONE]");

    /** Longer events are not the end mark. */
    private static final int LONGEST_END = 1000;

    private static final List<String> HEADERS = List.of("retry-after", "retry-after-ms");
    private static final String LIMITS = "x-ratelimit-";
    private static final RequestOutcome BROKEN = new RequestOutcome(Optional.of("error"), 0);

    /** How a stream ended. */
    record End(RequestOutcome outcome, Optional<UpstreamException> failure) {
        private static final End IN_ORDER = new End(RequestOutcome.PLAIN, Optional.empty());
    }

    /**
     * Relays a reply to its end.
     *
     * @param usage adds the compression of the prompt to the usage, if it was compressed
     * @return the outcome, with the failure of a stream that had begun: its client has already
     *     received the error
     * @throws UpstreamException if the reply is malformed or truncated before any of it was written
     * @throws IOException if the client disconnected
     */
    End relay(UpstreamReply reply, Optional<UsageExtension> usage)
            throws IOException, InterruptedException {
        if (reply.isStream()) {
            copyHeaders(reply);
            return stream(reply, usage);
        }
        whole(reply, usage);
        return End.IN_ORDER;
    }

    private End stream(UpstreamReply reply, Optional<UsageExtension> usage)
            throws IOException, InterruptedException {
        SseWriter sse = new SseWriter(response);
        // Reports at once that the request was accepted.
        response.flushBuffer();
        try {
            events(reply, usage, sse);
            return End.IN_ORDER;
        } catch (UpstreamException e) {
            // The headers are sent: the error is the last event, without a finish reason.
            sse.send(new StreamEvent.Data(ErrorForm.OPENAI.body(e.forClients(), names, "")));
            return new End(BROKEN, Optional.of(e));
        }
    }

    private static void events(UpstreamReply reply, Optional<UsageExtension> usage, SseWriter sse)
            throws IOException, InterruptedException {
        EventSplitter splitter = new EventSplitter();
        boolean done = false;
        for (Optional<byte[]> part = reply.next(); part.isPresent(); part = reply.next()) {
            for (byte[] event : splitter.push(part.get())) {
                done |= isDone(event);
                byte[] block = EventBlock.joinable(event);
                sse.event(usage.map(extension -> extension.event(block)).orElse(block));
            }
        }
        byte[] rest = splitter.rest();
        done |= isDone(rest);
        if (!done && reply.endsWithItsConnection()) {
            throw new UpstreamException(
                    UpstreamException.Kind.BROKEN,
                    "the upstream server's stream ended without [DONE]");
        }
        if (rest.length > 0) {
            sse.event(rest);
        }
    }

    private static boolean isDone(byte[] event) {
        return event.length <= LONGEST_END
                && DONE.matcher(new String(event, StandardCharsets.UTF_8)).find();
    }

    private void whole(UpstreamReply reply, Optional<UsageExtension> usage)
            throws IOException, InterruptedException {
        byte[] begin = reply.upTo(MOST_READ_BYTES);
        if (begin.length < MOST_READ_BYTES) {
            byte[] body = reply.isSuccess() ? checked(begin, usage) : begin;
            head(reply);
            response.setContentLength(body.length);
            response.getOutputStream().write(body);
            return;
        }
        head(reply);
        response.getOutputStream().write(begin);
        for (Optional<byte[]> part = next(reply); part.isPresent(); part = next(reply)) {
            response.getOutputStream().write(part.get());
        }
    }

    /**
     * Returns the next part of a reply that has begun; if the upstream server fails, the client's
     * connection is cut off too.
     */
    private static Optional<byte[]> next(UpstreamReply reply)
            throws IOException, InterruptedException {
        try {
            return reply.next();
        } catch (UpstreamException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private void head(UpstreamReply reply) {
        copyHeaders(reply);
        response.setStatus(reply.status());
        if (!reply.contentType().isEmpty()) {
            response.setContentType(reply.contentType());
        }
    }

    private void copyHeaders(UpstreamReply reply) {
        reply.headers()
                .map()
                .forEach(
                        (name, values) -> {
                            String lower = name.toLowerCase(Locale.ROOT);
                            if (HEADERS.contains(lower) || lower.startsWith(LIMITS)) {
                                values.forEach(value -> response.setHeader(lower, value));
                            }
                        });
    }

    private static byte[] checked(byte[] body, Optional<UsageExtension> usage) {
        ObjectNode reply = object(body);
        if (usage.isEmpty()) {
            return body;
        }
        usage.get().addTo(reply);
        return Json.writeBytes(reply);
    }

    /**
     * Parses a reply as an object.
     *
     * @throws UpstreamException if it is not an object
     * @throws IOException if the client disconnected
     */
    static ObjectNode object(UpstreamReply reply) throws IOException, InterruptedException {
        return object(reply.upTo(MOST_READ_BYTES));
    }

    private static ObjectNode object(byte[] body) {
        try {
            if (Json.readExact(body) instanceof ObjectNode reply) {
                return reply;
            }
        } catch (JacksonException e) {
            throw new UpstreamException(
                    UpstreamException.Kind.BROKEN, "the upstream server's reply is not JSON", e);
        }
        throw new UpstreamException(
                UpstreamException.Kind.BROKEN, "the upstream server's reply is not a JSON object");
    }
}
