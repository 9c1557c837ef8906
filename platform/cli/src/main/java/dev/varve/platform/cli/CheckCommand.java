package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.transport.TransportOptions;
import dev.varve.platform.check.CheckEffort;
import dev.varve.platform.check.CheckGroup;
import dev.varve.platform.check.CheckResult;
import dev.varve.platform.check.CheckRunner;
import dev.varve.platform.check.CheckSetup;
import dev.varve.platform.check.CheckSteps;
import dev.varve.platform.check.CheckedModel;
import dev.varve.platform.check.DeviceChecks;
import dev.varve.platform.check.Verdict;
import dev.varve.platform.host.ParentProcessMonitor;
import dev.varve.platform.host.PluginSettings;
import dev.varve.platform.host.ShardProcessSettings;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.LocalBackends;
import dev.varve.platform.plugin.PluginCatalog;
import dev.varve.platform.remote.BoundaryType;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** Checks devices against the processor. */
@Command(
        name = "check",
        addMethodSubcommands = false,
        description = {
            "Checks whether devices compute the same as the processor.",
            "The checks use the demo models of the installation: whole models and splits, each"
                + " operator, copies, draft tokens, paging, cached prefixes, concurrent requests"
                + " and speed.",
            "Prints one row per check as soon as it has a result: ok, differs (other values),"
                + " failed (an error, a crash or no result in time), slow (right, but slower than"
                + " expected) or skipped. Each device is checked in a process of its own, so that a"
                + " crash of its driver is a result. Exit status 1 if any check differs or failed."
        },
        footer = {
            "  varve check                         # all devices; a minute per processor",
            "  varve check --device cuda:0         # one device",
            "  varve check --device cuda:0 --full  # more models, sizes and positions",
            "  varve check --group operators       # one group of checks",
            "  varve check --report check          # and check.json and check.md to send"
        })
final class CheckCommand extends CliCommand {
    /** How long a check that was interrupted may take to end. */
    private static final Duration GRACE = Duration.ofSeconds(5);

    @Option(
            names = "--device",
            paramLabel = "DEVICE",
            description =
                    "Device to check, such as cuda:0; may be repeated (default: all devices that"
                            + " varve devices lists).",
            order = 1)
    private List<String> named = List.of();

    @Option(
            names = "--full",
            description = "Check more models, sizes and positions; takes several times as long.",
            showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
            order = 2)
    private boolean full;

    @Option(
            names = "--report",
            paramLabel = "FILE",
            description =
                    "Write the results as FILE.json and FILE.md. They hold no usernames, host"
                            + " names or paths.",
            order = 3)
    private Optional<Path> report = Optional.empty();

    @Option(
            names = "--group",
            paramLabel = "GROUP",
            description =
                    "Group of checks to run; may be repeated (default: all). device, models,"
                            + " operators, copies, decoding, batches or speed.",
            order = 4)
    private List<CheckGroup> groups = List.of();

    @Option(
            names = {"-t", "--threads"},
            paramLabel = "N",
            description =
                    "Threads of the processor (default: the physical cores that the process may"
                            + " use).",
            order = 5)
    private Optional<Integer> threads = Optional.empty();

    @Option(
            names = "--from-check",
            paramLabel = "N",
            hidden = true,
            description = "Runs the checks of one device from number N on, and prints JSON lines.")
    private Optional<Integer> from = Optional.empty();

    @Option(
            names = CheckProcess.AVOID,
            paramLabel = "STEP",
            hidden = true,
            description = "Leaves out a step of checks; may be repeated.")
    private List<String> avoided = List.of();

    @Option(
            names = CheckProcess.FOLDER,
            paramLabel = "FOLDER",
            hidden = true,
            description = "Folder for files of checks.")
    private Optional<Path> folder = Optional.empty();

    @Mixin private PluginOptions plugins;

    @Override
    int run() throws InterruptedException {
        if (from.isPresent()) {
            return runChild(DeviceReference.parse(named.getFirst()), from.get());
        }
        report.ifPresent(CheckReport::requireWritable);
        ModelLoadArguments.positive(threads, "--threads");
        CheckTable table = new CheckTable(out());
        List<CheckResult> results = new ArrayList<>();
        // The report has the results so far, in case the checks are interrupted or killed.
        CheckProcess.Sink sink =
                result -> {
                    results.add(result);
                    table.show(result);
                    report.ifPresent(file -> new CheckReport(results, full, groups).write(file));
                };
        for (DeviceReference device : devices(sink)) {
            check(device, sink);
        }
        table.summarise(results);
        if (report.isPresent()) {
            new CheckReport(results, full, groups)
                    .write(report.get())
                    .forEach(file -> printMessage("wrote " + file));
        }
        return results.stream().anyMatch(each -> each.verdict().status().isFault())
                ? ExitStatus.FAILURE.code()
                : 0;
    }

    /** Devices to check; reports those that cannot be opened. */
    private Set<DeviceReference> devices(CheckProcess.Sink sink) {
        PluginCatalog catalog = plugins.discover(environment());
        if (!named.isEmpty()) {
            Set<DeviceReference> devices = new LinkedHashSet<>();
            named.forEach(name -> devices.add(parse(name)));
            return devices;
        }
        Set<DeviceReference> devices = new LinkedHashSet<>();
        LocalBackends backends =
                new LocalBackends(catalog.backends(), plugins.backendOptions(environment()));
        for (DeviceBackendProvider provider : catalog.backends().values()) {
            try {
                for (DeviceInfo device : backends.open(provider.name()).devices()) {
                    devices.add(DeviceReference.parse(device.name()));
                }
            } catch (VarveException e) {
                sink.accept(
                        new CheckResult(
                                provider.name(),
                                CheckGroup.DEVICE,
                                "backend",
                                Verdict.skipped("unavailable: " + e.getMessage()),
                                0));
            }
        }
        return devices;
    }

    private static DeviceReference parse(String name) {
        DeviceReference device;
        try {
            device = DeviceReference.parse(name);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--device: " + e.getMessage());
        }
        if (!device.isLocal() || device.isAutomatic()) {
            throw new UsageException(
                    "--device: expected a device of this machine, such as cuda:0, found " + name);
        }
        return device;
    }

    private void check(DeviceReference device, CheckProcess.Sink sink) throws InterruptedException {
        if (launcher().isPresent()) {
            Duration silence = DeviceChecks.LONGEST.plus(GRACE.multipliedBy(2));
            new CheckProcess(device.toString(), childCommand(device), silence, sink).run();
            return;
        }
        CheckProcess.InProcess listener = new CheckProcess.InProcess(sink);
        try (CheckFolder files = CheckFolder.create()) {
            DeviceChecks checks = new DeviceChecks(setup(CheckSteps.ALL, files.path()), device);
            CheckRunner.Ending ending =
                    new CheckRunner(device.toString(), listener, GRACE).run(checks.checks(0), 0);
            if (ending == CheckRunner.Ending.INTERRUPTED) {
                throw new InterruptedException();
            }
        }
    }

    private Optional<Path> launcher() {
        return environment().home().map(home -> home.resolve("bin/varve")).filter(Files::exists);
    }

    private List<String> childCommand(DeviceReference device) {
        List<String> command = new ArrayList<>();
        command.add(launcher().orElseThrow().toString());
        command.addAll(List.of("check", "--device", device.toString()));
        if (full) {
            command.add("--full");
        }
        groups.forEach(group -> command.addAll(List.of("--group", group.word())));
        threads.ifPresent(count -> command.addAll(List.of("--threads", count.toString())));
        command.addAll(plugins.commandLine(Optional.empty()));
        command.addAll(List.of("--log-level", LogSetup.level().name(), "--from-check"));
        return command;
    }

    private int runChild(DeviceReference device, int first) {
        Path files =
                folder.orElseThrow(() -> new UsageException(CheckProcess.FOLDER + " is missing"));
        ParentProcessMonitor.endWith(System.in, () -> CheckFolder.delete(files));
        CheckProcess.Lines lines = new CheckProcess.Lines(out(), Set.copyOf(avoided));
        DeviceChecks checks = new DeviceChecks(setup(lines, files), device);
        CheckRunner.Ending ending =
                new CheckRunner(device.toString(), lines, GRACE).run(checks.checks(first), first);
        switch (ending) {
            case COMPLETE -> {
                lines.complete();
                Runtime.getRuntime().halt(0);
            }
            // An orderly exit would wait for the check.
            case STUCK -> Runtime.getRuntime().halt(CheckProcess.CONTINUE);
            case INTERRUPTED -> {}
        }
        return 0;
    }

    private CheckSetup setup(CheckSteps steps, Path files) {
        PluginSettings settings = plugins.settings(environment()).loaded();
        List<String> command = new ArrayList<>();
        launcher()
                .ifPresent(
                        file -> {
                            command.addAll(List.of(file.toString(), "shard"));
                            command.addAll(plugins.commandLine(Optional.empty()));
                            command.addAll(List.of("--log-level", LogSetup.level().name()));
                        });
        return new CheckSetup(
                settings,
                new ShardProcessSettings(
                        command, Optional.empty(), BoundaryType.F32, TransportOptions.defaults()),
                models(),
                full ? CheckEffort.FULL : CheckEffort.QUICK,
                groups.isEmpty() ? EnumSet.allOf(CheckGroup.class) : EnumSet.copyOf(groups),
                threads.map(OptionalInt::of).orElseGet(OptionalInt::empty),
                steps,
                files);
    }

    private List<CheckedModel> models() {
        return Arrays.stream(DemoModel.values())
                .filter(model -> Files.exists(model.file(environment())))
                .map(
                        model ->
                                new CheckedModel(
                                        model.name().toLowerCase(Locale.ROOT),
                                        model.file(environment()),
                                        model.draft(environment())))
                .toList();
    }
}
