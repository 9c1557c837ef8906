package dev.varve.platform.cli;

import dev.varve.api.snapshot.SnapshotStoreProvider;
import dev.varve.platform.host.StoreProviderSelector;
import dev.varve.platform.setting.ByteCount;
import dev.varve.platform.store.ArchiveInspector;
import dev.varve.platform.store.ArchiveInspector.NamespaceSummary;
import dev.varve.platform.store.ArchiveInspector.Verdict;
import dev.varve.platform.store.ChunkCipher;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/** Manages cached prefixes on disk, without a model. */
@Command(
        name = "cache",
        addMethodSubcommands = false,
        description = {
            "Inspects and maintains a folder of cached prefixes.",
            "status lists the models of the cached prefixes and their sizes; verify reads and"
                + " checks all files (exit status 1 if one is damaged); prune deletes the prefixes"
                + " with the lowest score; clear deletes all. status and verify work while a server"
                + " writes to the folder."
        },
        footer = {
            "  varve cache status --kv-cache-dir DIR",
            "  varve cache verify --kv-cache-dir DIR --json",
            "  varve cache prune --kv-cache-dir DIR --kv-cache-budget 10G --kv-cache-ttl 720h"
        })
final class CacheCommand extends CliCommand {

    /** Action of the command. */
    enum Action {
        STATUS,
        VERIFY,
        PRUNE,
        CLEAR
    }

    @Parameters(paramLabel = "ACTION", description = "status, verify, prune or clear.")
    private Action action;

    @Option(
            names = "--kv-cache-dir",
            required = true,
            paramLabel = "DIR",
            description = "Folder of cached prefixes.")
    private Path folder;

    @Option(
            names = "--kv-cache-budget",
            paramLabel = "SIZE",
            description = "prune: maximum bytes that remain, such as 10G.")
    private Optional<String> budget = Optional.empty();

    @Option(
            names = "--kv-cache-ttl",
            converter = DurationConverter.class,
            paramLabel = "TIME",
            description = "prune: delete models whose prefixes were not used for this time.")
    private Optional<Duration> ttl = Optional.empty();

    @Option(
            names = "--cache-key-file",
            paramLabel = "FILE",
            description = "verify: key file with which the folder is encrypted.")
    private Optional<Path> keyFile = Optional.empty();

    @Option(
            names = "--kv-cache-store",
            paramLabel = "NAME",
            description =
                    "verify: plugin that reads the folder, if several plugins provide stores.")
    private Optional<String> store = Optional.empty();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Mixin private PluginOptions plugins;

    @Override
    int run() throws IOException {
        ArchiveInspector inspector = new ArchiveInspector(folder, InstantSource.system());
        return switch (action) {
            case STATUS -> status(inspector.namespaces());
            case VERIFY -> verify(inspector);
            case PRUNE -> freed(inspector.prune(mostBytes(), ttl));
            case CLEAR -> freed(inspector.clear());
        };
    }

    private long mostBytes() {
        if (budget.isEmpty() && ttl.isEmpty()) {
            throw new UsageException(
                    "varve cache prune needs --kv-cache-budget, --kv-cache-ttl or both");
        }
        return budget.map(
                        size ->
                                ByteCount.parse(size)
                                        .orElseThrow(
                                                () ->
                                                        new UsageException(
                                                                "--kv-cache-budget: expected a size"
                                                                        + " such as 10G, found "
                                                                        + size)))
                .orElse(Long.MAX_VALUE);
    }

    private int freed(long bytes) {
        if (json) {
            out().println(CliJson.write(CliJson.object().put("freed_bytes", bytes)));
        } else {
            out().println(ByteCount.format(bytes) + " freed");
        }
        return 0;
    }

    private int status(List<NamespaceSummary> models) {
        if (json) {
            ObjectNode result = CliJson.object();
            ArrayNode list = result.putArray("models");
            models.forEach(kept -> describe(kept, list.addObject()));
            out().println(CliJson.write(result));
            return 0;
        }
        long now = System.currentTimeMillis();
        TextTable table = new TextTable();
        table.row("MODEL", "SIZE", "BLOCKS", "CHECKPOINTS", "USES", "LAST USE");
        for (NamespaceSummary kept : models) {
            table.row(
                    kept.description().getOrDefault("model", "?")
                            + (kept.readable() ? "" : " (another format)"),
                    ByteCount.format(kept.bytes()),
                    Long.toString(kept.blocks()),
                    Long.toString(kept.checkpoints()),
                    Long.toString(kept.uses()),
                    kept.objects().isEmpty() ? "never" : age(now - kept.lastUse()));
        }
        table.lines("").forEach(out()::println);
        long all = models.stream().mapToLong(NamespaceSummary::bytes).sum();
        out().println(ByteCount.format(all) + " in " + folder);
        return 0;
    }

    /** Age as text; not negative, since a clock may have been set back. */
    private static String age(long millis) {
        Duration age = Duration.ofMillis(Math.max(0, millis));
        if (age.toHours() > 48) {
            return age.toDays() + " days ago";
        }
        return age.toMinutes() > 120 ? age.toHours() + " h ago" : age.toMinutes() + " min ago";
    }

    private static void describe(NamespaceSummary kept, ObjectNode entry) {
        entry.put("folder", kept.folder().toString());
        kept.description().forEach(entry::put);
        entry.put("readable", kept.readable())
                .put("bytes", kept.bytes())
                .put("blocks", kept.blocks())
                .put("hidden_states", kept.features())
                .put("entries", kept.checkpoints())
                .put("uses", kept.uses())
                .put("last_use_ms", kept.lastUse());
    }

    private int verify(ArchiveInspector inspector) throws IOException {
        SnapshotStoreProvider provider =
                StoreProviderSelector.choose(plugins.discover(environment()), store);
        Verdict verdict;
        try (ProgressBar bar = ProgressBar.of(err(), environment(), "verifying")) {
            verdict =
                    inspector.verify(
                            provider,
                            keyFile.map(ChunkCipher::of),
                            (done, all) -> bar.show(done, all));
        }
        if (json) {
            ObjectNode result = CliJson.object().put("sound", verdict.valid());
            ArrayNode broken = result.putArray("broken");
            verdict.broken().forEach(broken::add);
            out().println(CliJson.write(result));
        } else {
            verdict.broken().forEach(out()::println);
            out().println(verdict.valid() + " are intact, " + verdict.broken().size() + " damaged");
        }
        return verdict.broken().isEmpty() ? 0 : ExitStatus.FAILURE.code();
    }
}
