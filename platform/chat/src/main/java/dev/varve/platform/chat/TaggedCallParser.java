package dev.varve.platform.chat;

import dev.varve.api.model.ToolCallParser;
import dev.varve.api.model.ToolSyntax;

import tools.jackson.databind.JsonNode;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Parses {@link ToolSyntax.Tagged} calls. Strings are streamed; other values are emitted when they
 * are complete. {@link TaggedValueEndDetector} finds the end of a value. Arguments that the model
 * writes as one JSON object are accepted, too. A call that becomes unreadable before its first
 * argument is rejected; one that becomes unreadable later ends there, and the remaining text is its
 * rest.
 */
final class TaggedCallParser implements ToolCallParser {
    /** Limit for a key; longer text is no key. */
    private static final int LONGEST_KEY = 256;

    private enum State {
        BEFORE_NAME,
        NAME,
        BETWEEN,
        KEY,
        BEFORE_VALUE,
        VALUE,
        OBJECT,
        COMPLETE,
        REJECTED
    }

    private final ToolSyntax.Tagged syntax;
    private final List<ToolDeclaration> tools;
    private final CallEmitter call;
    private final ArgumentWriter arguments;
    private final StringBuilder pending = new StringBuilder();
    private final TaggedValueEndDetector ends;
    private final Set<String> keys = new HashSet<>();

    private State state = State.BEFORE_NAME;
    private Optional<ToolDeclaration> tool = Optional.empty();
    private String key = "";
    private Optional<TaggedValueConverter> value = Optional.empty();
    private Optional<LenientJson> object = Optional.empty();

    /** Whether a tag with the name of the key was found in its value. */
    private boolean holdsKey;

    TaggedCallParser(
            ToolSyntax.Tagged syntax, List<ToolDeclaration> tools, BufferedToolCallOutput output) {
        this.syntax = syntax;
        this.tools = tools;
        call = new CallEmitter(output);
        arguments = new ArgumentWriter(output);
        ends =
                new TaggedValueEndDetector(
                        syntax, pending, tools.stream().map(ToolDeclaration::name).toList());
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
            case VALUE -> syntax.end().isEmpty() && isTagged(endOfValue());
            case BEFORE_NAME, KEY, BEFORE_VALUE, OBJECT, REJECTED -> false;
        };
    }

    @Override
    public boolean isInValue() {
        return state == State.VALUE && endOfValue().isEmpty()
                || state == State.OBJECT && object.orElseThrow().isInString();
    }

    @Override
    public String rest() {
        return state == State.COMPLETE && !ends.isCut(ends.spaceEnd(0)) ? pending.toString() : "";
    }

    @Override
    public void close() {
        if (state == State.NAME) {
            nameEndsAt(pending.length());
        }
        if (state == State.OBJECT) {
            object.orElseThrow().end();
            settleObject();
        }
        if (state == State.VALUE) {
            endValueAtClose();
        }
        if (state == State.BETWEEN) {
            int end = ends.looseEnd(0);
            while (end >= 0) {
                pending.delete(0, end);
                skipSpace();
                end = ends.looseEnd(0);
            }
        }
        switch (state) {
            case BEFORE_NAME -> state = State.REJECTED;
            case BETWEEN -> {
                if (pending.isEmpty() || ends.isCut(0)) {
                    pending.setLength(0);
                    complete();
                } else if (syntax.end().isEmpty() && declared(pending.toString()).isPresent()) {
                    complete();
                } else {
                    fail("");
                }
            }
            case KEY -> fail(syntax.key().begin());
            case BEFORE_VALUE -> fail(syntax.key().begin() + key + syntax.key().end());
            case NAME, VALUE, OBJECT, COMPLETE, REJECTED -> {}
        }
    }

    /** Whether one newline on each side of a value is not part of it. */
    static boolean hasNewlinesAround(ToolSyntax.Tagged syntax) {
        return syntax.value().begin().isEmpty() && syntax.spacing() == ToolSyntax.Spacing.LINES;
    }

    private void begin() {
        call.begin(tool.orElseThrow());
    }

    private void complete() {
        begin();
        state = State.COMPLETE;
        arguments.end();
    }

    /** Handles unreadable text: it becomes content once the call can no longer be withdrawn. */
    private boolean fail(String read) {
        if (call.isBegun()) {
            complete();
            pending.insert(0, read);
        } else {
            state = State.REJECTED;
        }
        return false;
    }

    /** Makes one step; returns whether it made progress. */
    private boolean step() {
        return switch (state) {
            case BEFORE_NAME -> beforeName();
            case NAME -> name();
            case BETWEEN -> between();
            case KEY -> readKey();
            case BEFORE_VALUE -> beforeValue();
            case VALUE -> readValue();
            case OBJECT -> readObject();
            case COMPLETE -> leaveOutEnd();
            case REJECTED -> false;
        };
    }

    /** Drops a further end tag behind the end of a call. */
    private boolean leaveOutEnd() {
        int end = ends.looseEnd(ends.spaceEnd(0));
        if (end >= 0) {
            pending.delete(0, end);
        }
        return end >= 0;
    }

    private boolean beforeName() {
        skipSpace();
        if (!pending.isEmpty() && ends.startsWith(0, syntax.name().begin())) {
            pending.delete(0, syntax.name().begin().length());
            state = State.NAME;
            return true;
        }
        if (!ends.mayBecome(0, syntax.name().begin())) {
            state = State.REJECTED;
        }
        return false;
    }

    private boolean name() {
        boolean isOpen = syntax.name().end().isEmpty();
        int end = isOpen ? -1 : pending.indexOf(syntax.name().end());
        int firstTag = pending.indexOf("<");
        if (firstTag >= 0 && (end < 0 || firstTag < end)) {
            nameEndsAt(firstTag);
            return true;
        }
        if (end >= 0) {
            nameEndsAt(end);
            if (state != State.REJECTED) {
                pending.delete(0, syntax.name().end().length());
            }
            return true;
        }
        String begin = unquoted(pending.toString().strip());
        if (tools.stream().noneMatch(tool -> tool.name().startsWith(begin))) {
            state = State.REJECTED;
        }
        return false;
    }

    private void nameEndsAt(int end) {
        tool = declared(pending.substring(0, end));
        if (tool.isEmpty()) {
            state = State.REJECTED;
            return;
        }
        pending.delete(0, end);
        state = State.BETWEEN;
    }

    private Optional<ToolDeclaration> declared(String name) {
        String bare = unquoted(name.strip());
        return tools.stream().filter(tool -> tool.name().equals(bare)).findFirst();
    }

    private static String unquoted(String name) {
        return name.replaceAll("^[\"']|[\"']$", "");
    }

    private boolean between() {
        skipSpace();
        if (pending.isEmpty()) {
            return false;
        }
        if (ends.startsWith(0, syntax.key().begin())) {
            pending.delete(0, syntax.key().begin().length());
            state = State.KEY;
            return true;
        }
        if (!syntax.end().isEmpty() && ends.startsWith(0, syntax.end())) {
            pending.delete(0, syntax.end().length());
            complete();
            return true;
        }
        if (!call.isBegun() && pending.charAt(0) == '{') {
            object = Optional.of(new LenientJson(ArgumentSchema.of(parameters()), ""));
            state = State.OBJECT;
            return true;
        }
        return otherTag();
    }

    private boolean otherTag() {
        if (ends.isCut(0)) {
            return false;
        }
        Optional<Map.Entry<String, Integer>> loose = ends.looseKey(0).filter(this::isNewKey);
        if (loose.isPresent()) {
            key = loose.get().getKey();
            pending.delete(0, loose.get().getValue());
            state = State.BEFORE_VALUE;
            return true;
        }
        int end = ends.looseEnd(0);
        if (end >= 0) {
            pending.delete(0, end);
            return true;
        }
        return syntax.end().isEmpty() && pending.charAt(0) != '<' ? endBare() : fail("");
    }

    /** Ends arguments without an end tag when the next call or text follows instead of a key. */
    private boolean endBare() {
        if (!call.isBegun()) {
            int end = firstOf("\n<");
            String name = pending.substring(0, end < 0 ? pending.length() : end).strip();
            if (end < 0 && tools.stream().anyMatch(other -> other.name().startsWith(name))) {
                return false;
            }
            if (end < 0 || declared(name).isEmpty()) {
                return fail("");
            }
        }
        complete();
        return true;
    }

    private boolean isNewKey(Map.Entry<String, Integer> loose) {
        return isNewKey(loose.getKey());
    }

    private JsonNode parameters() {
        return tool.orElseThrow().parameters();
    }

    private boolean readObject() {
        LenientJson json = object.orElseThrow();
        json.push(pending.toString());
        pending.setLength(0);
        settleObject();
        return state != State.OBJECT;
    }

    private void settleObject() {
        LenientJson json = object.orElseThrow();
        switch (call.emit(tool.orElseThrow(), json)) {
            case REJECTED -> state = State.REJECTED;
            case UNREADABLE -> {
                pending.append(json.rest());
                state = State.COMPLETE;
            }
            case DONE -> {
                pending.append(json.rest());
                arguments.written();
                state = State.BETWEEN;
            }
            case OPEN -> {}
        }
    }

    private boolean readKey() {
        int end = pending.indexOf(syntax.key().end());
        int other = firstOf("\n<");
        boolean isWhole = end >= 0 && (other < 0 || end <= other);
        if (!isWhole && other < 0) {
            return pending.length() > LONGEST_KEY ? fail(syntax.key().begin()) : false;
        }
        if (!isWhole && other >= 0 && ends.mayBecome(other, syntax.key().end())) {
            return false;
        }
        key = unquoted(pending.substring(0, isWhole ? end : other).strip());
        if (!isWhole && !isNewKey(key)) {
            return fail(syntax.key().begin());
        }
        pending.delete(0, isWhole ? end + syntax.key().end().length() : other);
        state = State.BEFORE_VALUE;
        return true;
    }

    private int firstOf(String characters) {
        int index = 0;
        while (index < pending.length() && characters.indexOf(pending.charAt(index)) < 0) {
            index++;
        }
        return index == pending.length() ? -1 : index;
    }

    private boolean beforeValue() {
        String begin = syntax.value().begin();
        if (!begin.isEmpty()) {
            skipSpace();
        }
        if (ends.startsWith(0, begin)) {
            pending.delete(0, begin.length());
            beginValue();
            return true;
        }
        if (ends.mayBecome(0, begin)
                || !begin.isEmpty() && ends.mayBecome(0, syntax.key().begin())) {
            return false;
        }
        if (!begin.isEmpty() && ends.startsWith(0, syntax.key().begin())) {
            return fail(syntax.key().begin() + key + syntax.key().end());
        }
        beginValue();
        return true;
    }

    private void beginValue() {
        begin();
        ArgumentSchema type = ArgumentSchema.of(parameters()).property(key);
        arguments.key(key);
        keys.add(key);
        holdsKey = false;
        value = Optional.of(new TaggedValueConverter(type, hasNewlinesAround(syntax), arguments));
        state = State.VALUE;
    }

    /** Whether the schema has a key that did not occur yet. */
    private boolean isNewKey(String name) {
        return !keys.contains(name) && ArgumentSchema.of(parameters()).declares(name);
    }

    private boolean readValue() {
        for (int at = pending.indexOf("<"); at >= 0; at = pending.indexOf("<", at + 1)) {
            TaggedValueEndDetector.EndMatch place = place(at, false);
            if (place.follow() == TaggedValueEndDetector.EndDecision.ENDS) {
                endValue(at, place);
                return true;
            }
            if (place.follow() == TaggedValueEndDetector.EndDecision.OPEN) {
                settle(at);
                return false;
            }
            holdsKey |= ends.startsWith(at, "<" + key);
        }
        settle(pending.length());
        return false;
    }

    private TaggedValueEndDetector.EndMatch place(int at, boolean ended) {
        boolean beginsLine =
                at == 0 ? value.orElseThrow().endsLine() : pending.charAt(at - 1) == '\n';
        return ends.at(at, holdsKey ? "" : key, this::isNewKey, beginsLine, ended);
    }

    /** Emits text before {@code end}, which is certainly part of the value. */
    private void settle(int end) {
        value.orElseThrow().push(pending.substring(0, end));
        pending.delete(0, end);
    }

    private void endValue(int end, TaggedValueEndDetector.EndMatch place) {
        value.orElseThrow().push(pending.substring(0, end));
        value.get().end(place.isTagged());
        value = Optional.empty();
        pending.delete(0, place.next());
        state = State.BETWEEN;
    }

    private void endValueAtClose() {
        for (int at = pending.indexOf("<"); at >= 0; at = pending.indexOf("<", at + 1)) {
            TaggedValueEndDetector.EndMatch place = place(at, true);
            if (place.follow() == TaggedValueEndDetector.EndDecision.ENDS) {
                endValue(at, place);
                push("");
                return;
            }
        }
        endValue(
                pending.length(),
                new TaggedValueEndDetector.EndMatch(
                        TaggedValueEndDetector.EndDecision.ENDS, pending.length(), false));
    }

    /** Returns how the value ends if no more text comes; all pending text may be its end. */
    private Optional<TaggedValueEndDetector.EndMatch> endOfValue() {
        return pending.isEmpty()
                ? Optional.empty()
                : Optional.of(place(0, true))
                        .filter(place -> place.follow() == TaggedValueEndDetector.EndDecision.ENDS);
    }

    private static boolean isTagged(Optional<TaggedValueEndDetector.EndMatch> place) {
        return place.filter(TaggedValueEndDetector.EndMatch::isTagged).isPresent();
    }

    private void skipSpace() {
        pending.delete(0, ends.spaceEnd(0));
    }
}
