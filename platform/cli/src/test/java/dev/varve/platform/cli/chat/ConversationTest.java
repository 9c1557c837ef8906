package dev.varve.platform.cli.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.cli.chat.ChatMessage.Role;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;

class ConversationTest {
    private static final ChatMessage SYSTEM = new ChatMessage(Role.SYSTEM, "Be brief.");
    private static final ChatMessage QUESTION = new ChatMessage(Role.USER, "7 + 5?");
    private static final ChatMessage RESPONSE = new ChatMessage(Role.ASSISTANT, "12", "easy");

    private final Conversation conversation = new Conversation();

    @Test
    void systemPromptComesFirstAndStaysWhenTheConversationIsCleared() {
        conversation.add(QUESTION);
        conversation.setSystem("Be brief.");

        assertEquals(List.of(SYSTEM, QUESTION), conversation.messages());
        conversation.clear();
        assertEquals(List.of(SYSTEM), conversation.messages());
        conversation.setSystem("");
        assertEquals(List.of(), conversation.messages());
    }

    @Test
    void undoRemovesAMessageAndItsResponse() {
        conversation.replace(List.of(QUESTION, RESPONSE, QUESTION, RESPONSE));

        assertTrue(conversation.undo());
        assertEquals(List.of(QUESTION, RESPONSE), conversation.messages());
        assertTrue(conversation.undo());
        assertFalse(conversation.undo());
    }

    @Test
    void responseWithoutAMessageStays() {
        conversation.replace(List.of(RESPONSE));

        assertFalse(conversation.undo());
        assertFalse(conversation.removeResponse());
        assertEquals(List.of(RESPONSE), conversation.messages());
    }

    @Test
    void replacementBringsItsOwnSystemPromptOrNone() {
        conversation.replace(List.of(SYSTEM, QUESTION));
        assertEquals(Optional.of("Be brief."), conversation.system());
        assertEquals(1, conversation.size());

        conversation.replace(List.of(QUESTION, RESPONSE));
        assertEquals(Optional.empty(), conversation.system());
        assertEquals(2, conversation.size());
    }
}
