package dev.varve.platform.http.answer;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.JsonResponse;
import dev.varve.platform.setting.SettingNames;

import jakarta.servlet.http.HttpServletResponse;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Writes the events of a request to its client, as a stream or as one object, and detects that the
 * client disconnected.
 */
final class ResponseWriter {
    private final ResponseRecipient reader;
    private final ResponseSerializer format;
    private final ResponseMode delivery;
    private final Duration heartbeatInterval;

    /**
     * The client that reads the response.
     *
     * @param disconnected whether the client closed its connection; called regularly
     * @param names names of settings in messages
     * @param opening run before the first byte, to set headers
     * @param failures receives failures of the server itself
     */
    record ResponseRecipient(
            HttpServletResponse response,
            BooleanSupplier disconnected,
            SettingNames names,
            Runnable opening,
            Consumer<RuntimeException> failures) {}

    ResponseWriter(ResponseRecipient reader, ResponseSerializer format, ResponseMode delivery) {
        this(reader, format, delivery, StreamingResponseWriter.HEARTBEAT_INTERVAL);
    }

    /**
     * Makes a writer that sends heartbeats after {@code heartbeatInterval} without events, at the
     * next tick.
     */
    ResponseWriter(
            ResponseRecipient reader,
            ResponseSerializer format,
            ResponseMode delivery,
            Duration heartbeatInterval) {
        this.reader = reader;
        this.format = format;
        this.delivery = delivery;
        this.heartbeatInterval = heartbeatInterval;
    }

    /** Writes until all {@code count} choices ended. */
    RequestOutcome write(ChoiceEventQueue choices, int count)
            throws IOException, InterruptedException {
        ChoiceEventReader events = new ChoiceEventReader(choices, reader.disconnected());
        if (delivery != ResponseMode.WHOLE) {
            reader.opening().run();
            stream(events, count);
        } else {
            whole(events, count);
        }
        return events.outcome();
    }

    private void stream(ChoiceEventReader choices, int count)
            throws IOException, InterruptedException {
        EventSink sink = format.stream().open(reader.response());
        StreamingResponseWriter writer =
                new StreamingResponseWriter(sink, format, reader.names(), heartbeatInterval);
        try {
            writer.write(choices, count);
        } catch (RuntimeException e) {
            reader.failures().accept(e);
            choices.fail();
            writer.fail(ApiException.internal());
        }
    }

    private void whole(ChoiceEventReader choices, int count)
            throws IOException, InterruptedException {
        List<ChoiceEvent.OutputEvent> events = new ArrayList<>();
        for (int open = count; open > 0; ) {
            Optional<ChoiceEvent> event = choices.next();
            if (event.isPresent()) {
                switch (event.get()) {
                    case ChoiceEvent.Token token -> events.add(token);
                    case ChoiceEvent.Ended ended -> {
                        choices.end(ended);
                        events.add(ended);
                        open--;
                    }
                    case ChoiceEvent.Failed failed -> throw failed.error();
                }
            }
        }
        reader.opening().run();
        JsonResponse.write(reader.response(), 200, format.whole(events, choices.usage()));
    }
}
