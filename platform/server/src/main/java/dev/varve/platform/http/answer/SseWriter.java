package dev.varve.platform.http.answer;

import dev.varve.platform.http.json.Json;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletResponse;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Writes server-sent events and flushes each. */
public final class SseWriter implements EventSink {
    private final ServletOutputStream out;

    /** Sets the headers of a stream; sends nothing yet. */
    public SseWriter(HttpServletResponse response) throws IOException {
        response.setStatus(200);
        response.setContentType("text/event-stream");
        response.setCharacterEncoding("utf-8");
        response.setHeader("Cache-Control", "no-cache");
        response.setHeader("X-Accel-Buffering", "no");
        out = response.getOutputStream();
    }

    /** Sends an event. */
    @Override
    public void send(StreamEvent event) throws IOException {
        event(text(event));
    }

    @Override
    public void sendHeartbeat(StreamEvent event) throws IOException {
        send(event);
    }

    /**
     * Returns an event as it is sent, with the empty line after it. A comment has no empty line: it
     * belongs to the block of the next event, since some clients treat each block as an event and
     * fail on one without data.
     */
    static byte[] text(StreamEvent event) {
        String lines =
                switch (event) {
                    case StreamEvent.Data(ObjectNode data) -> "data: " + Json.write(data) + "\n\n";
                    case StreamEvent.Named(String name, ObjectNode data) ->
                            "event: " + name + "\ndata: " + Json.write(data) + "\n\n";
                    case StreamEvent.Mark(String text) -> "data: " + text + "\n\n";
                    case StreamEvent.Comment(String text) -> ": " + text + "\n";
                };
        return lines.getBytes(StandardCharsets.UTF_8);
    }

    /** Sends an encoded event, with the empty line after it. */
    public void event(byte[] text) throws IOException {
        out.write(text);
        out.flush();
    }
}
