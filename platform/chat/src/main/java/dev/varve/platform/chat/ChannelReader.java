package dev.varve.platform.chat;

import dev.varve.platform.tokenizer.Detokenizer;

import java.util.Arrays;

/**
 * Follows the messages of a response in channels, token by token. For one response and one thread.
 */
final class ChannelReader {
    /** Longest header in characters; longer text is the body of a message without a header. */
    private static final int LONGEST_HEADER = 256;

    /** Effect of a token on the open message. */
    enum Step {
        /** It belongs to a header, or lies between messages. */
        HEADER,
        /** It ended a header: a body begins. */
        BEGIN,
        /** The header has no end: its text is the begin of a body. */
        BEGIN_WITH_TEXT,
        /** The header has no end: its text is a whole body, behind which the next header begins. */
        TEXT,
        /** It belongs to the body. */
        BODY,
        /** It ended a body: the next header begins. */
        END
    }

    private final ChannelTokens tokens;
    private final StringBuilder header = new StringBuilder();
    private Detokenizer detokenizer;
    private ChannelHeader last = ChannelHeader.of("");
    private boolean inBody;

    /** Reads the end of a prompt: the message that the response continues. */
    ChannelReader(ChannelTokens tokens, int[] prompt) {
        this.tokens = tokens;
        detokenizer = tokens.tokenizer().detokenizer(true);
        int from = prompt.length - 1;
        while (from >= 0 && prompt[from] != tokens.start()) {
            from--;
        }
        for (int token :
                Arrays.copyOfRange(prompt, from < 0 ? prompt.length : from, prompt.length)) {
            read(token);
        }
    }

    /** Whether a body is open. */
    boolean isInBody() {
        return inBody;
    }

    /** Whether the open body is reasoning. */
    boolean isInReasoning() {
        return inBody && last.kind() == ChannelHeader.Kind.REASONING;
    }

    /** Returns the header of the body that is open or, behind it, has ended last. */
    ChannelHeader last() {
        return last;
    }

    /** Returns the header that the response leaves without its end. */
    ChannelHeader unfinished() {
        return ChannelHeader.cut(header + detokenizer.finish());
    }

    /** Consumes a token. */
    Step read(int token) {
        if (inBody) {
            if (!tokens.isMark(token)) {
                return Step.BODY;
            }
            inBody = false;
            beginHeader(token);
            return Step.END;
        }
        if (token == tokens.message()) {
            return begin(Step.BEGIN);
        }
        if (token == tokens.start() || token == tokens.end()) {
            last = ChannelHeader.of(header + detokenizer.finish());
            beginHeader(token);
            return last.rest().isBlank() ? Step.HEADER : Step.TEXT;
        }
        header.append(detokenizer.push(token));
        return header.length() > LONGEST_HEADER ? begin(Step.BEGIN_WITH_TEXT) : Step.HEADER;
    }

    private Step begin(Step step) {
        last = ChannelHeader.of(header + detokenizer.finish());
        inBody = true;
        return step;
    }

    private void beginHeader(int token) {
        header.setLength(0);
        detokenizer = tokens.tokenizer().detokenizer(true);
        if (token == tokens.channel() || token == tokens.constrain()) {
            header.append(detokenizer.push(token));
        }
    }
}
