package dev.varve.api.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Optional;

class TraceParentTest {
    private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
    private static final String SPAN = "00f067aa0ba902b7";

    @Test
    void idsAndFlagsAreRead() {
        assertEquals(
                Optional.of(new TraceParent(TRACE, SPAN, true, "a=b")),
                TraceParent.parse("00-" + TRACE + "-" + SPAN + "-01", "a=b"));
        assertEquals(
                Optional.of(new TraceParent(TRACE, SPAN, false, "")),
                TraceParent.parse("00-" + TRACE + "-" + SPAN + "-02", ""));
    }

    @Test
    void laterVersionsMayHaveMoreFields() {
        assertEquals(
                Optional.of(new TraceParent(TRACE, SPAN, true, "")),
                TraceParent.parse("cc-" + TRACE + "-" + SPAN + "-09-what-comes", ""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "00",
                "00-" + TRACE + "-" + SPAN,
                "00-" + TRACE + "-" + SPAN + "-01-more",
                "00-" + TRACE + "-" + SPAN + "-1",
                "00-" + TRACE + "-" + SPAN + "-01 x",
                "ff-" + TRACE + "-" + SPAN + "-01",
                "00-00000000000000000000000000000000-" + SPAN + "-01",
                "00-" + TRACE + "-0000000000000000-01",
                "00-4BF92F3577B34DA6A3CE929D0E0E4736-" + SPAN + "-01",
                "00-" + TRACE + "0-" + SPAN + "-01"
            })
    void invalidHeaderIsIgnored(String header) {
        assertEquals(Optional.empty(), TraceParent.parse(header, ""));
    }
}
