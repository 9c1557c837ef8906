package dev.varve.platform.chat;

/** Text of one reasoning section, without its label line and without leading white space. */
final class ReasoningText {
    /** A longer line is no label. */
    private static final int LONGEST_LABEL = 64;

    private final String label;
    private final StringBuilder line = new StringBuilder();
    private boolean inLabel;
    private boolean skipSpace = true;

    /**
     * @param label text of the syntax's label; empty if reasoning has none
     */
    ReasoningText(String label) {
        this.label = label.strip();
        inLabel = !label.isEmpty();
    }

    /** Whether only white space and a label came. */
    boolean isEmpty() {
        return skipSpace;
    }

    /** Consumes text; returns the text that is certainly reasoning. */
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
        // A label is one word on its own line.
        boolean named = complete && space <= LONGEST_LABEL && line.charAt(space) == '\n';
        return endLabel(named ? space : 0);
    }

    /** Ends the reasoning; returns the text that was held back. */
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
