package dev.varve.platform.chat;

import java.util.List;
import java.util.Optional;

/** Looks for stop strings in a growing text. Holds back only what may be the beginning of one. */
public final class StopStringMatcher {
    private final List<String> stops;
    private final StringBuilder held = new StringBuilder();
    private Optional<String> found = Optional.empty();

    /** Looks for strings, none of which is empty. */
    public StopStringMatcher(List<String> stops) {
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
        int open = held.length() - longestOpenEnd();
        int match = firstMatch();
        // A stop string that began earlier may still be completed, and then it is the one that
        // counts.
        if (match >= 0 && match <= open) {
            return cut(match);
        }
        return take(open);
    }

    /** Ends the text; returns what was held back, up to a stop string. */
    public String finish() {
        int match = firstMatch();
        return found.isPresent() ? "" : match >= 0 ? cut(match) : take(held.length());
    }

    /** Where the first stop string begins, -1 if there is none. */
    private int firstMatch() {
        int first = -1;
        for (String stop : stops) {
            int index = held.indexOf(stop);
            first = index >= 0 && (first < 0 || index < first) ? index : first;
        }
        return first;
    }

    private String cut(int match) {
        found = stops.stream().filter(stop -> held.indexOf(stop) == match).findFirst();
        return take(match);
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
