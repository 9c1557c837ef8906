package dev.varve.platform.cli.chat;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Objects;
import java.util.Optional;

/**
 * An image of a message.
 *
 * @param type media type, such as {@code image/png}
 * @param base64 the file
 */
public record ChatImage(String type, String base64) {
    private static final String SCHEME = "data:";
    private static final String ENCODING = ";base64,";

    /** Size of the largest file. */
    private static final long MOST_BYTES = 20L << 20;

    /** Refuses missing texts. */
    public ChatImage {
        Objects.requireNonNull(type);
        Objects.requireNonNull(base64);
    }

    /**
     * Reads a file.
     *
     * @throws VarveException of kind UNREADABLE_FILE that names the file and the reason
     */
    public static ChatImage read(Path path) {
        try {
            if (!Files.isRegularFile(path)) {
                throw failure(path, Files.exists(path) ? "is no file" : "no such file", null);
            }
            if (Files.size(path) > MOST_BYTES) {
                throw failure(path, "is larger than " + MOST_BYTES + " bytes", null);
            }
            byte[] file = Files.readAllBytes(path);
            String type =
                    kind(file)
                            .orElseThrow(
                                    () ->
                                            failure(
                                                    path,
                                                    "expected an image in PNG, JPEG, GIF or BMP",
                                                    null));
            return new ChatImage("image/" + type, Base64.getEncoder().encodeToString(file));
        } catch (IOException e) {
            throw failure(path, "cannot be read: " + FileErrors.reason(e), e);
        }
    }

    private static Optional<String> kind(byte[] file) {
        if (begins(file, 0x89, 'P', 'N', 'G')) {
            return Optional.of("png");
        }
        if (begins(file, 0xff, 0xd8, 0xff)) {
            return Optional.of("jpeg");
        }
        if (begins(file, 'G', 'I', 'F', '8')) {
            return Optional.of("gif");
        }
        return begins(file, 'B', 'M') ? Optional.of("bmp") : Optional.empty();
    }

    private static boolean begins(byte[] file, int... bytes) {
        for (int i = 0; i < bytes.length; i++) {
            if (i >= file.length || (file[i] & 0xff) != bytes[i]) {
                return false;
            }
        }
        return true;
    }

    private static VarveException failure(Path path, String reason, Exception cause) {
        return new VarveException(VarveException.Kind.UNREADABLE_FILE, path + ": " + reason, cause);
    }

    /** Returns the image of a data URL; empty for other addresses. */
    static Optional<ChatImage> ofUrl(String url) {
        int comma = url.indexOf(ENCODING);
        return url.startsWith(SCHEME) && comma > 0
                ? Optional.of(
                        new ChatImage(
                                url.substring(SCHEME.length(), comma),
                                url.substring(comma + ENCODING.length())))
                : Optional.empty();
    }

    /** Returns it as a data URL. */
    public String url() {
        return SCHEME + type + ENCODING + base64;
    }

    /**
     * Returns the file.
     *
     * @throws IllegalArgumentException if the text is not base64
     */
    public byte[] file() {
        return Base64.getDecoder().decode(base64);
    }
}
