package dev.varve.platform.http.answer;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.JsonAnswer;
import dev.varve.platform.setting.SettingNames;

import jakarta.servlet.http.HttpServletResponse;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Brings the events of a request to its client, as a stream or as one object, and notices when the
 * client leaves.
 */
final class AnswerWriter {
    /**
     * A client hears something at least this often; it is also how often its connection is probed.
     */
    private static final Duration TICK = Duration.ofMillis(700);

    /** So often a client that waits gets an event: some count only those, and give up. */
    private static final Duration SIGN = Duration.ofSeconds(4);

    private final HttpServletResponse response;
    private final BooleanSupplier clientGone;
    private final SettingNames names;
    private final AnswerFormat format;
    private final Delivery delivery;
    private final Duration sign;
    private final Usage usage = new Usage();
    private String finishReason = "";
    private long lastProbe = System.nanoTime();

    /**
     * Who reads the answer.
     *
     * @param gone whether the client closed its connection; asked now and then
     * @param names what settings are called for it
     */
    record Reader(HttpServletResponse response, BooleanSupplier gone, SettingNames names) {}

    AnswerWriter(Reader reader, AnswerFormat format, Delivery delivery) {
        this(reader, format, delivery, SIGN);
    }

    /** Signs of life come after {@code sign}, at the next tick. */
    AnswerWriter(Reader reader, AnswerFormat format, Delivery delivery, Duration sign) {
        response = reader.response();
        clientGone = reader.gone();
        names = reader.names();
        this.format = format;
        this.delivery = delivery;
        this.sign = sign;
    }

    /** Writes until all {@code count} choices ended. */
    Outcome write(Choices choices, int count) throws IOException, InterruptedException {
        if (delivery != Delivery.WHOLE) {
            stream(choices, count);
        } else {
            whole(choices, count);
        }
        return new Outcome(Optional.of(finishReason), usage.generatedTokens());
    }

    private void stream(Choices choices, int count) throws IOException, InterruptedException {
        SseWriter sse = new SseWriter(response);
        sse.send(new StreamEvent.Comment("accepted"));
        sendAll(sse, format.opening());
        long lastEvent = System.nanoTime();
        for (int open = count; open > 0; ) {
            Optional<ChoiceEvent> event = next(choices);
            if (event.isEmpty()) {
                boolean waits = System.nanoTime() - lastEvent > sign.toNanos();
                sse.send(waits ? format.waiting() : new StreamEvent.Comment("keep-alive"));
                lastEvent = waits ? System.nanoTime() : lastEvent;
                continue;
            }
            lastEvent = System.nanoTime();
            switch (event.get()) {
                case ChoiceEvent.Token token -> sendAll(sse, format.token(token));
                case ChoiceEvent.Ended ended -> {
                    end(ended);
                    sendAll(sse, format.end(ended));
                    open--;
                }
                case ChoiceEvent.Failed failed -> {
                    // Headers are gone: the error is the last event, and no finish is pretended.
                    finishReason = "error";
                    sendAll(sse, format.failure(ApiException.of(failed.error()), names));
                    return;
                }
            }
        }
        sendAll(sse, format.closing(usage));
    }

    private static void sendAll(SseWriter sse, List<StreamEvent> events) throws IOException {
        for (StreamEvent event : events) {
            sse.send(event);
        }
    }

    private void whole(Choices choices, int count) throws IOException, InterruptedException {
        List<ChoiceEvent> events = new ArrayList<>();
        for (int open = count; open > 0; ) {
            Optional<ChoiceEvent> event = next(choices);
            if (event.isPresent()) {
                switch (event.get()) {
                    case ChoiceEvent.Token token -> events.add(token);
                    case ChoiceEvent.Ended ended -> {
                        end(ended);
                        events.add(ended);
                        open--;
                    }
                    case ChoiceEvent.Failed failed -> throw ApiException.of(failed.error());
                }
            }
        }
        JsonAnswer.write(response, 200, format.whole(events, usage));
    }

    private void end(ChoiceEvent.Ended ended) {
        usage.add(ended);
        CacheLog.report(ended.end());
        finishReason = ended.finishReason();
    }

    /** The next event, or empty after a tick. */
    private Optional<ChoiceEvent> next(Choices choices) throws IOException, InterruptedException {
        Optional<ChoiceEvent> event = choices.next(TICK);
        long now = System.nanoTime();
        if (event.isEmpty() || now - lastProbe > TICK.toNanos()) {
            lastProbe = now;
            if (clientGone.getAsBoolean() || choices.isOverflown()) {
                throw new IOException("the client is gone");
            }
        }
        return event;
    }
}
