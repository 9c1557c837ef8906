package dev.varve.platform.http;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.api.model.ChatDialect;
import dev.varve.api.model.JsonStrings;
import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.chat.FamilyDialect;
import dev.varve.platform.chat.ReasoningDefaults;
import dev.varve.platform.chat.ResponseSyntax;
import dev.varve.platform.http.model.ModelDescription;
import dev.varve.platform.http.model.ModelTextProcessing;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.template.ChatTemplate;
import dev.varve.platform.template.RenderedPrompt;
import dev.varve.platform.tokenizer.ExtendedTokenizers;
import dev.varve.platform.tokenizer.TestTokenizers;
import dev.varve.platform.tokenizer.TextSpan;
import dev.varve.platform.tokenizer.Tokenizer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** The families that call tools, with their own templates; Laguna's vocabulary is made up. */
enum ChatFamily {
    QWEN3("Qwen-Qwen3-0.6B", FamilyDialect.QWEN3),
    QWEN35("Qwen3.5-4B", FamilyDialect.QWEN35),
    GEMMA("google-gemma-4-31B-it", FamilyDialect.GEMMA),
    LAGUNA("poolside-Laguna-XS-2.1", FamilyDialect.LAGUNA);

    private static final Map<ChatFamily, Tokenizer> TOKENIZERS = new HashMap<>();

    private final String file;
    private final ChatDialect dialect;

    ChatFamily(String file, FamilyDialect family) {
        this.file = file;
        dialect = family.dialect();
    }

    Tokenizer tokenizer() {
        return TOKENIZERS.computeIfAbsent(this, ChatFamily::load);
    }

    private Tokenizer load() {
        return switch (this) {
            case QWEN3, QWEN35 ->
                    ExtendedTokenizers.golden(
                            "qwen35",
                            "<think>",
                            "</think>",
                            "<tool_call>",
                            "</tool_call>",
                            "<tool_response>",
                            "</tool_response>");
            case GEMMA -> TestTokenizers.golden("gemma-4");
            case LAGUNA ->
                    TestTokenizers.ofBytes(
                            "〈|EOS|〉",
                            "<think>",
                            "</think>",
                            "<tool_call>",
                            "</tool_call>",
                            "<assistant>",
                            "</assistant>");
        };
    }

    /** Skips the test where the template is not there. */
    ChatTemplate template() {
        String shared = System.getProperty("varve.test.shared", "");
        Path path = Path.of(shared, "golden", "chat", file + ".jinja");
        assumeTrue(!shared.isEmpty() && Files.exists(path), "no golden template " + path);
        try {
            return ChatTemplate.compile(Files.readString(path));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    ServedModel served(ScriptedEngine engine) {
        return served(engine, ReasoningDefaults.none());
    }

    ServedModel served(ScriptedEngine engine, ReasoningDefaults defaults) {
        return new ServedModel(
                new ModelDescription("agent", file, 1 << 17, Map.of()),
                engine,
                new ModelTextProcessing(
                        tokenizer(),
                        Optional.of(new ChatRenderer(template(), tokenizer())),
                        ResponseSyntax.of(dialect, tokenizer()),
                        defaults));
    }

    /** Tokens of an answer, its special tokens spelled out. */
    int[] answer(String text) {
        return tokenizer().encode(text, true);
    }

    int[] prompt(Map<String, Object> variables) {
        return tokenizer().encodeSpans(spans(variables));
    }

    String promptText(Map<String, Object> variables) {
        StringBuilder text = new StringBuilder();
        spans(variables).forEach(span -> text.append(span.text()));
        return text.toString();
    }

    private List<TextSpan> spans(Map<String, Object> variables) {
        Map<String, Object> all = new HashMap<>(variables);
        all.put("bos_token", spelling(tokenizer().bosId()));
        all.put("eos_token", spelling(tokenizer().eosId()));
        all.put("add_generation_prompt", true);
        RenderedPrompt prompt = template().render(all, Set.of("bos_token", "eos_token"));
        return prompt.spans().stream()
                .map(span -> new TextSpan(span.text(), span.trusted()))
                .toList();
    }

    private String spelling(OptionalInt id) {
        return id.isPresent() ? tokenizer().decode(new int[] {id.getAsInt()}, true) : "";
    }

    /** The text with which the model calls a tool with one string. */
    String call(String tool, String key, String value) {
        return switch (this) {
            case QWEN3 ->
                    String.format(
                            Locale.ROOT,
                            "<tool_call>\n"
                                    + "{\"name\": \"%s\", \"arguments\": {\"%s\": %s}}\n"
                                    + "</tool_call>",
                            tool,
                            key,
                            JsonStrings.quoted(value));
            case QWEN35 ->
                    String.format(
                            Locale.ROOT,
                            "<tool_call>\n"
                                    + "<function=%s>\n"
                                    + "<parameter=%s>\n"
                                    + "%s\n"
                                    + "</parameter>\n"
                                    + "</function>\n"
                                    + "</tool_call>",
                            tool,
                            key,
                            value);
            case GEMMA ->
                    String.format(
                            Locale.ROOT,
                            "<|tool_call>call:%s{%s:<|\"|>%s<|\"|>}<tool_call|>",
                            tool,
                            key,
                            value);
            case LAGUNA ->
                    String.format(
                            Locale.ROOT,
                            "<tool_call>%s\n"
                                    + "<arg_key>%s</arg_key>\n"
                                    + "<arg_value>%s</arg_value>\n"
                                    + "</tool_call>",
                            tool,
                            key,
                            value);
        };
    }

    /**
     * Reasoning as the model writes it. The open mark is absent if the family's prompt ends with
     * that mark.
     */
    String thought(String text) {
        return switch (this) {
            case QWEN3 -> "<think>\n" + text + "\n</think>\n\n";
            case QWEN35 -> text + "\n</think>\n\n";
            case GEMMA -> "<|channel>thought\n" + text + "\n<channel|>";
            case LAGUNA -> text + "</think>";
        };
    }
}
