package dev.varve.platform.http.answer;

import dev.varve.platform.http.json.ClientGoneException;
import dev.varve.platform.http.resume.ResumableStream;

import jakarta.servlet.http.HttpServletResponse;

import java.io.IOException;
import java.util.Optional;

/** Sends the stored and the following events of a resumable stream to a client. */
public final class ResumableStreamSender {
    private static final String STREAM = "x-varve-stream";
    private static final byte[] KEEP_ALIVE = SseWriter.text(new StreamEvent.Comment("keep-alive"));

    private final ResumableStream stream;
    private final ConnectionProbe probe;
    private final HttpServletResponse response;
    private long lastEvent = System.nanoTime();
    private long lastProbe = System.nanoTime();

    /** Makes a replay; {@code probe} belongs to the request of {@code response}. */
    public ResumableStreamSender(
            ResumableStream stream, ConnectionProbe probe, HttpServletResponse response) {
        this.stream = stream;
        this.probe = probe;
        this.response = response;
    }

    /**
     * Writes the events after number {@code after} until the stream ends. A client that disconnects
     * earlier may resume.
     *
     * @throws IOException if the client disconnected, reads too slowly, or resumed on another
     *     connection
     * @throws dev.varve.platform.http.json.ApiException if the next event is no longer stored
     */
    public RequestOutcome deliver(long after) throws IOException, InterruptedException {
        try (ResumableStream.Reading reading = stream.read(after, probe::abort)) {
            response.setHeader(STREAM, stream.id());
            SseWriter sse = new SseWriter(response);
            sse.sendHeartbeat(new StreamEvent.Comment("accepted"));
            while (true) {
                ResumableStream.Step step = reading.next(ChoiceEventReader.TICK);
                checkClient(step instanceof ResumableStream.Step.Nothing);
                switch (step) {
                    case ResumableStream.Step.Event(byte[] text) -> {
                        sse.event(text);
                        lastEvent = System.nanoTime();
                    }
                    case ResumableStream.Step.Nothing nothing -> sse.event(heartbeat());
                    case ResumableStream.Step.Ended(String finishReason, int tokens) -> {
                        return new RequestOutcome(Optional.of(finishReason), tokens);
                    }
                    case ResumableStream.Step.CannotContinue lost -> {
                        // A regular end of the stream would look like the end of the response.
                        probe.abort();
                        throw new ClientGoneException();
                    }
                }
            }
        }
    }

    private byte[] heartbeat() {
        if (System.nanoTime() - lastEvent <= StreamingResponseWriter.HEARTBEAT_INTERVAL.toNanos()) {
            return KEEP_ALIVE;
        }
        lastEvent = System.nanoTime();
        return stream.heartbeat();
    }

    private void checkClient(boolean quiet) throws IOException {
        long now = System.nanoTime();
        if (quiet || now - lastProbe > ChoiceEventReader.TICK.toNanos()) {
            lastProbe = now;
            if (probe.isDisconnected()) {
                throw new ClientGoneException();
            }
        }
    }
}
