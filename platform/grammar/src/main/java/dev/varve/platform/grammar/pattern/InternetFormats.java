package dev.varve.platform.grammar.pattern;

/**
 * Patterns of names and addresses: RFC 1123, 2673, 4291, 5321, 5890 and 6531.
 *
 * <p>Narrower than the RFCs: no label has hyphens in its third and fourth place, so there are no
 * A-labels of international names, which only a Punycode decoder could check. Labels that are not
 * ASCII consist of letters only, are short enough for their A-label, and contain no letter that an
 * RFC permits only beside certain others ({@link IdnLetters}).
 */
final class InternetFormats {
    private static final String OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";

    static final String IPV4 = OCTET + "(?:\\." + OCTET + "){3}";
    static final String IPV6 = ipv6();
    static final String HOSTNAME = "(?=.{1,253}$)" + list(label(63));

    private static final String ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~<more>-]+";
    private static final String LOCAL =
            """
            (?:(?=[!-?A-~]{1,64}@|[^@]{1,21}@)<atom>(?:\\.<atom>)*\
            |"(?:(?:[ !#-\\[\\]-~]|\\\\[ -~]){0,31}|[ !#-\\[\\]-~<more>]{0,20})")\
            """
                    .replace("<atom>", ATOM);
    private static final String LITERAL = "\\[(?:" + IPV4 + "|IPv6:" + IPV6 + ")\\]";

    /** The part before the last @ has 64 characters at most (RFC 5321, 4.5.3.1.1). */
    private static final String SHORT_LOCAL = "(?=.{1,64}@[^@]*$)";

    static final String EMAIL =
            SHORT_LOCAL + LOCAL.replace("<more>", "") + "@(?:" + HOSTNAME + "|" + LITERAL + ")";
    static final String UUID = "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}";

    private InternetFormats() {}

    private static String ipv6() {
        StringBuilder pattern = new StringBuilder("(?:(?:<h>:){7}<h>|(?:<h>:){6}<v4>");
        // Groups before and after the two colons, at most 7 together; an IPv4 address counts as
        // two.
        for (int before = 0; before <= 7; before++) {
            String left = before == 0 ? "" : "<h>(?::<h>){" + (before - 1) + "}";
            int most = 7 - before;
            pattern.append('|').append(left).append("::");
            if (most > 0) {
                pattern.append("(?:(?:<h>:){0,").append(most - 1).append("}<h>");
                if (most > 1) {
                    pattern.append("|(?:<h>:){0,").append(most - 2).append("}<v4>");
                }
                pattern.append(")?");
            }
        }
        return pattern.append(')')
                .toString()
                .replace("<h>", "[0-9A-Fa-f]{1,4}")
                .replace("<v4>", IPV4);
    }

    /** One, two, or more characters; at least one of the third and fourth one is no hyphen. */
    private static String label(int most) {
        return "<x>(?:<x>?|<h><x>(?:<h>{0,<a>}<x>)?|<h>-<x>(?:<h>{0,<b>}<x>)?)"
                .replace("<x>", "[A-Za-z0-9]")
                .replace("<h>", "[A-Za-z0-9-]")
                .replace("<a>", Integer.toString(most - 4))
                .replace("<b>", Integer.toString(most - 5));
    }

    /**
     * Names with letters of any script; created on demand, since their tables are large. In
     * Punycode a character has up to 5 bytes, and the label 5 more, so 10 characters stay within
     * 63; and four labels of 60 stay within the length of a name.
     */
    static String idnHostname() {
        String wide =
                "[a-z<l>](?:[a-z0-9<l>](?:[a-z0-9<l>](?:[a-z0-9<l>-]{0,6}[a-z0-9<l>])?)?)?"
                        .replace("<l>", IdnLetters.leftToRight());
        String rightToLeft = "[" + IdnLetters.rightToLeft() + "]{1,10}";
        return "(?:"
                + HOSTNAME
                + "|"
                + few("(?:" + label(60) + "|" + wide + ")")
                + "|"
                + few("(?:(?![0-9])" + label(60) + "|" + rightToLeft + ")")
                + ")";
    }

    private static String few(String label) {
        return label + "(?:\\." + label + "){0,3}";
    }

    private static String list(String label) {
        return "(?:" + label + ")(?:\\.(?:" + label + "))*";
    }

    /** Addresses with letters of any script. */
    static String idnEmail() {
        return SHORT_LOCAL
                + LOCAL.replace("<more>", IdnLetters.leftToRight() + IdnLetters.rightToLeft())
                + "@(?:"
                + idnHostname()
                + "|"
                + LITERAL
                + ")";
    }
}
