package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.json.JsonMapper;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** When an answer of a demo model counts as right. */
class DemoQuestionTest {
    private static final String QUESTIONS =
            """
            [{"id": 1, "kind": "fact", "messages": [{"role": "user", "content": "?"}],
              "accepted": [["java", "25"], ["jdk"]]},
             {"id": "two", "kind": "tool", "messages": [],
              "tools": [{"type": "function", "function": {"name": "f"}}],
              "call": {"name": "f", "arguments": {"city": "Bern", "days": 2}}},
             {"id": 3, "kind": "json", "messages": [], "accepted": [["name", "Anna"]]}]
            """;

    @TempDir Path folder;

    private List<DemoQuestion> questions() throws Exception {
        return DemoQuestion.read(Files.writeString(folder.resolve("q.json"), QUESTIONS));
    }

    @ParameterizedTest
    @CsvSource({
        "It needs Java 25., true",
        "25 is for java, true",
        "A JDK, true",
        "Java 250, false",
        "Java 125, false",
        "Java, false"
    })
    void responseWithAllWordsOfOneListIsCorrect(String text, boolean right) throws Exception {
        String message = "{\"content\": \"" + text + "\"}";

        assertEquals(
                right, questions().getFirst().isAnsweredBy(JsonMapper.shared().readTree(message)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "f | {\"days\": 2, \"city\": \"Bern\"} | true",
                "f | {\"days\": \"2\", \"city\": \"Bern\"} | true",
                "g | {\"days\": 2, \"city\": \"Bern\"} | false",
                "f | {\"days\": 3, \"city\": \"Bern\"} | false",
                "f | {\"city\": \"Bern\"} | false"
            })
    void firstToolCallMustBeTheExpectedOne(String name, String arguments, boolean right)
            throws Exception {
        JsonMapper json = JsonMapper.shared();
        var message = json.createObjectNode().putNull("content");
        message.putArray("tool_calls")
                .addObject()
                .putObject("function")
                .put("name", name)
                .put("arguments", arguments);

        assertEquals(right, questions().get(1).isAnsweredBy(message));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"name\": \"Anna\"} | true",
                "{\"name\": \"Anna\" | false",
                "{\"name\": \"Ben\"} | false",
                "[\"name\", \"Anna\"] | false",
                "Anna: {\"name\": \"Anna\"} | false"
            })
    void jsonObjectAloneIsJson(String text, boolean right) throws Exception {
        var message = JsonMapper.shared().createObjectNode().put("content", text);

        assertEquals(right, questions().getLast().isAnsweredBy(message));
    }

    @Test
    void questionsAreSentWithGreedySampling() throws Exception {
        assertEquals(
                "{\"messages\":[],\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}],"
                    + "\"temperature\":0,\"max_tokens\":160}",
                questions().get(1).request());
        assertEquals(
                false,
                questions()
                        .get(1)
                        .isAnsweredBy(JsonMapper.shared().readTree("{\"content\":null}")));
    }
}
