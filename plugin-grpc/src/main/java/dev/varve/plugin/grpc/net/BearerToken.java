package dev.varve.plugin.grpc.net;

import io.grpc.Metadata;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Optional;

/** The secret as {@code authorization: Bearer BASE64} in the metadata of a call. */
final class BearerToken {
    static final Metadata.Key<String> HEADER =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private BearerToken() {}

    private static String credential(String token) {
        // A token may be any text, but a header only ASCII.
        byte[] bytes = token.getBytes(StandardCharsets.UTF_8);
        return "Bearer " + Base64.getUrlEncoder().encodeToString(bytes);
    }

    static Metadata metadata(Optional<String> token) {
        Metadata metadata = new Metadata();
        token.ifPresent(secret -> metadata.put(HEADER, credential(secret)));
        return metadata;
    }

    /**
     * Returns whether a call carries the secret. Takes the same time whichever characters differ.
     */
    static boolean matches(Metadata metadata, String token) {
        String shown = Optional.ofNullable(metadata.get(HEADER)).orElse("");
        return MessageDigest.isEqual(
                shown.getBytes(StandardCharsets.US_ASCII),
                credential(token).getBytes(StandardCharsets.US_ASCII));
    }
}
