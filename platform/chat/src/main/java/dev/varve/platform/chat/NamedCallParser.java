package dev.varve.platform.chat;

import dev.varve.api.model.ToolCallParser;
import dev.varve.api.model.ToolSyntax;

import java.util.List;
import java.util.Optional;

/**
 * Parses {@link ToolSyntax.Named} calls. Strings of the arguments are streamed; {@link LenientJson}
 * converts them to JSON. The texts around the name and behind the arguments may be missing. A call
 * whose arguments cannot be read before any of them was emitted is rejected.
 */
final class NamedCallParser implements ToolCallParser {
    private enum State {
        NAME,
        ARGUMENTS,
        END,
        COMPLETE,
        REJECTED
    }

    /** Longest text between the name and the arguments. */
    private static final int LONGEST_SEPARATOR = 128;

    private final ToolSyntax.Named syntax;
    private final List<ToolDeclaration> tools;
    private final CallEmitter call;
    private final StringBuilder text = new StringBuilder();

    /** Arguments so far, as long as they may be JSON. */
    private final StringBuilder strict = new StringBuilder();

    private final JsonValueEndDetector nesting = new JsonValueEndDetector();

    /** Whether the arguments are complete, and JSON. */
    private boolean isStrict;

    /** Whether the arguments are no JSON. */
    private boolean isLoose;

    private State state = State.NAME;
    private Optional<ToolDeclaration> tool = Optional.empty();
    private Optional<LenientJson> arguments = Optional.empty();

    NamedCallParser(
            ToolSyntax.Named syntax, List<ToolDeclaration> tools, BufferedToolCallOutput output) {
        this.syntax = syntax;
        this.tools = tools;
        call = new CallEmitter(output);
    }

    @Override
    public void push(String more) {
        switch (state) {
            case NAME -> pushName(more);
            case ARGUMENTS -> pushArguments(more);
            case END -> {
                text.append(more);
                readEnd();
            }
            case COMPLETE -> text.append(more);
            case REJECTED -> {}
        }
    }

    @Override
    public boolean isRejected() {
        return state == State.REJECTED;
    }

    @Override
    public boolean isComplete() {
        return state == State.COMPLETE || state == State.END;
    }

    @Override
    public boolean isInValue() {
        return state == State.ARGUMENTS && arguments.orElseThrow().isInString();
    }

    @Override
    public String rest() {
        return state == State.COMPLETE ? text.toString() : "";
    }

    @Override
    public void close() {
        if (state == State.NAME) {
            beginArguments(text.toString());
        }
        if (state == State.ARGUMENTS) {
            arguments.orElseThrow().end();
            settle();
        }
        if (state == State.END) {
            text.setLength(0);
            state = State.COMPLETE;
        }
    }

    private void pushName(String more) {
        int begin = text.length();
        text.append(more);
        for (int at = begin; at < text.length() && state == State.NAME; at++) {
            if (text.charAt(at) == '{') {
                String left = text.substring(at);
                beginArguments(text.substring(0, at));
                if (state == State.ARGUMENTS) {
                    push(left);
                }
                return;
            }
        }
        if (!mayBecomeHead(text.toString().stripLeading())) {
            state = State.REJECTED;
        }
    }

    /** Whether a text may be, or become, the text before the arguments. */
    private boolean mayBecomeHead(String head) {
        String begin = syntax.call().begin();
        if (begin.startsWith(head)) {
            return true;
        }
        String name = withoutBegin(head);
        return tools.stream()
                .map(ToolDeclaration::name)
                .anyMatch(
                        known ->
                                known.startsWith(name)
                                        || name.startsWith(known)
                                                && maySeparate(name.substring(known.length())));
    }

    /** Whether a text may lie between the name and the arguments, or is the beginning of it. */
    private boolean maySeparate(String text) {
        String mark = syntax.afterName();
        boolean mayBegin = mark.startsWith(text) || text.startsWith(mark);
        return text.length() <= LONGEST_SEPARATOR && (mayBegin || text.isBlank());
    }

    private void beginArguments(String head) {
        String name = withoutBegin(head.strip());
        tool =
                tools.stream()
                        .filter(
                                known ->
                                        name.startsWith(known.name())
                                                && maySeparate(
                                                        name.substring(known.name().length())))
                        .max((one, other) -> one.name().length() - other.name().length());
        text.setLength(0);
        if (tool.isEmpty()) {
            state = State.REJECTED;
            return;
        }
        arguments = Optional.of(new LenientJson(ArgumentSchema.of(tool.get().parameters()), ""));
        state = State.ARGUMENTS;
    }

    /** Ends the arguments where they are JSON, whatever follows; otherwise at a likely place. */
    private void pushArguments(String more) {
        int at = 0;
        while (at < more.length() && !isStrict && !isLoose) {
            boolean isEnd = nesting.push(more.charAt(at++));
            isStrict = isEnd && StrictJson.parse(strict + more.substring(0, at)).isPresent();
            if (isEnd && !isStrict) {
                at = more.length();
                isLoose = true;
            }
        }
        if (!isLoose) {
            strict.append(more, 0, at);
        }
        LenientJson json = arguments.orElseThrow();
        json.push(isStrict ? more.substring(0, at) : more);
        if (isStrict) {
            json.end();
        }
        settle();
        if (isStrict && at < more.length()) {
            push(more.substring(at));
        }
    }

    private String withoutBegin(String head) {
        String begin = syntax.call().begin();
        return head.startsWith(begin) ? head.substring(begin.length()).strip() : head;
    }

    private void settle() {
        LenientJson json = arguments.orElseThrow();
        switch (call.emit(tool.orElseThrow(), json)) {
            case REJECTED -> state = State.REJECTED;
            case UNREADABLE -> {
                text.append(json.rest());
                state = State.COMPLETE;
            }
            case DONE -> {
                text.append(json.rest());
                state = State.END;
                readEnd();
            }
            case OPEN -> {}
        }
    }

    /** Drops the text behind the arguments; anything else is the rest. */
    private void readEnd() {
        String end = syntax.call().end().strip();
        String behind = text.toString().stripLeading();
        if (behind.startsWith(end)) {
            behind = behind.substring(end.length()).stripLeading();
        } else if (end.startsWith(behind)) {
            return;
        }
        if (!behind.isEmpty()) {
            text.setLength(0);
            text.append(behind);
            state = State.COMPLETE;
        }
    }
}
