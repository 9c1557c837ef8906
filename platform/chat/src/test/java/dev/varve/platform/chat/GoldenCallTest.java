package dev.varve.platform.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.model.ChatDialect;
import dev.varve.api.model.ToolSyntax;
import dev.varve.platform.chat.Dialects.Answer;
import dev.varve.platform.tokenizer.TestTokenizers;
import dev.varve.platform.tokenizer.Tokenizer;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Calls as the templates of the families render them for the model to imitate. */
class GoldenCallTest {
    @ParameterizedTest
    @CsvSource({
        "Qwen3.5-4B, QWEN35",
        "Qwen-Qwen3-0.6B, QWEN3",
        "poolside-Laguna-XS.2, LAGUNA",
        "poolside-Laguna-XS-2.1, LAGUNA",
        "google-gemma-4-31B-it, GEMMA"
    })
    void templateOutputRoundTrips(String file, Dialects dialect) throws IOException {
        checkAll(file, dialect, () -> Dialects.BYTES, text -> text, dialect.syntax);
    }

    /** The published vocabulary lacks the marks: two other special tokens take their place. */
    @Test
    void templateOutputRoundTripsWithTheQwenVocabulary() throws IOException {
        ToolSyntax.Tagged qwen = (ToolSyntax.Tagged) Dialects.QWEN35.syntax;
        checkAll(
                "Qwen3.5-4B",
                Dialects.QWEN35,
                () -> TestTokenizers.golden("qwen35"),
                text ->
                        text.replace("<tool_call>", "<|im_start|>")
                                .replace("</tool_call>", "<|im_end|>"),
                new ToolSyntax.Tagged(
                        new ToolSyntax.Tags("<|im_start|>", "<|im_end|>"),
                        qwen.name(),
                        qwen.key(),
                        qwen.value(),
                        qwen.end()));
    }

    @Test
    void templateOutputRoundTripsWithTheGemmaVocabulary() throws IOException {
        checkAll(
                "google-gemma-4-31B-it",
                Dialects.GEMMA,
                () -> TestTokenizers.golden("gemma-4"),
                text -> text,
                Dialects.GEMMA.syntax);
    }

    private static void checkAll(
            String file,
            Dialects dialect,
            Supplier<Tokenizer> vocabulary,
            UnaryOperator<String> spelling,
            ToolSyntax syntax)
            throws IOException {
        Path golden =
                Path.of(System.getProperty("varve.test.shared", ""))
                        .resolve("golden/chat/" + file + ".golden.json");
        Assumptions.assumeTrue(
                Files.exists(golden), "no templates at varve.test.shared: " + golden);
        Tokenizer tokenizer = vocabulary.get();
        int turns = 0;
        for (JsonNode conversation : Dialects.JSON.readTree(Files.readString(golden))) {
            turns +=
                    check(
                            conversation,
                            prompt -> spelling.apply(callsIn(prompt, dialect)),
                            ResponseSyntax.of(
                                    new ChatDialect(Optional.empty(), Optional.of(syntax)),
                                    tokenizer),
                            tokenizer);
        }
        assertTrue(turns >= 3, "turns with calls: " + turns);
    }

    private static int check(
            JsonNode conversation,
            UnaryOperator<String> calls,
            ResponseSyntax dialect,
            Tokenizer tokenizer) {
        List<ToolDeclaration> tools = new ArrayList<>();
        for (JsonNode tool : conversation.path("inputs").path("tools")) {
            JsonNode function = tool.path("function");
            tools.add(
                    new ToolDeclaration(
                            function.path("name").stringValue(), function.path("parameters")));
        }
        int turns = 0;
        for (JsonNode message : conversation.path("inputs").path("messages")) {
            if (!message.path("tool_calls").isEmpty()) {
                String text = calls.apply(conversation.path("expected").stringValue());

                Answer answer =
                        Answer.of(
                                dialect.open(
                                                new int[0],
                                                Dialects.options(
                                                        tools.toArray(ToolDeclaration[]::new)))
                                        .text(),
                                tokenizer.encode(text, true));

                assertEquals(wanted(message), found(answer), text);
                assertEquals("", answer.content(), text);
                turns++;
            }
        }
        return turns;
    }

    /** From the first mark after the instructions to the last; every golden has one such turn. */
    private static String callsIn(String prompt, Dialects dialect) {
        String open = dialect.syntax.open();
        String close = dialect.syntax.close();
        int user = Math.max(prompt.lastIndexOf("</system>"), prompt.indexOf("<|im_end|>"));
        int begin = prompt.indexOf(open, Math.max(0, user));
        return prompt.substring(begin, prompt.lastIndexOf(close) + close.length());
    }

    /** A call with its arguments, whose order does not count: some templates sort them. */
    private record Parsed(String name, JsonNode arguments) {}

    private static List<Parsed> wanted(JsonNode message) {
        List<Parsed> calls = new ArrayList<>();
        for (JsonNode call : message.path("tool_calls")) {
            JsonNode function = call.path("function");
            calls.add(new Parsed(function.path("name").stringValue(), function.path("arguments")));
        }
        return calls;
    }

    private static List<Parsed> found(Answer answer) {
        return answer.calls().stream().map(call -> new Parsed(call.name(), call.json())).toList();
    }
}
