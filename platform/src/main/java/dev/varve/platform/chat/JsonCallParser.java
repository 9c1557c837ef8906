package dev.varve.platform.chat;

import dev.varve.api.model.ToolCallParser;

import tools.jackson.databind.JsonNode;

import java.util.List;
import java.util.Optional;

/**
 * Reads {@link dev.varve.api.model.ToolSyntax.Json} calls. Once the name is known, the arguments
 * are handed on as they are written; arguments that stand before the name wait for it.
 */
final class JsonCallParser implements ToolCallParser {
    private enum State {
        BEFORE_OBJECT,
        BEFORE_KEY,
        KEY,
        COLON,
        BEFORE_VALUE,
        VALUE,
        AFTER_VALUE,
        COMPLETE,
        REJECTED
    }

    private final List<ToolDeclaration> tools;
    private final CallOutput output;
    private final StringBuilder text = new StringBuilder();
    private final StringBuilder rest = new StringBuilder();
    private State state = State.BEFORE_OBJECT;
    private String key = "";
    private JsonNesting nesting = new JsonNesting();
    private boolean streaming;
    private boolean hasArguments;
    private Optional<String> early = Optional.empty();

    JsonCallParser(List<ToolDeclaration> tools, CallOutput output) {
        this.tools = tools;
        this.output = output;
    }

    @Override
    public void push(String more) {
        for (int index = 0; index < more.length(); index++) {
            push(more.charAt(index));
        }
        if (streaming && state == State.VALUE) {
            output.append(take());
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
        return state == State.VALUE && nesting.isInString();
    }

    @Override
    public String rest() {
        return rest.toString();
    }

    @Override
    public void close() {
        if (state == State.VALUE) {
            text.append(nesting.closing());
            endValue();
        }
        if (state != State.REJECTED) {
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
            case BEFORE_VALUE -> {
                nesting = new JsonNesting();
                streaming = output.isBegun() && isArguments() && !hasArguments && next == '{';
                hasArguments |= streaming;
                state = State.VALUE;
                value(next);
            }
            case VALUE -> value(next);
            case AFTER_VALUE -> afterValue(next);
            case COMPLETE -> rest.append(next);
            case REJECTED -> {}
        }
    }

    private void expect(char next, char wanted, State then) {
        if (next == wanted) {
            state = then;
        } else {
            fail();
        }
    }

    /** What cannot be read is left out where the call can no longer be taken back. */
    private void fail() {
        if (!output.isBegun()) {
            state = State.REJECTED;
        }
    }

    private void beforeKey(char next) {
        if (next == '"') {
            nesting = new JsonNesting();
            nesting.push(next);
            text.append(next);
            state = State.KEY;
        } else if (next == '}') {
            end();
        } else {
            fail();
        }
    }

    private void key(char next) {
        text.append(next);
        if (nesting.push(next)) {
            key = string(take()).orElse("");
            state = State.COLON;
        }
    }

    private void value(char next) {
        if (nesting.isBare() && (next == ',' || next == '}' || next == ']')) {
            endValue();
            if (state != State.REJECTED) {
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
        if (streaming) {
            streaming = false;
            output.append(value);
        } else if (key.equals("name") && !output.isBegun()) {
            begin(string(value));
        } else if (isArguments() && !hasArguments) {
            early = object(value);
            if (early.isEmpty()) {
                fail();
            }
            putEarly();
        }
    }

    private void begin(Optional<String> name) {
        Optional<ToolDeclaration> tool =
                tools.stream().filter(known -> name.equals(Optional.of(known.name()))).findFirst();
        if (tool.isEmpty()) {
            state = State.REJECTED;
            return;
        }
        output.begin(tool.get().name());
        putEarly();
    }

    private void putEarly() {
        if (output.isBegun() && !hasArguments && early.isPresent()) {
            output.append(early.get());
            hasArguments = true;
        }
    }

    private void afterValue(char next) {
        if (next == ',') {
            state = State.BEFORE_KEY;
        } else if (next == '}') {
            end();
        } else {
            fail();
        }
    }

    private void end() {
        if (!output.isBegun()) {
            state = State.REJECTED;
            return;
        }
        if (!hasArguments) {
            output.append("{}");
            hasArguments = true;
        }
        state = State.COMPLETE;
    }

    private boolean isArguments() {
        return key.equals("arguments") || key.equals("parameters");
    }

    /** Some models write the object as a string. */
    private static Optional<String> object(String json) {
        Optional<String> inner = string(json).filter(text -> !text.isBlank());
        String object = inner.orElse(json).strip();
        if (object.equals("null")) {
            return Optional.of("{}");
        }
        return JsonText.parse(object).filter(JsonNode::isObject).map(node -> object);
    }

    private static Optional<String> string(String json) {
        return JsonText.parse(json.strip()).filter(JsonNode::isString).map(JsonNode::stringValue);
    }

    private String take() {
        String taken = text.toString();
        text.setLength(0);
        return taken;
    }
}
