package dev.varve.platform.chat;

import dev.varve.api.model.JsonStrings;
import dev.varve.api.model.ToolCallParser;
import dev.varve.api.model.ToolSyntax;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Reads {@link ToolSyntax.Braced} calls. Strings stand between quote marks, are exact and handed on
 * while they come; a bare value when it is complete. What is out of place is left out, so that the
 * arguments are JSON in any case.
 */
final class BracedCallParser implements ToolCallParser {
    private enum State {
        PREFIX,
        NAME,
        KEY,
        QUOTED_KEY,
        BEFORE_VALUE,
        BARE,
        STRING,
        AFTER_VALUE,
        COMPLETE,
        REJECTED
    }

    /** An open object or list. */
    private static final class Container {
        private final boolean list;
        private final ArgumentType type;
        private boolean hasMembers;

        Container(boolean list, ArgumentType type) {
            this.list = list;
            this.type = type;
        }
    }

    private final ToolSyntax.Braced syntax;
    private final List<ToolDeclaration> tools;
    private final CallOutput output;
    private final int longestName;
    private final StringBuilder text = new StringBuilder();
    private final StringBuilder rest = new StringBuilder();
    private final Deque<Container> containers = new ArrayDeque<>();
    private State state = State.PREFIX;
    private Optional<ToolDeclaration> tool = Optional.empty();

    /** What the schema says of the value that is being read. */
    private Optional<ArgumentType> type = Optional.empty();

    BracedCallParser(ToolSyntax.Braced syntax, List<ToolDeclaration> tools, CallOutput output) {
        this.syntax = syntax;
        this.tools = tools;
        this.output = output;
        longestName = tools.stream().mapToInt(declared -> declared.name().length()).max().orElse(0);
    }

    @Override
    public void push(String more) {
        if (state == State.STRING) {
            output.append(JsonStrings.escaped(more));
            return;
        }
        for (int index = 0; index < more.length(); index++) {
            push(more.charAt(index));
        }
    }

    @Override
    public void mark(String spelling) {
        switch (state) {
            case KEY -> state = State.QUOTED_KEY;
            case QUOTED_KEY -> state = State.KEY;
            case BEFORE_VALUE -> {
                beginMember();
                output.append("\"");
                state = State.STRING;
            }
            case STRING -> {
                output.append("\"");
                state = State.AFTER_VALUE;
            }
            case PREFIX, NAME -> state = State.REJECTED;
            case BARE -> text.append(spelling);
            case COMPLETE -> rest.append(spelling);
            case AFTER_VALUE, REJECTED -> {}
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
        return state == State.STRING;
    }

    @Override
    public String rest() {
        return rest.toString();
    }

    @Override
    public void close() {
        switch (state) {
            case PREFIX -> state = State.REJECTED;
            case NAME -> endName();
            case BARE -> endBare();
            case STRING -> output.append("\"");
            case BEFORE_VALUE -> {
                if (!containers.getLast().list) {
                    output.append("null");
                }
            }
            case KEY, QUOTED_KEY, AFTER_VALUE, COMPLETE, REJECTED -> {}
        }
        if (state != State.REJECTED) {
            while (!containers.isEmpty()) {
                output.append(containers.removeLast().list ? "]" : "}");
            }
            state = State.COMPLETE;
        }
    }

    private void push(char next) {
        switch (state) {
            case PREFIX -> prefix(next);
            case NAME -> name(next);
            case KEY -> key(next);
            case QUOTED_KEY -> text.append(next);
            case BEFORE_VALUE -> beforeValue(next);
            case BARE -> bare(next);
            case STRING -> output.append(JsonStrings.escaped(Character.toString(next)));
            case AFTER_VALUE -> afterValue(next);
            case COMPLETE -> rest.append(next);
            case REJECTED -> {}
        }
    }

    private void prefix(char next) {
        if (text.isEmpty() && Character.isWhitespace(next)) {
            return;
        }
        text.append(next);
        if (!syntax.prefix().startsWith(text.toString())) {
            state = State.REJECTED;
        } else if (text.length() == syntax.prefix().length()) {
            text.setLength(0);
            state = State.NAME;
        }
    }

    private void name(char next) {
        if (next == '{') {
            endName();
        } else if (text.length() > longestName) {
            state = State.REJECTED;
        } else {
            text.append(next);
        }
    }

    private void endName() {
        String name = take().strip();
        tool = tools.stream().filter(declared -> declared.name().equals(name)).findFirst();
        if (tool.isEmpty()) {
            state = State.REJECTED;
            return;
        }
        output.begin(name);
        open(false, ArgumentType.of(tool.get().parameters()));
    }

    private void key(char next) {
        switch (next) {
            case ':' -> {
                String key = take().strip();
                Container object = containers.getLast();
                type = Optional.of(object.type.property(key));
                output.append((object.hasMembers ? "," : "") + JsonStrings.quoted(key) + ":");
                object.hasMembers = true;
                state = State.BEFORE_VALUE;
            }
            // A key without a value says nothing.
            case ',' -> text.setLength(0);
            case '}' -> closeContainer();
            default -> text.append(next);
        }
    }

    private void beforeValue(char next) {
        boolean list = containers.getLast().list;
        if (Character.isWhitespace(next)) {
            return;
        }
        switch (next) {
            case '{', '[' -> {
                beginMember();
                open(next == '[', type.orElseThrow());
            }
            case ',', '}', ']' -> {
                if (!list) {
                    output.append("null");
                }
                if (!list || next == ']') {
                    afterValue(next);
                }
            }
            default -> {
                beginMember();
                text.append(next);
                state = State.BARE;
            }
        }
    }

    private void bare(char next) {
        boolean list = containers.getLast().list;
        if (next == ',' || next == (list ? ']' : '}')) {
            endBare();
            afterValue(next);
        } else {
            text.append(next);
        }
    }

    private void afterValue(char next) {
        boolean list = containers.getLast().list;
        if (next == ',') {
            awaitMember();
        } else if (next == (list ? ']' : '}')) {
            closeContainer();
        } else {
            state = State.AFTER_VALUE;
        }
    }

    private void endBare() {
        output.append(type.orElseThrow().coerce(take().strip()));
    }

    private void open(boolean list, ArgumentType itsType) {
        output.append(list ? "[" : "{");
        containers.addLast(new Container(list, itsType));
        awaitMember();
    }

    private void awaitMember() {
        Container container = containers.getLast();
        text.setLength(0);
        if (container.list) {
            type = Optional.of(container.type.items());
            state = State.BEFORE_VALUE;
        } else {
            state = State.KEY;
        }
    }

    /** A member of an object has been begun with its key. */
    private void beginMember() {
        Container container = containers.getLast();
        if (container.list) {
            output.append(container.hasMembers ? "," : "");
            container.hasMembers = true;
        }
    }

    private void closeContainer() {
        text.setLength(0);
        output.append(containers.removeLast().list ? "]" : "}");
        state = containers.isEmpty() ? State.COMPLETE : State.AFTER_VALUE;
    }

    private String take() {
        String taken = text.toString();
        text.setLength(0);
        return taken;
    }
}
