package dev.varve.platform.chat;

import dev.varve.platform.tokenizer.Detokenizer;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Parses the tokens of one response into reasoning, content and tool calls, as early as possible
 * and never within a character. Marks are matched by token id: text that only looks like a mark is
 * text. No sequence of tokens is an error.
 *
 * <p>Reasoning begins a response, or follows other reasoning or a call; a mark that opens or closes
 * reasoning elsewhere is text. A call within reasoning ends it.
 *
 * <p>A call of an undeclared tool, or one that cannot be read, is content, including its marks. A
 * call whose name was emitted stays a call: at its close mark, or at the end of the response, its
 * arguments are completed to valid JSON.
 *
 * <p>Runs per token, on the engine's thread.
 */
public final class ResponseParser {
    /**
     * New text of a response, in this order.
     *
     * @param reasoning reasoning text
     * @param content content text
     * @param calls parts of tool calls
     */
    public record Piece(String reasoning, String content, List<ToolCallDelta> calls) {
        static final Piece EMPTY = new Piece("", "", List.of());

        /** Copies the calls. */
        public Piece {
            calls = List.copyOf(calls);
        }

        /** Whether it contains no text and no calls. */
        public boolean isEmpty() {
            return reasoning.isEmpty() && content.isEmpty() && calls.isEmpty();
        }
    }

    private final Tokenizer tokenizer;
    private final Optional<ReasoningDelimiters> marks;
    private final Optional<ToolCallTokens> callMarks;
    private final List<ToolDeclaration> tools;
    private final ResponseGuide guide;
    private final ContentText contentText;

    /** Text with which a call without its open mark begins; empty for none. */
    private final String bareBegin;

    /** Beginning of a line that may begin a call. */
    private final StringBuilder line = new StringBuilder();

    private boolean beginsLine = true;

    /** Backticks at the beginning of the line, and whether such a line began a code block. */
    private int ticks;

    private boolean isFenced;

    private final StringBuilder reasoning = new StringBuilder();
    private final StringBuilder content = new StringBuilder();
    private final List<ToolCallDelta> calls = new ArrayList<>();

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
    ResponseParser(
            Tokenizer tokenizer,
            Optional<ReasoningDelimiters> marks,
            Optional<ToolCallTokens> callMarks,
            String bareBegin,
            PromptEnd start,
            ResponseOptions options,
            ResponseGuide guide) {
        this.tokenizer = tokenizer;
        this.marks = marks;
        this.callMarks = callMarks;
        this.bareBegin = bareBegin;
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

    /**
     * Consumes a token; returns the text that is final now. Returns no text after a stop string.
     */
    public Piece push(int token) {
        if (stopFound().isPresent() || token < 0 || token >= tokenizer.vocabularySize()) {
            return Piece.EMPTY;
        }
        if (call.isPresent()) {
            pushInCall(call.get(), token);
        } else if (openReasoning.isPresent()) {
            pushInReasoning(openReasoning.get(), token);
        } else {
            pushInContent(token);
        }
        return take();
    }

    /** Ends the response; returns the text that was held back. */
    public Piece finish() {
        if (stopFound().isPresent()) {
            return Piece.EMPTY;
        }
        // A rejected call may contain another one.
        while (call.isPresent() && stopFound().isEmpty()) {
            OpenCall open = call.get();
            advance(open, open.finish());
        }
        flush();
        openReasoning.ifPresent(open -> reasoning.append(open.finish()));
        content.append(contentText.finish());
        return take();
    }

    /** Returns the stop string that ended the response. */
    public Optional<String> stopFound() {
        return contentText.stopFound();
    }

    /**
     * Ends the reasoning as if its budget were used up; without reasoning no effect. Any thread.
     */
    public void endReasoning() {
        guide.endReasoning();
    }

    /** Returns the number of reasoning tokens so far, without the delimiters. */
    public int reasoningTokens() {
        return reasoningTokens;
    }

    /** Returns the number of tool calls so far. */
    public int callCount() {
        return callCount;
    }

    /** Returns how the reasoning so far ended. */
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

    private void pushInContent(int token) {
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
            isBehindContent = isBehindContent || ResponseGuide.isVisible(token, tokenizer);
            pushContent(text(token));
        }
    }

    /** Adds content, in which a call without its open mark may begin. */
    private void pushContent(String text) {
        if (bareBegin.isEmpty()) {
            content.append(contentText.push(text));
            return;
        }
        int from = 0;
        for (int index = 0; index < text.length(); index++) {
            char next = text.charAt(index);
            fence(next);
            if (beginsLine && !isFenced && bareBegin.charAt(line.length()) == next) {
                content.append(contentText.push(text.substring(from, index)));
                line.append(next);
                from = index + 1;
                if (line.length() == bareBegin.length() && stopFound().isEmpty()) {
                    beginBareCall(text.substring(from) + detokenizer.finish());
                    return;
                }
            } else {
                endLineBegin();
                beginsLine = next == '\n' || beginsLine && Character.isWhitespace(next);
            }
        }
        content.append(contentText.push(text.substring(from)));
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
            content.append(contentText.push(line.toString()));
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

    private void pushInReasoning(ReasoningText open, int token) {
        if (token == marks.orElseThrow().closeId()) {
            flush();
            reasoning.append(open.finish());
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
        reasoningTokens++;
        if (token != marks.get().openId() || !open.isEmpty()) {
            reasoning.append(open.push(text(token)));
        }
    }

    private void pushInCall(OpenCall open, int token) {
        if (opensCall(token) && !open.isInValue()) {
            advance(open, open.interrupt());
            if (stopFound().isEmpty()) {
                beginCall();
            }
        } else if (interrupted.isPresent() && token == marks.orElseThrow().closeId()) {
            advance(open, open.interrupt());
            if (openReasoning.isPresent()) {
                pushInReasoning(openReasoning.get(), token);
            } else {
                pushInContent(token);
            }
        } else {
            advance(open, open.push(token));
        }
    }

    private boolean opensCall(int token) {
        return callMarks.isPresent() && !tools.isEmpty() && token == callMarks.get().openId();
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
            content.append(contentText.beginCall());
            if (stopFound().isPresent()) {
                return;
            }
            open.count();
            callsBefore = callCount;
        }
        for (ToolCallDelta delta : open.output().take()) {
            calls.add(delta.after(callsBefore));
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
            content.append(contentText.push(text.substring(0, 1)));
            beginsLine = text.charAt(0) == '\n';
            pushContent(text.substring(1));
        }
    }

    /** Ends the reasoning in which a call has begun. */
    private void endInterrupted() {
        interrupted.ifPresent(
                open -> {
                    reasoning.append(open.finish());
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
        reasoning.append(openReasoning.orElseThrow().push(rejected.text()));
        guide.setInReasoning(true);
    }

    /** Returns the text of a token outside of calls; marks are plain text there. */
    private String text(int token) {
        boolean isMark =
                callMarks.filter(tokens -> tokens.isMark(token)).isPresent()
                        || marks.filter(tokens -> tokens.isMark(token)).isPresent();
        if (!isMark) {
            return detokenizer.push(token);
        }
        String before = detokenizer.finish();
        detokenizer = tokenizer.detokenizer();
        return before + tokenizer.decode(new int[] {token}, true);
    }

    /** Drops an incomplete character. */
    private void flush() {
        String rest = detokenizer.finish();
        detokenizer = tokenizer.detokenizer();
        if (openReasoning.isPresent()) {
            reasoning.append(openReasoning.get().push(rest));
        } else {
            content.append(contentText.push(line.toString()));
            line.setLength(0);
            content.append(contentText.push(rest));
        }
    }

    private Piece take() {
        if (reasoning.isEmpty() && content.isEmpty() && calls.isEmpty()) {
            return Piece.EMPTY;
        }
        Piece piece = new Piece(reasoning.toString(), content.toString(), calls);
        reasoning.setLength(0);
        content.setLength(0);
        calls.clear();
        return piece;
    }
}
