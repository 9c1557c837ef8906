package dev.varve.platform.chat;

import dev.varve.api.model.JsonStrings;

import tools.jackson.databind.JsonNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Converts an object or array that is nearly JSON to JSON, while it is streamed. Accepts common
 * deviations of models: bare line breaks, escapes that JSON lacks and quotes within strings, single
 * quotes, quote marks that are special tokens, Python's words, bare keys and strings, {@code =}
 * instead of a colon, missing and trailing commas, missing brackets. The schema of a value decides
 * if a text is ambiguous.
 *
 * <p>Strings are streamed; other values are emitted once their meaning is known. The class never
 * invents content: if the text cannot be read, {@link #isUnreadable} is true and {@link #rest}
 * holds the unread text. The result does not depend on how the text is split into pieces.
 *
 * <p>Runs per token, on the engine's thread. This is one class, although it is long: its states
 * share the lookahead text.
 */
final class LenientJson {
    private enum State {
        VALUE,
        KEY,
        COLON,
        STRING,
        MARKED,
        BARE,
        AFTER,
        DONE,
        UNREADABLE
    }

    /** Kind of the text that follows a position. */
    private enum Follow {
        /** A value may end here. */
        ENDS,
        /** More text is needed to decide. */
        OPEN,
        /** The value continues. */
        TEXT
    }

    /** An open object or array. */
    private static final class Container {
        private final boolean list;
        private final ArgumentSchema type;
        private boolean hasMembers;

        Container(boolean list, ArgumentSchema type) {
            this.list = list;
            this.type = type;
        }

        char closer() {
            return list ? ']' : '}';
        }
    }

    /** Stands for a quote mark; a noncharacter, which text does not contain. */
    private static final char MARK = '\uFFFF';

    /** Lookahead limit for longer keys and white space. */
    private static final int MOST_LOOKAHEAD = 256;

    private static final String QUOTES = "\"'`";
    private static final String ESCAPES = "\"\\/bfnrt";
    private static final String ESCAPED = "\"\\/\b\f\n\r\t";

    private final String quoteMark;
    private final List<Container> containers = new ArrayList<>();
    private final StringBuilder pending = new StringBuilder();
    private final StringBuilder out = new StringBuilder();

    /** White space before the next token of JSON. */
    private final StringBuilder gap = new StringBuilder();

    /** Comma and key before a value. */
    private final StringBuilder head = new StringBuilder();

    /** A string for a value whose schema allows no strings. */
    private final StringBuilder buffered = new StringBuilder();

    private State state = State.VALUE;
    private ArgumentSchema type;
    private String key = "";
    private int at;
    private boolean ended;

    private char delimiter;
    private boolean tripled;
    private boolean isHeld;
    private boolean hasText;

    /** A plain quote before a quote mark; the same quote may follow the closing mark. */
    private char outerQuote;

    private int scan;
    private int nesting;
    private boolean inQuotes;
    private boolean ignoresNesting;

    /**
     * @param type type of the value
     * @param quoteMark text of the special token for {@link #mark}; if it is empty, white space
     *     between values is kept
     */
    LenientJson(ArgumentSchema type, String quoteMark) {
        this.type = type;
        this.quoteMark = quoteMark;
    }

    /** Converts a whole text to JSON; empty if it cannot be read. */
    static Optional<String> of(String text, ArgumentSchema type) {
        LenientJson json = new LenientJson(type, "");
        json.push(text);
        json.end();
        return json.isDone() && json.rest().isBlank() ? Optional.of(json.take()) : Optional.empty();
    }

    void push(String text) {
        pending.append(text.replace(MARK, '\uFFFD'));
        run();
    }

    /** Consumes a quote mark. */
    void mark() {
        pending.append(MARK);
        run();
    }

    /** Ends the input: closes all open brackets and strings. */
    void end() {
        ended = true;
        run();
        if (state == State.DONE || state == State.UNREADABLE) {
            return;
        }
        if (state == State.STRING || state == State.MARKED) {
            endString();
        }
        if (!head.isEmpty() || containers.isEmpty()) {
            state = State.UNREADABLE;
            return;
        }
        out.append(closing());
        containers.clear();
        state = State.DONE;
    }

    boolean isDone() {
        return state == State.DONE;
    }

    boolean isUnreadable() {
        return state == State.UNREADABLE;
    }

    /** Whether text of a string can be emitted at once. */
    boolean isStreaming() {
        return hasText;
    }

    boolean isInString() {
        return state == State.STRING || state == State.MARKED;
    }

    /** Returns the closing brackets of all open ones. */
    String closing() {
        StringBuilder closers = new StringBuilder();
        containers.reversed().forEach(container -> closers.append(container.closer()));
        return closers.toString();
    }

    /** Returns JSON that was converted since the last call. */
    String take() {
        String taken = out.toString();
        out.setLength(0);
        return taken;
    }

    /**
     * Returns the text behind the end of the value, or behind the place where it became unreadable.
     */
    String rest() {
        String unread = head.isEmpty() ? "" : key + ":";
        return unread + spelled(at, pending.length());
    }

    private void run() {
        boolean moves = true;
        while (moves) {
            moves = step();
        }
        pending.delete(0, at);
        scan -= at;
        at = 0;
    }

    /** Makes one step; returns whether it made progress. */
    private boolean step() {
        return switch (state) {
            case VALUE -> value();
            case KEY -> key();
            case COLON -> colon();
            case STRING -> string();
            case MARKED -> marked();
            case BARE -> bare();
            case AFTER -> after();
            case DONE, UNREADABLE -> false;
        };
    }

    private boolean fail() {
        state = State.UNREADABLE;
        return false;
    }

    private Container innermost() {
        return containers.getLast();
    }

    private boolean value() {
        if (!skipSpace()) {
            return false;
        }
        char next = pending.charAt(at);
        if (next == '{' || next == '[') {
            return bracket(next);
        }
        if (containers.isEmpty()) {
            return fail();
        }
        boolean closes = (next == '}' || next == ']') && opened(next, containers.size()) >= 0;
        if (next == ',' || closes) {
            return noValue(next);
        }
        if (next == MARK) {
            at++;
            beginString(State.MARKED);
            return true;
        }
        return QUOTES.indexOf(next) >= 0 ? quote(next) : beginBare();
    }

    private boolean bracket(char next) {
        boolean list = next == '[';
        if (!containers.isEmpty()
                && type.acceptsStrings()
                && !(list ? type.acceptsArrays() : type.acceptsObjects())) {
            return beginBare();
        }
        if (containers.size() >= ValidatingCallParser.MOST_DEPTH) {
            return fail();
        }
        beginValue();
        out.append(next);
        at++;
        containers.add(new Container(list, type));
        awaitMember();
        return true;
    }

    private boolean beginBare() {
        state = State.BARE;
        scan = at;
        nesting = 0;
        inQuotes = false;
        ignoresNesting = false;
        return true;
    }

    /** Handles a missing value. */
    private boolean noValue(char next) {
        if (!innermost().list) {
            if (!type.isUnknown() && !type.acceptsStrings() && !type.mayBeNull("null")) {
                return fail();
            }
            beginValue();
            out.append(type.isUnknown() || type.mayBeNull("null") ? "null" : "\"\"");
            state = State.AFTER;
        } else if (next == ',') {
            at++;
        } else {
            close(next);
        }
        return true;
    }

    /** Writes the text before a value. */
    private void beginValue() {
        if (!containers.isEmpty()) {
            Container container = innermost();
            if (container.list && container.hasMembers) {
                out.append(',');
            }
            container.hasMembers = true;
            out.append(head).append(gap);
        }
        head.setLength(0);
        gap.setLength(0);
    }

    private void awaitMember() {
        Container container = innermost();
        if (container.list) {
            type = container.type.items();
            state = State.VALUE;
        } else {
            state = State.KEY;
        }
    }

    private boolean quote(char next) {
        int run = 1;
        while (run < 3 && at + run < pending.length() && pending.charAt(at + run) == next) {
            run++;
        }
        if (run < 3 && at + run == pending.length() && !ended) {
            return false;
        }
        if (run == 1 && at + 1 < pending.length() && pending.charAt(at + 1) == MARK) {
            at += 2;
            beginString(State.MARKED);
            outerQuote = next;
            return true;
        }
        delimiter = next;
        tripled = run == 3;
        at += tripled ? 3 : 1;
        beginString(State.STRING);
        return true;
    }

    private void beginString(State then) {
        beginValue();
        state = then;
        outerQuote = 0;
        isHeld = !type.isUnknown() && !type.acceptsStrings();
        buffered.setLength(0);
        if (!isHeld) {
            out.append('"');
        }
    }

    private void endString() {
        out.append(
                isHeld
                        ? type.convert(buffered.toString()).orElse(JsonStrings.quoted(buffered))
                        : "\"");
        state = State.AFTER;
    }

    private void put(CharSequence text) {
        put(JsonStrings.escaped(text), text);
    }

    /** Writes text of a string: its JSON form, and its plain form. */
    private void put(CharSequence json, CharSequence text) {
        if (isHeld) {
            buffered.append(text);
        } else {
            out.append(json);
            hasText |= !json.isEmpty();
        }
    }

    private boolean marked() {
        int end = pending.indexOf(String.valueOf(MARK), at);
        put(pending.subSequence(at, end < 0 ? pending.length() : end));
        at = end < 0 ? pending.length() : end + 1;
        if (end >= 0) {
            endString();
        }
        return end >= 0;
    }

    private boolean string() {
        while (at < pending.length()) {
            char next = pending.charAt(at);
            if (next == '\\') {
                if (!escape()) {
                    return false;
                }
            } else if (next == delimiter || next == MARK) {
                switch (endOfString(next)) {
                    case ENDS -> {
                        at += tripled ? 3 : 1;
                        endString();
                        return true;
                    }
                    case OPEN -> {
                        return false;
                    }
                    case TEXT -> {
                        put(spelled(at, at + 1));
                        at++;
                    }
                }
            } else {
                int from = at;
                while (at < pending.length() && !isSpecial(pending.charAt(at))) {
                    at++;
                }
                put(pending.subSequence(from, at));
            }
        }
        return false;
    }

    private boolean isSpecial(char next) {
        return next == '\\' || next == delimiter || next == MARK;
    }

    private Follow endOfString(char next) {
        if (!tripled) {
            return follow(at + 1);
        }
        int run = 0;
        while (run < 3 && at + run < pending.length() && pending.charAt(at + run) == delimiter) {
            run++;
        }
        return run == 3
                ? Follow.ENDS
                : run > 0 && at + run == pending.length() && !ended ? Follow.OPEN : Follow.TEXT;
    }

    /**
     * Reads an escape; a backslash without a valid escape is text. Returns whether the text
     * sufficed.
     */
    private boolean escape() {
        if (at + 1 == pending.length() && !ended) {
            return false;
        }
        char next = at + 1 < pending.length() ? pending.charAt(at + 1) : 0;
        int known = ESCAPES.indexOf(next);
        if (known >= 0) {
            put("\\" + next, ESCAPED.substring(known, known + 1));
            at += 2;
        } else if (QUOTES.indexOf(next) >= 0) {
            put(String.valueOf(next));
            at += 2;
        } else if (next == 'u') {
            return unicode();
        } else {
            put("\\");
            at++;
        }
        return true;
    }

    private boolean unicode() {
        int end = at + 2;
        while (end < pending.length()
                && end < at + 6
                && Character.digit(pending.charAt(end), 16) >= 0
                && pending.charAt(end) < 0x80) {
            end++;
        }
        if (end == at + 6) {
            String escape = pending.substring(at, end);
            put(escape, String.valueOf((char) Integer.parseInt(escape.substring(2), 16)));
            at = end;
        } else if (end == pending.length() && !ended) {
            return false;
        } else {
            put("\\");
            at++;
        }
        return true;
    }

    private boolean bare() {
        while (scan < pending.length()) {
            char next = pending.charAt(scan);
            if (nesting > 0 || inQuotes) {
                nest(next);
            } else {
                switch (endOfBare(next)) {
                    case ENDS -> {
                        endBare(scan);
                        return true;
                    }
                    case OPEN -> {
                        return false;
                    }
                    case TEXT -> {
                        if (!ignoresNesting && "([{".indexOf(next) >= 0) {
                            nesting++;
                        }
                    }
                }
            }
            scan++;
        }
        if (ended && nesting > 0) {
            // These brackets do not match.
            scan = at;
            nesting = 0;
            inQuotes = false;
            ignoresNesting = true;
            return true;
        }
        if (ended) {
            endBare(scan);
        }
        return ended;
    }

    private void nest(char next) {
        if (next == '"' || next == MARK) {
            inQuotes = !inQuotes;
        } else if (!inQuotes && "([{".indexOf(next) >= 0) {
            nesting++;
        } else if (!inQuotes && ")]}".indexOf(next) >= 0) {
            nesting--;
        }
    }

    private Follow endOfBare(char next) {
        Container container = innermost();
        boolean words = type.isUnknown() || type.acceptsStrings();
        return switch (next) {
            case ',' ->
                    container.list || !words ? Follow.ENDS : memberStart(scan + 1, container, true);
            case '\n' -> container.list ? Follow.TEXT : newLine(container);
            case '}', ']' -> follow(scan);
            case MARK ->
                    pending.indexOf(String.valueOf(MARK), at) == scan
                            ? follow(scan + 1)
                            : Follow.TEXT;
            default -> Follow.TEXT;
        };
    }

    /** Decides whether a line begins the next member without a comma. */
    private Follow newLine(Container container) {
        return container.type.declaresAny() ? memberStart(scan + 1, container, true) : Follow.TEXT;
    }

    private void endBare(int end) {
        beginValue();
        out.append(scalar(spelled(at, end).strip()));
        at = end < pending.length() && pending.charAt(end) == MARK ? end + 1 : end;
        state = State.AFTER;
    }

    /** Converts a number or a word; a text if it is neither, or the schema allows only texts. */
    private String scalar(String text) {
        boolean isNull = text.equals("null") || text.equals("None");
        if (isNull) {
            return "null";
        }
        boolean isTruth = text.equals("True") || text.equals("False");
        return type.isUnknown() && isTruth ? text.toLowerCase(Locale.ROOT) : type.coerce(text);
    }

    private boolean key() {
        if (!skipSpace()) {
            return false;
        }
        char next = pending.charAt(at);
        if (next == ',' || next == ';') {
            at++;
            return true;
        }
        if (next == '}' || next == ']') {
            close(next);
            return true;
        }
        return isQuote(next) ? quotedKey() : bareKey();
    }

    private boolean quotedKey() {
        int end = endOfKey(at);
        if (end < 0) {
            return ended || pending.length() - at > MOST_LOOKAHEAD ? fail() : false;
        }
        beginMember(unescaped(spelled(at + 1, end)));
        at = end + 1;
        return true;
    }

    private boolean bareKey() {
        int end = at;
        while (end < pending.length()
                && ":=,{}[]".indexOf(pending.charAt(end)) < 0
                && !isQuote(pending.charAt(end))) {
            end++;
        }
        if (end - at > MOST_LOOKAHEAD) {
            return fail();
        }
        if (end == pending.length() && !ended) {
            return false;
        }
        String name = pending.substring(at, end).strip();
        boolean separated = end < pending.length() && ":=".indexOf(pending.charAt(end)) >= 0;
        boolean isKey = separated && isName(name) || beginsValue(end) && declares(name);
        if (!isKey && !(separated && declares(name))) {
            return fail();
        }
        beginMember(name);
        at = end;
        return true;
    }

    private static boolean isName(String name) {
        return !name.isEmpty() && name.chars().allMatch(LenientJson::isNameCharacter);
    }

    private static boolean isNameCharacter(int next) {
        return Character.isLetterOrDigit(next) || "_-.$".indexOf(next) >= 0;
    }

    private boolean declares(String name) {
        return innermost().type.declares(name);
    }

    private boolean beginsValue(int index) {
        return index < pending.length()
                && (isQuote(pending.charAt(index)) || "{[".indexOf(pending.charAt(index)) >= 0);
    }

    private void beginMember(String name) {
        key = name;
        head.setLength(0);
        head.append(innermost().hasMembers ? "," : "").append(gap);
        head.append(JsonStrings.quoted(name));
        gap.setLength(0);
        state = State.COLON;
    }

    private boolean colon() {
        if (!skipSpace()) {
            return false;
        }
        char next = pending.charAt(at);
        boolean separated = next == ':' || next == '=';
        if (!separated && !(beginsValue(at) && declares(key))) {
            return fail();
        }
        if (next == '=' && at + 1 == pending.length() && !ended) {
            return false;
        }
        boolean isArrow = next == '=' && at + 1 < pending.length() && pending.charAt(at + 1) == '>';
        at += isArrow ? 2 : separated ? 1 : 0;
        head.append(gap).append(':');
        gap.setLength(0);
        type = innermost().type.property(key);
        state = State.VALUE;
        return true;
    }

    private boolean after() {
        if (!skipSpace()) {
            return false;
        }
        char next = pending.charAt(at);
        if (next == outerQuote) {
            outerQuote = 0;
            at++;
            return true;
        }
        if (next == ',' || next == ';') {
            at++;
            awaitMember();
            return true;
        }
        if (next == '}' || next == ']') {
            close(next);
            return true;
        }
        if (innermost().list) {
            return beginsValue(at) ? another() : fail();
        }
        return switch (memberStart(at, innermost(), false)) {
            case ENDS -> another();
            case OPEN -> false;
            case TEXT -> fail();
        };
    }

    /** Begins a member whose comma is missing. */
    private boolean another() {
        awaitMember();
        return true;
    }

    /**
     * Closes all containers up to the one that a bracket closes; ignores a bracket that closes
     * none.
     */
    private void close(char closer) {
        at++;
        int index = opened(closer, containers.size());
        if (index < 0) {
            return;
        }
        out.append(gap);
        gap.setLength(0);
        while (containers.size() > index) {
            out.append(containers.removeLast().closer());
        }
        state = containers.isEmpty() ? State.DONE : State.AFTER;
    }

    /**
     * Returns the index of the innermost container below {@code end} that a bracket closes; -1 for
     * none.
     */
    private int opened(char closer, int end) {
        int index = end - 1;
        while (index >= 0 && containers.get(index).closer() != closer) {
            index--;
        }
        return index;
    }

    /** Decides whether a value may end before {@code from}, judged by the text that follows. */
    private Follow follow(int from) {
        int index = from;
        int depth = containers.size();
        while (true) {
            int next = spaceEnd(index);
            if (next - from > MOST_LOOKAHEAD) {
                return Follow.ENDS;
            }
            if (next == pending.length()) {
                return ended ? Follow.ENDS : Follow.OPEN;
            }
            char character = pending.charAt(next);
            if (depth == 0) {
                return isQuote(character) ? Follow.TEXT : Follow.ENDS;
            }
            Container container = containers.get(depth - 1);
            if (character != '}' && character != ']') {
                return behind(character, next, container, next > index);
            }
            depth = opened(character, depth);
            if (depth < 0) {
                return Follow.TEXT;
            }
            index = next + 1;
        }
    }

    private Follow behind(char character, int index, Container container, boolean spaced) {
        if (character == ',' || character == ';') {
            return container.list ? Follow.ENDS : memberStart(index + 1, container, false);
        }
        if (!container.list) {
            return memberStart(index, container, false);
        }
        return spaced && isQuote(character) ? Follow.ENDS : Follow.TEXT;
    }

    /**
     * Decides whether a member of an object begins, or the object ends.
     *
     * @param strict whether a bare key counts only if the schema declares it, provided it declares
     *     any
     */
    private Follow memberStart(int from, Container container, boolean strict) {
        int start = spaceEnd(from);
        if (start - from > MOST_LOOKAHEAD) {
            return Follow.TEXT;
        }
        if (start == pending.length()) {
            return ended ? Follow.ENDS : Follow.OPEN;
        }
        char first = pending.charAt(start);
        if (first == '}' || first == ',') {
            return Follow.ENDS;
        }
        int end = isQuote(first) ? endOfKey(start) : nameEnd(start);
        if (end < 0) {
            return lookahead(start, strict);
        }
        int next = spaceEnd(isQuote(first) ? end + 1 : end);
        if (next == pending.length() || next + 1 - start > MOST_LOOKAHEAD) {
            return lookahead(start, strict);
        }
        boolean separated = ":=".indexOf(pending.charAt(next)) >= 0;
        if (isQuote(first)) {
            return separated ? Follow.ENDS : Follow.TEXT;
        }
        String name = pending.substring(start, end);
        if (container.type.declares(name)) {
            return separated || beginsValue(next) ? Follow.ENDS : Follow.TEXT;
        }
        if (name.isEmpty() || !separated || strict && container.type.declaresAny()) {
            return Follow.TEXT;
        }
        return next + 1 == pending.length()
                ? lookahead(start, strict)
                : pending.charAt(next + 1) == '/' ? Follow.TEXT : Follow.ENDS;
    }

    /**
     * Decides on a quote before an incomplete key at the end of the text: it ends its string unless
     * {@code strict}.
     */
    private Follow lookahead(int start, boolean strict) {
        if (pending.length() - start > MOST_LOOKAHEAD) {
            return Follow.TEXT;
        }
        return !ended ? Follow.OPEN : strict ? Follow.TEXT : Follow.ENDS;
    }

    private int nameEnd(int start) {
        int end = start;
        while (end < pending.length() && isNameCharacter(pending.charAt(end))) {
            end++;
        }
        return end;
    }

    /** Returns the index of the quote that ends a key, -1 if it is missing. */
    private int endOfKey(int start) {
        char quote = pending.charAt(start);
        int most = Math.min(pending.length(), start + MOST_LOOKAHEAD);
        for (int index = start + 1; index < most; index++) {
            if (pending.charAt(index) == quote) {
                return index;
            }
            if (quote != MARK && pending.charAt(index) == '\\') {
                index++;
            }
        }
        return -1;
    }

    private static String unescaped(String key) {
        return key.indexOf('\\') < 0
                ? key
                : StrictJson.parse('"' + key + '"').flatMap(JsonNode::stringValueOpt).orElse(key);
    }

    private static boolean isQuote(char next) {
        return next == MARK || QUOTES.indexOf(next) >= 0;
    }

    private int spaceEnd(int from) {
        int index = from;
        while (index < pending.length() && Character.isWhitespace(pending.charAt(index))) {
            index++;
        }
        return index;
    }

    /** Skips white space, of which JSON's own is kept; returns whether text follows. */
    private boolean skipSpace() {
        int end = spaceEnd(at);
        for (int index = at; index < end; index++) {
            if (quoteMark.isEmpty() && " \n\r\t".indexOf(pending.charAt(index)) >= 0) {
                gap.append(pending.charAt(index));
            }
        }
        at = end;
        return at < pending.length();
    }

    private String spelled(int from, int end) {
        return pending.substring(from, end).replace(String.valueOf(MARK), quoteMark);
    }
}
