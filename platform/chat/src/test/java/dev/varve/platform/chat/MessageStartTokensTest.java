package dev.varve.platform.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.platform.template.ChatTemplate;
import dev.varve.platform.tokenizer.ExtendedTokenizers;
import dev.varve.platform.tokenizer.TestTokenizers;
import dev.varve.platform.tokenizer.Tokenizer;

import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Positions at which the messages of a rendered conversation begin. */
class MessageStartTokensTest {
    private static final List<Map<String, Object>> CHAT =
            List.of(
                    message("system", "Be brief."),
                    message("user", "What is <b>?"),
                    message("assistant", "A tag."),
                    message("user", "And <i>?"));

    private static Map<String, Object> message(String role, String content) {
        return Map.of("role", role, "content", content);
    }

    /** The parts into which the boundaries cut a prompt. */
    private static List<String> parts(ChatTemplate template, Tokenizer tokenizer) {
        ChatPrompt prompt = new ChatRenderer(template, tokenizer).render(Map.of("messages", CHAT));
        List<String> parts = new ArrayList<>();
        int begin = 0;
        for (int boundary : prompt.boundaries()) {
            parts.add(text(tokenizer, prompt, begin, boundary));
            begin = boundary;
        }
        parts.add(text(tokenizer, prompt, begin, prompt.tokens().length));
        return parts;
    }

    private static String text(Tokenizer tokenizer, ChatPrompt prompt, int begin, int end) {
        return tokenizer.decode(Arrays.copyOfRange(prompt.tokens(), begin, end), true);
    }

    private static ChatTemplate golden(String name) throws Exception {
        String shared = System.getProperty("varve.test.shared", "");
        Path file = Path.of(shared, "golden", "chat", name + ".jinja");
        assumeTrue(!shared.isEmpty() && Files.exists(file), "no golden template " + file);
        return ChatTemplate.compile(Files.readString(file));
    }

    @Test
    void oneTokenMayStartEveryMessage() throws Exception {
        assertEquals(
                List.of(
                        "<|im_start|>system\nBe brief.<|im_end|>\n",
                        "<|im_start|>user\nWhat is <b>?<|im_end|>\n",
                        "<|im_start|>assistant\nA tag.<|im_end|>\n",
                        "<|im_start|>user\nAnd <i>?<|im_end|>\n",
                        "<|im_start|>assistant\n<think>\n"),
                parts(
                        golden("Qwen3.5-4B"),
                        ExtendedTokenizers.golden("qwen35", "<think>", "</think>")));
    }

    @Test
    void beginOfTextIsNoMessageStart() throws Exception {
        assertEquals(
                List.of(
                        "<bos>",
                        "<|turn>system\nBe brief.<turn|>\n",
                        "<|turn>user\nWhat is <b>?<turn|>\n",
                        "<|turn>model\nA tag.<turn|>\n",
                        "<|turn>user\nAnd <i>?<turn|>\n",
                        "<|turn>model\n<|channel>thought\n<channel|>"),
                parts(golden("google-gemma-4-31B-it"), TestTokenizers.golden("gemma-4")));
    }

    /** Some roles have a special token of their own, others several ordinary ones. */
    @Test
    void messageStartMayBeSeveralTokens() throws Exception {
        List<String> parts =
                parts(
                        golden("poolside-Laguna-XS-2.1"),
                        TestTokenizers.ofBytes(
                                "〈|EOS|〉", "<think>", "</think>", "<assistant>", "</assistant>"));

        assertEquals(
                List.of(
                        "〈|EOS|〉<system>\n\nBe brief.\n",
                        "</system>\n<user>\nWhat is <b>?\n</user>\n",
                        "<assistant>\n</think>\nA tag.\n",
                        "</assistant>\n<user>\nAnd <i>?\n</user>\n",
                        "<assistant>\n</think>"),
                parts);
    }

    @Test
    void templateMayHaveNoMessageEnd() {
        assertEquals(
                List.of(
                        "<|system|>Be brief.",
                        "<|user|>What is <b>?",
                        "<|assistant|>A tag.",
                        "<|user|>And <i>?",
                        "<|assistant|><think>"),
                parts(
                        ChatTemplate.compile(
                                "{% for m in messages %}{% if m.role == 'user' %}<|user|>"
                                        + "{% elif m.role == 'system' %}<|system|>"
                                        + "{% else %}<|assistant|>{% endif %}"
                                        + "{{ m.content }}{% endfor %}<|assistant|><think>"),
                        TestTokenizers.ofBytes(
                                "<|system|>", "<|user|>", "<|assistant|>", "<think>")));
    }

    @Test
    void withoutStartTokensTheGenerationPromptIsUsed() {
        ChatTemplate template =
                ChatTemplate.compile(
                        "{% for m in messages %}{{ m.content }}\n{% endfor %}"
                                + "{% if add_generation_prompt %}>{% endif %}");
        assertEquals(
                List.of("Be brief.\nWhat is <b>?\nA tag.\nAnd <i>?\n", ">"),
                parts(template, TestTokenizers.ofBytes()));
    }

    @Test
    void templateThatRefusesTheConversationHasNoStartTokens() {
        ChatTemplate template =
                ChatTemplate.compile(
                        "{% if messages[0].content != 'Be brief.' %}{{ raise_exception('no') }}"
                                + "{% endif %}{% for m in messages %}<|x|>{{ m.content }}"
                                + "{% endfor %}{% if add_generation_prompt %}<|y|>{% endif %}");
        assertEquals(2, parts(template, TestTokenizers.ofBytes("<|x|>", "<|y|>")).size());
    }

    /** Some models go on in the message in which they called a tool. */
    @Test
    void responseMayContinueWithAMessage() throws Exception {
        Tokenizer tokenizer = TestTokenizers.golden("gemma-4");
        Map<String, Object> call =
                Map.of(
                        "type",
                        "function",
                        "function",
                        Map.of("name", "weather", "arguments", Map.of("city", "Bern")));
        ChatPrompt prompt =
                new ChatRenderer(golden("google-gemma-4-31B-it"), tokenizer)
                        .render(
                                Map.of(
                                        "messages",
                                        List.of(
                                                message("user", "Weather?"),
                                                Map.of(
                                                        "role",
                                                        "assistant",
                                                        "content",
                                                        "",
                                                        "tool_calls",
                                                        List.of(call)),
                                                message("tool", "12 C"))));
        int[] boundaries = prompt.boundaries();

        assertEquals(prompt.tokens().length, boundaries[boundaries.length - 1], prompt.text());
    }
}
