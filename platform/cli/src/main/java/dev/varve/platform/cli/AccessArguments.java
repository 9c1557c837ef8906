package dev.varve.platform.cli;

import dev.varve.api.FileErrors;
import dev.varve.api.VarveException;
import dev.varve.platform.http.access.CacheAccessSettings;
import dev.varve.platform.http.access.CacheSharingPolicy;
import dev.varve.platform.http.access.ClientAccessSettings;
import dev.varve.platform.http.access.CorsAndHostOptions;

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
                    "Key that clients must send; may be repeated. Other users of the machine can"
                            + " see it: prefer --api-key-file or VARVE_API_KEY.",
            order = 12)
    private List<String> apiKeys = List.of();

    @Option(
            names = "--api-key-file",
            paramLabel = "FILE",
            description = "File with one key per line.",
            order = 13)
    private Optional<Path> apiKeyFile = Optional.empty();

    @Option(
            names = "--insecure",
            description = "Allow an address that other machines can reach without a key.",
            order = 14)
    private boolean insecure;

    @Option(
            names = "--open-metrics",
            description =
                    "Answer GET /metrics without a key, for scrapers and gateways that have none."
                            + " It shows load and model names, but no text of requests.",
            order = OptionSections.RARE)
    private boolean openMetrics;

    @Option(
            names = "--cache-scope",
            paramLabel = "key|shared",
            defaultValue = "key",
            description =
                    "Which requests share cached prefixes: those of one API key, or all. Response"
                        + " times and cached_tokens show a client whether another request of its"
                        + " scope had the same prefix.",
            order = 15)
    private CacheSharingPolicy scopes;

    @Option(
            names = "--operator-key",
            paramLabel = "KEY",
            description =
                    "Key of the operator, for the cache, adapters, replicas and requests of all"
                        + " users. It permits GET /cache, POST /cache/clear, POST"
                        + " /replicas/ID/drain and /resume, changes of /lora-adapters, and DELETE"
                        + " /requests/ID of any request. Without this flag the API key serves, if"
                        + " there is only one; if clients need no key, programs on this machine may"
                        + " send these requests. Other users of the machine can see it: prefer"
                        + " --operator-key-file.",
            order = OptionSections.RARE)
    private Optional<String> operatorKey = Optional.empty();

    @Option(
            names = "--operator-key-file",
            paramLabel = "FILE",
            description = "File with the operator key.",
            order = OptionSections.RARE)
    private Optional<Path> operatorKeyFile = Optional.empty();

    @Option(
            names = "--cors-origin",
            paramLabel = "ORIGIN",
            description = "Origin of web pages that may call the server; may be repeated.",
            order = OptionSections.RARE)
    private List<String> corsOrigins = List.of();

    @Option(
            names = "--allowed-host",
            paramLabel = "NAME",
            description =
                    "Further name of a server without a key; may be repeated. Clients may address"
                            + " it as localhost, --host and these names.",
            order = OptionSections.RARE)
    private List<String> allowedHosts = List.of();

    ClientAccessSettings access(Environment environment) {
        return new ClientAccessSettings(
                keys(environment),
                insecure
                        ? ClientAccessSettings.KeylessListening.ANYWHERE
                        : ClientAccessSettings.KeylessListening.LOOPBACK_ONLY,
                new CorsAndHostOptions(Set.copyOf(corsOrigins), Set.copyOf(allowedHosts)),
                new CacheAccessSettings(scopes, operatorKey()),
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
                    "--operator-key and --operator-key-file: expected only one of them, found"
                            + " both");
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
                throw new VarveException(
                        VarveException.Kind.CORRUPT_FILE,
                        flag + ": " + file + ": expected a key, found none");
            }
            return keys;
        } catch (IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNREADABLE_FILE,
                    flag + ": " + file + " cannot be read: " + FileErrors.reason(e),
                    e);
        }
    }
}
