package dev.varve.platform.grammar.pattern;

/**
 * Patterns of RFC 3986, 3987, 6570 and 6901.
 *
 * <p>Narrower than the RFCs where common parsers are: the part after the scheme is not empty, an
 * empty authority only before a path, no address of a future IP version, ports of up to five
 * digits, and from outside ASCII no spaces and direction marks.
 */
final class UriFormats {
    private static final String PERCENT = "%[0-9A-Fa-f]{2}";
    private static final String UNRESERVED = "A-Za-z0-9._~<more>-";
    private static final String DELIMITERS = "!$&'()*+,;=";
    private static final String NAME = "(?:[" + DELIMITERS + UNRESERVED + "]|" + PERCENT + ")";
    private static final String PATH_CHARACTER =
            "(?:[:@" + DELIMITERS + UNRESERVED + "]|" + PERCENT + ")";
    private static final String FIRST_CHARACTER =
            "(?:[@" + DELIMITERS + UNRESERVED + "]|" + PERCENT + ")";
    private static final String SEGMENTS = "(?:/" + PATH_CHARACTER + "*)*";
    private static final String SOME_SEGMENTS = "(?:/" + PATH_CHARACTER + "*)+";
    private static final String ABSOLUTE = "/(?:" + PATH_CHARACTER + "+" + SEGMENTS + ")?";
    private static final String USER =
            "(?:(?:[:" + DELIMITERS + UNRESERVED + "]|" + PERCENT + ")*@)?";
    private static final String AUTHORITY =
            "//(?:"
                    + USER
                    + "(?:\\["
                    + InternetFormats.IPV6
                    + "\\]|"
                    + NAME
                    + "+)(?::\\d{0,5})?"
                    + SEGMENTS
                    + "|"
                    + SOME_SEGMENTS
                    + ")";
    private static final String TAIL =
            "(?:\\?(?:[/?<private>]|"
                    + PATH_CHARACTER
                    + ")*)?(?:#(?:[/?]|"
                    + PATH_CHARACTER
                    + ")*)?";
    private static final String ABSOLUTE_URI =
            "[A-Za-z][A-Za-z0-9+.-]*:(?:"
                    + AUTHORITY
                    + "|"
                    + ABSOLUTE
                    + "|"
                    + PATH_CHARACTER
                    + "+"
                    + SEGMENTS
                    + ")"
                    + TAIL;
    private static final String RELATIVE =
            "(?:"
                    + AUTHORITY
                    + "|"
                    + ABSOLUTE
                    + "|"
                    + FIRST_CHARACTER
                    + "+"
                    + SEGMENTS
                    + ")?"
                    + TAIL;

    private static final String PLANE_0 =
            """
            \\u00A1-\\u167F\\u1681-\\u1FFF\\u2010-\\u2027\\u2030-\\u205E\\u2070-\\u2FFF\
            \\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFEFE\\uFF00-\\uFFEF\
            """;
    private static final String PRIVATE =
            "\\uE000-\\uF8FF\\u{F0000}-\\u{FFFFD}\\u{100000}-\\u{10FFFD}";
    private static final String VARIABLE =
            "(?:[A-Za-z0-9_]|" + PERCENT + ")(?:\\.?(?:[A-Za-z0-9_]|" + PERCENT + "))*";
    private static final String MODIFIED = VARIABLE + "(?:\\*|:[1-9]\\d{0,3})?";

    static final String URI = ascii(ABSOLUTE_URI);
    static final String URI_REFERENCE = ascii("(?:" + ABSOLUTE_URI + "|" + RELATIVE + ")");
    static final String IRI = international(ABSOLUTE_URI);
    static final String IRI_REFERENCE = international("(?:" + ABSOLUTE_URI + "|" + RELATIVE + ")");
    static final String URI_TEMPLATE =
            international(
                    "(?:[!#$&-;=?-\\[\\]_a-z~<more><private>]|"
                            + PERCENT
                            + "|\\{[+#./;?&]?"
                            + MODIFIED
                            + "(?:,"
                            + MODIFIED
                            + ")*\\})*");

    static final String JSON_POINTER = "(?:/(?:[^~/]|~[01])*)*";
    static final String RELATIVE_JSON_POINTER = "(?:0|[1-9]\\d*)(?:#|" + JSON_POINTER + ")";

    private UriFormats() {}

    private static String ascii(String pattern) {
        return pattern.replace("<more>", "").replace("<private>", "");
    }

    private static String international(String pattern) {
        StringBuilder planes = new StringBuilder();
        for (int plane = 1; plane < 0xF; plane++) {
            String number = Integer.toHexString(plane);
            planes.append("\\u{<p>0000}-\\u{<p>FFFD}".replace("<p>", number));
        }
        return pattern.replace("<more>", PLANE_0 + planes).replace("<private>", PRIVATE);
    }
}
