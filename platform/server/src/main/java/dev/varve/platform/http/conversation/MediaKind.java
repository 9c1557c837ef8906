package dev.varve.platform.http.conversation;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.setting.Setting;

import java.util.Locale;
import java.util.Optional;

/** Kinds of content that a text-only model cannot read. */
public enum MediaKind {
    /** An image. */
    IMAGE,
    /** An audio recording. */
    AUDIO,
    /** A video. */
    VIDEO,
    /** A document that is not plain text. */
    FILE;

    /** Returns the kind of a content part or block by its type; empty if the type is not media. */
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
     * Returns the placeholder for a media part in a tool result. It is not refused, since clients
     * put images into tool results unprompted and resend them with each later request.
     */
    public static String omitted(String type) {
        return "["
                + of(type).map(kind -> kind.name().toLowerCase(Locale.ROOT)).orElse("content")
                + " omitted: this model reads text only]";
    }

    /** Returns the 400 for such a part in a user's message. */
    public ApiException refused(String where) {
        String article = this == IMAGE || this == AUDIO ? "an " : "a ";
        return ApiException.invalid(
                where,
                where
                        + ": this model reads text only, found "
                        + article
                        + word()
                        + (this == IMAGE ? "; it was started without " + Setting.MMPROJ : ""));
    }

    private String word() {
        return this == AUDIO ? "audio recording" : name().toLowerCase(Locale.ROOT);
    }
}
