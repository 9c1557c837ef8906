package dev.varve.platform.cli;

import dev.varve.platform.host.HandOffSettings;
import dev.varve.platform.setting.ByteCount;

import picocli.CommandLine.Option;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Options of the hand-off of prompts between servers. */
final class HandOffArguments {
    private static final String PEER = "--prefill-peer";
    private static final String LISTEN = "--prefill-listen";
    private static final String ADDRESS =
            "expected an address such as grpcs://host:7800, grpc://127.0.0.1:7800 or"
                    + " unix:/path, found ";

    /** Part of a server in the computing of prompts. */
    enum Role {
        /** Computes prompts for others, and responds to its own clients. */
        PREFILL,
        /** Sends long prompts to prefill servers. */
        DECODE,
        /** Both, as far as addresses are configured. */
        BOTH
    }

    @Option(
            names = "--role",
            defaultValue = "both",
            paramLabel = "ROLE",
            description =
                    "Part of the server in the hand-off of prompts: prefill, decode or both."
                            + " prefill needs "
                            + LISTEN
                            + ", decode needs "
                            + PEER
                            + ".",
            order = OptionSections.PROCESSES + 20)
    private Role role;

    @Option(
            names = PEER,
            paramLabel = "ADDRESS",
            description =
                    "Prefill server that computes long prompts; may be repeated (default: none)."
                            + " Such as grpcs://host:7800, with the flags --shard-tls-... and"
                            + " --shard-token-file. If it is slow or lost, the server computes the"
                            + " prompt itself.",
            order = OptionSections.PROCESSES + 21)
    private List<String> peers = List.of();

    @Option(
            names = LISTEN,
            paramLabel = "ADDRESS",
            description =
                    "Address at which the server computes prompts for others (default: none). Such"
                            + " as grpcs://0.0.0.0:7800.",
            order = OptionSections.PROCESSES + 22)
    private Optional<String> listen = Optional.empty();

    @Option(
            names = "--hand-off",
            defaultValue = "faster",
            paramLabel = "WHEN",
            description =
                    "When a long prompt is sent to a prefill server: faster or always. faster"
                            + " compares the measured times of computing it here, and of computing"
                            + " it there and transferring its blocks.",
            order = OptionSections.PROCESSES + 23)
    private HandOffSettings.When when;

    @Option(
            names = "--hand-off-min-tokens",
            paramLabel = "N",
            description =
                    "Prompts with fewer tokens that are not cached stay here (default: 1024).",
            order = OptionSections.PROCESSES + 24)
    private Optional<Integer> minTokens = Optional.empty();

    @Option(
            names = "--hand-off-timeout",
            converter = DurationConverter.class,
            paramLabel = "TIME",
            description =
                    "How long a request waits for a prefill server (default: twice the local time)."
                            + " The local time is that of computing the prompt here; at least 2s"
                            + " without this flag.",
            order = OptionSections.PROCESSES + 25)
    private Optional<Duration> timeout = Optional.empty();

    @Option(
            names = "--hand-off-ram",
            paramLabel = "SIZE",
            description =
                    "Host memory for blocks that other servers have not read (default: 1G). On a"
                            + " prefill server; it is used in addition to --cache-ram.",
            order = OptionSections.PROCESSES + 26)
    private Optional<String> ram = Optional.empty();

    /** Whether prompts are handed over or computed for others. */
    boolean isAskedFor() {
        return !peers.isEmpty() || listen.isPresent();
    }

    /**
     * Returns the settings; empty if there are neither peers nor an address to listen at.
     *
     * @throws UsageException if a value is invalid, or a flag requires another one
     */
    Optional<HandOffSettings> settings(boolean sharesBackends) {
        requireAddresses();
        if (peers.isEmpty()) {
            requireUnset("--hand-off", when != HandOffSettings.When.FASTER, PEER);
            requireUnset("--hand-off-min-tokens", minTokens.isPresent(), PEER);
            requireUnset("--hand-off-timeout", timeout.isPresent(), PEER);
        }
        if (listen.isEmpty()) {
            requireUnset("--hand-off-ram", ram.isPresent(), LISTEN);
        }
        if (!isAskedFor()) {
            return Optional.empty();
        }
        return Optional.of(
                new HandOffSettings(
                        listen.map(
                                each ->
                                        new HandOffSettings.Endpoint(
                                                address(LISTEN, each), storeBytes())),
                        peers.stream().map(each -> address(PEER, each)).toList(),
                        when,
                        ModelLoadArguments.positive(minTokens, "--hand-off-min-tokens")
                                .orElse(HandOffSettings.USUAL_MIN_TOKENS),
                        timeout,
                        sharesBackends));
    }

    private void requireAddresses() {
        if (role == Role.PREFILL && listen.isEmpty()) {
            throw new UsageException("--role prefill needs " + LISTEN);
        }
        if (role == Role.DECODE && peers.isEmpty()) {
            throw new UsageException("--role decode needs " + PEER);
        }
        if (role == Role.PREFILL && !peers.isEmpty()) {
            throw new UsageException("--role prefill and " + PEER + ": expected only one of them");
        }
        if (role == Role.DECODE && listen.isPresent()) {
            throw new UsageException("--role decode and " + LISTEN + ": expected only one of them");
        }
    }

    private long storeBytes() {
        if (ram.isEmpty()) {
            return HandOffSettings.USUAL_STORE_BYTES;
        }
        OptionalLong bytes = ByteCount.parse(ram.get());
        if (bytes.isEmpty() || bytes.getAsLong() < 1) {
            throw new UsageException(
                    "--hand-off-ram: expected a size such as 4G, found " + ram.get());
        }
        return bytes.getAsLong();
    }

    /** Returns an address as transports name it, such as {@code grpcs:host:port}. */
    private static String address(String flag, String given) {
        String address = given.replaceFirst("^(grpcs?)://", "$1:");
        int colon = address.indexOf(':');
        if (colon < 1 || colon == address.length() - 1 || address.startsWith("//", colon + 1)) {
            throw new UsageException(flag + ": " + ADDRESS + given);
        }
        return address;
    }

    private static void requireUnset(String flag, boolean set, String other) {
        if (set) {
            throw new UsageException(flag + " needs " + other);
        }
    }
}
