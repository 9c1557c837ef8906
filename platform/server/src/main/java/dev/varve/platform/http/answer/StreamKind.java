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
    /** One JSON object a line; a client cannot name the last one that it got. */
    NDJSON {
        @Override
        EventSink open(HttpServletResponse response) throws IOException {
            return new NdjsonWriter(response);
        }
    };

    /** Begins a stream: sets the headers, and sends nothing yet. */
    abstract EventSink open(HttpServletResponse response) throws IOException;
}
