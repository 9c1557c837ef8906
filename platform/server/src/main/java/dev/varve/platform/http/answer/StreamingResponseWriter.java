package dev.varve.platform.http.answer;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.setting.SettingNames;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Writes a response as a stream of events. */
final class StreamingResponseWriter {
    /**
     * A waiting client receives an event this often: some clients count only events, not comments,
     * and time out.
     */
    static final Duration HEARTBEAT_INTERVAL = Duration.ofSeconds(4);

    private final EventSink sink;
    private final ResponseSerializer format;
    private final SettingNames names;
    private final Duration heartbeatInterval;
    private long lastEvent;

    /**
     * Makes a writer that sends heartbeats after {@code heartbeatInterval} without events, at the
     * next tick.
     */
    StreamingResponseWriter(
            EventSink sink,
            ResponseSerializer format,
            SettingNames names,
            Duration heartbeatInterval) {
        this.sink = sink;
        this.format = format;
        this.names = names;
        this.heartbeatInterval = heartbeatInterval;
    }

    /** Writes until all {@code count} choices ended, or one failed. */
    void write(ChoiceEventReader choices, int count) throws IOException, InterruptedException {
        sink.sendHeartbeat(new StreamEvent.Comment("accepted"));
        lastEvent = System.nanoTime();
        sendAll(format.opening());
        for (int open = count; open > 0; ) {
            Optional<ChoiceEvent> event = choices.next();
            // Tokens may complete no text for long, such as those of an argument that is sent as a
            // whole.
            if (System.nanoTime() - lastEvent > heartbeatInterval.toNanos()) {
                sink.sendHeartbeat(format.waiting());
                lastEvent = System.nanoTime();
            } else if (event.isEmpty()) {
                sink.sendHeartbeat(new StreamEvent.Comment("keep-alive"));
            }
            if (event.isEmpty()) {
                continue;
            }
            switch (event.get()) {
                case ChoiceEvent.Token token -> sendAll(format.token(token));
                case ChoiceEvent.Ended ended -> {
                    choices.end(ended);
                    sendAll(format.end(ended));
                    open--;
                }
                case ChoiceEvent.Failed failed -> {
                    // The headers are sent: the error is the last event, without a finish reason.
                    choices.fail();
                    fail(failed.error());
                    return;
                }
            }
        }
        sendAll(format.closing(choices.usage()));
    }

    /** Writes the last events of a failed stream. */
    void fail(ApiException error) throws IOException {
        sendAll(format.failure(error, names));
    }

    private void sendAll(List<StreamEvent> events) throws IOException {
        for (StreamEvent event : events) {
            sink.send(event);
            lastEvent = System.nanoTime();
        }
    }
}
