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
 * Brings replies to a client: status and body as they are, streams event by event.
 *
 * @param response the client's
 * @param names what settings are called for it
 */
record ReplyRelay(HttpServletResponse response, SettingNames names) {
    /** What is larger goes on as it comes, unread. */
    private static final int MOST_READ_BYTES = 16 << 20;

    /** The line that ends a stream, with or without a blank. */
    private static final Pattern DONE = Pattern.compile("(?m)^data: ?\\[DONE]");

    /** Longer events are none of that. */
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
     * @param usage what is told in it of a prompt that became shorter
     * @return with the failure of a stream that had begun: its client has heard of it
     * @throws UpstreamException if the reply is none, or ends in the middle, before anything of it
     *     was written
     * @throws IOException if the client went away
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
        // The client learns at once that its request was taken.
        response.flushBuffer();
        try {
            events(reply, usage, sse);
            return End.IN_ORDER;
        } catch (UpstreamException e) {
            // Headers are gone: the error is the last event, and no finish is pretended.
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
                    UpstreamException.Kind.BROKEN, "the upstream server's stream has no end");
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

    /** The next part of what has begun: that it breaks off is told by breaking off. */
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
     * The object that a reply is.
     *
     * @throws UpstreamException if it is none
     * @throws IOException if the client went away
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
