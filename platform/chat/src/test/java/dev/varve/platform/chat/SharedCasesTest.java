package dev.varve.platform.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.chat.Dialects.Answer;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Answers of models that were reported to be read wrong, as they lie beside the repository. */
class SharedCasesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "02-call-inside-an-unclosed-thought-qwen35 | I should look. | |"
                        + " [{\"command\":\"ls\"}]",
                "03-gemma4-array-of-plain-json-strings | | | [{\"refs\":[\"ds_1\",\"ds_2, x\"]}]",
                "04-gemma4-plain-quotes | | | [{\"city\":\"Bern\",\"days\":3}]",
                "05-gemma4-key-equals-value | | |"
                        + " [{\"code\":\"x\",\"save_as\":\"report.docx\"}]",
                "06-qwen3-raw-newline-in-json-string | | |"
                        + " [{\"filePath\":\"a\",\"content\":\"l1\\nl2\"}]",
                "08-qwen35-parameter-not-closed | | | [{\"command\":\"ls -la\"}]",
                "09-qwen35-two-functions-in-one-call | | |"
                        + " [{\"command\":\"ls\"},{\"command\":\"pwd\"}]",
                "10-qwen35-python-literal-for-an-object | | |"
                        + " [{\"command\":\"ls\",\"env\":{\"A\":\"x\",\"B\":true,\"C\":null}}]",
                "11-think-mark-in-the-answer | | Models use <think> tags for that. | []"
            })
    void responseParsesAsExpected(String name, String reasoning, String content, String arguments)
            throws IOException {
        Path file =
                Path.of(System.getProperty("varve.test.shared", ""))
                        .resolve("cases/" + name + "/input.jsonl");
        Assumptions.assumeTrue(Files.exists(file), "no case at varve.test.shared: " + file);
        for (String line : Files.readAllLines(file)) {
            JsonNode input = Dialects.JSON.readTree(line);

            Answer answer =
                    Dialects.valueOf(input.path("dialect").stringValue())
                            .read(
                                    input.path("prompt").stringValue(),
                                    input.path("text").stringValue(),
                                    Dialects.options(tools(input)));

            assertEquals(reasoning == null ? "" : reasoning, answer.reasoning().strip(), line);
            assertEquals(content == null ? "" : content, answer.content(), line);
            List<JsonNode> found = answer.calls().stream().map(call -> call.json()).toList();
            assertEquals(arguments, found.toString().replace(", {", ",{"), line);
        }
    }

    private static ToolDeclaration[] tools(JsonNode input) {
        return input.path("tools")
                .valueStream()
                .map(
                        tool ->
                                new ToolDeclaration(
                                        tool.path("name").stringValue(), tool.path("parameters")))
                .toArray(ToolDeclaration[]::new);
    }
}
