package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.Qwen35MoeModel;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

class InspectTest {
    private static final String TEMPLATE =
            "{% for m in messages %}{{ m.content }}{% endfor %}\n".repeat(20);

    @TempDir Path folder;

    private Path model;

    @BeforeEach
    void writeModel() throws IOException {
        model = Qwen35Model.odd(1).withChatTemplate(TEMPLATE).write(folder);
    }

    private String inspect(String... more) {
        StringWriter out = new StringWriter();
        String[] arguments = new String[more.length + 3];
        arguments[0] = "inspect";
        arguments[1] = "--model";
        arguments[2] = model.toString();
        System.arraycopy(more, 0, arguments, 3, more.length);
        int status =
                VarveCommand.execute(
                        new Environment(Map.of(), Optional.of(folder), Set.of()),
                        new PrintWriter(out),
                        new PrintWriter(out),
                        arguments);
        assertEquals(0, status, out.toString());
        return out.toString();
    }

    @Test
    void architectureWithoutPluginIsReported() {
        String reason = "no plugin serves architecture qwen35; no plugin is loaded";

        String text = inspect();
        JsonNode json = JsonMapper.shared().readTree(inspect("--json"));

        assertTrue(text.contains("(no plugin serves it)"), text);
        assertTrue(text.contains("\nThe model cannot be loaded: " + reason + "\n"), text);
        assertEquals(reason, json.get("problem").stringValue());
    }

    @Test
    void bytesOfExpertsAreShown() throws IOException {
        assertFalse(inspect().contains("Experts: "), "a model without experts");
        assertFalse(inspect("--json").contains("expert_bytes"));
        model = Qwen35MoeModel.odd(1).write(folder);

        JsonNode json = JsonMapper.shared().readTree(inspect("--json", "--tensors"));

        long expected = 0;
        for (JsonNode tensor : json.get("tensors")) {
            if (tensor.get("name").stringValue().endsWith("_exps.weight")) {
                expected += tensor.get("bytes").longValue();
            }
        }
        assertTrue(expected > 0);
        assertEquals(expected, json.get("expert_bytes").longValue());
        assertTrue(inspect().contains("\nExperts: "), inspect());
    }

    @Test
    void jsonHoldsWholeStringsAndArrays() {
        JsonNode metadata = JsonMapper.shared().readTree(inspect("--json")).get("metadata");

        assertEquals(TEMPLATE, metadata.at("/tokenizer.chat_template/value").stringValue());
        JsonNode tokens = metadata.at("/tokenizer.ggml.tokens/value");
        assertTrue(tokens.isArray() && tokens.size() > 256, "tokens: " + tokens.size());
        assertEquals(tokens.size(), metadata.at("/tokenizer.ggml.token_type/value").size());
        assertTrue(metadata.at("/qwen35.block_count/value").isString(), "numbers stay texts");
    }

    @Test
    void controlCharactersOfMetadataAreEscaped() throws IOException {
        model =
                Qwen35Model.odd(1)
                        .withChatTemplate("{{ 1 }}\u001b]0;x\u0007\u009b31m\u202e\n")
                        .write(folder);

        assertTrue(inspect().contains("{{ 1 }}\\u001b]0;x\\u0007\\u009b31m\\u202e\\n"), inspect());
        assertFalse(inspect("--json").contains("\u009b"));
        assertTrue(
                JsonMapper.shared()
                        .readTree(inspect("--json"))
                        .at("/metadata/tokenizer.chat_template/value")
                        .stringValue()
                        .contains("\u009b"));
    }

    @Test
    void humanReadableTableIsTruncated() {
        String table = inspect();

        assertFalse(table.contains(TEMPLATE.replace("\n", "\\n")), table);
        assertTrue(table.contains("… (" + TEMPLATE.length() + " characters)"), table);
    }
}
