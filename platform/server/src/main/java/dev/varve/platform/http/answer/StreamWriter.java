package dev.varve.platform.http.answer;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.setting.SettingNames;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Writes an answer as a stream of events. */
final class StreamWriter {
    /** So often a client that waits gets an event: some count only those, and give up. */
    static final Duration SIGN = Duration.ofSeconds(4);

    private final EventSink sink;
    private final ResponseSerializer format;
    private final SettingNames names;
    private final Duration sign;
    private long lastEvent;

    /** Signs of life come after {@code sign}, at the next tick. */
    StreamWriter(EventSink sink, ResponseSerializer format, SettingNames names, Duration sign) {
        this.sink = sink;
        this.format = format;
        this.names = names;
        this.sign = sign;
    }

    /** Writes until all {@code count} choices ended, or one failed. */
    void write(ChoiceEventReader choices, int count) throws IOException, InterruptedException {
        sink.sign(new StreamEvent.Comment("accepted"));
        lastEvent = System.nanoTime();
        sendAll(format.opening());
        for (int open = count; open > 0; ) {
            Optional<ChoiceEvent> event = choices.next();
            // Tokens may settle no text for long, as those of an argument that is told in one.
            if (System.nanoTime() - lastEvent > sign.toNanos()) {
                sink.sign(format.waiting());
                lastEvent = System.nanoTime();
            } else if (event.isEmpty()) {
                sink.sign(new StreamEvent.Comment("keep-alive"));
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
                    // Headers are gone: the error is the last event, and no finish is pretended.
                    choices.fail();
                    fail(failed.error());
                    return;
                }
            }
        }
        sendAll(format.closing(choices.usage()));
    }

    /** Writes the last events of a stream that breaks off. */
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
