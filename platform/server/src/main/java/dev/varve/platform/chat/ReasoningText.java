package dev.varve.platform.chat;

/**
 * The text of one thought, without the line that names it and without white space at its beginning.
 */
final class ReasoningText {
    /** A longer line is no name. */
    private static final int LONGEST_LABEL = 64;

    private final String label;
    private final StringBuilder line = new StringBuilder();
    private boolean inLabel;
    private boolean skipSpace = true;

    /**
     * @param label text of the dialect's label; empty where a thought has none
     */
    ReasoningText(String label) {
        this.label = label.strip();
        inLabel = !label.isEmpty();
    }

    /** Whether nothing but white space and a name came. */
    boolean isEmpty() {
        return skipSpace;
    }

    /** Takes text; returns what is certainly part of the thought. */
    String push(String text) {
        if (!inLabel) {
            return withoutSpace(text);
        }
        line.append(text);
        int space = 0;
        while (space < line.length() && !Character.isWhitespace(line.charAt(space))) {
            space++;
        }
        boolean complete = space < line.length();
        if (!complete && line.length() <= LONGEST_LABEL) {
            return "";
        }
        // A name is one word on a line of its own.
        boolean named = complete && space <= LONGEST_LABEL && line.charAt(space) == '\n';
        return endLabel(named ? space : 0);
    }

    /** Ends the thought; returns what was held back. */
    String finish() {
        return inLabel ? endLabel(line.toString().equals(label) ? line.length() : 0) : "";
    }

    private String endLabel(int length) {
        inLabel = false;
        String rest = line.substring(length);
        line.setLength(0);
        return withoutSpace(rest);
    }

    private String withoutSpace(String text) {
        if (!skipSpace) {
            return text;
        }
        String shown = text.stripLeading();
        skipSpace = shown.isEmpty();
        return shown;
    }
}
