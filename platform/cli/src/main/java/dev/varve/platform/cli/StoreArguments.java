package dev.varve.platform.cli;

import dev.varve.platform.host.CacheSharingSettings;
import dev.varve.platform.host.StoreSettings;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/** Options of the disk store of cached prefixes, and of their sharing. */
final class StoreArguments {
    @Mixin private SharedStoreArguments shared;

    @Mixin private EventArguments events;

    private static final String SIZE = "expected a size such as 20G, found ";

    @Option(
            names = "--kv-cache-dir",
            paramLabel = "DIR",
            description =
                    "Folder that keeps computed prompts on disk, so that they are there after a"
                            + " restart, however the layers are split then (default: none). One"
                            + " server writes to a folder; others may read from it.",
            order = OptionSections.MEMORY + 3)
    private Optional<Path> folder = Optional.empty();

    @Option(
            names = "--kv-cache-budget",
            paramLabel = "SIZE",
            description =
                    "Most bytes in that folder, such as 20G (default: a tenth of the free disk, at"
                            + " most 64G). Several models have equal parts of it.",
            order = OptionSections.MEMORY + 4)
    private Optional<String> budget = Optional.empty();

    @Option(
            names = "--kv-cache-reserve",
            paramLabel = "SIZE",
            description = "Free disk that is left alone (default: a twentieth of the disk).",
            order = OptionSections.MEMORY + 5)
    private Optional<String> reserve = Optional.empty();

    @Option(
            names = "--kv-cache-ttl",
            converter = DurationConverter.class,
            paramLabel = "TIME",
            description =
                    "How long a prompt is kept on disk after its last use, such as 72h (default: as"
                            + " long as there is room).",
            order = OptionSections.MEMORY + 6)
    private Optional<Duration> ttl = Optional.empty();

    @Option(
            names = "--kv-cache-mode",
            defaultValue = "read-write",
            paramLabel = "MODE",
            description =
                    "read-write, or read: nothing is written, and another server may be writing"
                            + " (default: ${DEFAULT-VALUE}).",
            order = OptionSections.MEMORY + 7)
    private String mode;

    @Option(
            names = "--cache-key-file",
            paramLabel = "FILE",
            description =
                    "Encrypts what is kept on disk or shared (AES-256-GCM) with the key in this"
                            + " file: 32 bytes, or 64 hexadecimal digits, or Base64.",
            order = OptionSections.MEMORY + 8)
    private Optional<Path> keyFile = Optional.empty();

    @Option(
            names = "--cache-share-backends",
            description =
                    "Uses prompts from disk or from a shared store that other backends or another"
                            + " ggml release computed: their numbers differ in the last bits.",
            order = OptionSections.RARE + 20)
    private boolean sharesBackends;

    @Option(
            names = "--kv-cache-store",
            paramLabel = "NAME",
            description =
                    "Plugin that keeps what is in --kv-cache-dir, as varve plugins lists it: needed"
                            + " where several plugins provide stores (default: the only one).",
            order = OptionSections.RARE + 21)
    private Optional<String> store = Optional.empty();

    /**
     * Returns the settings of the disk store; empty without a folder.
     *
     * @throws UsageException if a value is invalid, or another flag requires the folder
     */
    Optional<StoreSettings> settings() {
        boolean reads =
                switch (mode) {
                    case "read-write" -> false;
                    case "read" -> true;
                    default ->
                            throw new UsageException(
                                    "--kv-cache-mode: expected read-write or read, found " + mode);
                };
        OptionalLong most = bytes("--kv-cache-budget", budget, 1);
        OptionalLong left = bytes("--kv-cache-reserve", reserve, 0);
        if (folder.isEmpty()) {
            requireUnset("--kv-cache-budget", budget.isPresent());
            requireUnset("--kv-cache-reserve", reserve.isPresent());
            requireUnset("--kv-cache-ttl", ttl.isPresent());
            requireUnset("--kv-cache-mode", reads);
            requireUnset("--kv-cache-store", store.isPresent());
            if (!shared.isAskedFor()) {
                requireUnset("--cache-key-file", keyFile.isPresent());
                requireUnset("--cache-share-backends", sharesBackends);
            }
            return Optional.empty();
        }
        return Optional.of(
                new StoreSettings(
                        folder.get(),
                        new StoreSettings.Limits(most, left, ttl),
                        keyFile,
                        reads,
                        sharesBackends,
                        store));
    }

    /**
     * Returns the settings of the sharing of cached prefixes with other servers and routers.
     *
     * @throws UsageException if a value is invalid, or a flag requires another one
     */
    CacheSharingSettings sharing(Environment environment) {
        return new CacheSharingSettings(
                shared.settings(keyFile, sharesBackends), events.settings(environment));
    }

    private static OptionalLong bytes(String flag, Optional<String> size, long least) {
        if (size.isEmpty()) {
            return OptionalLong.empty();
        }
        OptionalLong bytes = ByteCount.parse(size.get());
        if (bytes.isEmpty() || bytes.getAsLong() < least) {
            throw new UsageException(flag + ": " + SIZE + size.get());
        }
        return bytes;
    }

    private static void requireUnset(String flag, boolean set) {
        if (set) {
            throw new UsageException(flag + " needs --kv-cache-dir");
        }
    }
}
