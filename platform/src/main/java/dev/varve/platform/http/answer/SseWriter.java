package dev.varve.platform.http.answer;

import dev.varve.platform.http.json.Json;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletResponse;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Server-sent events; each is flushed. */
public final class SseWriter {
    private final ServletOutputStream out;

    /** Begins a stream: sets the headers, and sends nothing yet. */
    public SseWriter(HttpServletResponse response) throws IOException {
        response.setStatus(200);
        response.setContentType("text/event-stream");
        response.setCharacterEncoding("utf-8");
        response.setHeader("Cache-Control", "no-cache");
        response.setHeader("X-Accel-Buffering", "no");
        out = response.getOutputStream();
    }

    /** An event with a value. */
    public void data(JsonNode node) throws IOException {
        raw("data: " + Json.write(node) + "\n\n");
    }

    void done() throws IOException {
        raw("data: [DONE]\n\n");
    }

    void comment(String text) throws IOException {
        raw(": " + text + "\n\n");
    }

    /** An event that is written out already, with the empty line behind it. */
    public void event(byte[] text) throws IOException {
        out.write(text);
        out.flush();
    }

    private void raw(String text) throws IOException {
        event(text.getBytes(StandardCharsets.UTF_8));
    }
}
