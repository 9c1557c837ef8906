package dev.varve.platform.http.conversation;

import dev.varve.platform.http.json.ApiException;

import java.util.Locale;
import java.util.Optional;

/** Kinds of content that a model which reads text only cannot be shown. */
public enum MediaKind {
    /** A picture. */
    IMAGE,
    /** A sound. */
    AUDIO,
    /** A film. */
    VIDEO,
    /** A document that is not given as a text. */
    FILE;

    /** The kind of a part or block of content, by its type; empty if the type is none of these. */
    public static Optional<MediaKind> of(String type) {
        return switch (type) {
            case "image", "image_url", "input_image", "output_image", "computer_screenshot" ->
                    Optional.of(IMAGE);
            case "audio", "audio_url", "input_audio", "output_audio" -> Optional.of(AUDIO);
            case "video", "video_url", "input_video" -> Optional.of(VIDEO);
            case "file", "file_url", "input_file", "document", "container_upload" ->
                    Optional.of(FILE);
            default -> Optional.empty();
        };
    }

    /**
     * The text in the place of a part that a tool returned. Clients put images into tool results
     * without being asked and send them again with each later request.
     */
    public static String omitted(String type) {
        return "["
                + of(type).map(kind -> kind.name().toLowerCase(Locale.ROOT)).orElse("content")
                + " omitted: this model reads text only]";
    }

    /** The 400 of such a part where a user shows it. */
    public ApiException refused(String where) {
        String article = this == IMAGE || this == AUDIO ? "an " : "a ";
        return ApiException.invalid(
                where, where + ": this model reads text only, found " + article + word());
    }

    private String word() {
        return this == AUDIO ? "audio recording" : name().toLowerCase(Locale.ROOT);
    }
}
