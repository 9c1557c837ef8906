package dev.varve.platform.http.json;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.core.exc.UnexpectedEndOfInputException;

import java.util.List;
import java.util.Optional;

/**
 * Describes why a body is not valid JSON, and where. The parser's own messages quote the text,
 * which may be private, so they are only matched, never sent.
 */
final class JsonFault {
    /** A part of the parser's message, and the message for clients. */
    private record ParserMessageMapping(String parserText, String words) {}

    private static final List<ParserMessageMapping> SYNTAX =
            List.of(
                    new ParserMessageMapping(
                            "Trailing token", "expected the end of the body, found more text"),
                    new ParserMessageMapping(
                            "no open", "found a closing bracket without an opening one"),
                    new ParserMessageMapping(
                            "Unexpected close marker",
                            "found a closing bracket of another kind than the open one"),
                    new ParserMessageMapping("expecting a colon", "expected a colon after a name"),
                    new ParserMessageMapping(
                            "expecting comma", "expected a comma or the end of a list"),
                    new ParserMessageMapping(
                            "expecting double-quote", "expected a name in double quotes"),
                    new ParserMessageMapping(
                            "umeric value", "found a number in a form that JSON does not allow"),
                    new ParserMessageMapping(
                            "escap",
                            "found an invalid escape or an unescaped control character in a"
                                    + " string"),
                    new ParserMessageMapping(
                            "comment", "found a comment, which JSON does not allow"),
                    new ParserMessageMapping(
                            "oken '", "expected a string, a number, true, false, null, { or ["));

    private static final List<ParserMessageMapping> LIMITS =
            List.of(
                    new ParserMessageMapping(
                            "nesting depth", "nested deeper than " + Json.MAX_DEPTH + " levels"),
                    new ParserMessageMapping(
                            "Name length",
                            "a name is longer than "
                                    + StreamReadConstraints.DEFAULT_MAX_NAME_LEN
                                    + " characters"),
                    new ParserMessageMapping(
                            "Number",
                            "a number is longer than "
                                    + StreamReadConstraints.DEFAULT_MAX_NUM_LEN
                                    + " characters"),
                    new ParserMessageMapping(
                            "Token count",
                            "more than " + Json.MAX_ELEMENTS + " names, values and brackets"));

    private JsonFault() {}

    static ApiException of(JacksonException fault, JsonParser parser) {
        TokenStreamLocation place =
                Optional.ofNullable(fault.getLocation())
                        .filter(location -> location.getByteOffset() >= 0)
                        .orElseGet(parser::currentLocation);
        boolean limit = fault instanceof StreamConstraintsException;
        return ApiException.invalid(
                "",
                (limit
                                ? "the request body exceeds a limit of the server"
                                : "the request body is not valid JSON")
                        + " at line "
                        + place.getLineNr()
                        + ", column "
                        + place.getColumnNr()
                        + " (byte "
                        + place.getByteOffset()
                        + "): "
                        + reason(fault, limit));
    }

    private static String reason(JacksonException fault, boolean limit) {
        if (fault instanceof UnexpectedEndOfInputException) {
            return "the body ends inside a JSON value";
        }
        String words = Optional.ofNullable(fault.getOriginalMessage()).orElse("");
        return (limit ? LIMITS : SYNTAX)
                .stream()
                        .filter(reason -> words.contains(reason.parserText()))
                        .findFirst()
                        .map(ParserMessageMapping::words)
                        .orElse("found an unexpected character");
    }
}
