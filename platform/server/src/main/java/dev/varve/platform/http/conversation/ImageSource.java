package dev.varve.platform.http.conversation;

import dev.varve.platform.http.json.ApiException;

import tools.jackson.databind.JsonNode;

import java.util.Base64;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * An image that a request contains, or names by its URL.
 *
 * @param where path of its part in the request's body
 * @param content the file or its URL
 * @param detail how closely the model has to look at it
 */
public record ImageSource(String where, Content content, ImageDetail detail) {
    /** Source of the bytes of an image. */
    public sealed interface Content {
        /**
         * A file in the request.
         *
         * @param bytes not to be modified
         */
        record Inline(byte[] bytes) implements Content {}

        /**
         * A file of another host.
         *
         * @param url {@code http} or {@code https}
         */
        record Remote(String url) implements Content {}
    }

    private static final String SCHEME = "data:";
    private static final String BASE64 = ";base64";
    private static final Pattern OTHER_SCHEME = Pattern.compile("(?s)[a-zA-Z][a-zA-Z0-9+.-]*:.*");
    private static final Pattern FETCHED = Pattern.compile("(?is)https?:.*");

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
        ImageDetail detail =
                image.isObject()
                        ? ImageDetail.read(where + ".image_url", image)
                        : ImageDetail.read(where, part);
        return new ImageSource(where, ofUrl(where, url.stringValue()), detail);
    }

    /**
     * Reads a block of type {@code image} with a {@code source}.
     *
     * @throws ApiException a 400 if it has no image
     */
    public static ImageSource ofBlock(String where, JsonNode block) {
        JsonNode source = block.path("source");
        Content content =
                switch (source.path("type").asString("")) {
                    case "base64" -> decode(where, source.path("data").asString(""));
                    case "url" -> ofUrl(where, source.path("url").asString(""));
                    default ->
                            throw ApiException.invalid(
                                    where, where + ".source.type: expected base64 or url");
                };
        return new ImageSource(where, content, ImageDetail.FULL);
    }

    /**
     * Reads an image in base64.
     *
     * @throws ApiException a 400 if it is none
     */
    public static ImageSource ofBase64(String where, String text) {
        return new ImageSource(where, decode(where, text), ImageDetail.FULL);
    }

    /** Whether the file has to be fetched. */
    boolean isRemote() {
        return content instanceof Content.Remote;
    }

    /** Reads a URL, or base64 without a scheme, as some clients send it. */
    private static Content ofUrl(String where, String url) {
        if (url.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            int comma = url.indexOf(',');
            String head = url.substring(0, Math.max(0, comma)).toLowerCase(Locale.ROOT);
            if (!head.endsWith(BASE64)) {
                throw ApiException.invalid(where, where + ": expected a data URL in base64");
            }
            return decode(where, url.substring(comma + 1));
        }
        if (FETCHED.matcher(url).matches()) {
            return new Content.Remote(url);
        }
        if (OTHER_SCHEME.matcher(url).matches()) {
            throw ApiException.invalid(
                    where,
                    where
                            + ": expected a URL with data, http or https, such as"
                            + " data:image/png;base64,...");
        }
        return decode(where, url);
    }

    /** Accepts the URL-safe alphabet, line breaks and missing padding. */
    private static Content decode(String where, String text) {
        try {
            byte[] file = Base64.getMimeDecoder().decode(text.replace('-', '+').replace('_', '/'));
            if (file.length > 0) {
                return new Content.Inline(file);
            }
        } catch (IllegalArgumentException e) {
            // Refused below.
        }
        throw ApiException.invalid(where, where + ": expected an image in base64");
    }
}
