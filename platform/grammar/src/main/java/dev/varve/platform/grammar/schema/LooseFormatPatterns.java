package dev.varve.platform.grammar.schema;

/**
 * Lower bounds for the strings of a format, for complements: validators differ in the strings that
 * they accept, but every accepted string matches this pattern.
 */
final class LooseFormatPatterns {
    private LooseFormatPatterns() {}

    /** A pattern that matches within every string that any validator accepts for a format. */
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

    /** Returns whether a format is well known, but not regular. */
    static boolean isIrregular(String format) {
        return format.equals("regex");
    }
}
