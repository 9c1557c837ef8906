package dev.varve.platform.http.conversation;

/**
 * A header that an agent client puts into its system prompt, on a line of its own, with a value
 * that changes from request to request. The line is replaced by the header's name: prompts then
 * share a cached prefix, and the model still sees that a header exists.
 */
public final class BillingHeader {
    static final String NAME = "x-anthropic-billing-header:";

    private BillingHeader() {}

    /**
     * Replaces each line that begins with the header, after optional spaces, tabs and carriage
     * returns. Line feeds stay, so the number of lines does not change.
     */
    public static String mask(String text) {
        int found = text.indexOf(NAME);
        if (found < 0) {
            return text;
        }
        StringBuilder masked = new StringBuilder(text.length());
        int copied = 0;
        while (found >= 0) {
            int begin = text.lastIndexOf('\n', found) + 1;
            int feed = text.indexOf('\n', found);
            int end = feed < 0 ? text.length() : feed;
            if (isBlank(text, begin, found)) {
                masked.append(text, copied, begin).append(NAME);
                copied = end;
            }
            found = text.indexOf(NAME, end);
        }
        return masked.append(text, copied, text.length()).toString();
    }

    private static boolean isBlank(String text, int begin, int end) {
        for (int at = begin; at < end; at++) {
            if (" \t\r".indexOf(text.charAt(at)) < 0) {
                return false;
            }
        }
        return true;
    }
}
