package dev.varve.platform.chat;

import dev.varve.api.model.ToolSyntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Detects the end of a value in a {@link ToolSyntax.Tagged} call. The end is the end tag, if the
 * next key, the end of the arguments or the close mark follows. Models may omit that tag or
 * misspell it: then a value ends where misspelled tags, or none, precede a key that the schema has,
 * or the end of the arguments followed by the close mark or the next call.
 */
final class TaggedValueEndDetector {
    enum EndDecision {
        /** The value ends here. */
        ENDS,
        /** More text is needed to decide. */
        OPEN,
        /** The text belongs to the value. */
        TEXT
    }

    /**
     * Kind of a position in the text.
     *
     * @param next where parsing continues if the value ends
     * @param isTagged whether the value's own tag ends it
     */
    record EndMatch(EndDecision follow, int next, boolean isTagged) {
        private static final EndMatch TEXT = new EndMatch(EndDecision.TEXT, 0, false);
        private static final EndMatch OPEN = new EndMatch(EndDecision.OPEN, 0, false);
    }

    /** Kinds of tags. */
    private enum Kind {
        VALUE_END,
        END,
        KEY,
        CALL,
        /** A misspelled end tag. */
        LOOSE_END,
        /** An incomplete tag. */
        CUT,
        OTHER
    }

    /**
     * A tag.
     *
     * @param end index behind the tag
     * @param name name of the key or the call
     * @param isLike for an incomplete tag, whether it is not part of the value if no text follows
     */
    private record Tag(Kind kind, int end, String name, boolean isLike) {
        private static final Tag OTHER = new Tag(Kind.OTHER, 0, "", false);

        static Tag cut(int end, boolean isLike) {
            return new Tag(Kind.CUT, end, "", isLike);
        }
    }

    /** Limit for white space between tags: more would be searched repeatedly. */
    private static final int MOST_SPACE = 256;

    private static final int MOST_TAGS = 4;
    private static final int LONGEST_TAG = 128;
    private static final int LONGEST_NAME = 16;

    private static final Pattern TAG =
            Pattern.compile("<(/?) {0,8}([A-Za-z_][\\w-]*)([^<>\\n]*)(>?)");
    private static final Pattern TAG_BEGIN = Pattern.compile("</? {0,8}");
    private static final Pattern KEY =
            Pattern.compile("\\s*(?:=|name\\s*=|\\s)\\s*[\"']?([^\"'<>=\\s]+)[\"']?\\s*");

    private static final List<String> OTHER_NAMES =
            List.of(
                    "parameter",
                    "param",
                    "arg_value",
                    "arg_key",
                    "arg",
                    "argument",
                    "function",
                    "function_call",
                    "func",
                    "tool_call",
                    "tool",
                    "invoke");

    private final ToolSyntax.Tagged syntax;
    private final StringBuilder pending;
    private final List<String> tools;
    private final List<String> names = new ArrayList<>(OTHER_NAMES);

    /**
     * @param pending text to search
     * @param tools names of the declared tools
     */
    TaggedValueEndDetector(ToolSyntax.Tagged syntax, StringBuilder pending, List<String> tools) {
        this.syntax = syntax;
        this.pending = pending;
        this.tools = tools;
        for (String tag :
                List.of(syntax.value().end(), syntax.end(), syntax.close(), syntax.key().begin())) {
            String name = tag.replaceAll("[^A-Za-z_]", "");
            if (!name.isEmpty()) {
                names.add(name);
            }
        }
    }

    /**
     * Checks whether the value ends at a place.
     *
     * @param from index of a {@code <}
     * @param key key of the value; empty if a tag of its name belongs to the value
     * @param isKey whether a key may follow without the value's end tag
     * @param beginsLine whether the place begins a line
     * @param ended whether only the close mark follows
     */
    EndMatch at(int from, String key, Predicate<String> isKey, boolean beginsLine, boolean ended) {
        boolean isTagged = startsWith(from, syntax.value().end());
        int at = from;
        int over = -1;
        for (int tags = 0; tags <= MOST_TAGS; tags++) {
            int space = at;
            at = spaceEnd(at);
            if (at - space > MOST_SPACE) {
                return EndMatch.TEXT;
            }
            EndMatch here = new EndMatch(EndDecision.ENDS, over < 0 ? at : over, isTagged);
            if (at == pending.length()) {
                return ended ? here : EndMatch.OPEN;
            }
            if (pending.charAt(at) != '<') {
                return isTagged ? bareCall(at, here, ended) : EndMatch.TEXT;
            }
            boolean isExact = startsWith(at, syntax.key().begin()) || ends(at);
            if (isTagged && isExact) {
                return here;
            }
            Tag tag = tag(at, key);
            switch (tag.kind) {
                case KEY -> {
                    boolean isApart = tags > 0 || beginsLine;
                    return over < 0 && isApart && isKey.test(tag.name) ? here : EndMatch.TEXT;
                }
                case CALL -> {
                    return over >= 0 && tools.contains(tag.name) ? here : EndMatch.TEXT;
                }
                case CUT -> {
                    EndMatch last =
                            tag.isLike
                                    ? new EndMatch(EndDecision.ENDS, tag.end, isTagged)
                                    : EndMatch.TEXT;
                    return ended ? last : EndMatch.OPEN;
                }
                case OTHER -> {
                    return EndMatch.TEXT;
                }
                case VALUE_END -> {
                    if (!isTagged) {
                        return EndMatch.TEXT;
                    }
                }
                case END -> over = over < 0 ? at : over;
                case LOOSE_END -> {}
            }
            at = tag.end;
        }
        return EndMatch.TEXT;
    }

    /** Returns the key of a misspelled tag that begins an argument, and the end of the tag. */
    Optional<Map.Entry<String, Integer>> looseKey(int at) {
        Tag tag = at < pending.length() ? tag(at, "") : Tag.OTHER;
        return tag.kind == Kind.KEY ? Optional.of(Map.entry(tag.name, tag.end)) : Optional.empty();
    }

    /** Returns the end of an end tag, misspelled or not; -1 if there is none. */
    int looseEnd(int at) {
        Tag tag = at < pending.length() && pending.charAt(at) == '<' ? tag(at, "") : Tag.OTHER;
        return switch (tag.kind) {
            case LOOSE_END, VALUE_END, END -> tag.end;
            case KEY, CALL, CUT, OTHER -> -1;
        };
    }

    /** Whether more text is needed to decide which tag begins here. */
    boolean isCut(int at) {
        return at < pending.length() && pending.charAt(at) == '<' && tag(at, "").kind == Kind.CUT;
    }

    private boolean ends(int at) {
        return !syntax.end().isEmpty() && startsWith(at, syntax.end());
    }

    /** Checks for a call that begins with only its tool's name. */
    private EndMatch bareCall(int at, EndMatch here, boolean ended) {
        if (!syntax.name().begin().isEmpty()) {
            return EndMatch.TEXT;
        }
        int end = at;
        while (end < pending.length() && "<\n".indexOf(pending.charAt(end)) < 0) {
            end++;
        }
        String name = pending.substring(at, end).strip();
        if (end < pending.length() || ended) {
            return tools.contains(name) ? here : EndMatch.TEXT;
        }
        return tools.stream().anyMatch(tool -> tool.startsWith(name))
                ? EndMatch.OPEN
                : EndMatch.TEXT;
    }

    private Tag tag(int at, String key) {
        if (startsWith(at, syntax.value().end())) {
            return new Tag(Kind.VALUE_END, at + syntax.value().end().length(), "", false);
        }
        if (ends(at)) {
            return new Tag(Kind.END, at + syntax.end().length(), "", false);
        }
        if (startsWith(at, syntax.key().begin())) {
            return named(Kind.KEY, at + syntax.key().begin().length(), syntax.key().end());
        }
        if (!syntax.name().begin().isEmpty() && startsWith(at, syntax.name().begin())) {
            return named(Kind.CALL, at + syntax.name().begin().length(), syntax.name().end());
        }
        for (String tag :
                List.of(
                        syntax.value().end(),
                        syntax.end(),
                        syntax.key().begin(),
                        syntax.name().begin())) {
            if (mayBecome(at, tag)) {
                return Tag.cut(pending.length(), true);
            }
        }
        return looseTag(at, key);
    }

    private Tag named(Kind kind, int begin, String tagEnd) {
        int end = begin;
        while (end < pending.length() && "<>\n".indexOf(pending.charAt(end)) < 0) {
            end++;
        }
        boolean isCut = end == pending.length() || mayBecome(end, tagEnd);
        if (end - begin > LONGEST_TAG || !isCut && !startsWith(end, tagEnd)) {
            return Tag.OTHER;
        }
        if (isCut) {
            return Tag.cut(pending.length(), true);
        }
        return new Tag(kind, end + tagEnd.length(), pending.substring(begin, end).strip(), false);
    }

    private Tag looseTag(int at, String key) {
        Matcher tag = TAG.matcher(pending).region(at, Math.min(pending.length(), at + LONGEST_TAG));
        if (!tag.lookingAt()) {
            Matcher begin = TAG_BEGIN.matcher(pending).region(at, pending.length());
            return begin.matches() ? Tag.cut(pending.length(), false) : Tag.OTHER;
        }
        boolean closes = !tag.group(1).isEmpty();
        boolean isLike = isLike(tag.group(2)) || closes && tag.group(2).equals(key);
        String more = tag.group(3);
        boolean isWhole = !tag.group(4).isEmpty();
        if (!isWhole && tag.end() == pending.length()) {
            boolean mayBeLike = more.isEmpty() && tag.group(2).length() <= LONGEST_NAME;
            return isLike || mayBeLike ? Tag.cut(tag.end(), isLike && closes) : Tag.OTHER;
        }
        if (!isLike) {
            return Tag.OTHER;
        }
        if (more.isBlank() || closes && more.strip().startsWith("=")) {
            return isWhole || closes ? new Tag(Kind.LOOSE_END, tag.end(), "", false) : Tag.OTHER;
        }
        Matcher name = KEY.matcher(more);
        return isWhole && !closes && syntax.value().begin().isEmpty() && name.matches()
                ? new Tag(Kind.KEY, tag.end(), name.group(1), false)
                : Tag.OTHER;
    }

    /** Whether a name is one of the tag names here, possibly misspelled. */
    private boolean isLike(String name) {
        String small = name.toLowerCase(Locale.ROOT);
        return names.stream()
                .anyMatch(
                        known ->
                                known.equals(small)
                                        || small.length() >= 6 && distance(small, known) <= 2);
    }

    /** Returns the edit distance of two names, if it is small. */
    private static int distance(String one, String other) {
        if (Math.abs(one.length() - other.length()) > 2) {
            return Integer.MAX_VALUE;
        }
        int[] row = new int[other.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int above = row[j];
                int same = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(same, 1 + Math.min(above, row[j - 1]));
                diagonal = above;
            }
        }
        return row[other.length()];
    }

    /** Returns where the white space from {@code from} on ends. */
    int spaceEnd(int from) {
        int at = from;
        while (at < pending.length() && Character.isWhitespace(pending.charAt(at))) {
            at++;
        }
        return at;
    }

    /** Whether the text from {@code from} begins with the tag. */
    boolean startsWith(int from, String tag) {
        return from + tag.length() <= pending.length()
                && CharSequence.compare(tag, pending.subSequence(from, from + tag.length())) == 0;
    }

    /** Whether the text from {@code from} is a proper prefix of the tag. */
    boolean mayBecome(int from, String tag) {
        int length = pending.length() - from;
        return length < tag.length() && tag.startsWith(pending.substring(from));
    }
}
