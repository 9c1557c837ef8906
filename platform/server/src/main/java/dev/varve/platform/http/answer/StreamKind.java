package dev.varve.platform.http.answer;

import jakarta.servlet.http.HttpServletResponse;

import java.io.IOException;

/** How the events of a stream are written. */
public enum StreamKind {
    /** Server-sent events, which can be resumed. */
    SSE {
        @Override
        EventSink open(HttpServletResponse response) throws IOException {
            return new SseWriter(response);
        }
    },
    /**
     * One JSON object a line; cannot be resumed, since a client cannot name the last object that it
     * received.
     */
    NDJSON {
        @Override
        EventSink open(HttpServletResponse response) throws IOException {
            return new NdjsonWriter(response);
        }
    };

    /** Sets the headers of a stream; sends nothing yet. */
    abstract EventSink open(HttpServletResponse response) throws IOException;
}
