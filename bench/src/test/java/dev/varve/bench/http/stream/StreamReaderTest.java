package dev.varve.bench.http.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

class StreamReaderTest {
    private final List<Integer> progress = new ArrayList<>();
    private final StreamReader reader = new StreamReader(5, progress::add);

    @Test
    void onlyChunksWithTextAreTimed() {
        reader.line(
                "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}", 10);
        reader.line("", 10);
        reader.line(": still there", 11);
        reader.line("data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"hm\"}}]}", 20);
        reader.line("data:{\"choices\":[{\"delta\":{\"content\":\"Hi\"}}],\"usage\":null}", 30);
        reader.line("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}", 31);
        reader.line(
                "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":4,"
                        + "\"prompt_tokens_details\":{\"cached_tokens\":6}}}",
                32);
        reader.line("data: [DONE]", 33);

        Answer answer = reader.finish("");

        assertEquals(new Answer(5, List.of(20L, 30L), 33, Optional.of(new Usage(9, 4, 6))), answer);
        assertEquals(List.of(1, 2), progress);
        assertEquals(4, answer.tokens());
    }

    @Test
    void withoutUsageChunksWithTextCountAsTokens() {
        reader.line("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}", 10);
        reader.line("data: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}", 11);
        reader.line("data: [DONE]", 12);

        assertEquals(2, reader.finish("").tokens());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "data: {\"error\":{\"message\":\"shard lost\"}}",
                "error: {\"code\":500,\"message\":\"shard lost\"}",
                "data: shard lost"
            })
    void errorInTheStreamIsReportedEvenIfTheStreamEndsNormally(String line) {
        reader.line("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}", 10);
        reader.line(line, 11);
        reader.line("data: [DONE]", 12);

        ServerFailure failure = assertThrows(ServerFailure.class, () -> reader.finish(""));

        assertTrue(failure.getMessage().contains("shard lost"), failure.getMessage());
    }

    @Test
    void streamWithoutDoneReportsItsProgress() {
        reader.line("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}", 10);

        ServerFailure failure = assertThrows(ServerFailure.class, () -> reader.finish(""));

        assertEquals(
                "the stream ended without [DONE] after 1 chunk with text", failure.getMessage());
    }

    @Test
    void bodyThatIsNoStreamIsShown() {
        ServerFailure failure =
                assertThrows(ServerFailure.class, () -> reader.finish("<html>  welcome</html>"));

        assertTrue(failure.getMessage().endsWith(": <html> welcome</html>"), failure.getMessage());
    }

    @Test
    void brokenConnectionReportsTheStreamProgress() {
        reader.line("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}", 10);
        reader.line("data: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}", 10);

        String message = reader.brokenOff(new IOException("connection reset")).getMessage();

        assertTrue(message.contains("after 2 chunks"), message);
        assertTrue(message.contains("connection reset"), message);
    }

    @Test
    void longBodyIsTruncatedInMessages() {
        String message =
                assertThrows(ServerFailure.class, () -> reader.finish("x".repeat(100_000)))
                        .getMessage();

        assertTrue(message.length() < 400, () -> "length " + message.length());
    }
}
