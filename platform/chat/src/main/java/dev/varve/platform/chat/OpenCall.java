package dev.varve.platform.chat;

import dev.varve.api.model.ToolCallParser;
import dev.varve.platform.tokenizer.Detokenizer;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.List;

/**
 * A call whose open mark was read. Keeps its text as long as it may turn out to be plain content.
 */
final class OpenCall {
    enum ParseStatus {
        /** The call needs more text. */
        OPEN,
        /** The text is no call; {@link #text} is plain content. */
        REJECTED,
        /** The call is complete; {@link #text} is the text behind it. */
        ENDED
    }

    private final Tokenizer tokenizer;
    private final ToolCallTokens marks;
    private final BufferedToolCallOutput output = new BufferedToolCallOutput();
    private final ToolCallParser parser;
    private final JsonValueEndDetector strings = new JsonValueEndDetector();
    private final StringBuilder raw = new StringBuilder();
    private Detokenizer detokenizer;
    private int nested;
    private int tokens = 1;
    private boolean counted;

    /**
     * @param begin the open mark, empty if it is missing
     */
    OpenCall(Tokenizer tokenizer, ToolCallTokens marks, List<ToolDeclaration> tools, String begin) {
        this.tokenizer = tokenizer;
        this.marks = marks;
        parser = marks.parser(tools, output);
        detokenizer = tokenizer.detokenizer(true);
        raw.append(begin);
    }

    BufferedToolCallOutput output() {
        return output;
    }

    /** Whether the response counts this call. */
    boolean isCounted() {
        return counted;
    }

    void count() {
        counted = true;
    }

    /** Returns the number of tokens so far, including the open mark. */
    int tokens() {
        return tokens;
    }

    ParseStatus push(ResponsePart part) {
        tokens += part.tokens();
        if (!part.isText() && marks.isMark(part.id())) {
            return mark(part.id());
        }
        if (part.isText()) {
            return text(part.text());
        }
        boolean isOtherMark = marks.table().isText(part.id());
        return text(isOtherMark ? marks.table().spelling(part.id()) : detokenizer.push(part.id()));
    }

    private ParseStatus mark(int token) {
        text(detokenizer.finish());
        detokenizer = tokenizer.detokenizer(true);
        String spelling = marks.table().spelling(token);
        if (parser.isRejected()) {
            raw.append(spelling);
            return ParseStatus.REJECTED;
        }
        if (token == marks.closeId() && (!isInValue() || mayEndInValue(token))) {
            raw.append(spelling);
            parser.close();
            return parser.isRejected() ? ParseStatus.REJECTED : ParseStatus.ENDED;
        }
        if (token == marks.openId()) {
            nested++;
        } else if (token == marks.closeId()) {
            nested--;
        } else {
            buffer(spelling);
            parser.mark(spelling);
            return progress();
        }
        return text(spelling);
    }

    /** Whether a close mark ends a call within a value, which then lacks its end. */
    private boolean mayEndInValue(int close) {
        return nested == 0 && !marks.table().isText(close);
    }

    /**
     * Follows the strings of calls in JSON, where a mark in plain text may be part of a string that
     * the parser does not treat as a value.
     */
    private void followStrings(String text) {
        if (marks.table().isText(marks.openId()) && marks.isJson()) {
            text.chars().forEach(next -> strings.push((char) next));
        }
    }

    /** Consumes text that does not come from a token of its own. */
    ParseStatus begin(String begun) {
        return text(begun);
    }

    /** Whether an open mark is part of a value here and does not begin the next call. */
    boolean isInValue() {
        return parser.isInValue() || strings.isInString() && !parser.isComplete();
    }

    /** Ends this call because another call begins. */
    ParseStatus interrupt() {
        text(detokenizer.finish());
        if (output.isBegun() || parser.isComplete()) {
            parser.close();
        }
        return output.isBegun() ? ParseStatus.ENDED : ParseStatus.REJECTED;
    }

    /**
     * Ends this call because the response ends. A call that has begun is completed to valid JSON,
     * so that clients can parse it; the finish reason reports whether the response was cut.
     */
    ParseStatus finish() {
        ParseStatus progress = text(detokenizer.finish());
        if (progress != ParseStatus.OPEN) {
            return progress;
        }
        if (parser instanceof CallSequenceParser sequence) {
            sequence.cut();
        } else if (parser.isComplete() || output.isBegun()) {
            parser.close();
        }
        return output.isBegun() ? ParseStatus.ENDED : ParseStatus.REJECTED;
    }

    /** Returns all text of a rejected call, or the text behind an ended one. */
    String text() {
        return output.isBegun() ? parser.rest() : raw.toString();
    }

    private ParseStatus text(String text) {
        buffer(text);
        followStrings(text);
        parser.push(text);
        return progress();
    }

    private void buffer(String text) {
        if (!output.isBegun()) {
            raw.append(text);
        }
    }

    private ParseStatus progress() {
        if (parser.isRejected()) {
            return ParseStatus.REJECTED;
        }
        if (output.isBegun()) {
            raw.setLength(0);
        }
        return parser.isComplete() && !parser.rest().isBlank()
                ? ParseStatus.ENDED
                : ParseStatus.OPEN;
    }
}
