package dev.varve.platform.cli;

import dev.varve.platform.host.ClusterCacheSettings;
import dev.varve.platform.host.StoreSettings;
import dev.varve.platform.setting.ByteCount;

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
                    "Folder of cached prefixes on disk (default: none). They outlive the server,"
                            + " and fit any later split of the layers. Only one server writes to a"
                            + " folder; others may read it.",
            order = OptionSections.CACHE + 3)
    private Optional<Path> folder = Optional.empty();

    @Option(
            names = "--kv-cache-budget",
            paramLabel = "SIZE",
            description =
                    "Maximum size of that folder, such as 20G (default: a tenth of the free disk)."
                            + " At most 64G without this flag. Several models share it equally.",
            order = OptionSections.CACHE + 4)
    private Optional<String> budget = Optional.empty();

    @Option(
            names = "--kv-cache-reserve",
            paramLabel = "SIZE",
            description = "Disk space that stays free (default: a twentieth of the disk).",
            order = OptionSections.CACHE + 5)
    private Optional<String> reserve = Optional.empty();

    @Option(
            names = "--kv-cache-ttl",
            converter = DurationConverter.class,
            paramLabel = "TIME",
            description =
                    "Time after which unused prefixes are deleted, such as 72h (default: never)."
                            + " The budget of the folder still applies.",
            order = OptionSections.CACHE + 6)
    private Optional<Duration> ttl = Optional.empty();

    @Option(
            names = "--kv-cache-mode",
            defaultValue = "read-write",
            paramLabel = "read-write|read",
            description =
                    "Whether the server writes to the folder. Another server may write to a"
                            + " folder that this one only reads.",
            order = OptionSections.CACHE + 7)
    private String mode;

    @Option(
            names = "--cache-key-file",
            paramLabel = "FILE",
            description =
                    "File with the key that encrypts data on disk and in the shared store."
                            + " AES-256-GCM: 32 bytes, or 64 hexadecimal digits, or Base64.",
            order = OptionSections.CACHE + 8)
    private Optional<Path> keyFile = Optional.empty();

    @Option(
            names = "--cache-share-backends",
            description =
                    "Use prefixes that other backends or ggml releases computed. From disk or a"
                            + " shared store; their values differ in the last bits.",
            order = OptionSections.RARE + 20)
    private boolean sharesBackends;

    @Option(
            names = "--kv-cache-store",
            paramLabel = "NAME",
            description =
                    "Plugin that reads and writes --kv-cache-dir (default: the only one). Required"
                            + " if several plugins provide stores; varve plugins lists them.",
            order = OptionSections.RARE + 21)
    private Optional<String> store = Optional.empty();

    /**
     * Returns the settings of the disk store; empty without a folder.
     *
     * @throws UsageException if a value is invalid, or another flag requires the folder
     */
    Optional<StoreSettings> settings() {
        return settings(false);
    }

    /**
     * As above.
     *
     * @param handsOff whether prompts are handed over between servers, which uses backends too
     */
    Optional<StoreSettings> settings(boolean handsOff) {
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
                requireUnset("--cache-share-backends", sharesBackends && !handsOff);
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
    ClusterCacheSettings sharing(Environment environment) {
        return new ClusterCacheSettings(
                shared.settings(keyFile, sharesBackends),
                events.settings(environment),
                Optional.empty());
    }

    boolean sharesBackends() {
        return sharesBackends;
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
