package dev.varve.platform.hub;

import java.io.IOException;
import java.net.ProxySelector;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

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
     * @throws IllegalArgumentException if the endpoint is no address of HTTP
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
        URI uri = URI.create(text.replaceFirst("/+$", ""));
        if (!HubHttp.isHttp(uri)) {
            throw new IllegalArgumentException(
                    ENDPOINT
                            + ": expected an address such as https://huggingface.co, found "
                            + text);
        }
        return uri;
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
        return value.equals("1") || value.equalsIgnoreCase("true") || value.equalsIgnoreCase("yes");
    }

    private static Optional<String> read(Path file) {
        try {
            return Files.isReadable(file)
                    ? Optional.of(Files.readString(file).strip()).filter(text -> !text.isEmpty())
                    : Optional.empty();
        } catch (IOException e) {
            // Public repositories need no token; others answer 401, whose message names HF_TOKEN.
            return Optional.empty();
        }
    }
}
