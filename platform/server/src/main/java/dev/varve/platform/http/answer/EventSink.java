package dev.varve.platform.http.answer;

import java.io.IOException;

/** Accepts the events of a stream. */
interface EventSink {
    /** Sends an event of the response. */
    void send(StreamEvent event) throws IOException;

    /** Sends a heartbeat, which is not part of the response. */
    void sendHeartbeat(StreamEvent event) throws IOException;
}
