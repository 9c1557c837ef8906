package dev.varve.platform.chat;

import dev.varve.api.model.ChatDialect;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.Arrays;
import java.util.Optional;

/** How the answers of one model read. Made once per model. Thread-safe. */
public final class AnswerDialect {
    private final Tokenizer tokenizer;
    private final Optional<ReasoningTokens> reasoning;
    private final Optional<CallTokens> calls;

    private AnswerDialect(
            Tokenizer tokenizer, Optional<ReasoningTokens> reasoning, Optional<CallTokens> calls) {
        this.tokenizer = tokenizer;
        this.reasoning = reasoning;
        this.calls = calls;
    }

    /**
     * The dialect of a family with the vocabulary of a model. Reasoning or tools of which a mark is
     * no special token of the vocabulary are switched off.
     */
    public static AnswerDialect of(ChatDialect dialect, Tokenizer tokenizer) {
        return new AnswerDialect(
                tokenizer,
                dialect.reasoning().flatMap(marks -> ReasoningTokens.of(marks, tokenizer)),
                dialect.tools().flatMap(syntax -> CallTokens.of(syntax, tokenizer)));
    }

    /** A dialect in which everything is content. */
    public static AnswerDialect plain(Tokenizer tokenizer) {
        return of(ChatDialect.plain(), tokenizer);
    }

    /** Whether the model marks its thoughts. */
    public boolean hasReasoning() {
        return reasoning.isPresent();
    }

    /** Whether the model can call tools. */
    public boolean hasTools() {
        return calls.isPresent();
    }

    /**
     * Whether the answer to a prompt begins inside a thought: the last mark opens one, and at most
     * its label and white space follow.
     */
    public boolean beginsInReasoning(int[] promptTokens) {
        return end(promptTokens) instanceof PromptEnd.InThought;
    }

    /** Begins the answer to a prompt; one session for each answer. */
    public AnswerSession open(int[] promptTokens, AnswerOptions options) {
        PromptEnd start = end(promptTokens);
        AnswerGuide guide =
                new AnswerGuide(
                        reasoning,
                        calls.map(tokens -> tokens.beginning(options.forcedCall(), tokenizer))
                                .orElse(new int[0]),
                        start instanceof PromptEnd.InThought,
                        options.thinkingBudget());
        return new AnswerSession(
                new AnswerText(
                        tokenizer, reasoning, calls, start, options, guide::hasClosedThought),
                guide);
    }

    private PromptEnd end(int[] prompt) {
        if (reasoning.isEmpty()) {
            return new PromptEnd.Plain();
        }
        ReasoningTokens marks = reasoning.get();
        int last = prompt.length - 1;
        while (last >= 0 && prompt[last] != marks.openId() && prompt[last] != marks.closeId()) {
            last--;
        }
        if (last < 0) {
            return new PromptEnd.Plain();
        }
        String behind = tokenizer.decode(Arrays.copyOfRange(prompt, last + 1, prompt.length), true);
        if (prompt[last] == marks.closeId()) {
            return behind.isBlank() ? new PromptEnd.AfterThought() : new PromptEnd.Plain();
        }
        boolean opens =
                behind.isBlank()
                        || marks.label().startsWith(behind)
                        || behind.strip().equals(marks.label().strip());
        return opens ? new PromptEnd.InThought(behind) : new PromptEnd.Plain();
    }
}
