package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.tokenizer.Tokenizer;
import dev.varve.testkit.Qwen3Model;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Templates that are empty or only a name are refused. */
class ChatTemplateLoaderTest {
    @TempDir Path folder;

    private final List<String> said = new ArrayList<>();
    private GgufFile model;

    @BeforeEach
    void writeModel() throws IOException {
        model = GgufFile.open(Qwen3Model.tiny().write(folder));
    }

    private Optional<ChatRenderer> open(String template) throws IOException {
        Path file = Files.writeString(folder.resolve("chat.jinja"), template);
        return ChatTemplateLoader.open(
                Optional.of(file), model, Tokenizer.of(model.metadata()), said::add);
    }

    @ParameterizedTest
    @CsvSource({
        "chatml, only the text \"chatml\"",
        "'', an empty text",
        "'  \n', an empty text",
        "{# nothing #}, only the text \"{# nothing #}\""
    })
    void nameOrEmptyTextIsRefusedWithAHint(String template, String found) {
        VarveException error = assertThrows(VarveException.class, () -> open(template));

        assertEquals(VarveException.Kind.CORRUPT_FILE, error.kind());
        assertTrue(
                error.getMessage()
                        .contains(
                                "chat.jinja: expected a Jinja template that renders messages,"
                                        + " found "
                                        + found
                                        + "; set a file with the model's template with"
                                        + " "
                                        + Setting.CHAT_TEMPLATE),
                error.getMessage());
    }

    @Test
    void templateThatOmitsMessagesCausesAWarning() throws IOException {
        Optional<ChatRenderer> chat = open("{{ bos_token }}You are helpful.");

        assertTrue(chat.isPresent());
        assertEquals(1, said.size(), said.toString());
        assertTrue(said.getFirst().contains("omits the text"), said.toString());
    }

    @Test
    void correctTemplateIsUsedSilently() throws IOException {
        Optional<ChatRenderer> chat =
                open("{% for m in messages %}{{ m.content | trim }}{% endfor %}");

        assertTrue(chat.isPresent());
        assertEquals(List.of(), said);
    }

    @Test
    void needlessRefusalOfATemplateIsRemoved() throws IOException {
        Optional<ChatRenderer> chat =
                open(
                        "{% for m in messages %}{{- raise_exception('Assistant message must have a"
                                + " string or a list of chunks in content or a list of tool"
                                + " calls.') }}{{ m.content }}{% endfor %}");

        assertTrue(chat.isPresent());
        assertEquals(List.of(), said);
    }
}
