package dev.varve.platform.http.conversation;

import dev.varve.platform.http.json.ApiException;

import tools.jackson.databind.JsonNode;

import java.util.Base64;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * An image that a request contains.
 *
 * @param where path of its part in the request's body
 * @param file bytes of the file; not to be modified
 */
public record ImageSource(String where, byte[] file) {
    private static final String SCHEME = "data:";
    private static final String BASE64 = ";base64";
    private static final Pattern OTHER_SCHEME = Pattern.compile("(?s)[a-zA-Z][a-zA-Z0-9+.-]*:.*");

    /**
     * Reads a part of type {@code image_url} or {@code input_image}, whose URL is a field or the
     * value itself.
     *
     * @throws ApiException a 400 if it has no image
     */
    public static ImageSource ofPart(String where, JsonNode part) {
        if (part.has("source")) {
            return ofBlock(where, part);
        }
        JsonNode image = part.path("image_url");
        JsonNode url = image.isObject() ? image.path("url") : image;
        if (!url.isString()) {
            throw ApiException.invalid(where, where + ": expected image_url with a data URL");
        }
        return ofUrl(where, url.stringValue());
    }

    /**
     * Reads a block of type {@code image} with a {@code source}.
     *
     * @throws ApiException a 400 if it has no image
     */
    public static ImageSource ofBlock(String where, JsonNode block) {
        JsonNode source = block.path("source");
        return switch (source.path("type").asString("")) {
            case "base64" ->
                    new ImageSource(where, decode(where, source.path("data").asString("")));
            case "url" -> ofUrl(where, source.path("url").asString(""));
            default ->
                    throw ApiException.invalid(
                            where, where + ".source.type: expected base64 or url");
        };
    }

    /** Reads a data URL, or base64 without a scheme, as some clients send it. */
    static ImageSource ofUrl(String where, String url) {
        if (url.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            int comma = url.indexOf(',');
            String head = url.substring(0, Math.max(0, comma)).toLowerCase(Locale.ROOT);
            if (!head.endsWith(BASE64)) {
                throw ApiException.invalid(where, where + ": expected a data URL in base64");
            }
            return new ImageSource(where, decode(where, url.substring(comma + 1)));
        }
        if (OTHER_SCHEME.matcher(url).matches()) {
            throw ApiException.invalid(
                    where,
                    where
                            + ": the server fetches no images; send them as"
                            + " data:image/png;base64,...");
        }
        return new ImageSource(where, decode(where, url));
    }

    /** Accepts the URL-safe alphabet, line breaks and missing padding. */
    private static byte[] decode(String where, String text) {
        try {
            byte[] file = Base64.getMimeDecoder().decode(text.replace('-', '+').replace('_', '/'));
            if (file.length > 0) {
                return file;
            }
        } catch (IllegalArgumentException e) {
            // Refused below.
        }
        throw ApiException.invalid(where, where + ": expected an image in base64");
    }
}
