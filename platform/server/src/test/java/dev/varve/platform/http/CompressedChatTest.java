package dev.varve.platform.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.chat.ChatPrompt;
import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.compression.CompressionMode;
import dev.varve.platform.compression.ScriptedDrafter;
import dev.varve.platform.compression.conversation.CompressedConversation;
import dev.varve.platform.compression.conversation.CompressionOverrides;
import dev.varve.platform.compression.conversation.ConversationCompressionSettings;
import dev.varve.platform.compression.conversation.ConversationCompressor;
import dev.varve.platform.compression.selection.KeepRatio;
import dev.varve.platform.tokenizer.Tokenizer;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Effort;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Random conversations of each family, with tools, reasoning and results. Whichever parts a drafter
 * keeps, the compressed prompt is a prompt of the family. Compression does not change protected
 * parts.
 */
class CompressedChatTest {
    private static final int CONVERSATIONS = Effort.of(80, 250);
    private static final List<String> WORDS =
            List.of(
                    "river",
                    "stone",
                    "lamp",
                    "größer",
                    "名前",
                    "{\"a\": [1, 2]}",
                    "<|im_end|>",
                    "</tool_call>",
                    "🙂",
                    "code();",
                    "\n\n",
                    "  ",
                    "winter",
                    "a.b_c-d",
                    "<think>",
                    "1234567",
                    "letter",
                    "the",
                    "of",
                    "and");

    private static final List<Map<String, Object>> TOOLS =
            List.of(
                    Map.of(
                            "type",
                            "function",
                            "function",
                            Map.of(
                                    "name",
                                    "find_letter",
                                    "description",
                                    "Finds a letter. ".repeat(40),
                                    "parameters",
                                    Map.of(
                                            "type",
                                            "object",
                                            "properties",
                                            Map.of("where", Map.of("type", "string"))))));

    private final Random random = new Random(20261125);

    private String words(int count) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append(WORDS.get(random.nextInt(WORDS.size()))).append(' ');
        }
        return text.toString();
    }

    private String someWords() {
        return words(random.nextInt(4) == 0 ? random.nextInt(1500) + 100 : random.nextInt(30) + 1);
    }

    private static Map<String, Object> message(String role, String content) {
        return new HashMap<>(Map.of("role", role, "content", content));
    }

    private List<Map<String, Object>> conversation() {
        List<Map<String, Object>> messages = new ArrayList<>();
        if (random.nextBoolean()) {
            messages.add(message("system", someWords()));
        }
        int turns = random.nextInt(4);
        for (int turn = 0; turn < turns; turn++) {
            messages.add(message("user", someWords()));
            if (random.nextInt(3) == 0) {
                addCall(messages, turn);
            }
            Map<String, Object> answer = message("assistant", someWords());
            if (random.nextInt(3) == 0) {
                answer.put("reasoning_content", someWords());
            }
            messages.add(answer);
        }
        messages.add(message("user", someWords()));
        if (random.nextInt(4) == 0) {
            addCall(messages, turns);
        }
        return messages;
    }

    private void addCall(List<Map<String, Object>> messages, int turn) {
        Map<String, Object> call = message("assistant", "");
        call.put(
                "tool_calls",
                List.of(
                        Map.of(
                                "id",
                                "call_" + turn,
                                "type",
                                "function",
                                "function",
                                Map.of(
                                        "name",
                                        "find_letter",
                                        "arguments",
                                        Map.of("where", words(5).strip())))));
        messages.add(call);
        Map<String, Object> result = message("tool", someWords());
        result.put("tool_call_id", "call_" + turn);
        result.put("name", "find_letter");
        messages.add(result);
    }

    @ParameterizedTest
    @EnumSource
    @ByDay({2, 3})
    void compressedPromptIsValidForTheFamily(ChatFamily family) {
        Tokenizer tokenizer = family.tokenizer();
        ChatRenderer renderer = new ChatRenderer(family.template(), tokenizer);
        ScriptedDrafter drafter = new ScriptedDrafter(tokenizer, (ids, at) -> random.nextInt(1000));
        int shorter = 0;
        for (int i = 0; i < CONVERSATIONS; i++) {
            ConversationCompressor compressor =
                    new ConversationCompressor(
                            drafter,
                            ConversationCompressionSettings.of(
                                    CompressionMode.ALWAYS, 0, new KeepRatio(0.1)));
            List<Map<String, Object>> messages = conversation();
            // Conversations under way are left as they are in this mode, so theirs is another one.
            List<Map<String, Object>> asked = i % 2 == 0 ? firstTurn(messages) : messages;
            Map<String, Object> variables = new HashMap<>();
            variables.put("tools", random.nextBoolean() ? TOOLS : null);
            Optional<CompressedConversation> after =
                    compress(compressor, renderer, variables, asked);
            if (after.isPresent()) {
                shorter++;
                requireIntact(renderer, tokenizer, variables, asked, after.get().messages());
            }
        }
        assertTrue(shorter > CONVERSATIONS / 8, shorter + " became shorter");
    }

    private List<Map<String, Object>> firstTurn(List<Map<String, Object>> messages) {
        List<Map<String, Object>> first =
                new ArrayList<>(
                        messages.stream()
                                .filter(each -> !each.get("role").equals("assistant"))
                                .filter(each -> !each.get("role").equals("tool"))
                                .toList());
        first.add(first.size() - 1, message("user", words(800)));
        return first;
    }

    private static Optional<CompressedConversation> compress(
            ConversationCompressor compressor,
            ChatRenderer renderer,
            Map<String, Object> variables,
            List<Map<String, Object>> messages) {
        return compressor.compress(
                new ConversationCompressor.Conversation(
                        messages,
                        each -> renderer.text(with(variables, each)),
                        each -> renderer.render(with(variables, each)).tokens().length),
                CompressionOverrides.USUAL,
                () -> false);
    }

    private static Map<String, Object> with(
            Map<String, Object> variables, List<Map<String, Object>> messages) {
        Map<String, Object> all = new HashMap<>(variables);
        all.put("messages", messages);
        return all;
    }

    private static void requireIntact(
            ChatRenderer renderer,
            Tokenizer tokenizer,
            Map<String, Object> variables,
            List<Map<String, Object>> before,
            List<Map<String, Object>> after) {
        ChatPrompt wanted = renderer.render(with(variables, before));
        ChatPrompt found = renderer.render(with(variables, after));
        assertEquals(marks(wanted, tokenizer), marks(found, tokenizer), "marks of the template");
        assertEquals(before.size(), after.size());
        int lastUser = -1;
        for (int i = 0; i < before.size(); i++) {
            lastUser = before.get(i).get("role").equals("user") ? i : lastUser;
        }
        for (int i = 0; i < before.size(); i++) {
            Map<String, Object> one = new HashMap<>(before.get(i));
            Map<String, Object> other = new HashMap<>(after.get(i));
            String whole = (String) one.remove("content");
            String left = (String) other.remove("content");
            assertEquals(one, other, "all but the text of message " + i);
            boolean fixed =
                    one.get("role").equals("system")
                            || i == lastUser && tokenizer.encode(whole, true).length <= 1000;
            if (fixed) {
                assertEquals(whole, left, "message " + i);
            }
            assertTrue(isLeftOf(left, whole), "message " + i + " has something new");
            assertFalse(left.contains("\uFFFD"), "half a character in message " + i);
        }
    }

    private static List<Integer> marks(ChatPrompt prompt, Tokenizer tokenizer) {
        return IntStream.of(prompt.tokens()).filter(tokenizer::isSpecial).boxed().toList();
    }

    /** Whether a text is another one from which something was left out. */
    private static boolean isLeftOf(String left, String whole) {
        int at = 0;
        for (int i = 0; i < left.length(); i++, at++) {
            at = whole.indexOf(left.charAt(i), at);
            if (at < 0) {
                return false;
            }
        }
        return true;
    }
}
