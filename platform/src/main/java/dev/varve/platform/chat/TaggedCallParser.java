package dev.varve.platform.chat;

import dev.varve.api.model.ToolCallParser;
import dev.varve.api.model.ToolSyntax;

import java.util.List;
import java.util.Optional;

/**
 * Reads {@link ToolSyntax.Tagged} calls. Strings are handed on while they come; other values when
 * they are complete.
 *
 * <p>A value may hold text that looks like its end: it ends at the first end tag that is followed
 * by the next key, the end of the arguments or the close mark, white space aside.
 */
final class TaggedCallParser implements ToolCallParser {
    /** More white space between tags is not waited for: it would be searched over and over. */
    private static final int MOST_SPACE = 256;

    private enum State {
        BEFORE_NAME,
        NAME,
        BETWEEN,
        KEY,
        BEFORE_VALUE,
        VALUE,
        COMPLETE,
        REJECTED
    }

    private enum Follow {
        ENDS,
        OPEN,
        TEXT
    }

    private final ToolSyntax.Tagged syntax;
    private final List<ToolDeclaration> tools;
    private final CallOutput output;
    private final ArgumentWriter arguments;
    private final StringBuilder pending = new StringBuilder();
    private final boolean newlinesAroundValues;
    private final int longestName;

    private State state = State.BEFORE_NAME;
    private Optional<ToolDeclaration> tool = Optional.empty();
    private String key = "";
    private Optional<TaggedValue> value = Optional.empty();

    TaggedCallParser(ToolSyntax.Tagged syntax, List<ToolDeclaration> tools, CallOutput output) {
        this.syntax = syntax;
        this.tools = tools;
        this.output = output;
        arguments = new ArgumentWriter(output);
        newlinesAroundValues = syntax.value().begin().isEmpty();
        longestName = tools.stream().mapToInt(declared -> declared.name().length()).max().orElse(0);
    }

    @Override
    public void push(String text) {
        pending.append(text);
        boolean moves = true;
        while (moves) {
            moves = step();
        }
    }

    @Override
    public boolean isRejected() {
        return state == State.REJECTED;
    }

    @Override
    public boolean isComplete() {
        return switch (state) {
            case COMPLETE -> true;
            case BETWEEN -> syntax.end().isEmpty() && pending.isEmpty();
            case NAME -> syntax.end().isEmpty() && declared(pending.toString()).isPresent();
            case VALUE -> syntax.end().isEmpty() && endOfValue() >= 0;
            case BEFORE_NAME, KEY, BEFORE_VALUE, REJECTED -> false;
        };
    }

    @Override
    public boolean isInValue() {
        return state == State.VALUE && endOfValue() < 0;
    }

    @Override
    public String rest() {
        return state == State.COMPLETE ? pending.toString() : "";
    }

    @Override
    public void close() {
        switch (state) {
            case NAME -> nameEndsAt(pending.length());
            case BEFORE_NAME -> state = State.REJECTED;
            case VALUE -> endValue(endOfValue() < 0 ? pending.length() : endOfValue());
            case BETWEEN, KEY, BEFORE_VALUE, COMPLETE, REJECTED -> {}
        }
        if (state != State.REJECTED && state != State.COMPLETE) {
            pending.setLength(0);
            complete();
        }
    }

    private void complete() {
        state = State.COMPLETE;
        arguments.end();
    }

    /** Whether there was something to do. */
    private boolean step() {
        return switch (state) {
            case BEFORE_NAME -> beforeName();
            case NAME -> name();
            case BETWEEN -> between();
            case KEY -> readKey();
            case BEFORE_VALUE -> beforeValue();
            case VALUE -> readValue();
            case COMPLETE, REJECTED -> false;
        };
    }

    private boolean beforeName() {
        skipSpace();
        if (!pending.isEmpty() && startsWith(0, syntax.name().begin())) {
            pending.delete(0, syntax.name().begin().length());
            state = State.NAME;
            return true;
        }
        if (!mayBecome(0, syntax.name().begin())) {
            state = State.REJECTED;
        }
        return false;
    }

    private boolean name() {
        int end = pending.indexOf(syntax.name().end());
        int firstKey = pending.indexOf(syntax.key().begin());
        if (firstKey >= 0 && (end < 0 || firstKey < end)) {
            nameEndsAt(firstKey);
            return true;
        }
        if (end >= 0) {
            nameEndsAt(end);
            if (state != State.REJECTED) {
                pending.delete(0, syntax.name().end().length());
            }
            return true;
        }
        if (pending.length() > longestName + syntax.key().begin().length()) {
            state = State.REJECTED;
        }
        return false;
    }

    private void nameEndsAt(int end) {
        tool = declared(pending.substring(0, end));
        if (tool.isEmpty() || end > longestName + 1) {
            state = State.REJECTED;
            return;
        }
        output.begin(tool.get().name());
        pending.delete(0, end);
        state = State.BETWEEN;
    }

    private Optional<ToolDeclaration> declared(String name) {
        return tools.stream().filter(tool -> tool.name().equals(name.strip())).findFirst();
    }

    private boolean between() {
        skipSpace();
        if (startsWith(0, syntax.key().begin())) {
            pending.delete(0, syntax.key().begin().length());
            state = State.KEY;
            return true;
        }
        if (!syntax.end().isEmpty() && startsWith(0, syntax.end())) {
            pending.delete(0, syntax.end().length());
            complete();
            return false;
        }
        if (mayBecome(0, syntax.key().begin()) || mayBecome(0, syntax.end())) {
            return false;
        }
        if (syntax.end().isEmpty()) {
            complete();
            return false;
        }
        // This says nothing; the call goes on at the next tag.
        pending.deleteCharAt(0);
        return true;
    }

    private boolean readKey() {
        int end = pending.indexOf(syntax.key().end());
        if (end < 0) {
            return false;
        }
        key = pending.substring(0, end).strip();
        pending.delete(0, end + syntax.key().end().length());
        state = State.BEFORE_VALUE;
        return true;
    }

    private boolean beforeValue() {
        if (!syntax.value().begin().isEmpty()) {
            skipSpace();
        }
        if (startsWith(0, syntax.value().begin())) {
            pending.delete(0, syntax.value().begin().length());
            beginValue();
            return true;
        }
        if (mayBecome(0, syntax.value().begin())) {
            return false;
        }
        // A key without a value says nothing.
        state = State.BETWEEN;
        return true;
    }

    private void beginValue() {
        ArgumentType type = ArgumentType.of(tool.orElseThrow().parameters()).property(key);
        arguments.key(key);
        value = Optional.of(new TaggedValue(type, newlinesAroundValues, arguments));
        state = State.VALUE;
    }

    private boolean readValue() {
        int end = pending.indexOf(syntax.value().end());
        while (end >= 0) {
            Follow follow = follow(end + syntax.value().end().length());
            if (follow == Follow.ENDS) {
                endValue(end);
                return true;
            }
            if (follow == Follow.OPEN) {
                settle(end);
                return false;
            }
            end = pending.indexOf(syntax.value().end(), end + 1);
        }
        settle(endOfText());
        return false;
    }

    /** Text before {@code end} is certainly part of the value. */
    private void settle(int end) {
        value.orElseThrow().push(pending.substring(0, end));
        pending.delete(0, end);
    }

    private void endValue(int end) {
        settle(end);
        value.orElseThrow().end();
        value = Optional.empty();
        if (startsWith(0, syntax.value().end())) {
            pending.delete(0, syntax.value().end().length());
        }
        state = State.BETWEEN;
    }

    /** Where the value ends if nothing else comes, -1 if it does not. */
    private int endOfValue() {
        return startsWith(0, syntax.value().end())
                        && follow(syntax.value().end().length()) == Follow.OPEN
                ? 0
                : -1;
    }

    /** Before what may be the beginning of the value's end. */
    private int endOfText() {
        for (int from = Math.max(0, pending.length() - syntax.value().end().length() + 1);
                from < pending.length();
                from++) {
            if (mayBecome(from, syntax.value().end())) {
                return from;
            }
        }
        return pending.length();
    }

    private Follow follow(int from) {
        int at = from;
        while (at < pending.length() && Character.isWhitespace(pending.charAt(at))) {
            at++;
        }
        if (at - from > MOST_SPACE) {
            return Follow.TEXT;
        }
        if (startsWith(at, syntax.key().begin())
                || !syntax.end().isEmpty() && startsWith(at, syntax.end())) {
            return Follow.ENDS;
        }
        return mayBecome(at, syntax.key().begin()) || mayBecome(at, syntax.end())
                ? Follow.OPEN
                : Follow.TEXT;
    }

    private void skipSpace() {
        int at = 0;
        while (at < pending.length() && Character.isWhitespace(pending.charAt(at))) {
            at++;
        }
        pending.delete(0, at);
    }

    private boolean startsWith(int from, String tag) {
        return from + tag.length() <= pending.length()
                && CharSequence.compare(tag, pending.subSequence(from, from + tag.length())) == 0;
    }

    /** Whether all of the text from {@code from} is a beginning of the tag. */
    private boolean mayBecome(int from, String tag) {
        int length = pending.length() - from;
        return length <= tag.length() && tag.startsWith(pending.substring(from));
    }
}
