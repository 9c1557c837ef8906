package dev.varve.platform.cli;

import java.util.Locale;

/** Lays out help in lines of {@value #WIDTH} columns, which break only at spaces. */
final class HelpText {
    static final int WIDTH = 80;

    /** Column at which descriptions begin. */
    private static final int COLUMN = 26;

    private static final int GAP = 2;

    private final StringBuilder text = new StringBuilder();

    /** Appends a line as it is. */
    HelpText line(String line) {
        text.append(line).append('\n');
        return this;
    }

    /** Appends a paragraph whose further lines are indented by {@code indent} columns. */
    HelpText paragraph(String words, int indent) {
        append(words, 0, indent);
        return this;
    }

    /**
     * Appends a name and its description, which begins below the name if that is long.
     *
     * @param column column at which the description begins
     */
    HelpText entry(String name, String description, int column) {
        if (name.length() + GAP > column) {
            line(name);
            text.append(" ".repeat(column));
        } else {
            text.append(String.format(Locale.ROOT, "%-" + column + "s", name));
        }
        append(description, column, column);
        return this;
    }

    /** Appends a name and its description, at the usual column. */
    HelpText entry(String name, String description) {
        return entry(name, description, COLUMN);
    }

    private void append(String words, int begin, int indent) {
        int at = begin;
        boolean isFirst = true;
        for (String word : words.strip().split(" +")) {
            if (!isFirst && at + 1 + word.length() > WIDTH) {
                text.append('\n').append(" ".repeat(indent));
                at = indent;
                isFirst = true;
            }
            text.append(isFirst ? "" : " ").append(word);
            at += word.length() + (isFirst ? 0 : 1);
            isFirst = false;
        }
        text.append('\n');
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
