package dev.varve.platform.compression.conversation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.compression.CompressionMode;
import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.compression.KeepCurve;
import dev.varve.platform.compression.MessageCompressionSettings;
import dev.varve.platform.compression.ScriptedDrafter;
import dev.varve.platform.compression.selection.AnchorSettings;
import dev.varve.platform.compression.selection.KeepRatio;
import dev.varve.platform.compression.selection.SelectionSettings;
import dev.varve.platform.template.ChatTemplate;
import dev.varve.platform.template.RenderedPrompt;
import dev.varve.platform.tokenizer.TestTokenizers;
import dev.varve.platform.tokenizer.Tokenizer;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CancellationException;

class ConversationCompressorTest {
    private static final Tokenizer TOKENIZER = TestTokenizers.ofBytes("<s>", "</s>");
    private static final ChatTemplate TEMPLATE =
            ChatTemplate.compile(
                    "{% for m in messages %}<s>{{ m.role }}\n{{ m.content | trim }}</s>\n"
                            + "{% endfor %}<s>assistant\n");
    private static final String FILLER = "Nothing happened on that day in the town. ".repeat(80);
    private static final String NEEDLE = "The key lies under the stone. ";
    private static final String QUESTION = "Where does the key lie?";

    private final ScriptedDrafter drafter = ScriptedDrafter.looksFor("stone", TOKENIZER);

    private static Map<String, Object> message(String role, String content) {
        return Map.of("role", role, "content", content);
    }

    private static RenderedPrompt render(List<Map<String, Object>> messages) {
        Map<String, Object> variables = new HashMap<>();
        variables.put("messages", messages);
        return TEMPLATE.render(variables, Set.of());
    }

    private static ConversationCompressor.Conversation conversation(
            List<Map<String, Object>> messages) {
        return new ConversationCompressor.Conversation(
                messages,
                ConversationCompressorTest::render,
                each -> TOKENIZER.encode(render(each).text(), true).length);
    }

    private ConversationCompressor compressor(
            CompressionMode mode, int thresholdTokens, boolean byMessage) {
        return new ConversationCompressor(
                drafter, options(mode, thresholdTokens, byMessage, SelectionSettings.USUAL, false));
    }

    private static ConversationCompressionSettings options(
            CompressionMode mode,
            int thresholdTokens,
            boolean byMessage,
            SelectionSettings selection,
            boolean adaptive) {
        return new ConversationCompressionSettings(
                mode,
                thresholdTokens,
                byMessage,
                KeepCurve.flat(new KeepRatio(0.1)),
                selection,
                new MessageCompressionSettings(2, 0, 1000),
                adaptive);
    }

    private ConversationCompressor always() {
        return compressor(CompressionMode.ALWAYS, 0, false);
    }

    private static List<Map<String, Object>> firstTurn() {
        return List.of(
                message("system", "You answer briefly. " + "Be kind. ".repeat(60)),
                message("user", FILLER + NEEDLE + FILLER),
                message("user", QUESTION));
    }

    private static String text(List<Map<String, Object>> messages, int number) {
        return (String) messages.get(number).get("content");
    }

    @Test
    void relevantTextIsKeptAndMostOfTheRestIsRemoved() {
        List<Map<String, Object>> before = firstTurn();

        CompressedConversation after =
                always().compress(conversation(before), CompressionOverrides.USUAL, () -> false)
                        .orElseThrow();

        assertEquals(CompressionReport.Mode.WHOLE, after.mode());
        assertEquals(text(before, 0), text(after.messages(), 0));
        assertEquals(text(before, 2), text(after.messages(), 2));
        String left = text(after.messages(), 1);
        assertTrue(left.contains("The key lies under the stone."), left);
        assertTrue(left.length() < text(before, 1).length() / 4, "left " + left.length());
        assertTrue(after.times().millis() > 0);
        CompressionReport report = after.report(1000, 150);
        assertEquals(0.15, report.keepActual());
        assertEquals(0.1, report.keepRequested());
    }

    /** A drafter of the Qwen families in front of a model with other marks. */
    @Test
    void drafterGetsItsOwnMessageStartTokens() {
        Tokenizer chatMl = TestTokenizers.ofBytes("<|im_start|>", "<|im_end|>");
        StringBuilder read = new StringBuilder();
        ScriptedDrafter noting =
                new ScriptedDrafter(
                        chatMl,
                        (ids, at) -> {
                            if (at == 0) {
                                read.append(chatMl.decode(ids, true));
                            }
                            return ids[at] == chatMl.tokenId("<|im_start|>").orElseThrow() ? 1 : 0;
                        });
        List<Map<String, Object>> before = firstTurn();

        CompressedConversation after =
                new ConversationCompressor(
                                noting,
                                ConversationCompressionSettings.of(
                                        CompressionMode.ALWAYS, 0, new KeepRatio(0.1)))
                        .compress(conversation(before), CompressionOverrides.USUAL, () -> false)
                        .orElseThrow();

        assertTrue(read.toString().startsWith("<|im_start|>system\nYou answer"), read.toString());
        assertTrue(read.toString().endsWith("<|im_end|>\n<|im_start|>assistant\n"));
        assertEquals(text(before, 2), text(after.messages(), 2));
        assertTrue(text(after.messages(), 1).length() < text(before, 1).length() / 4);
    }

    /** A text with its question behind it, as people send it. */
    @Test
    void endOfALongLastMessageIsKept() {
        List<Map<String, Object>> before =
                List.of(message("user", FILLER + NEEDLE + FILLER + "\n\n" + QUESTION));

        CompressedConversation after =
                always().compress(conversation(before), CompressionOverrides.USUAL, () -> false)
                        .orElseThrow();

        String left = text(after.messages(), 0);
        assertTrue(left.contains(NEEDLE.strip()), left);
        assertTrue(left.endsWith(QUESTION), left);
        assertTrue(left.length() < text(before, 0).length() / 4, "left " + left.length());
    }

    @Test
    void removedTextStaysRemovedInLaterTurns() {
        ConversationCompressor compressor = always();
        List<Map<String, Object>> first = firstTurn();
        CompressedConversation before =
                compressor
                        .compress(conversation(first), CompressionOverrides.USUAL, () -> false)
                        .orElseThrow();
        List<Map<String, Object>> second = new ArrayList<>(first);
        second.add(message("assistant", "Under the stone."));
        second.add(message("user", "Thank you. " + FILLER));

        CompressedConversation after =
                compressor
                        .compress(conversation(second), CompressionOverrides.USUAL, () -> false)
                        .orElseThrow();

        assertEquals(CompressionReport.Mode.EARLIER, after.mode());
        assertEquals(before.messages(), after.messages().subList(0, 3));
        assertEquals(second.subList(3, 5), after.messages().subList(3, 5));
        assertEquals(1, after.knownMessages());
        assertEquals(1, drafter.readings());
        assertTrue(
                render(after.messages())
                        .text()
                        .startsWith(
                                render(before.messages()).text().replaceAll("<s>assistant\n$", "")),
                "the second turn begins with the first one's prompt");
    }

    /** As after a restart: the second turn comes to somebody who saw no first one. */
    @Test
    void compressionIsDeterministicWithoutACache() {
        List<Map<String, Object>> second = new ArrayList<>(firstTurn());
        second.add(message("assistant", "Under the stone."));
        second.add(message("user", "Thank you."));
        ConversationCompressor remembering = always();
        remembering
                .compress(conversation(firstTurn()), CompressionOverrides.USUAL, () -> false)
                .orElseThrow();
        CompressedConversation expected =
                remembering
                        .compress(conversation(second), CompressionOverrides.USUAL, () -> false)
                        .orElseThrow();

        CompressedConversation found =
                always().compress(conversation(second), CompressionOverrides.USUAL, () -> false)
                        .orElseThrow();

        assertEquals(CompressionReport.Mode.WHOLE, found.mode());
        assertEquals(expected.messages(), found.messages());
        assertTrue(found.times().millis() > 0, "it was read again");
        assertEquals(0, found.knownMessages());
        assertTrue(found.whole().isPresent(), "what stays of the first turn can be shown");
    }

    /** Many templates refuse a conversation without a question. */
    @Test
    void conversationStartedUncompressedStaysUncompressed() {
        List<Map<String, Object>> messages =
                List.of(
                        message("system", FILLER),
                        message("assistant", FILLER + NEEDLE),
                        message("user", QUESTION));

        assertEquals(
                Optional.empty(),
                always().compress(
                                new ConversationCompressor.Conversation(
                                        messages,
                                        ConversationCompressorTest::render,
                                        each -> {
                                            assertEquals(messages, each);
                                            return 5000;
                                        }),
                                CompressionOverrides.USUAL,
                                () -> false));
    }

    /**
     * The model computed this conversation uncompressed while it was short, so it stays
     * uncompressed.
     */
    @Test
    void conversationStartedShortStaysUncompressed() {
        List<Map<String, Object>> messages =
                List.of(
                        message("user", "Tell me of the town."),
                        message("assistant", FILLER),
                        message("user", NEEDLE + QUESTION));
        ConversationCompressor compressor = compressor(CompressionMode.AUTO, 1000, false);

        assertEquals(
                Optional.empty(),
                compressor.compress(
                        conversation(messages), CompressionOverrides.USUAL, () -> false));
    }

    /** All of it stays for the question's words. */
    @Test
    void uncompressibleTextIsScoredOnce() {
        AnchorSettings far = new AnchorSettings(96, 4, OptionalInt.of(8), OptionalInt.of(8));
        ConversationCompressor compressor =
                new ConversationCompressor(
                        drafter,
                        options(
                                CompressionMode.ALWAYS,
                                0,
                                false,
                                new SelectionSettings(
                                        SelectionSettings.USUAL.edges(),
                                        far,
                                        false,
                                        Optional.empty()),
                                false));
        List<Map<String, Object>> messages =
                List.of(
                        message(
                                "user",
                                NEEDLE + "Does the key lie there? " + "It is quiet. ".repeat(17)),
                        message("user", QUESTION),
                        message("assistant", "It is quiet."),
                        message("user", "Thank you."));
        CompressionOverrides most =
                new CompressionOverrides(Optional.empty(), Optional.of(new KeepRatio(0.6)));
        for (int turn = 0; turn < 3; turn++) {
            assertEquals(
                    Optional.empty(),
                    compressor.compress(conversation(messages), most, () -> false));
        }
        assertEquals(1, drafter.readings());
    }

    @Test
    void acceptanceOfAConversationMaySetTheKeepRatio() {
        ConversationCompressionSettings options =
                options(CompressionMode.ALWAYS, 0, false, SelectionSettings.USUAL, false);
        ConversationCompressor learning =
                new ConversationCompressor(
                        drafter,
                        options(CompressionMode.ALWAYS, 0, false, SelectionSettings.USUAL, true));
        CompressionOverrides named =
                new CompressionOverrides(Optional.empty(), Optional.empty(), Optional.of("mine"));
        CompressedConversation first =
                learning.compress(conversation(firstTurn()), named, () -> false).orElseThrow();
        assertEquals(0.1, first.keepRequested());

        // The compressor keeps an earlier cut, whatever it learns later.
        learning.finished(named, 10, 5);
        learning.finished(named, 0, 0);
        CompressedConversation again =
                learning.compress(conversation(firstTurn()), named, () -> false).orElseThrow();
        assertEquals(first.messages(), again.messages());
        List<Map<String, Object>> other = new ArrayList<>(firstTurn());
        other.set(other.size() - 1, message("user", "What lies under a stone?"));
        assertEquals(
                0.11,
                learning.compress(conversation(other), named, () -> false)
                        .orElseThrow()
                        .keepRequested());

        // Others know nothing of it, and neither does who did not ask for it.
        CompressionOverrides another =
                new CompressionOverrides(Optional.empty(), Optional.empty(), Optional.of("yours"));
        List<Map<String, Object>> third = new ArrayList<>(firstTurn());
        third.set(third.size() - 1, message("user", "Is there a stone?"));
        assertEquals(
                0.1,
                learning.compress(conversation(third), another, () -> false)
                        .orElseThrow()
                        .keepRequested());
        ConversationCompressor usual = new ConversationCompressor(drafter, options);
        usual.finished(named, 10, 5);
        assertEquals(
                options.keep().at(1).value(),
                usual.compress(conversation(firstTurn()), named, () -> false)
                        .orElseThrow()
                        .keepRequested());
    }

    @Test
    void repeatedPromptIsNotScoredAgainButAnotherQuestionIs() {
        ConversationCompressor compressor = always();
        List<Map<String, Object>> first = firstTurn();
        List<Map<String, Object>> before =
                compressor
                        .compress(conversation(first), CompressionOverrides.USUAL, () -> false)
                        .orElseThrow()
                        .messages();

        CompressedConversation again =
                compressor
                        .compress(conversation(first), CompressionOverrides.USUAL, () -> false)
                        .orElseThrow();

        assertEquals(before, again.messages());
        assertEquals(1, drafter.readings());
        List<Map<String, Object>> other = new ArrayList<>(first);
        other.set(2, message("user", "What happened on that day?"));
        compressor.compress(conversation(other), CompressionOverrides.USUAL, () -> false);
        assertEquals(2, drafter.readings());
    }

    @Test
    void nothingIsCompressedUnlessRequested() {
        var all = Optional.of(KeepRatio.ALL);
        CompressionOverrides off =
                new CompressionOverrides(Optional.of(CompressionMode.OFF), Optional.empty());
        List<Map<String, Object>> messages = firstTurn();

        assertEquals(Optional.empty(), always().compress(conversation(messages), off, () -> false));
        assertFalse(always().mayCompress(off));
        assertFalse(always().mayCompress(new CompressionOverrides(Optional.empty(), all)));
        assertEquals(
                Optional.empty(),
                compressor(CompressionMode.AUTO, 1 << 20, false)
                        .compress(conversation(messages), CompressionOverrides.USUAL, () -> false));
        assertEquals(
                Optional.empty(),
                always().compress(
                                conversation(List.of(message("user", QUESTION))),
                                CompressionOverrides.USUAL,
                                () -> false));
        assertEquals(0, drafter.readings());
    }

    @Test
    void requestMayAskForCompression() {
        CompressionOverrides overrides =
                new CompressionOverrides(
                        Optional.of(CompressionMode.ALWAYS), Optional.of(new KeepRatio(0.5)));

        CompressedConversation after =
                compressor(CompressionMode.OFF, 32_000, false)
                        .compress(conversation(firstTurn()), overrides, () -> false)
                        .orElseThrow();

        int left = text(after.messages(), 1).length();
        assertTrue(left > 0.45 * 2 * FILLER.length() && left < 0.65 * 2 * FILLER.length());
    }

    @Test
    void oldMessagesAreCompressedOnce() {
        ConversationCompressor compressor = compressor(CompressionMode.ALWAYS, 0, true);
        List<Map<String, Object>> messages =
                new ArrayList<>(
                        List.of(
                                message("system", "You answer briefly."),
                                message("user", FILLER + NEEDLE + FILLER),
                                message("assistant", "I see."),
                                message("user", QUESTION)));

        CompressedConversation first =
                compressor
                        .compress(conversation(messages), CompressionOverrides.USUAL, () -> false)
                        .orElseThrow();
        messages.add(message("assistant", "Under the stone."));
        messages.add(message("user", "Why?"));
        CompressedConversation second =
                compressor
                        .compress(conversation(messages), CompressionOverrides.USUAL, () -> false)
                        .orElseThrow();

        assertEquals(CompressionReport.Mode.BY_MESSAGE, first.mode());
        assertTrue(text(first.messages(), 1).contains(NEEDLE.strip()));
        assertEquals(first.messages(), second.messages().subList(0, 4));
        assertEquals(0, first.knownMessages());
        assertEquals(1, second.knownMessages());
        assertEquals(1, drafter.readings());
    }

    @Test
    void disconnectedClientCancelsTheScan() {
        assertThrows(
                CancellationException.class,
                () ->
                        always().compress(
                                        conversation(firstTurn()),
                                        CompressionOverrides.USUAL,
                                        () -> true));
    }

    @Test
    void failingDrafterIsReported() {
        drafter.failWith(
                Optional.of(
                        new VarveException(VarveException.Kind.UNAVAILABLE, "it has gone away")));

        VarveException failure =
                assertThrows(
                        VarveException.class,
                        () ->
                                always().compress(
                                                conversation(firstTurn()),
                                                CompressionOverrides.USUAL,
                                                () -> false));

        assertEquals("it has gone away", failure.getMessage());
        drafter.failWith(Optional.empty());
        assertTrue(
                always().compress(
                                conversation(firstTurn()), CompressionOverrides.USUAL, () -> false)
                        .isPresent());
    }
}
