package dev.varve.platform.http.answer;

import dev.varve.platform.http.json.Json;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletResponse;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Server-sent events; each is flushed. */
final class SseWriter {
    private final ServletOutputStream out;

    SseWriter(HttpServletResponse response) throws IOException {
        response.setStatus(200);
        response.setContentType("text/event-stream");
        response.setCharacterEncoding("utf-8");
        response.setHeader("Cache-Control", "no-cache");
        response.setHeader("X-Accel-Buffering", "no");
        out = response.getOutputStream();
    }

    void data(JsonNode node) throws IOException {
        raw("data: " + Json.write(node) + "\n\n");
    }

    void done() throws IOException {
        raw("data: [DONE]\n\n");
    }

    void comment(String text) throws IOException {
        raw(": " + text + "\n\n");
    }

    private void raw(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }
}
