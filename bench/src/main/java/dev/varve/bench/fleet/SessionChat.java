package dev.varve.bench.fleet;

import dev.varve.bench.http.Prompts;
import dev.varve.bench.http.stream.ChatRequest;
import dev.varve.bench.http.stream.Usage;
import dev.varve.fleet.Turn;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The messages of a session, of about as many tokens as its turns have. A chat has the responses of
 * the server, so that its prefixes are those of real chats. For one thread at a time.
 */
final class SessionChat {
    /** Number of the first text of a system prompt; those of sessions have lower numbers. */
    private static final int FIRST_SYSTEM_TEXT = 1_000_000;

    /** Turns of a session that have texts of their own. */
    private static final int TURNS = 64;

    private final Prompts prompts;
    private final double tokensPerWord;
    private final List<String> messages = new ArrayList<>();
    private int known;

    /**
     * @param tokensPerWord tokens of a word of the texts, above 0
     */
    SessionChat(Prompts prompts, double tokensPerWord) {
        this.prompts = prompts;
        this.tokensPerWord = tokensPerWord;
    }

    /** Returns the request of the next turn, which continues the earlier ones. */
    ChatRequest next(Turn turn) {
        int before = messages.isEmpty() ? turn.systemTokens() : known;
        int number = (int) turn.session() * TURNS + messages.size() / 2 % TURNS;
        messages.add(prompts.text(number, words(turn.promptTokens() - before)));
        String system = prompts.text(FIRST_SYSTEM_TEXT + turn.system(), words(turn.systemTokens()));
        return new ChatRequest(
                Optional.of(system), messages, turn.outputTokens(), ChatRequest.End.MAX_TOKENS);
    }

    /** Adds the response to the latest request. */
    void answered(String text, Usage usage) {
        messages.add(text);
        known = usage.promptTokens() + usage.completionTokens();
    }

    private int words(int tokens) {
        return Math.max(2, (int) Math.round(tokens / tokensPerWord));
    }
}
