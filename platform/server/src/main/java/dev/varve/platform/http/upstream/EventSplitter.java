package dev.varve.platform.http.upstream;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;

/** Splits the bytes of a stream into events, each with the empty line after it. */
final class EventSplitter {
    /** Maximum length of an event. */
    static final int MOST_BYTES = 16 << 20;

    private final ByteArrayOutputStream event = new ByteArrayOutputStream();
    private boolean lineIsEmpty = true;

    /**
     * Returns the events that these bytes complete.
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

    /** Returns the bytes of an incomplete event. */
    byte[] rest() {
        byte[] rest = event.toByteArray();
        event.reset();
        return rest;
    }
}
