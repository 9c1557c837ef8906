package dev.varve.platform.chat;

import dev.varve.platform.tokenizer.Detokenizer;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.List;
import java.util.Optional;

/**
 * Turns the tokens of one answer into visible text: thoughts apart, cut at stop strings, never in
 * the middle of a character.
 */
public final class AnswerText {
    /**
     * New text.
     *
     * @param reasoning text inside a thought
     * @param content text of the answer
     */
    public record Piece(String reasoning, String content) {
        static final Piece EMPTY = new Piece("", "");

        /** Whether there is nothing to show. */
        public boolean isEmpty() {
            return reasoning.isEmpty() && content.isEmpty();
        }
    }

    private final Tokenizer tokenizer;
    private final Optional<ReasoningTokens> marks;
    private final StopMatcher stops;
    private Detokenizer detokenizer;
    private boolean reasoning;
    private boolean skipSpace;
    private int reasoningTokens;

    /**
     * Begins an answer.
     *
     * @param marks the marks around thoughts; empty to show everything as content
     * @param inReasoning whether the prompt opened a thought
     * @param stops stop strings, looked for in the content only
     */
    public AnswerText(
            Tokenizer tokenizer,
            Optional<ReasoningTokens> marks,
            boolean inReasoning,
            List<String> stops) {
        this.tokenizer = tokenizer;
        this.marks = marks;
        this.stops = new StopMatcher(stops);
        detokenizer = tokenizer.detokenizer();
        reasoning = marks.isPresent() && inReasoning;
        skipSpace = reasoning;
    }

    /** Takes a token; returns the text that it settles. */
    public Piece push(int token) {
        if (marks.isPresent()
                && (reasoning ? token == marks.get().closeId() : token == marks.get().openId())) {
            Piece rest = route(detokenizer.finish());
            detokenizer = tokenizer.detokenizer();
            reasoning = !reasoning;
            skipSpace = true;
            reasoningTokens++;
            return rest;
        }
        if (reasoning) {
            reasoningTokens++;
        }
        if (marks.isPresent()
                && (token == marks.get().openId() || token == marks.get().closeId())) {
            // A mark that changes nothing is no text either.
            return Piece.EMPTY;
        }
        return route(detokenizer.push(token));
    }

    /** Ends the answer; returns what was held back. */
    public Piece finish() {
        Piece rest = route(detokenizer.finish());
        return new Piece(rest.reasoning(), rest.content() + stops.finish());
    }

    /** The stop string that ended the answer. */
    public Optional<String> stopFound() {
        return stops.found();
    }

    /** Tokens of thoughts so far, their marks included. */
    public int reasoningTokens() {
        return reasoningTokens;
    }

    private Piece route(String text) {
        String shown = text;
        if (skipSpace) {
            shown = text.stripLeading();
            skipSpace = shown.isEmpty();
        }
        if (shown.isEmpty()) {
            return Piece.EMPTY;
        }
        return reasoning ? new Piece(shown, "") : new Piece("", stops.push(shown));
    }
}
