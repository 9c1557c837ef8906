package dev.varve.platform.http.conversation;

import dev.varve.platform.compression.CompressionMode;
import dev.varve.platform.compression.conversation.CompressionOverrides;
import dev.varve.platform.compression.selection.KeepRatio;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.RequestFields;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Reads {@code prefill_compression}, {@code prefill_keep_ratio} and {@code session_id}, extensions
 * of OpenAI's API.
 */
public final class CompressionFields {
    private static final String MODE = "prefill_compression";
    private static final String KEEP = "prefill_keep_ratio";
    private static final String SESSION = "session_id";
    private static final double LEAST = 0.001;
    private static final int LONGEST_NAME = 512;

    private CompressionFields() {}

    /**
     * Reads the compression options of a request.
     *
     * @param offered whether the server supports compression
     */
    public static CompressionOverrides read(RequestFields fields, boolean offered) {
        CompressionOverrides overrides = readAnonymous(fields);
        boolean wanted = overrides.mode().filter(each -> each != CompressionMode.OFF).isPresent();
        if (!offered && (wanted || overrides.keep().isPresent())) {
            throw ApiException.invalid(
                    wanted ? MODE : KEEP,
                    (wanted ? MODE : KEEP)
                            + ": expected off or no value; this server was started without a"
                            + " prefill drafter");
        }
        return offered
                ? new CompressionOverrides(overrides.mode(), overrides.keep(), session(fields))
                : overrides;
    }

    /**
     * Reads the fields without {@code session_id}, for routes that do not adapt to conversations.
     */
    public static CompressionOverrides readAnonymous(RequestFields fields) {
        return new CompressionOverrides(
                fields.text(MODE).map(CompressionFields::mode), keep(fields));
    }

    /**
     * Checks the fields of a request without messages: such a prompt cannot be compressed, so
     * {@code always} is refused.
     */
    public static void checkForText(RequestFields fields) {
        CompressionOverrides overrides = readAnonymous(fields);
        if (overrides.mode().filter(each -> each == CompressionMode.ALWAYS).isPresent()) {
            throw ApiException.invalid(
                    MODE,
                    MODE + ": expected off or auto; the server compresses only conversations");
        }
    }

    /** Returns the session name; values other than strings are ignored. */
    private static Optional<String> session(RequestFields fields) {
        Optional<String> name = fields.find(SESSION).flatMap(JsonNode::stringValueOpt);
        if (name.filter(each -> each.length() > LONGEST_NAME).isPresent()) {
            throw ApiException.invalid(
                    SESSION, SESSION + ": expected at most " + LONGEST_NAME + " characters");
        }
        return name;
    }

    /**
     * Removes the fields from a body that is forwarded to a server without them.
     *
     * @return whether the body had any of them
     */
    public static boolean remove(ObjectNode body) {
        boolean found = body.has(MODE) || body.has(KEEP);
        body.remove(List.of(MODE, KEEP));
        return found;
    }

    private static CompressionMode mode(String word) {
        try {
            return CompressionMode.parse(word);
        } catch (IllegalArgumentException e) {
            throw ApiException.invalid(
                    MODE, MODE + ": expected off, auto or always, found another value");
        }
    }

    private static Optional<KeepRatio> keep(RequestFields fields) {
        OptionalDouble value = fields.number(KEEP, LEAST, 1);
        return value.isPresent()
                ? Optional.of(new KeepRatio(value.getAsDouble()))
                : Optional.empty();
    }
}
