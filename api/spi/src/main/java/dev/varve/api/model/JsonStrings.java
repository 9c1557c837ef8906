package dev.varve.api.model;

/**
 * Writes JSON strings.
 *
 * <p>Grows: later versions may add to it, and existing parts stay.
 */
public final class JsonStrings {
    private JsonStrings() {}

    /** Returns a string with its quotes. */
    public static String quoted(CharSequence text) {
        return '"' + escaped(text) + '"';
    }

    /**
     * Returns the inside of a string. Parts that are escaped separately and joined equal the
     * escaped whole.
     */
    public static String escaped(CharSequence text) {
        StringBuilder out = new StringBuilder(text.length() + 8);
        for (int index = 0; index < text.length(); index++) {
            char next = text.charAt(index);
            switch (next) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (next < ' ') {
                        out.append("\\u00")
                                .append(Character.forDigit(next >> 4, 16))
                                .append(Character.forDigit(next & 15, 16));
                    } else {
                        out.append(next);
                    }
                }
            }
        }
        return out.toString();
    }
}
