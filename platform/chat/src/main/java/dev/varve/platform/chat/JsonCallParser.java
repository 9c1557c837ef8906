package dev.varve.platform.chat;

import dev.varve.api.model.ToolCallParser;
import dev.varve.api.model.ToolSyntax;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Parses {@link ToolSyntax.Json} calls. Once the name is known, strings of the arguments are
 * streamed; arguments before the name are held until the name is known. {@link LenientJson}
 * converts them to JSON. A call whose arguments cannot be read before any of them was emitted is
 * rejected.
 */
final class JsonCallParser implements ToolCallParser {
    private enum State {
        BEFORE_OBJECT,
        BEFORE_KEY,
        KEY,
        COLON,
        BEFORE_VALUE,
        VALUE,
        ARGUMENTS,
        AFTER_VALUE,
        COMPLETE,
        REJECTED
    }

    private static final ArgumentSchema ANYTHING =
            ArgumentSchema.of(JsonNodeFactory.instance.objectNode());

    /** Keys with which a call that is a whole response may begin. */
    private static final Set<String> FIRST_KEYS = Set.of("name", "type", "function");

    private final boolean isWholeResponse;
    private final List<ToolDeclaration> tools;
    private final BufferedToolCallOutput output;
    private final StringBuilder text = new StringBuilder();
    private final StringBuilder rest = new StringBuilder();
    private State state = State.BEFORE_OBJECT;
    private String key = "";
    private JsonValueEndDetector nesting = new JsonValueEndDetector();
    private Optional<ToolDeclaration> tool = Optional.empty();
    private Optional<LenientJson> arguments = Optional.empty();
    private boolean hasKey;
    private boolean hasArguments;
    private final CallEmitter call;

    /** Arguments that came before the name, as they were written. */
    private Optional<String> early = Optional.empty();

    /**
     * @param syntax frame of the calls; in a response that is one object, other objects are
     *     rejected at their first key
     */
    JsonCallParser(
            ToolSyntax.Json syntax, List<ToolDeclaration> tools, BufferedToolCallOutput output) {
        isWholeResponse = syntax.isWholeResponse();
        this.tools = tools;
        this.output = output;
        call = new CallEmitter(output);
    }

    @Override
    public void push(String more) {
        String left = more;
        int index = 0;
        while (index < left.length()) {
            if (state == State.ARGUMENTS) {
                left = pushArguments(left.substring(index));
                index = 0;
            } else {
                push(left.charAt(index++));
            }
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
        return state == State.VALUE && nesting.isInString()
                || state == State.ARGUMENTS && arguments.orElseThrow().isInString();
    }

    @Override
    public String rest() {
        return rest.toString();
    }

    @Override
    public void close() {
        if (state == State.ARGUMENTS) {
            arguments.orElseThrow().end();
            settle();
        }
        if (state == State.VALUE) {
            text.append(nesting.closing());
            endValue();
        }
        if (state != State.REJECTED && state != State.COMPLETE) {
            end();
        }
    }

    private void push(char next) {
        if (state != State.KEY && state != State.VALUE && state != State.COMPLETE) {
            if (Character.isWhitespace(next)) {
                return;
            }
        }
        switch (state) {
            case BEFORE_OBJECT -> expect(next, '{', State.BEFORE_KEY);
            case BEFORE_KEY -> beforeKey(next);
            case KEY -> key(next);
            case COLON -> expect(next, ':', State.BEFORE_VALUE);
            case BEFORE_VALUE -> beforeValue(next);
            case VALUE -> value(next);
            case AFTER_VALUE -> afterValue(next);
            case COMPLETE -> rest.append(next);
            case ARGUMENTS, REJECTED -> {}
        }
    }

    private void expect(char next, char wanted, State then) {
        if (next == wanted) {
            state = then;
        } else {
            fail(next);
        }
    }

    /** Handles unreadable text: it becomes content once the call can no longer be withdrawn. */
    private void fail(char next) {
        if (call.isBegun()) {
            state = State.COMPLETE;
            rest.append(next);
        } else {
            state = State.REJECTED;
        }
    }

    private void beforeKey(char next) {
        if (next == '"' || next == '\'') {
            nesting = new JsonValueEndDetector(next);
            nesting.push(next);
            text.append(next);
            state = State.KEY;
        } else if (next == '}') {
            end();
        } else if (next != ',') {
            fail(next);
        }
    }

    private void key(char next) {
        text.append(next);
        if (nesting.push(next)) {
            key = string(take()).orElse("");
            boolean isOther = isWholeResponse && !hasKey && !FIRST_KEYS.contains(key);
            state = isOther ? State.REJECTED : State.COLON;
            hasKey = true;
        }
    }

    private void beforeValue(char next) {
        if (next == '{' && isArguments() && !hasArguments && tool.isPresent()) {
            beginArguments();
            pushArguments("{");
        } else if (next == '{' && key.equals("function") && tool.isEmpty()) {
            state = State.BEFORE_KEY;
        } else {
            nesting = new JsonValueEndDetector(next);
            state = State.VALUE;
            value(next);
        }
    }

    private void beginArguments() {
        hasArguments = true;
        arguments =
                Optional.of(
                        new LenientJson(ArgumentSchema.of(tool.orElseThrow().parameters()), ""));
        state = State.ARGUMENTS;
    }

    /** Parses arguments; returns the text behind them. */
    private String pushArguments(String more) {
        arguments.orElseThrow().push(more);
        return settle();
    }

    private String settle() {
        LenientJson json = arguments.orElseThrow();
        switch (call.emit(tool.orElseThrow(), json)) {
            case REJECTED -> state = State.REJECTED;
            case UNREADABLE -> {
                rest.append(json.rest());
                state = State.COMPLETE;
            }
            case DONE -> {
                state = State.AFTER_VALUE;
                return json.rest();
            }
            case OPEN -> {}
        }
        return "";
    }

    private void value(char next) {
        if (nesting.isBare() && (next == ',' || next == '}' || next == ']')) {
            endValue();
            if (state == State.AFTER_VALUE) {
                afterValue(next);
            }
            return;
        }
        text.append(next);
        if (nesting.push(next)) {
            endValue();
        }
    }

    private void endValue() {
        state = State.AFTER_VALUE;
        String value = take();
        boolean isName = key.equals("name") || key.equals("function") || key.equals("tool");
        if (isName && tool.isEmpty()) {
            named(string(value));
        } else if (isArguments() && !hasArguments) {
            early = Optional.of(object(value));
            putEarly();
        }
    }

    private void named(Optional<String> name) {
        tool = tools.stream().filter(known -> name.equals(Optional.of(known.name()))).findFirst();
        if (tool.isEmpty()) {
            state = State.REJECTED;
        } else {
            putEarly();
        }
    }

    private void putEarly() {
        if (tool.isPresent() && !hasArguments && early.isPresent()) {
            beginArguments();
            LenientJson json = arguments.orElseThrow();
            json.push(early.get());
            json.end();
            if (!early.get().startsWith("{") || !json.rest().isBlank()) {
                state = State.REJECTED;
                return;
            }
            settle();
        }
    }

    private void afterValue(char next) {
        if (next == ',') {
            state = State.BEFORE_KEY;
        } else if (next == '}') {
            end();
        } else {
            fail(next);
        }
    }

    private void end() {
        if (tool.isEmpty()) {
            state = State.REJECTED;
            return;
        }
        if (!hasArguments) {
            call.begin(tool.get());
            output.append("{}");
            hasArguments = true;
        }
        state = State.COMPLETE;
    }

    private boolean isArguments() {
        return key.equals("arguments") || key.equals("parameters") || key.equals("args");
    }

    /** Unwraps the object: some models write it as a string. */
    private static String object(String json) {
        Optional<String> inner = string(json).filter(text -> !text.isBlank());
        String object = inner.orElse(json).strip();
        return object.equals("null") || object.equals("None") ? "{}" : object;
    }

    private static Optional<String> string(String json) {
        return LenientJson.of("[" + json + "]", ANYTHING)
                .flatMap(StrictJson::parse)
                .map(list -> list.path(0))
                .filter(JsonNode::isString)
                .map(JsonNode::stringValue);
    }

    private String take() {
        String taken = text.toString();
        text.setLength(0);
        return taken;
    }
}
