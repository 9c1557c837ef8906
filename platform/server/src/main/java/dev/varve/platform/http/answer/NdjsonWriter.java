package dev.varve.platform.http.answer;

import dev.varve.platform.http.json.Json;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletResponse;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Writes one JSON object a line ({@code application/x-ndjson}) and flushes each. Omits comments and
 * marks, since clients parse every line.
 */
final class NdjsonWriter implements EventSink {
    private final ServletOutputStream out;

    /** Sets the headers of a stream; sends nothing yet. */
    NdjsonWriter(HttpServletResponse response) throws IOException {
        response.setStatus(200);
        response.setContentType("application/x-ndjson");
        response.setHeader("Cache-Control", "no-cache");
        response.setHeader("X-Accel-Buffering", "no");
        out = response.getOutputStream();
    }

    @Override
    public void send(StreamEvent event) throws IOException {
        switch (event) {
            case StreamEvent.Data(ObjectNode data) -> line(data);
            case StreamEvent.Named(String name, ObjectNode data) -> line(data);
            case StreamEvent.Mark mark -> {
                // The last object marks the end itself.
            }
            case StreamEvent.Comment comment -> {
                // Heartbeats are objects without text.
            }
        }
    }

    @Override
    public void sendHeartbeat(StreamEvent event) throws IOException {
        send(event);
    }

    private void line(ObjectNode data) throws IOException {
        out.write((Json.write(data) + "\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
    }
}
