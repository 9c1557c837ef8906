package dev.varve.platform.cli;

import dev.varve.platform.host.CacheEventSettings;

import picocli.CommandLine.Option;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.util.Optional;

/** Options of cache events: where routers subscribe to changes of the prefix cache. */
final class EventArguments {
    @Option(
            names = "--kv-events",
            paramLabel = "ADDRESS",
            description =
                    "Address of events about cached prefixes, such as tcp://*:5557 (default: none)."
                        + " The server publishes them over ZeroMQ, for routers. The events contain"
                        + " the tokens of prompts.",
            order = OptionSections.RARE + 21)
    private Optional<String> publish = Optional.empty();

    @Option(
            names = "--kv-events-replay",
            paramLabel = "ADDRESS",
            description =
                    "Address at which routers request events that they missed, such as"
                            + " tcp://*:5558.",
            order = OptionSections.RARE + 22)
    private Optional<String> replay = Optional.empty();

    @Option(
            names = "--kv-events-pod",
            paramLabel = "NAME",
            description = "Name of this server in the events (default: the host name).",
            order = OptionSections.RARE + 23)
    private Optional<String> pod = Optional.empty();

    /**
     * Returns the settings, without the name of the model; empty without an address.
     *
     * @throws UsageException if a value is invalid, or a flag requires an address
     */
    Optional<CacheEventSettings> settings(Environment environment) {
        if (publish.isEmpty()) {
            requireUnset("--kv-events-replay", replay.isPresent());
            requireUnset("--kv-events-pod", pod.isPresent());
            return Optional.empty();
        }
        String name = pod.orElseGet(() -> hostName(environment));
        if (name.isBlank() || name.contains("@")) {
            throw new UsageException("--kv-events-pod: expected a name without @, found " + name);
        }
        return Optional.of(
                new CacheEventSettings(
                        uri("--kv-events", publish.get()),
                        replay.map(address -> uri("--kv-events-replay", address)),
                        name,
                        ""));
    }

    private static URI uri(String flag, String text) {
        if (!text.matches("[a-z][a-z0-9_-]*://[^\\s/]+")) {
            throw new UsageException(
                    flag + ": expected an address such as tcp://*:5557, found " + text);
        }
        return URI.create(text);
    }

    private static String hostName(Environment environment) {
        return environment
                .variable("HOSTNAME")
                .filter(name -> !name.isBlank())
                .orElseGet(EventArguments::ownName);
    }

    private static String ownName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            throw new UsageException(
                    "--kv-events-pod: expected a name, found none, and this host has no name: "
                            + e.getMessage());
        }
    }

    private static void requireUnset(String flag, boolean set) {
        if (set) {
            throw new UsageException(flag + " needs --kv-events");
        }
    }
}
