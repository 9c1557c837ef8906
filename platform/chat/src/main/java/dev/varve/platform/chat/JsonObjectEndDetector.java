package dev.varve.platform.chat;

/** Detects the end of a JSON object that arrives in parts. */
final class JsonObjectEndDetector {
    private int depth;
    private boolean inString;
    private boolean escaped;
    private boolean reached;

    void push(String part) {
        for (int index = 0; index < part.length() && !reached; index++) {
            push(part.charAt(index));
        }
    }

    /** Returns whether the object is complete. */
    boolean isReached() {
        return reached;
    }

    private void push(char next) {
        if (inString) {
            inString = escaped || next != '"';
            escaped = !escaped && next == '\\';
            return;
        }
        switch (next) {
            case '"' -> inString = true;
            case '{', '[' -> depth++;
            case '}', ']' -> reached = --depth <= 0;
            default -> {}
        }
    }
}
