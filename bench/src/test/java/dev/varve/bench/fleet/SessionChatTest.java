package dev.varve.bench.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import dev.varve.bench.http.Prompts;
import dev.varve.bench.http.stream.ChatRequest;
import dev.varve.bench.http.stream.Usage;
import dev.varve.fleet.Turn;

import org.junit.jupiter.api.Test;

import java.util.List;

/** Tests the messages of replayed sessions. */
class SessionChatTest {
    private static final double TOKENS_PER_WORD = 2;

    private final Prompts prompts = new Prompts(1);

    private static int words(String text) {
        return text.split(" ").length;
    }

    @Test
    void turnContinuesTheChatWithTheTokensThatItAdds() {
        SessionChat chat = new SessionChat(prompts, TOKENS_PER_WORD);
        ChatRequest first = chat.next(new Turn(7, 0, 40, 100, 5));
        chat.answered("yes", new Usage(110, 5));

        ChatRequest second = chat.next(new Turn(7, 0, 40, 175, 6));

        assertEquals(20, words(first.system().orElseThrow()));
        assertEquals(List.of(30), first.messages().stream().map(SessionChatTest::words).toList());
        assertEquals(first.system(), second.system());
        assertEquals(List.of(first.messages().getFirst(), "yes"), second.messages().subList(0, 2));
        assertEquals(30, words(second.messages().getLast()));
        assertEquals(6, second.maxTokens());
    }

    @Test
    void sessionsShareTheirSystemPromptOnly() {
        ChatRequest one = new SessionChat(prompts, TOKENS_PER_WORD).next(turn(1));
        ChatRequest other = new SessionChat(prompts, TOKENS_PER_WORD).next(turn(2));

        assertEquals(one.system(), other.system());
        assertNotEquals(one.messages(), other.messages());
    }

    private static Turn turn(long session) {
        return new Turn(session, 3, 40, 100, 5);
    }
}
