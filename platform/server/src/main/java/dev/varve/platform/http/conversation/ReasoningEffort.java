package dev.varve.platform.http.conversation;

import dev.varve.platform.http.json.ApiException;

import java.util.Arrays;
import java.util.List;

/** Reasoning effort of a request, as a share of the maximum number of reasoning tokens. */
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

    /** Returns the name that templates know: the highest is {@code high}. */
    String forTemplate() {
        return this == VERY_HIGH ? HIGH.forTemplate() : names.getFirst();
    }

    /** Returns the reasoning budget, out of at most {@code most} tokens. */
    int tokens(int most) {
        return (int) Math.round(share * most);
    }
}
