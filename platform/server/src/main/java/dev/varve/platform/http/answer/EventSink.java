package dev.varve.platform.http.answer;

import java.io.IOException;

/** Takes the events of a stream. */
interface EventSink {
    /** Takes an event of the answer. */
    void send(StreamEvent event) throws IOException;

    /** Takes a sign of life, which is no part of the answer. */
    void sign(StreamEvent event) throws IOException;
}
