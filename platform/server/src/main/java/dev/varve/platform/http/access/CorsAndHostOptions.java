package dev.varve.platform.http.access;

import dev.varve.api.VarveException;
import dev.varve.platform.setting.Setting;

import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Which web pages may call the server.
 *
 * @param corsOrigins origins whose pages may call and read responses, in the form of {@link
 *     WebOrigin}; {@code *} for all
 * @param allowedHosts host names by which clients may address a server without keys, besides those
 *     of loopback and its own; {@code *} for all
 */
public record CorsAndHostOptions(Set<String> corsOrigins, Set<String> allowedHosts) {
    private static final Pattern ORIGIN = Pattern.compile("\\*|null|[\\w.+-]+://[^/\\s]+");
    private static final Pattern HOST = Pattern.compile("\\*|[^/\\s]+");

    /** Only pages of the server itself, under a loopback name. */
    public static final CorsAndHostOptions NONE = new CorsAndHostOptions(Set.of(), Set.of());

    /** Refuses values that are not an origin or a host, and so would never match. */
    public CorsAndHostOptions {
        allowedHosts = Set.copyOf(allowedHosts);
        // A value that never matches would go unnoticed until a page is refused.
        check(Setting.CORS_ORIGIN, corsOrigins, ORIGIN, "https://chat.example, null or *");
        corsOrigins =
                corsOrigins.stream()
                        .map(origin -> WebOrigin.of(origin).text())
                        .collect(Collectors.toUnmodifiableSet());
        check(Setting.ALLOWED_HOST, allowedHosts, HOST, "chat.example or *");
    }

    private static void check(Setting setting, Set<String> values, Pattern form, String example) {
        for (String value : values) {
            if (!form.matcher(value).matches()) {
                throw new VarveException(
                        VarveException.Kind.INVALID_REQUEST,
                        setting + ": expected the form of " + example + ", found " + value);
            }
        }
    }

    boolean allowsOrigin(String origin) {
        return corsOrigins.contains("*") || corsOrigins.contains(WebOrigin.of(origin).text());
    }
}
