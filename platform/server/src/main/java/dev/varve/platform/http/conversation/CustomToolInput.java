package dev.varve.platform.http.conversation;

/**
 * Reads the text of a custom tool's call while its arguments, a JSON object with one string, are
 * generated. For one call and one thread.
 */
public final class CustomToolInput {
    private static final String KEY = "\"input\"";
    private static final int UNICODE_DIGITS = 4;

    /** Most characters before the text, with white space. */
    private static final int MOST_HEAD = 64;

    /** All arguments, while it is open whether they begin as expected. */
    private final StringBuilder head = new StringBuilder();

    private final StringBuilder text = new StringBuilder();
    private Place place = Place.HEAD;
    private final StringBuilder unicode = new StringBuilder();

    /** Position in the arguments. */
    private enum Place {
        HEAD,
        STRING,
        ESCAPE,
        UNICODE,
        /** Behind the string. */
        END,
        /** The arguments have another form. */
        OTHER
    }

    /** Returns the text that a part of the arguments adds; never half of a surrogate pair. */
    public String push(String arguments) {
        for (int i = 0; i < arguments.length(); i++) {
            push(arguments.charAt(i));
        }
        boolean isHalf =
                !text.isEmpty() && Character.isHighSurrogate(text.charAt(text.length() - 1));
        String ready = text.substring(0, text.length() - (isHalf ? 1 : 0));
        text.delete(0, ready.length());
        return ready;
    }

    /** Returns the rest of the text; all of it if the arguments had another form. */
    public String finish() {
        String rest =
                place == Place.OTHER || place == Place.HEAD
                        ? CustomTool.input(head.toString())
                        : text.toString();
        text.setLength(0);
        head.setLength(0);
        return rest;
    }

    private void push(char next) {
        switch (place) {
            case HEAD -> {
                head.append(next);
                if (next == '"' && isBegin()) {
                    place = Place.STRING;
                    head.setLength(0);
                } else if (!mayBegin()) {
                    place = Place.OTHER;
                }
            }
            case OTHER -> head.append(next);
            case STRING -> {
                switch (next) {
                    case '"' -> place = Place.END;
                    case '\\' -> place = Place.ESCAPE;
                    default -> text.append(next);
                }
            }
            case ESCAPE -> escape(next);
            case UNICODE -> {
                unicode.append(next);
                if (unicode.length() == UNICODE_DIGITS) {
                    text.append(character());
                    place = Place.STRING;
                }
            }
            case END -> {
                // The closing brace.
            }
        }
    }

    private void escape(char next) {
        place = Place.STRING;
        switch (next) {
            case 'n' -> text.append('\n');
            case 't' -> text.append('\t');
            case 'r' -> text.append('\r');
            case 'b' -> text.append('\b');
            case 'f' -> text.append('\f');
            case 'u' -> {
                unicode.setLength(0);
                place = Place.UNICODE;
            }
            default -> text.append(next);
        }
    }

    private char character() {
        try {
            return (char) Integer.parseInt(unicode.toString(), 16);
        } catch (NumberFormatException e) {
            // The parser of calls completes arguments to valid JSON, so this is a broken escape.
            return '\ufffd';
        }
    }

    /** Whether the arguments so far are {@code {"input":"} but for white space. */
    private boolean isBegin() {
        return compact().equals("{" + KEY + ":\"");
    }

    private boolean mayBegin() {
        return head.length() <= MOST_HEAD && ("{" + KEY + ":\"").startsWith(compact());
    }

    private String compact() {
        return head.toString().replaceAll("\\s", "");
    }
}
