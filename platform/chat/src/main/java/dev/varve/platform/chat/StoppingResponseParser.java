package dev.varve.platform.chat;

import java.util.List;

/** Parses the tokens of one response and detects when it is complete. */
public final class StoppingResponseParser {
    private static final ResponseParser.Piece NOTHING = new ResponseParser.Piece("", "", List.of());

    private final ResponseParser text;
    private final boolean singleCall;
    private final JsonObjectEndDetector firstCall = new JsonObjectEndDetector();
    private final RepetitionDetector repetition = new RepetitionDetector();
    private int contentTokens;

    private StoppingResponseParser(ResponseParser text, boolean singleCall) {
        this.text = text;
        this.singleCall = singleCall;
    }

    /** Returns a reader for a whole response. */
    public static StoppingResponseParser of(ResponseParser text) {
        return new StoppingResponseParser(text, false);
    }

    /** Returns a reader for a response that ends after its first tool call. */
    public static StoppingResponseParser ofFirstCall(ResponseParser text) {
        return new StoppingResponseParser(text, true);
    }

    /** Returns the text that a token adds. */
    public ResponseParser.Piece push(int token) {
        if (isComplete()) {
            return NOTHING;
        }
        boolean inThought = text.closeKind() == ReasoningFinishReason.OPEN;
        ResponseParser.Piece piece = text.push(token);
        if (!inThought && text.closeKind() != ReasoningFinishReason.OPEN) {
            contentTokens++;
            if (text.closeKind() == ReasoningFinishReason.HARD) {
                // A model whose reasoning was cut off may repeat itself without end.
                repetition.push(token);
            }
        }
        return firstCallOnly(piece);
    }

    /** Returns the text that was held back. */
    public ResponseParser.Piece finish() {
        return hasItsCall() ? NOTHING : firstCallOnly(text.finish());
    }

    /** Returns whether further tokens do not belong to the response. */
    public boolean isComplete() {
        return text.stopFound().isPresent() || hasItsCall() || repetition.isRepeating();
    }

    /** Ends the reasoning as if its budget were used up. Any thread. */
    public void endReasoning() {
        text.endReasoning();
    }

    /** Returns what the response consisted of so far. */
    public ResponseSummary summary() {
        return new ResponseSummary(
                text.stopFound(),
                singleCall ? Math.min(1, text.callCount()) : text.callCount(),
                text.reasoningTokens(),
                contentTokens,
                text.closeKind(),
                repetition.isRepeating());
    }

    private boolean hasItsCall() {
        return singleCall && firstCall.isReached();
    }

    private ResponseParser.Piece firstCallOnly(ResponseParser.Piece piece) {
        if (!singleCall || piece.calls().isEmpty()) {
            return piece;
        }
        List<ToolCallDelta> first =
                piece.calls().stream().filter(delta -> delta.index() == 0).toList();
        first.forEach(delta -> firstCall.push(delta.arguments()));
        return new ResponseParser.Piece(piece.reasoning(), piece.content(), first);
    }
}
