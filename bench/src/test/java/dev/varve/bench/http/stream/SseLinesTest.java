package dev.varve.bench.http.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

class SseLinesTest {
    private record Line(String text, long nanos) {}

    private final List<Line> found = new ArrayList<>();
    private final SseLines lines = new SseLines((text, nanos) -> found.add(new Line(text, nanos)));

    @Test
    void linesAreTheSameForAnyFragmentation() {
        byte[] bytes =
                "data: größer\r\n\r\n: ping\ndata: [DONE]\n\n".getBytes(StandardCharsets.UTF_8);
        List<String> expected = List.of("data: größer", "", ": ping", "data: [DONE]", "");
        for (int cut = 0; cut <= bytes.length; cut++) {
            found.clear();

            lines.read(ByteBuffer.wrap(bytes, 0, cut), 1);
            lines.read(ByteBuffer.wrap(bytes, cut, bytes.length - cut), 2);

            assertEquals(expected, found.stream().map(Line::text).toList(), "cut at " + cut);
        }
    }

    @Test
    void lineHasTheTimeOfTheReadThatCompletedIt() {
        read("data: a\ndata: ", 10);
        read("b", 20);
        read("\n", 30);
        read("data: c\n", 40);

        assertEquals(
                List.of(new Line("data: a", 10), new Line("data: b", 30), new Line("data: c", 40)),
                found);
    }

    @Test
    void unterminatedLineStaysInTheBuffer() {
        read("data: a\n{\"error\"", 10);

        assertEquals(List.of(new Line("data: a", 10)), found);
        assertEquals("{\"error\"", lines.rest());
    }

    private void read(String text, long nanos) {
        lines.read(StandardCharsets.UTF_8.encode(text), nanos);
    }
}
