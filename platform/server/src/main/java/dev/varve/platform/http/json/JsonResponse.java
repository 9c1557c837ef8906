package dev.varve.platform.http.json;

import jakarta.servlet.http.HttpServletResponse;

import tools.jackson.databind.JsonNode;

import java.io.IOException;

/** Writes responses that are one JSON value. */
public final class JsonResponse {
    private static final int PART_BYTES = 64 << 10;

    private JsonResponse() {}

    /** Writes a value as the whole response. */
    public static void write(HttpServletResponse response, int status, JsonNode body)
            throws IOException {
        write(response, status, Json.writeBytes(body));
    }

    /** Writes the text of a value as the whole response. */
    public static void write(HttpServletResponse response, int status, byte[] bytes)
            throws IOException {
        response.setStatus(status);
        response.setContentType("application/json");
        response.setContentLength(bytes.length);
        // Written in parts, so that a client that reads slowly is distinguished from one that does
        // not read.
        for (int at = 0; at < bytes.length; at += PART_BYTES) {
            response.getOutputStream().write(bytes, at, Math.min(PART_BYTES, bytes.length - at));
        }
    }
}
