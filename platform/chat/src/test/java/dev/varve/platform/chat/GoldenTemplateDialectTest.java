package dev.varve.platform.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.template.ChatTemplate;
import dev.varve.platform.tokenizer.Tokenizer;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The dialects of published templates: calls that a template renders are parsed as such. */
class GoldenTemplateDialectTest {
    private static final List<String> ENDS =
            List.of(
                    "<|im_end|>",
                    "</s>",
                    "<|eot_id|>",
                    "<｜end▁of▁sentence｜>",
                    "[e~[",
                    "<seed:eos>",
                    "<|end_of_text|>",
                    "<|call|>",
                    "<|observation|>",
                    "<|user|>");

    @ParameterizedTest
    @CsvSource({
        "openai-gpt-oss-120b, HARMONY, HARMONY, ''",
        "mistralai-Ministral-3-14B-Reasoning-2512, MISTRAL, MISTRAL, [THINK]",
        "Mistral-Small-3.2-24B-Instruct-2506, MISTRAL_WITH_ID, MISTRAL_WITH_ID, ''",
        "Qwen3-Coder, FUNCTION_TAGS, FUNCTION_TAGS, ''",
        "NVIDIA-Nemotron-3-Nano-30B-A3B-BF16, FUNCTION_TAGS, FUNCTION_TAGS, <think>",
        "Qwen3.5-4B, FUNCTION_TAGS, FUNCTION_TAGS, <think>",
        "GLM-4.6, GLM_LINES, GLM_LINES, <think>",
        "GLM-4.7-Flash, GLM, GLM, <think>",
        "MiniMax-M2, MINIMAX, MINIMAX, <think>",
        "ByteDance-Seed-OSS, SEED, SEED, <seed:think>",
        "deepseek-ai-DeepSeek-V3.1, DEEPSEEK, DEEPSEEK, <think>",
        "Qwen-Qwen2.5-7B-Instruct, HERMES, HERMES, ''",
        "Qwen-Qwen3-0.6B, HERMES, HERMES, <think>",
        "ibm-granite-granite-4.0, HERMES, HERMES, ''",
        "ibm-granite-granite-4.1, HERMES, HERMES, ''",
        "meta-llama-Llama-3.2-3B-Instruct, LLAMA, LLAMA, ''",
        "meta-llama-Llama-3.3-70B-Instruct, LLAMA, LLAMA, ''",
        "microsoft-Phi-3.5-mini-instruct, PLAIN, , ''"
    })
    void templateShowsItsDialectAndCallsRoundTrip(
            String file, TemplateMarkup markup, TemplateAnswers answers, String think)
            throws IOException {
        String source = read(file + ".jinja");
        TemplateDialect dialect = TemplateDialect.of(source);

        assertEquals(markup, dialect.markup());
        assertEquals(think, dialect.marks().reasoning().map(marks -> marks.open()).orElse(""));
        if (answers == null) {
            return;
        }
        int turns = 0;
        for (JsonNode conversation : Dialects.JSON.readTree(read(file + ".golden.json"))) {
            turns += check(source, conversation.path("inputs"), answers.tokens);
            if (answers.mayBePlain()) {
                check(source, conversation.path("inputs"), answers.plain);
            }
        }
        assertTrue(turns >= 2, "turns with calls: " + turns);
    }

    /** The text that ends reasoning whose budget is spent, and that a required form follows. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "mistralai-Ministral-3-14B-Reasoning-2512",
                "NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
                "Qwen3.5-4B",
                "Qwen-Qwen3-0.6B",
                "GLM-4.6",
                "GLM-4.7-Flash",
                "MiniMax-M2",
                "ByteDance-Seed-OSS"
            })
    void reasoningEndsAsTheTemplateRendersIt(String file) throws IOException {
        String source = read(file + ".jinja");
        Tokenizer tokenizer = TemplateAnswers.HERMES.plain;
        String close = TemplateDialect.of(source).marks().reasoning().orElseThrow().forcedClose();

        String prompt =
                new ChatRenderer(ChatTemplate.compile(source), tokenizer)
                        .text(
                                Map.of(
                                        "messages",
                                        List.of(
                                                Map.of("role", "user", "content", "Why?"),
                                                Map.of(
                                                        "role",
                                                        "assistant",
                                                        "reasoning_content",
                                                        "Hm.",
                                                        "content",
                                                        "So."))))
                        .text();

        assertTrue(prompt.contains("Hm." + close + "So."), prompt);
    }

    private static String read(String name) throws IOException {
        Path file =
                Path.of(System.getProperty("varve.test.shared", "")).resolve("golden/chat/" + name);
        Assumptions.assumeTrue(Files.exists(file), "no templates at varve.test.shared: " + file);
        return Files.readString(file);
    }

    @SuppressWarnings("unchecked")
    private static int check(String source, JsonNode inputs, Tokenizer tokenizer) {
        ChatRenderer renderer = new ChatRenderer(ChatTemplate.compile(source), tokenizer);
        Map<String, Object> variables = Dialects.JSON.convertValue(inputs, Map.class);
        List<Object> messages = (List<Object>) variables.get("messages");
        int turns = 0;
        for (int at = 1; at < messages.size(); at++) {
            JsonNode calls = inputs.path("messages").path(at).path("tool_calls");
            if (calls.size() == 1) {
                Optional<String> turn = turn(renderer, variables, messages, at);
                turns += turn.isPresent() ? 1 : 0;
                turn.ifPresent(text -> check(renderer.dialect(), text, inputs, calls, tokenizer));
            }
        }
        return turns;
    }

    /** Text that the template adds for a message, up to the mark that ends it. */
    private static Optional<String> turn(
            ChatRenderer renderer, Map<String, Object> variables, List<Object> messages, int at) {
        Map<String, Object> all = new HashMap<>(variables);
        all.put("add_generation_prompt", false);
        try {
            all.put("messages", new ArrayList<>(messages.subList(0, at)));
            String before = renderer.text(all).text();
            all.put("messages", new ArrayList<>(messages.subList(0, at + 1)));
            String text = renderer.text(all).text();
            int same = 0;
            while (same < Math.min(before.length(), text.length())
                    && before.charAt(same) == text.charAt(same)) {
                same++;
            }
            return Optional.of(cut(text.substring(same)));
        } catch (VarveException e) {
            // Some conversations are refused.
            return Optional.empty();
        }
    }

    private static String cut(String turn) {
        return turn.substring(
                0,
                ENDS.stream()
                        .mapToInt(turn::indexOf)
                        .filter(at -> at > 0)
                        .min()
                        .orElse(turn.length()));
    }

    private static void check(
            TemplateDialect dialect,
            String turn,
            JsonNode inputs,
            JsonNode calls,
            Tokenizer tokenizer) {
        String open =
                dialect.hasChannels()
                        ? " to=functions."
                        : dialect.marks()
                                .tools()
                                .map(each -> each.isWholeResponse() ? "{" : each.open())
                                .orElseThrow();
        String text = turn.substring(turn.indexOf(open));
        List<ToolDeclaration> tools = new ArrayList<>();
        for (JsonNode tool : inputs.path("tools")) {
            JsonNode function = tool.path("function");
            tools.add(
                    new ToolDeclaration(
                            function.path("name").stringValue(), function.path("parameters")));
        }
        JsonNode function = calls.path(0).path("function");
        boolean isDeclared =
                tools.stream()
                        .anyMatch(tool -> tool.name().equals(function.path("name").asString("")));
        if (!isDeclared || !function.path("arguments").isObject()) {
            return;
        }
        ResponseSyntax syntax =
                ResponseSyntax.of(
                        dev.varve.api.model.ChatDialect.byTemplate(),
                        Optional.of(dialect),
                        tokenizer,
                        UnmarkedCallPolicy.AUTO);

        Dialects.Answer answer =
                Dialects.Answer.of(
                        syntax.open(
                                        new int[0],
                                        Dialects.options(tools.toArray(ToolDeclaration[]::new)))
                                .text(),
                        tokenizer.encode(text, true));

        assertEquals("", answer.content(), text);
        assertEquals(function.path("name").asString(""), answer.call().name(), text);
        assertEquals(function.path("arguments"), answer.call().json(), text);
    }
}
