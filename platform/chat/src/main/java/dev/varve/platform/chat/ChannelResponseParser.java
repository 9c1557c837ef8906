package dev.varve.platform.chat;

import dev.varve.platform.tokenizer.Detokenizer;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.List;
import java.util.Optional;

/**
 * Parses responses that consist of messages in channels. The channel of analysis is reasoning;
 * other messages are content, unless their recipient is a declared function: then the body is the
 * arguments of a call. A message to another recipient is dropped. A malformed header never fails:
 * its message is content.
 */
final class ChannelResponseParser implements ResponseParser {
    private static final String BETWEEN_MESSAGES = "\n\n";

    private final Tokenizer tokenizer;
    private final ChannelReader reader;
    private final ChannelGuide guide;
    private final List<ToolDeclaration> tools;
    private final ContentText contentText;
    private final PieceBuffer out = new PieceBuffer();

    private Detokenizer detokenizer;
    private ChannelHeader.Kind kind = ChannelHeader.Kind.OTHER;
    private Optional<ChannelCall> call = Optional.empty();
    private boolean isOpen;
    private boolean hadReasoning;
    private boolean hasReasoningText;
    private boolean hasContentText;
    private boolean isNew;
    private int reasoningTokens;
    private int callCount;

    /**
     * @param prompt the prompt, which may end within a message
     * @param guide receives each token before it is parsed here
     */
    ChannelResponseParser(
            ChannelTokens tokens, int[] prompt, ResponseOptions options, ChannelGuide guide) {
        tokenizer = tokens.tokenizer();
        this.guide = guide;
        tools = options.tools();
        contentText = new ContentText(options.stops(), !tools.isEmpty());
        detokenizer = tokenizer.detokenizer();
        reader = new ChannelReader(tokens, prompt);
        if (reader.isInBody()) {
            begin(reader.last());
            isNew = false;
        }
    }

    @Override
    public Piece push(int token) {
        if (stopFound().isPresent() || token < 0 || token >= tokenizer.vocabularySize()) {
            return Piece.EMPTY;
        }
        switch (reader.read(token)) {
            case HEADER -> {}
            case BEGIN -> begin(reader.last());
            case BEGIN_WITH_TEXT -> {
                begin(reader.last());
                body(reader.last().rest());
            }
            case TEXT -> whole(reader.last());
            case BODY -> {
                reasoningTokens += kind == ChannelHeader.Kind.REASONING ? 1 : 0;
                body(detokenizer.push(token));
            }
            case END -> end(false);
        }
        return out.take();
    }

    @Override
    public Piece finish() {
        if (stopFound().isPresent()) {
            return Piece.EMPTY;
        }
        if (isOpen) {
            boolean isReasoning = kind == ChannelHeader.Kind.REASONING;
            end(true);
            isOpen = isReasoning;
        } else {
            whole(reader.unfinished());
        }
        out.content(contentText.finish());
        return out.take();
    }

    @Override
    public Optional<String> stopFound() {
        return contentText.stopFound();
    }

    @Override
    public void endReasoning() {
        guide.endReasoning();
    }

    @Override
    public int reasoningTokens() {
        return reasoningTokens;
    }

    @Override
    public int callCount() {
        return callCount;
    }

    @Override
    public ReasoningFinishReason closeKind() {
        if (!hadReasoning) {
            return ReasoningFinishReason.NONE;
        }
        if (isOpen && kind == ChannelHeader.Kind.REASONING) {
            return ReasoningFinishReason.OPEN;
        }
        return guide.hasForcedReasoningEnd()
                ? ReasoningFinishReason.HARD
                : ReasoningFinishReason.NATURAL;
    }

    private void whole(ChannelHeader header) {
        if (!header.rest().isBlank()) {
            begin(header);
            body(header.rest());
            end(false);
        }
    }

    private void begin(ChannelHeader header) {
        isOpen = true;
        isNew = true;
        detokenizer = tokenizer.detokenizer();
        call =
                header.tool()
                        .flatMap(
                                name ->
                                        tools.stream()
                                                .filter(tool -> tool.name().equals(name))
                                                .findFirst())
                        .map(ChannelCall::new);
        boolean isUndeclared = header.tool().isPresent() && call.isEmpty();
        kind = isUndeclared ? ChannelHeader.Kind.CONTENT : header.kind();
        hadReasoning |= kind == ChannelHeader.Kind.REASONING;
    }

    private void body(String text) {
        if (text.isEmpty()) {
            return;
        }
        switch (kind) {
            case REASONING -> {
                out.reasoning(isNew && hasReasoningText ? BETWEEN_MESSAGES + text : text);
                hasReasoningText = true;
            }
            case CONTENT -> content(text);
            case CALL -> {
                call.orElseThrow().push(text);
                emit(call.get());
            }
            case OTHER -> {}
        }
        isNew = false;
    }

    private void content(String text) {
        boolean isApart = isNew && hasContentText;
        out.content(contentText.push(isApart ? BETWEEN_MESSAGES + text : text));
        hasContentText = true;
    }

    private void end(boolean isCut) {
        body(detokenizer.finish());
        call.ifPresent(
                open -> {
                    open.end();
                    emit(open);
                    contentText.skipSpace();
                    out.content(contentText.push(open.rest(isCut)));
                });
        hasContentText = hasContentText && call.isEmpty();
        call = Optional.empty();
        isOpen = false;
    }

    private void emit(ChannelCall open) {
        if (open.output().isBegun() && !open.isCounted()) {
            out.content(contentText.beginCall());
            if (stopFound().isPresent()) {
                return;
            }
            open.count();
            callCount++;
        }
        open.output().take().forEach(delta -> out.call(delta.after(callCount - 1)));
    }
}
