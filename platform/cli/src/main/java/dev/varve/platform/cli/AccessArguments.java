package dev.varve.platform.cli;

import dev.varve.platform.http.access.CacheAccess;
import dev.varve.platform.http.access.CacheSharingPolicy;
import dev.varve.platform.http.access.ClientAccess;
import dev.varve.platform.http.access.CrossOriginOptions;

import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Access options of the server: API keys, allowed origins and hosts, and the scope of cached
 * prefixes.
 */
final class AccessArguments {
    @Option(
            names = "--api-key",
            paramLabel = "KEY",
            description =
                    "Key that clients must send; may be given several times. Other users of the"
                            + " machine can see it: better use --api-key-file or VARVE_API_KEY.",
            order = 12)
    private List<String> apiKeys = List.of();

    @Option(
            names = "--api-key-file",
            paramLabel = "FILE",
            description = "File with keys, one a line.",
            order = 13)
    private Optional<Path> apiKeyFile = Optional.empty();

    @Option(
            names = "--insecure",
            description = "Allow an address that other machines can reach without any key.",
            order = 14)
    private boolean insecure;

    @Option(
            names = "--open-metrics",
            description =
                    "Answer GET /metrics without a key, for scrapers and gateways that have none."
                            + " It tells loads and names of models, nothing of what is said.",
            order = OptionSections.RARE)
    private boolean openMetrics;

    @Option(
            names = "--cache-scope",
            paramLabel = "key|shared",
            defaultValue = "key",
            description =
                    "Which callers go on with each other's computed prompts: those with the same"
                            + " API key, or all. Times and cached_tokens tell a caller whether"
                            + " somebody of its scope asked the same before.",
            order = 15)
    private CacheSharingPolicy scopes;

    @Option(
            names = "--operator-key",
            paramLabel = "KEY",
            description =
                    "Key for GET /cache and POST /cache/clear, and to cancel any request with"
                        + " DELETE /requests/ID. Without it the API key is, if there is one only;"
                        + " where clients need no key, programs of this machine may ask. Other"
                        + " users of the machine can see it: better use --operator-key-file.",
            order = OptionSections.RARE)
    private Optional<String> operatorKey = Optional.empty();

    @Option(
            names = "--operator-key-file",
            paramLabel = "FILE",
            description = "File with that key.",
            order = OptionSections.RARE)
    private Optional<Path> operatorKeyFile = Optional.empty();

    @Option(
            names = "--cors-origin",
            paramLabel = "ORIGIN",
            description =
                    "Origin of web pages that may call the server; may be given several times.",
            order = OptionSections.RARE)
    private List<String> corsOrigins = List.of();

    @Option(
            names = "--allowed-host",
            paramLabel = "NAME",
            description =
                    "Name by which clients may address a server that asks for no key, besides"
                            + " localhost and --host; may be given several times.",
            order = OptionSections.RARE)
    private List<String> allowedHosts = List.of();

    ClientAccess access(Environment environment) {
        return new ClientAccess(
                keys(environment),
                insecure ? ClientAccess.WithoutKey.ANYWHERE : ClientAccess.WithoutKey.LOOPBACK_ONLY,
                new CrossOriginOptions(Set.copyOf(corsOrigins), Set.copyOf(allowedHosts)),
                new CacheAccess(scopes, operatorKey()),
                openMetrics);
    }

    private Set<String> keys(Environment environment) {
        Set<String> keys = new LinkedHashSet<>(apiKeys);
        environment.variable("VARVE_API_KEY").ifPresent(keys::add);
        apiKeyFile.ifPresent(file -> keys.addAll(read("--api-key-file", file)));
        return keys;
    }

    private Optional<String> operatorKey() {
        if (operatorKeyFile.isEmpty()) {
            return operatorKey;
        }
        if (operatorKey.isPresent()) {
            throw new UsageException(
                    "--operator-key and --operator-key-file: expected one of them");
        }
        List<String> keys = read("--operator-key-file", operatorKeyFile.get());
        if (keys.size() > 1) {
            throw new UsageException("--operator-key-file: expected one key, found " + keys.size());
        }
        return Optional.of(keys.getFirst());
    }

    private static List<String> read(String flag, Path file) {
        try {
            List<String> keys =
                    Files.readAllLines(file).stream()
                            .map(String::strip)
                            .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                            .toList();
            if (keys.isEmpty()) {
                throw new UsageException(flag + ": " + file + " holds no key");
            }
            return keys;
        } catch (IOException e) {
            throw new UsageException(flag + ": " + file + " cannot be read: " + e);
        }
    }
}
