package dev.varve.platform.grammar.pattern;

import dev.varve.platform.grammar.regex.Regex;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The string formats of JSON Schema, as expressions over canonical text ({@link TextRegexBuilder}).
 * Each text is valid by the RFC that defines the format. Some valid texts that are unusual, or that
 * common validators reject, are left out; {@link DateFormats}, {@link InternetFormats} and {@link
 * UriFormats} list them. For one thread at a time.
 */
public final class Formats {
    private final Patterns patterns;
    private final Map<String, Optional<Regex>> known = new HashMap<>();

    /**
     * @param text encoding of characters in the text
     */
    public Formats(TextRegexBuilder text) {
        patterns = new Patterns(text);
    }

    /** Returns the texts of a format; empty if it is unknown or not regular. */
    public Optional<Regex> of(String format) {
        Optional<Regex> regex = known.get(format);
        if (regex == null) {
            regex = pattern(format).map(patterns::whole);
            if (regex.isPresent()) {
                known.put(format, regex);
            }
        }
        return regex;
    }

    private static Optional<String> pattern(String format) {
        return Optional.ofNullable(
                switch (format) {
                    case "date" -> DateFormats.DATE;
                    case "time" -> DateFormats.TIME;
                    case "date-time" -> DateFormats.DATE_TIME;
                    case "duration" -> DateFormats.DURATION;
                    case "email" -> InternetFormats.EMAIL;
                    case "idn-email" -> InternetFormats.idnEmail();
                    case "hostname" -> InternetFormats.HOSTNAME;
                    case "idn-hostname" -> InternetFormats.idnHostname();
                    case "ipv4" -> InternetFormats.IPV4;
                    case "ipv6" -> InternetFormats.IPV6;
                    case "uuid" -> InternetFormats.UUID;
                    case "uri" -> UriFormats.URI;
                    case "uri-reference" -> UriFormats.URI_REFERENCE;
                    case "iri" -> UriFormats.IRI;
                    case "iri-reference" -> UriFormats.IRI_REFERENCE;
                    case "uri-template" -> UriFormats.URI_TEMPLATE;
                    case "json-pointer" -> UriFormats.JSON_POINTER;
                    case "relative-json-pointer" -> UriFormats.RELATIVE_JSON_POINTER;
                    default -> null;
                });
    }
}
