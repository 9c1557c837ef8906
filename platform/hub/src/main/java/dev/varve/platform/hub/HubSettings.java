package dev.varve.platform.hub;

import java.io.IOException;
import java.net.ProxySelector;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Address of the hub, access to it and the shared cache.
 *
 * @param endpoint address of the hub or a mirror, without {@code /} at the end
 * @param token sent to the endpoint alone
 * @param cache folder that programs share, such as {@code ~/.cache/huggingface/hub}
 * @param offline whether requests are forbidden
 * @param stall longest time in which a server may send nothing
 */
public record HubSettings(
        URI endpoint,
        Optional<String> token,
        Path cache,
        boolean offline,
        Duration stall,
        ProxySelector proxies) {
    private static final String ENDPOINT = "HF_ENDPOINT";

    /**
     * Reads the environment variables that programs for the hub share: {@code HF_ENDPOINT}, {@code
     * HF_TOKEN}, {@code HF_TOKEN_PATH}, {@code HF_HOME}, {@code HF_HUB_CACHE}, {@code
     * HF_HUB_OFFLINE}, and those of proxies.
     *
     * @throws IllegalArgumentException if the endpoint is no address of HTTP, or the token cannot
     *     be part of a request
     */
    public static HubSettings of(Map<String, String> variables) {
        Path home =
                variable(variables, "HF_HOME")
                        .map(Path::of)
                        .orElseGet(
                                () ->
                                        variable(variables, "XDG_CACHE_HOME")
                                                .map(Path::of)
                                                .orElse(userHome(variables).resolve(".cache"))
                                                .resolve("huggingface"));
        return new HubSettings(
                endpoint(variable(variables, ENDPOINT).orElse("https://huggingface.co")),
                variable(variables, "HF_TOKEN")
                        .map(value -> token("HF_TOKEN", value))
                        .or(
                                () ->
                                        read(
                                                variable(variables, "HF_TOKEN_PATH")
                                                        .map(Path::of)
                                                        .orElse(home.resolve("token")))),
                variable(variables, "HF_HUB_CACHE").map(Path::of).orElse(home.resolve("hub")),
                variable(variables, "HF_HUB_OFFLINE").filter(HubSettings::isTrue).isPresent(),
                Duration.ofSeconds(30),
                new ProxyVariables(variables));
    }

    /** Home folder of the user. */
    static Path userHome(Map<String, String> variables) {
        return Path.of(variable(variables, "HOME").orElse(System.getProperty("user.home")));
    }

    private static URI endpoint(String text) {
        try {
            URI uri = new URI(text.replaceFirst("/+$", ""));
            if (HubHttp.isHttp(uri)) {
                return uri;
            }
        } catch (URISyntaxException e) {
            // Refused below, without the text that this message contains.
        }
        throw new IllegalArgumentException(
                ENDPOINT
                        + ": expected an address such as https://huggingface.co, without a user,"
                        + " found "
                        + HubHttp.plain(text));
    }

    private static String token(String source, String value) {
        if (!value.matches("[\\x21-\\x7e]+")) {
            throw new IllegalArgumentException(
                    source + ": expected an access token: one line of visible ASCII characters");
        }
        return value;
    }

    /** Address of a repository's page, where its conditions are accepted. */
    String page(HubReference reference) {
        return endpoint + "/" + reference.repository();
    }

    static Optional<String> variable(Map<String, String> variables, String name) {
        return Optional.ofNullable(variables.get(name))
                .map(String::strip)
                .filter(value -> !value.isEmpty());
    }

    /** Leaves out the token. */
    @Override
    public String toString() {
        return endpoint + ", cache in " + cache;
    }

    private static boolean isTrue(String value) {
        return Set.of("1", "true", "yes", "on").contains(value.toLowerCase(Locale.ROOT));
    }

    private static Optional<String> read(Path file) {
        try {
            return Files.isReadable(file)
                    ? Optional.of(Files.readString(file, StandardCharsets.ISO_8859_1).strip())
                            .filter(text -> !text.isEmpty())
                            .map(text -> token(file.toString(), text))
                    : Optional.empty();
        } catch (IOException e) {
            // Public repositories need no token; others answer 401, whose message names HF_TOKEN.
            return Optional.empty();
        }
    }
}
