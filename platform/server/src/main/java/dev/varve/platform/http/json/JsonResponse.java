package dev.varve.platform.http.json;

import jakarta.servlet.http.HttpServletResponse;

import tools.jackson.databind.JsonNode;

import java.io.IOException;

/** Writes answers that are one JSON object. */
public final class JsonResponse {
    private static final int PART_BYTES = 64 << 10;

    private JsonResponse() {}

    /** Writes a value as the whole answer. */
    public static void write(HttpServletResponse response, int status, JsonNode body)
            throws IOException {
        write(response, status, Json.writeBytes(body));
    }

    /** Writes the text of a value as the whole answer. */
    public static void write(HttpServletResponse response, int status, byte[] bytes)
            throws IOException {
        response.setStatus(status);
        response.setContentType("application/json");
        response.setContentLength(bytes.length);
        // Part by part, so that a slow client that reads is told from one that does not.
        for (int at = 0; at < bytes.length; at += PART_BYTES) {
            response.getOutputStream().write(bytes, at, Math.min(PART_BYTES, bytes.length - at));
        }
    }
}
