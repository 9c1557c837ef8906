package dev.varve.platform.grammar.schema;

/**
 * What the strings of a format have at the least, for whoever asks for others: validators differ in
 * what they take, but none takes less for one than this.
 */
final class LooseFormatPatterns {
    private LooseFormatPatterns() {}

    /** A pattern that is found in every string that anybody takes for one of a format. */
    static String of(String format) {
        return switch (format) {
            case "date" -> "^[0-9]{4}-[0-9]{2}-[0-9]{2}$";
            case "time" -> "^[0-9]{2}:[0-9]{2}[^]*$";
            case "date-time" -> "^[0-9]{4}-[0-9]{2}-[0-9]{2}[^0-9][^]*$";
            case "duration" -> "^P[^]*$";
            case "email", "idn-email" -> "@";
            case "hostname" -> "^[A-Za-z0-9._-]*$";
            case "idn-hostname" -> "^[^:/@]*$";
            case "ipv4" -> "^[0-9.]*$";
            case "ipv6" -> "^[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*$";
            case "uuid" -> "^[0-9A-Fa-f-]{36}$";
            case "uri", "iri" -> "^[A-Za-z][A-Za-z0-9+.-]*:";
            case "json-pointer" -> "^(/|$)";
            case "relative-json-pointer" -> "^[0-9]";
            default -> "";
        };
    }

    /** Whether a format is well known, but no expression can tell its strings. */
    static boolean isIrregular(String format) {
        return format.equals("regex");
    }
}
