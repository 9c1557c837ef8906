package dev.varve.platform.chat;

import java.util.List;
import java.util.Optional;

/** Looks for stop strings in a growing text. Holds back only what may be the beginning of one. */
public final class StopMatcher {
    private final List<String> stops;
    private final StringBuilder held = new StringBuilder();
    private Optional<String> found = Optional.empty();

    public StopMatcher(List<String> stops) {
        this.stops = List.copyOf(stops);
    }

    /** Takes more text; returns what is certainly before any stop string. */
    public String push(String text) {
        if (found.isPresent()) {
            return "";
        }
        if (stops.isEmpty()) {
            return text;
        }
        held.append(text);
        int earliest = held.length();
        for (String stop : stops) {
            int index = held.indexOf(stop);
            if (index >= 0 && (index < earliest || found.isEmpty() && index == earliest)) {
                earliest = index;
                found = Optional.of(stop);
            }
        }
        return take(found.isPresent() ? earliest : held.length() - longestOpenEnd());
    }

    /** Ends the text; returns what was held back, unless a stop string was found. */
    public String finish() {
        return found.isPresent() ? "" : take(held.length());
    }

    /** The stop string that ended the text. */
    public Optional<String> found() {
        return found;
    }

    private String take(int length) {
        String text = held.substring(0, length);
        held.delete(0, length);
        return text;
    }

    /** Length of the longest end of the held text that begins a stop string. */
    private int longestOpenEnd() {
        int longest = 0;
        for (String stop : stops) {
            for (int length = Math.min(stop.length() - 1, held.length());
                    length > longest;
                    length--) {
                if (stop.startsWith(held.substring(held.length() - length))) {
                    longest = length;
                }
            }
        }
        return longest;
    }
}
