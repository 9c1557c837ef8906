package dev.varve.platform.template;

import dev.varve.platform.template.TemplateToken.Kind;

import java.util.ArrayList;
import java.util.List;

/**
 * Splits a template into text and tags. Whitespace control works as with {@code trim_blocks} and
 * {@code lstrip_blocks}: the newline after a block tag or comment is removed, and so is the
 * indentation before one that begins its line.
 */
final class TemplateLexer {
    private static final int MAX_SOURCE_CHARS = 4 << 20;

    private final String source;
    private final List<TemplateToken> tokens = new ArrayList<>();
    private int at;
    private int line = 1;
    private int countedTo;
    private boolean atLineStart = true;

    private TemplateLexer(String source) {
        this.source = source;
    }

    static List<TemplateToken> tokens(String source) {
        if (source.length() > MAX_SOURCE_CHARS) {
            throw TemplateException.at(
                    1, "the template is longer than " + MAX_SOURCE_CHARS + " characters");
        }
        String lines = source.replace("\r\n", "\n").replace('\r', '\n');
        TemplateLexer lexer =
                new TemplateLexer(
                        lines.endsWith("\n") ? lines.substring(0, lines.length() - 1) : lines);
        lexer.run();
        return lexer.tokens;
    }

    private void run() {
        while (at < source.length()) {
            int open = nextOpening();
            if (open < 0) {
                data(source.substring(at));
                break;
            }
            char kind = source.charAt(open + 1);
            char sign = open + 2 < source.length() ? source.charAt(open + 2) : ' ';
            boolean signed = sign == '-' || sign == '+';
            data(stripped(source.substring(at, open), kind, sign));
            at = open + (signed ? 3 : 2);
            switch (kind) {
                case '#' -> comment();
                case '{' -> expressionTag(Kind.VARIABLE_BEGIN, Kind.VARIABLE_END);
                default -> {
                    if (!rawBlock()) {
                        expressionTag(Kind.BLOCK_BEGIN, Kind.BLOCK_END);
                    }
                }
            }
            atLineStart = source.charAt(at - 1) == '\n';
        }
        tokens.add(new TemplateToken(Kind.END, "", lineAt(source.length())));
    }

    private int nextOpening() {
        for (int i = source.indexOf('{', at);
                i >= 0 && i + 1 < source.length();
                i = source.indexOf('{', i + 1)) {
            char next = source.charAt(i + 1);
            if (next == '{' || next == '%' || next == '#') {
                return i;
            }
        }
        return -1;
    }

    private void data(String text) {
        if (!text.isEmpty()) {
            tokens.add(new TemplateToken(Kind.DATA, text, lineAt(at)));
        }
    }

    private String stripped(String text, char kind, char sign) {
        if (sign == '-') {
            return text.substring(0, PythonText.endWithoutSpace(text));
        }
        int lineBegin = text.lastIndexOf('\n') + 1;
        boolean ownLine = lineBegin > 0 || atLineStart;
        if (sign == '+'
                || kind == '{'
                || !ownLine
                || PythonText.endWithoutSpace(text) > lineBegin) {
            return text;
        }
        return text.substring(0, lineBegin);
    }

    private void comment() {
        int end = source.indexOf("#}", at);
        if (end < 0) {
            throw TemplateException.at(lineAt(at), "missing end of comment");
        }
        char sign = end > at ? source.charAt(end - 1) : ' ';
        at = end + 2;
        skipAfterTag(sign);
    }

    /**
     * Skips white space after the closing mark: a minus removes all of it, no sign the next
     * newline, a plus nothing.
     */
    private void skipAfterTag(char sign) {
        if (sign == '-') {
            at = skipSpace(at);
        } else if (sign != '+' && at < source.length() && source.charAt(at) == '\n') {
            at++;
        }
    }

    private int skipSpace(int from) {
        int i = from;
        while (i < source.length() && PythonText.isSpace(source.charAt(i))) {
            i++;
        }
        return i;
    }

    /** Reads {@code raw ... endraw} if the tag that was just opened is one. */
    private boolean rawBlock() {
        int i = skipSpace(at);
        if (!source.startsWith("raw", i)) {
            return false;
        }
        i = skipSpace(i + 3);
        boolean dash = source.startsWith("-%}", i);
        if (!dash && !source.startsWith("%}", i)) {
            return false;
        }
        at = dash ? skipSpace(i + 3) : i + 2;
        atLineStart = source.charAt(at - 1) == '\n';
        int begin = at;
        for (int open = source.indexOf("{%", begin);
                open >= 0;
                open = source.indexOf("{%", open + 1)) {
            if (rawEnd(begin, open)) {
                return true;
            }
        }
        throw TemplateException.at(lineAt(begin), "missing end of raw block");
    }

    private boolean rawEnd(int begin, int open) {
        char sign = open + 2 < source.length() ? source.charAt(open + 2) : ' ';
        int i = skipSpace(open + (sign == '-' || sign == '+' ? 3 : 2));
        if (!source.startsWith("endraw", i)) {
            return false;
        }
        i = skipSpace(i + 6);
        char endSign = i < source.length() ? source.charAt(i) : ' ';
        i += endSign == '-' || endSign == '+' ? 1 : 0;
        if (!source.startsWith("%}", i)) {
            return false;
        }
        data(stripped(source.substring(begin, open), '%', sign));
        at = i + 2;
        skipAfterTag(endSign);
        return true;
    }

    private void expressionTag(Kind begin, Kind end) {
        tokens.add(new TemplateToken(begin, "", lineAt(at)));
        TagLexer tag = new TagLexer(source, at, this::lineAt, tokens);
        boolean block = end == Kind.BLOCK_END;
        while (!tag.atEnd(block)) {
            tag.next();
        }
        at = tag.position();
        tokens.add(new TemplateToken(end, "", lineAt(at)));
        char sign = source.charAt(at);
        at += sign == '-' || sign == '+' ? 3 : 2;
        skipAfterTag(block || sign == '-' ? sign : '+');
    }

    /**
     * Returns a line number; lines are requested in ascending order, so that counting stays linear.
     */
    private int lineAt(int position) {
        for (int i = countedTo; i < position; i++) {
            line += source.charAt(i) == '\n' ? 1 : 0;
        }
        countedTo = Math.max(countedTo, position);
        return line;
    }
}
