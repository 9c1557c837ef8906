package dev.varve.platform.chat;

import java.util.ArrayList;
import java.util.List;

/** Parsed text of a response that was not handed out yet. */
final class PieceBuffer {
    private final StringBuilder reasoning = new StringBuilder();
    private final StringBuilder content = new StringBuilder();
    private final List<ToolCallDelta> calls = new ArrayList<>();

    void reasoning(String text) {
        reasoning.append(text);
    }

    void content(String text) {
        content.append(text);
    }

    void call(ToolCallDelta delta) {
        calls.add(delta);
    }

    /** Hands out the text. */
    ResponseParser.Piece take() {
        if (reasoning.isEmpty() && content.isEmpty() && calls.isEmpty()) {
            return ResponseParser.Piece.EMPTY;
        }
        ResponseParser.Piece piece =
                new ResponseParser.Piece(reasoning.toString(), content.toString(), calls);
        reasoning.setLength(0);
        content.setLength(0);
        calls.clear();
        return piece;
    }
}
