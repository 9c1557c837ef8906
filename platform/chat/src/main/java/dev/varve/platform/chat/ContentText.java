package dev.varve.platform.chat;

import java.util.List;
import java.util.Optional;

/**
 * Content of a response: cut at stop strings, without white space around tool calls and after
 * reasoning.
 */
final class ContentText {
    private final List<String> stops;
    private final boolean callsMayFollow;
    private final StringBuilder space = new StringBuilder();
    private StopStringMatcher matcher;
    private boolean skipSpace;

    /**
     * @param callsMayFollow whether white space is held back until the next text is known
     */
    ContentText(List<String> stops, boolean callsMayFollow) {
        this.stops = stops;
        this.callsMayFollow = callsMayFollow;
        matcher = new StopStringMatcher(stops);
    }

    /** Drops the white space that comes next. */
    void skipSpace() {
        skipSpace = true;
    }

    /** Keeps the text that comes next, including white space. */
    void keepSpace() {
        skipSpace = false;
    }

    Optional<String> stopFound() {
        return matcher.found();
    }

    String push(String text) {
        String shown = text;
        if (skipSpace) {
            shown = text.stripLeading();
            skipSpace = shown.isEmpty();
        }
        String settled = buffer(matcher.push(shown));
        return matcher.found().isPresent() ? settled + takeSpace() : settled;
    }

    /**
     * Begins a call, unless a stop string is found now; returns the text that was held back before
     * it.
     */
    String beginCall() {
        String settled = buffer(matcher.finish());
        if (matcher.found().isPresent()) {
            return settled + takeSpace();
        }
        space.setLength(0);
        matcher = new StopStringMatcher(stops);
        return settled;
    }

    String finish() {
        return buffer(matcher.finish()) + takeSpace();
    }

    private String buffer(String text) {
        if (!callsMayFollow) {
            return text;
        }
        int end = text.length();
        while (end > 0 && Character.isWhitespace(text.charAt(end - 1))) {
            end--;
        }
        String settled = end == 0 ? "" : takeSpace() + text.substring(0, end);
        space.append(text, end, text.length());
        return settled;
    }

    private String takeSpace() {
        String text = space.toString();
        space.setLength(0);
        return text;
    }
}
