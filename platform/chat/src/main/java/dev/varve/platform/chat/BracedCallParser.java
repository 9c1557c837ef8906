package dev.varve.platform.chat;

import dev.varve.api.model.ToolCallParser;
import dev.varve.api.model.ToolSyntax;

import java.util.List;
import java.util.Optional;

/**
 * Parses {@link ToolSyntax.Braced} calls. Strings are between quote marks, exact, and streamed; a
 * bare value is emitted when it is complete. {@link LenientJson} reads values that the model writes
 * as JSON, or in another form, by the tool's schema. A call whose arguments cannot be read before
 * any of them was emitted is rejected.
 */
final class BracedCallParser implements ToolCallParser {
    private enum State {
        NAME,
        ARGUMENTS,
        COMPLETE,
        REJECTED
    }

    private final ToolSyntax.Braced syntax;
    private final List<ToolDeclaration> tools;
    private final CallEmitter call;
    private final StringBuilder text = new StringBuilder();
    private final StringBuilder rest = new StringBuilder();
    private State state = State.NAME;
    private Optional<ToolDeclaration> tool = Optional.empty();
    private Optional<LenientJson> arguments = Optional.empty();

    BracedCallParser(
            ToolSyntax.Braced syntax, List<ToolDeclaration> tools, BufferedToolCallOutput output) {
        this.syntax = syntax;
        this.tools = tools;
        call = new CallEmitter(output);
    }

    @Override
    public void push(String more) {
        int index = 0;
        while (index < more.length() && state == State.NAME) {
            name(more.charAt(index++));
        }
        String left = more.substring(index);
        switch (state) {
            case ARGUMENTS -> {
                arguments.orElseThrow().push(left);
                settle();
            }
            case COMPLETE -> rest.append(left);
            case NAME, REJECTED -> {}
        }
    }

    @Override
    public void mark(String spelling) {
        switch (state) {
            case ARGUMENTS -> {
                arguments.orElseThrow().mark();
                settle();
            }
            case NAME -> state = State.REJECTED;
            case COMPLETE -> rest.append(spelling);
            case REJECTED -> {}
        }
    }

    @Override
    public boolean isRejected() {
        return state == State.REJECTED;
    }

    @Override
    public boolean isComplete() {
        return state == State.COMPLETE;
    }

    @Override
    public boolean isInValue() {
        return state == State.ARGUMENTS && arguments.orElseThrow().isInString();
    }

    @Override
    public String rest() {
        return rest.toString();
    }

    @Override
    public void close() {
        if (state == State.NAME) {
            endName();
        }
        if (state == State.ARGUMENTS) {
            arguments.orElseThrow().end();
            settle();
        }
    }

    private void name(char next) {
        if (next == '{') {
            endName();
            return;
        }
        text.append(next);
        if (!mayBecomeName(text.toString().stripLeading())) {
            state = State.REJECTED;
        }
    }

    /** Whether a text may become a name; the prefix may be missing. */
    private boolean mayBecomeName(String begin) {
        String name =
                begin.startsWith(syntax.prefix())
                        ? begin.substring(syntax.prefix().length()).strip()
                        : begin.strip();
        return syntax.prefix().startsWith(begin)
                || tools.stream().anyMatch(tool -> tool.name().startsWith(name));
    }

    private void endName() {
        String begin = text.toString().strip();
        String name =
                begin.startsWith(syntax.prefix())
                        ? begin.substring(syntax.prefix().length()).strip()
                        : begin;
        tool = tools.stream().filter(declared -> declared.name().equals(name)).findFirst();
        if (tool.isEmpty()) {
            state = State.REJECTED;
            return;
        }
        LenientJson json =
                new LenientJson(ArgumentSchema.of(tool.get().parameters()), syntax.quote());
        json.push("{");
        arguments = Optional.of(json);
        state = State.ARGUMENTS;
    }

    private void settle() {
        LenientJson json = arguments.orElseThrow();
        switch (call.emit(tool.orElseThrow(), json)) {
            case REJECTED -> state = State.REJECTED;
            case UNREADABLE, DONE -> {
                rest.append(json.rest());
                state = State.COMPLETE;
            }
            case OPEN -> {}
        }
    }
}
