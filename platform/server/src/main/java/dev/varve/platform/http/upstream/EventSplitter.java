package dev.varve.platform.http.upstream;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/** Finds the events of a stream, each with the empty line behind it, in bytes as they come. */
final class EventSplitter {
    /** Longer events are no chat's. */
    static final int MOST_BYTES = 16 << 20;

    private final ByteArrayOutputStream event = new ByteArrayOutputStream();
    private boolean lineIsEmpty = true;

    /**
     * The events that are complete with these bytes.
     *
     * @throws UpstreamException if one is longer than {@value #MOST_BYTES} bytes
     */
    List<byte[]> push(byte[] bytes) {
        List<byte[]> complete = new ArrayList<>();
        int from = 0;
        for (int at = 0; at < bytes.length; at++) {
            if (bytes[at] == '\n' && lineIsEmpty) {
                event.write(bytes, from, at + 1 - from);
                from = at + 1;
                complete.add(rest());
            }
            lineIsEmpty = bytes[at] == '\n' || lineIsEmpty && bytes[at] == '\r';
        }
        event.write(bytes, from, bytes.length - from);
        if (event.size() > MOST_BYTES) {
            throw new UpstreamException(
                    UpstreamException.Kind.BROKEN,
                    "the upstream server sent an event of more than " + MOST_BYTES + " bytes");
        }
        return complete;
    }

    /** What came of an event that is not complete. */
    byte[] rest() {
        byte[] rest = event.toByteArray();
        event.reset();
        return rest;
    }
}
