package dev.varve.platform.http.answer;

import dev.varve.platform.chat.AnswerText;
import dev.varve.platform.chat.CallDelta;
import dev.varve.platform.chat.CloseKind;

import java.util.List;

/** Reads the tokens of one answer and knows when it has all that was asked for. */
public final class AnswerReader {
    private static final AnswerText.Piece NOTHING = new AnswerText.Piece("", "", List.of());

    private final AnswerText text;
    private final boolean singleCall;
    private final JsonEnd firstCall = new JsonEnd();
    private final LoopWatch loop = new LoopWatch();
    private int contentTokens;

    private AnswerReader(AnswerText text, boolean singleCall) {
        this.text = text;
        this.singleCall = singleCall;
    }

    /** Reads an answer to its end. */
    public static AnswerReader of(AnswerText text) {
        return new AnswerReader(text, false);
    }

    /** Reads an answer that ends after its first tool call. */
    public static AnswerReader ofFirstCall(AnswerText text) {
        return new AnswerReader(text, true);
    }

    /** What a token adds. */
    AnswerText.Piece push(int token) {
        if (isComplete()) {
            return NOTHING;
        }
        boolean inThought = text.closeKind() == CloseKind.OPEN;
        AnswerText.Piece piece = text.push(token);
        if (!inThought && text.closeKind() != CloseKind.OPEN) {
            contentTokens++;
            if (text.closeKind() == CloseKind.HARD) {
                // Who had no time to think it over may not find an end.
                loop.push(token);
            }
        }
        return firstCallOnly(piece);
    }

    /** What was held back. */
    AnswerText.Piece finish() {
        return hasItsCall() ? NOTHING : firstCallOnly(text.finish());
    }

    /** Whether nothing that follows belongs to the answer. */
    boolean isComplete() {
        return text.stopFound().isPresent() || hasItsCall() || loop.loops();
    }

    AnswerFacts facts() {
        return new AnswerFacts(
                text.stopFound(),
                singleCall ? Math.min(1, text.callCount()) : text.callCount(),
                text.reasoningTokens(),
                contentTokens,
                text.closeKind(),
                loop.loops());
    }

    private boolean hasItsCall() {
        return singleCall && firstCall.isReached();
    }

    private AnswerText.Piece firstCallOnly(AnswerText.Piece piece) {
        if (!singleCall || piece.calls().isEmpty()) {
            return piece;
        }
        List<CallDelta> first = piece.calls().stream().filter(delta -> delta.index() == 0).toList();
        first.forEach(delta -> firstCall.push(delta.arguments()));
        return new AnswerText.Piece(piece.reasoning(), piece.content(), first);
    }
}
