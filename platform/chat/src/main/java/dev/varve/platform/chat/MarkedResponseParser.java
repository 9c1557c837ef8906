package dev.varve.platform.chat;

import dev.varve.platform.tokenizer.Detokenizer;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.List;
import java.util.Optional;

/**
 * Parses responses whose reasoning and calls are between marks. Marks that are special tokens are
 * matched by id: text that only looks like such a mark is text.
 *
 * <p>Reasoning begins a response, or follows other reasoning or a call; a mark that opens or closes
 * reasoning elsewhere is text. A call within reasoning ends it.
 *
 * <p>A call of an undeclared tool, or one that cannot be read, is content, including its marks. A
 * call whose name was emitted stays a call: at its close mark, or at the end of the response, its
 * arguments are completed to valid JSON.
 */
final class MarkedResponseParser implements ResponseParser {
    private final Tokenizer tokenizer;
    private final Optional<ReasoningDelimiters> marks;
    private final Optional<ToolCallTokens> callMarks;
    private final List<ToolDeclaration> tools;
    private final ResponseGuide guide;
    private final ContentText contentText;

    /** Text with which a call without its open mark begins; empty for none. */
    private final String bareBegin;

    /** Whether such a call begins the response. */
    private final boolean isWholeResponse;

    /** Beginning of a line that may begin a call. */
    private final StringBuilder line = new StringBuilder();

    private boolean beginsLine = true;

    /** Backticks at the beginning of the line, and whether such a line began a code block. */
    private int ticks;

    private boolean isFenced;

    private final PieceBuffer out = new PieceBuffer();
    private final MarkTable table;

    /** Finds the marks that are plain text. */
    private final Optional<TextMarkReader> textMarks;

    private Detokenizer detokenizer;
    private Optional<ReasoningText> openReasoning = Optional.empty();
    private Optional<OpenCall> call = Optional.empty();
    private boolean hadReasoning;

    /** Whether content came since the last reasoning or call: no reasoning begins after it. */
    private boolean isBehindContent;

    /** Whether reasoning was ended for the model, which may still write its close mark. */
    private boolean awaitsClose;

    /** Reasoning in which the open call began, until its name confirms the call. */
    private Optional<ReasoningText> interrupted = Optional.empty();

    /** Whether content has begun of which all text counts. */
    private boolean exact;

    private int reasoningTokens;
    private int callCount;

    /** Number of calls before the marks of the open one. */
    private int callsBefore;

    /**
     * @param bareBegin beginning of a line that starts a call without its open mark; empty for none
     * @param start state of the response at the end of the prompt
     * @param guide receives each token before it is parsed here
     */
    MarkedResponseParser(
            MarkTable table,
            Optional<ReasoningDelimiters> marks,
            Optional<ToolCallTokens> callMarks,
            String bareBegin,
            PromptEnd start,
            ResponseOptions options,
            ResponseGuide guide) {
        this.table = table;
        tokenizer = table.tokenizer();
        textMarks = table.reader();
        this.marks = marks;
        this.callMarks = callMarks;
        this.bareBegin = bareBegin;
        isWholeResponse = callMarks.filter(tokens -> tokens.syntax().isWholeResponse()).isPresent();
        this.guide = guide;
        tools = options.tools();
        contentText = new ContentText(options.stops(), callMarks.isPresent() && !tools.isEmpty());
        detokenizer = tokenizer.detokenizer();
        switch (start) {
            case PromptEnd.InReasoning(String begun) -> {
                beginReasoning();
                openReasoning.orElseThrow().push(begun);
            }
            case PromptEnd.AfterReasoning() -> contentText.skipSpace();
            case PromptEnd.Plain() -> {}
        }
    }

    @Override
    public Piece push(int token) {
        if (stopFound().isPresent() || token < 0 || token >= tokenizer.vocabularySize()) {
            return Piece.EMPTY;
        }
        pushAll(
                textMarks.isPresent()
                        ? textMarks.get().read(token)
                        : List.of(ResponsePart.ofToken(token)));
        return out.take();
    }

    private void pushAll(List<ResponsePart> parts) {
        for (ResponsePart part : parts) {
            if (stopFound().isPresent()) {
                return;
            }
            if (call.isPresent()) {
                pushInCall(call.get(), part);
            } else if (openReasoning.isPresent()) {
                pushInReasoning(openReasoning.get(), part);
            } else {
                pushInContent(part);
            }
        }
    }

    @Override
    public Piece finish() {
        if (stopFound().isPresent()) {
            return Piece.EMPTY;
        }
        textMarks.ifPresent(this::finishMarks);
        // A rejected call may contain another one.
        while (call.isPresent() && stopFound().isEmpty()) {
            OpenCall open = call.get();
            advance(open, open.finish());
        }
        flush();
        openReasoning.ifPresent(open -> out.reasoning(open.finish()));
        out.content(contentText.finish());
        return out.take();
    }

    /** Adds the text that was held back, unless it is the begin of a mark that ends a call. */
    private void finishMarks(TextMarkReader reader) {
        List<ResponsePart> rest = reader.finish();
        boolean mayClose =
                call.filter(open -> open.output().isBegun() && !open.isInValue()).isPresent();
        boolean isClose =
                mayClose
                        && rest.size() == 1
                        && callMarks
                                .orElseThrow()
                                .syntax()
                                .close()
                                .startsWith(rest.getFirst().text().replace("\uFFFD", ""));
        if (!isClose) {
            pushAll(rest);
        }
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
        if (openReasoning.isPresent() || interrupted.isPresent()) {
            return ReasoningFinishReason.OPEN;
        }
        return guide.hasForcedReasoningEnd()
                ? ReasoningFinishReason.HARD
                : ReasoningFinishReason.NATURAL;
    }

    private void pushInContent(ResponsePart part) {
        int token = part.id();
        if (!exact && guide.hasExactContent()) {
            exact = true;
            contentText.keepSpace();
        }
        if (isReasoningDelimiter(token)) {
            flush();
            if (token == marks.orElseThrow().openId()) {
                beginReasoning();
            } else {
                awaitsClose = false;
            }
        } else if (opensCall(token)) {
            flush();
            beginCall();
        } else {
            isBehindContent = isBehindContent || isVisible(part);
            pushContent(text(part));
        }
    }

    /** Adds content, in which a call without its open mark may begin. */
    private void pushContent(String text) {
        if (bareBegin.isEmpty() && textMarks.isEmpty()) {
            out.content(contentText.push(text));
            return;
        }
        int from = 0;
        for (int index = 0; index < text.length(); index++) {
            char next = text.charAt(index);
            fence(next);
            if (continuesBegin(next)) {
                out.content(contentText.push(text.substring(from, index)));
                line.append(next);
                from = index + 1;
                if (line.length() == bareBegin.length() && stopFound().isEmpty()) {
                    beginBareCall(text.substring(from) + detokenizer.finish());
                    return;
                }
            } else {
                endLineBegin();
                boolean isSpace = Character.isWhitespace(next);
                beginsLine = next == '\n' && !isWholeResponse || beginsLine && isSpace;
            }
        }
        out.content(contentText.push(text.substring(from)));
    }

    private boolean continuesBegin(char next) {
        return beginsLine
                && !isFenced
                && !bareBegin.isEmpty()
                && bareBegin.charAt(line.length()) == next;
    }

    /** Tracks code fences: a call within a code block is content. */
    private void fence(char next) {
        ticks = next == '`' && (beginsLine || ticks > 0) ? ticks + 1 : 0;
        if (ticks == 3) {
            isFenced = !isFenced;
        }
    }

    /** Emits the held text, which does not begin a call. */
    private void endLineBegin() {
        if (!line.isEmpty()) {
            out.content(contentText.push(line.toString()));
            line.setLength(0);
            beginsLine = false;
        }
    }

    private void beginBareCall(String text) {
        line.setLength(0);
        beginsLine = false;
        detokenizer = tokenizer.detokenizer();
        OpenCall open = new OpenCall(tokenizer, callMarks.orElseThrow(), tools, "");
        call = Optional.of(open);
        advance(open, open.begin(bareBegin + text));
    }

    /**
     * Whether a mark begins reasoning here or ends reasoning that was ended for the model. Other
     * marks are text: models write about these marks, too.
     */
    private boolean isReasoningDelimiter(int token) {
        return marks.isPresent()
                && (token == marks.get().openId() && !isBehindContent
                        || token == marks.get().closeId() && awaitsClose);
    }

    private void pushInReasoning(ReasoningText open, ResponsePart part) {
        int token = part.id();
        if (token == marks.orElseThrow().closeId()) {
            flush();
            out.reasoning(open.finish());
            openReasoning = Optional.empty();
            isBehindContent = false;
            awaitsClose = guide.hasForcedReasoningEnd();
            contentText.skipSpace();
            return;
        }
        if (opensCall(token)) {
            flush();
            beginCall();
            return;
        }
        reasoningTokens += part.tokens();
        if (token != marks.get().openId() || !open.isEmpty()) {
            out.reasoning(open.push(text(part)));
        }
    }

    private void pushInCall(OpenCall open, ResponsePart part) {
        int token = part.id();
        if (opensCall(token) && !open.isInValue()) {
            advance(open, open.interrupt());
            if (stopFound().isEmpty()) {
                beginCall();
            }
        } else if (interrupted.isPresent() && token == marks.orElseThrow().closeId()) {
            advance(open, open.interrupt());
            if (openReasoning.isPresent()) {
                pushInReasoning(openReasoning.get(), part);
            } else {
                pushInContent(part);
            }
        } else {
            advance(open, open.push(part));
        }
    }

    /** Whether a mark opens a call; a mark in plain text opens none within a code block. */
    private boolean opensCall(int token) {
        return callMarks.isPresent()
                && !tools.isEmpty()
                && token == callMarks.get().openId()
                && !(isFenced && table.isText(token));
    }

    private void beginReasoning() {
        openReasoning = Optional.of(new ReasoningText(marks.orElseThrow().label()));
        hadReasoning = true;
    }

    private void beginCall() {
        if (openReasoning.isPresent()) {
            interrupted = openReasoning;
            openReasoning = Optional.empty();
            guide.setInReasoning(false);
        }
        ToolCallTokens tokens = callMarks.orElseThrow();
        call = Optional.of(new OpenCall(tokenizer, tokens, tools, tokens.syntax().open()));
    }

    private void advance(OpenCall open, OpenCall.ParseStatus progress) {
        if (open.output().isBegun() && !open.isCounted()) {
            endInterrupted();
            out.content(contentText.beginCall());
            if (stopFound().isPresent()) {
                return;
            }
            open.count();
            callsBefore = callCount;
        }
        for (ToolCallDelta delta : open.output().take()) {
            out.call(delta.after(callsBefore));
        }
        if (open.isCounted()) {
            callCount = callsBefore + open.output().calls();
        }
        if (progress != OpenCall.ParseStatus.OPEN) {
            call = Optional.empty();
            if (progress == OpenCall.ParseStatus.ENDED) {
                isBehindContent = false;
                guide.recordCallEnd();
                contentText.skipSpace();
            } else if (interrupted.isPresent()) {
                resumeReasoning(open);
                return;
            }
            isBehindContent = isBehindContent || !open.text().isBlank();
            pushBehind(open.text());
        }
    }

    /** Adds text after a call or of a rejected one: its first character begins no call. */
    private void pushBehind(String text) {
        if (!text.isEmpty()) {
            out.content(contentText.push(text.substring(0, 1)));
            beginsLine = text.charAt(0) == '\n' && !isWholeResponse;
            pushContent(text.substring(1));
        }
    }

    /** Ends the reasoning in which a call has begun. */
    private void endInterrupted() {
        interrupted.ifPresent(
                open -> {
                    out.reasoning(open.finish());
                    contentText.skipSpace();
                    awaitsClose = true;
                });
        interrupted = Optional.empty();
    }

    /** Resumes the reasoning: the text only resembled a call, so it belongs to the reasoning. */
    private void resumeReasoning(OpenCall rejected) {
        openReasoning = interrupted;
        interrupted = Optional.empty();
        reasoningTokens += rejected.tokens();
        out.reasoning(openReasoning.orElseThrow().push(rejected.text()));
        guide.setInReasoning(true);
    }

    private boolean isVisible(ResponsePart part) {
        return part.isText()
                ? !part.text().isBlank()
                : table.isText(part.id()) || ResponseGuide.isVisible(part.id(), tokenizer);
    }

    /** Returns the text of a part outside of calls; marks are plain text there. */
    private String text(ResponsePart part) {
        if (part.isText()) {
            return part.text();
        }
        int token = part.id();
        if (table.isText(token)) {
            return table.spelling(token);
        }
        boolean isMark =
                callMarks.filter(tokens -> isShown(tokens, token)).isPresent()
                        || marks.filter(tokens -> tokens.isMark(token)).isPresent();
        if (!isMark) {
            return detokenizer.push(token);
        }
        String before = detokenizer.finish();
        detokenizer = tokenizer.detokenizer();
        return before + tokenizer.decode(new int[] {token}, true);
    }

    private boolean isShown(ToolCallTokens tokens, int token) {
        return tokenizer.isSpecial(token) && tokens.isShown(token);
    }

    /** Drops an incomplete character. */
    private void flush() {
        String rest = detokenizer.finish();
        detokenizer = tokenizer.detokenizer();
        if (openReasoning.isPresent()) {
            out.reasoning(openReasoning.get().push(rest));
        } else {
            out.content(contentText.push(line.toString()));
            line.setLength(0);
            out.content(contentText.push(rest));
        }
    }
}
