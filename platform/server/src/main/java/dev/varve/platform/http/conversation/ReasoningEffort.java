package dev.varve.platform.http.conversation;

import dev.varve.platform.http.json.ApiException;

import java.util.Arrays;
import java.util.List;

/** How hard a request wants the model to think, as a share of what thoughts may take at most. */
enum ReasoningEffort {
    NONE(0, "none"),
    LOW(0.125, "low", "minimal"),
    MEDIUM(0.5, "medium"),
    HIGH(1, "high"),
    VERY_HIGH(1, "xhigh", "x-high", "max");

    private final double share;
    private final List<String> names;

    ReasoningEffort(double share, String... names) {
        this.share = share;
        this.names = List.of(names);
    }

    /** Reads the text of the field {@code where}. */
    static ReasoningEffort parse(String where, String text) {
        return Arrays.stream(values())
                .filter(effort -> effort.names.contains(text))
                .findFirst()
                .orElseThrow(
                        () ->
                                ApiException.invalid(
                                        where,
                                        where
                                                + ": expected none, minimal, low, medium, high,"
                                                + " xhigh or max"));
    }

    /** Tokens of thoughts out of {@code most}. */
    int tokens(int most) {
        return (int) Math.round(share * most);
    }
}
