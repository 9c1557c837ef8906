package dev.varve.platform.http.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

class EventSplitterTest {
    private static final String STREAM =
            "data: a\n\n: c\r\n\r\nevent: x\ndata: ö\ndata: b\n\n\ndata: [DONE]\n\nrest";
    private static final List<String> EVENTS =
            List.of(
                    "data: a\n\n",
                    ": c\r\n\r\n",
                    "event: x\ndata: ö\ndata: b\n\n",
                    "\n",
                    "data: [DONE]\n\n");

    private static String text(byte[] bytes) {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Wherever the bytes are cut. */
    @Test
    void eventsAreTheSameForAnyFragmentation() {
        byte[] bytes = STREAM.getBytes(StandardCharsets.UTF_8);
        for (int size = 1; size <= bytes.length; size++) {
            EventSplitter splitter = new EventSplitter();
            List<String> events = new ArrayList<>();
            for (int at = 0; at < bytes.length; at += size) {
                byte[] part = Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + size));
                splitter.push(part).forEach(event -> events.add(text(event)));
            }

            assertEquals(EVENTS, events, "pieces of " + size);
            assertEquals("rest", text(splitter.rest()), "pieces of " + size);
        }
    }

    @Test
    void eventSizeIsLimited() {
        EventSplitter splitter = new EventSplitter();
        byte[] much = new byte[EventSplitter.MOST_BYTES];
        splitter.push(much);

        assertThrows(UpstreamException.class, () -> splitter.push(new byte[1]));
    }
}
