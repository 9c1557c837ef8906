package dev.varve.platform.cli;

import dev.varve.api.FileErrors;
import dev.varve.api.snapshot.SharedStoreAddress;
import dev.varve.platform.host.SharedStoreSettings;

import picocli.CommandLine.Option;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Options of the shared store of cached prefixes. */
final class SharedStoreArguments {
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(1);
    private static final int MOST_PASSWORD = 4096;

    @Option(
            names = "--shared-cache",
            paramLabel = "URL",
            description =
                    "Store that several servers share, such as redis://host:6379/0 (default: none)."
                        + " With TLS rediss://host:6379/0. If the store is slow or unavailable, the"
                        + " server continues without it.",
            order = OptionSections.CACHE + 9)
    private Optional<String> url = Optional.empty();

    @Option(
            names = "--shared-cache-password-file",
            paramLabel = "FILE",
            description = "File with the password of the store, in its first line.",
            order = OptionSections.CACHE + 10)
    private Optional<Path> passwordFile = Optional.empty();

    @Option(
            names = "--shared-cache-ca",
            paramLabel = "FILE",
            description =
                    "CA certificates (PEM) to verify the store's certificate (default: those that"
                            + " Java trusts).",
            order = OptionSections.CACHE + 11)
    private Optional<Path> authority = Optional.empty();

    @Option(
            names = "--shared-cache-ttl",
            converter = DurationConverter.class,
            paramLabel = "TIME",
            description = "How long the store keeps a prefix after its last use (default: 24h).",
            order = OptionSections.CACHE + 12)
    private Optional<Duration> ttl = Optional.empty();

    @Option(
            names = "--shared-cache-timeout",
            converter = DurationConverter.class,
            paramLabel = "TIME",
            description =
                    "How long a request waits for the store (default: 500ms). In total never longer"
                            + " than computing the prefix would take.",
            order = OptionSections.CACHE + 13)
    private Optional<Duration> timeout = Optional.empty();

    @Option(
            names = "--shared-cache-mode",
            defaultValue = "read-write",
            paramLabel = "read-write|read",
            description = "Whether the server writes to the store.",
            order = OptionSections.CACHE + 14)
    private String mode;

    /** Whether a shared store was requested. */
    boolean isAskedFor() {
        return url.isPresent();
    }

    /**
     * Returns the settings; empty without an address.
     *
     * @param keyFile key of the data that is written
     * @throws UsageException if a value is invalid, or a flag requires an address
     */
    Optional<SharedStoreSettings> settings(Optional<Path> keyFile, boolean sharesBackends) {
        boolean reads =
                switch (mode) {
                    case "read-write" -> false;
                    case "read" -> true;
                    default ->
                            throw new UsageException(
                                    "--shared-cache-mode: expected read-write or read, found "
                                            + mode);
                };
        if (url.isEmpty()) {
            requireUnset("--shared-cache-password-file", passwordFile.isPresent());
            requireUnset("--shared-cache-ca", authority.isPresent());
            requireUnset("--shared-cache-ttl", ttl.isPresent());
            requireUnset("--shared-cache-timeout", timeout.isPresent());
            requireUnset("--shared-cache-mode", reads);
            return Optional.empty();
        }
        SharedStoreAddress address =
                new SharedStoreAddress(
                        uri(url.get()),
                        passwordFile.map(SharedStoreArguments::password),
                        authority,
                        CONNECT_LIMIT,
                        ttl.orElse(SharedStoreSettings.USUAL_TTL));
        return Optional.of(
                new SharedStoreSettings(
                        address,
                        timeout.orElse(SharedStoreSettings.USUAL_LIMIT),
                        keyFile,
                        reads,
                        sharesBackends));
    }

    /** Parses an address. The error does not repeat it, since it may contain a password. */
    private static URI uri(String text) {
        try {
            URI uri = new URI(text);
            if (uri.getScheme() != null && uri.getHost() != null) {
                return uri;
            }
        } catch (URISyntaxException e) {
            throw new UsageException(
                    "--shared-cache: expected an address such as redis://host:6379/0, found a"
                            + " syntax error at character "
                            + (e.getIndex() + 1));
        }
        throw new UsageException(
                "--shared-cache: expected an address such as redis://host:6379/0, found no scheme"
                        + " or no host");
    }

    private static String password(Path file) {
        try (var input = Files.newInputStream(file)) {
            String text = new String(input.readNBytes(MOST_PASSWORD), StandardCharsets.UTF_8);
            String line = text.lines().findFirst().orElse("");
            if (line.isEmpty()) {
                throw new UsageException(
                        "--shared-cache-password-file: "
                                + file
                                + ": expected a password in the first line, found none");
            }
            return line;
        } catch (IOException e) {
            throw new UsageException(
                    "--shared-cache-password-file: "
                            + file
                            + " cannot be read: "
                            + FileErrors.reason(e));
        }
    }

    private static void requireUnset(String flag, boolean set) {
        if (set) {
            throw new UsageException(flag + " needs --shared-cache");
        }
    }
}
