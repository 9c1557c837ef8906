package dev.varve.platform.chat;

import java.util.List;
import java.util.Optional;

/** Finds stop strings in a growing text. Holds back only text that may begin one. */
public final class StopStringMatcher {
    private final List<String> stops;
    private final StringBuilder buffered = new StringBuilder();
    private Optional<String> found = Optional.empty();

    /** Creates a matcher for strings, none of which is empty. */
    public StopStringMatcher(List<String> stops) {
        this.stops = List.copyOf(stops);
    }

    /** Consumes text; returns the text that is certainly before any stop string. */
    public String push(String text) {
        if (found.isPresent()) {
            return "";
        }
        if (stops.isEmpty()) {
            return text;
        }
        buffered.append(text);
        int open = buffered.length() - longestOpenEnd();
        int match = firstMatch();
        // A stop string that began earlier may still be completed, and would then take precedence.
        if (match >= 0 && match <= open) {
            return cut(match);
        }
        return take(open);
    }

    /** Ends the text; returns the text that was held back, up to a stop string. */
    public String finish() {
        int match = firstMatch();
        return found.isPresent() ? "" : match >= 0 ? cut(match) : take(buffered.length());
    }

    /** Returns the start of the first stop string, -1 if there is none. */
    private int firstMatch() {
        int first = -1;
        for (String stop : stops) {
            int index = buffered.indexOf(stop);
            first = index >= 0 && (first < 0 || index < first) ? index : first;
        }
        return first;
    }

    private String cut(int match) {
        found = stops.stream().filter(stop -> buffered.indexOf(stop) == match).findFirst();
        return take(match);
    }

    /** Returns the stop string that ended the text. */
    public Optional<String> found() {
        return found;
    }

    private String take(int length) {
        String text = buffered.substring(0, length);
        buffered.delete(0, length);
        return text;
    }

    /** Returns the length of the longest suffix of the held text that begins a stop string. */
    private int longestOpenEnd() {
        int longest = 0;
        for (String stop : stops) {
            for (int length = Math.min(stop.length() - 1, buffered.length());
                    length > longest;
                    length--) {
                if (stop.startsWith(buffered.substring(buffered.length() - length))) {
                    longest = length;
                }
            }
        }
        return longest;
    }
}
