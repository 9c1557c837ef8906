package dev.varve.bench.http;

import dev.varve.bench.http.stream.ChatClient;
import dev.varve.bench.http.stream.ChatRequest;
import dev.varve.bench.http.stream.Replies;
import dev.varve.bench.http.stream.Usage;

import java.util.Optional;

/**
 * Ratio of words to tokens of a prompt, which depends on the vocabulary and on the chat template.
 *
 * @param tokensPerWord above 0
 * @param templateTokens tokens around the words
 */
record WordRate(double tokensPerWord, double templateTokens) {
    private static final int FEW = 16;
    private static final int MANY = 80;

    /** Least number of words of a prompt, whatever the length of the template. */
    private static final int LEAST = 4;

    /** The rate for a server that counts no tokens. */
    static final WordRate UNKNOWN = new WordRate(1, 0);

    /** Measures the rate of a server with two prompts. */
    static WordRate of(ChatClient client, PromptPool prompts) {
        Optional<Usage> few = usage(client, prompts.text(FEW));
        Optional<Usage> many = usage(client, prompts.text(MANY));
        if (few.isEmpty() || many.isEmpty()) {
            return UNKNOWN;
        }
        double perWord =
                (double) (many.get().promptTokens() - few.get().promptTokens()) / (MANY - FEW);
        return perWord <= 0
                ? UNKNOWN
                : new WordRate(perWord, few.get().promptTokens() - FEW * perWord);
    }

    private static Optional<Usage> usage(ChatClient client, String prompt) {
        return Replies.await(client.stream(new ChatRequest(prompt, 1))).usage();
    }

    /** The words of a prompt of about so many tokens. */
    int words(int tokens) {
        return (int) Math.max(LEAST, Math.round((tokens - templateTokens) / tokensPerWord));
    }
}
