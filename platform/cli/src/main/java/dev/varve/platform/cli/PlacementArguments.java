package dev.varve.platform.cli;

import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.PeerAccess;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.ProcessGrouping;
import dev.varve.platform.placement.ProcessLocation;
import dev.varve.platform.placement.SplitRule;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Options of the devices and processes of a model. */
final class PlacementArguments {
    /** Device of a model without placement flags. */
    static final String DEFAULT_DEVICE = DeviceReference.AUTO + ":0";

    private static final String DEVICE = "--target-device";
    private static final String DEVICES = "--target-devices";
    private static final String SPLIT = "--target-layer-split";
    private static final String LAUNCHER = "--target-shard-ipc-bin";
    private static final String WORK_FOLDER = "--target-shard-ipc-work-dir";

    @Option(
            names = {DEVICE, "--device"},
            paramLabel = "DEVICE",
            description =
                    "Device that the model runs on, such as cpu:0 (default: "
                            + DEFAULT_DEVICE
                            + "). auto stands for the best available backend; varve devices lists"
                            + " the devices.",
            order = OptionSections.DEVICES)
    private Optional<String> device = Optional.empty();

    @Option(
            names = DEVICES,
            paramLabel = "LIST",
            description =
                    "Devices that share the layers, in layer order, such as cuda:0,hip:1. Instead"
                        + " of --target-device. A suffix gives the location of a device: @process,"
                        + " a separate process that the server starts; @unix:/path or"
                        + " @grpc:host:port, a listening varve shard.",
            order = OptionSections.DEVICES + 1)
    private Optional<String> devices = Optional.empty();

    @Option(
            names = SPLIT,
            paramLabel = "WEIGHTS",
            description =
                    "Share of the layers per device, such as 0.8,0.2, or auto (default: equal)."
                            + " auto measures the devices once and selects the fastest split that"
                            + " fits.",
            order = OptionSections.DEVICES + 2)
    private Optional<String> split = Optional.empty();

    /** When a model that does not fit is placed otherwise than requested. */
    enum Fit {
        AUTO,
        ON,
        OFF
    }

    @Option(
            names = "--fit",
            paramLabel = "auto|on|off",
            description =
                    "Whether a model that does not fit its devices is placed otherwise. First"
                        + " experts of layers go to the processor, then whole layers, then experts"
                        + " stay in the file; a placement that is measured to be faster is"
                        + " preferred. auto: unless an option gives several devices, places experts"
                        + " or selects the layout of weights.",
            order = OptionSections.DEVICES + 3)
    private Fit fit = Fit.AUTO;

    @Option(
            names = "--measure-again",
            description =
                    "Measure the devices again for an automatic split or a forecast, instead of"
                            + " using stored measurements.",
            showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
            order = OptionSections.DEVICES + 3)
    private boolean measureAgain;

    @Option(
            names = "--peer-access",
            description =
                    "Let devices of one backend copy from each other directly, if the backend"
                            + " supports it.",
            showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
            order = OptionSections.DEVICES + 3)
    private boolean peerAccess;

    @Option(
            names = LAUNCHER,
            paramLabel = "FILE",
            description =
                    "Program that the server starts as a shard process (default: varve). If it is"
                        + " set and no device has an @ suffix, devices of other backends than the"
                        + " first run in separate processes; with one backend, all but the first"
                        + " device do.",
            order = OptionSections.PROCESSES + 1)
    private Optional<Path> shardLauncher = Optional.empty();

    @Option(
            names = WORK_FOLDER,
            paramLabel = "FOLDER",
            description =
                    "Folder for the sockets of shard processes (default: the system's temporary"
                            + " folder).",
            order = OptionSections.PROCESSES + 2)
    private Optional<Path> workFolder = Optional.empty();

    @Option(
            names = "--target-shard-ggml-home",
            paramLabel = "FOLDER",
            description =
                    "Folder with the ggml build of shard processes (default: --ggml-home). For"
                            + " example with libggml-hip.so.",
            order = OptionSections.PROCESSES + 3)
    private Optional<Path> shardGgmlHome = Optional.empty();

    @Mixin private ExpertArguments experts;

    /**
     * Whether a model that does not fit is placed otherwise.
     *
     * @param isPlain whether no option selects the layout of the weights
     */
    boolean fits(boolean isPlain) {
        boolean isOpen = devices.isEmpty() && isPlain && experts.rules().isEmpty();
        return fit == Fit.ON || fit == Fit.AUTO && isOpen;
    }

    /** Whether stored measurements of devices are ignored. */
    boolean measuresAgain() {
        return measureAgain;
    }

    /**
     * Returns the requested devices, which may still include {@code auto}. Checks everything that
     * does not depend on the backends.
     *
     * @throws IllegalArgumentException whose message begins with the wrong flag
     */
    PlacementRequest request() {
        if (device.isPresent() && devices.isPresent()) {
            throw new IllegalArgumentException(DEVICES + ": cannot be combined with " + DEVICE);
        }
        List<DeviceReference> named =
                devices.isPresent()
                        ? parse(DEVICES, () -> DeviceReference.parseList(devices.get()))
                        : parse(
                                DEVICE,
                                () ->
                                        List.of(
                                                DeviceReference.parse(
                                                        device.orElse(DEFAULT_DEVICE))));
        SplitRule rule =
                split.map(text -> parse(SPLIT, () -> SplitRule.parse(text)))
                        .orElse(new SplitRule.Equal());
        requireSplit(rule, named.size());
        requireLauncher(named);
        PlacementRequest request =
                new PlacementRequest(
                        named,
                        rule,
                        shardLauncher.isPresent()
                                ? ProcessGrouping.BY_BACKEND
                                : ProcessGrouping.AS_NAMED,
                        peerAccess ? PeerAccess.DIRECT : PeerAccess.THROUGH_HOST,
                        experts.rules());
        // Without automatic devices the rest can be checked now, before files are opened.
        return named.stream().anyMatch(DeviceReference::isAutomatic)
                ? request
                : request.resolve(() -> DeviceReference.AUTO);
    }

    private static <T> T parse(String flag, Supplier<T> parser) {
        try {
            return parser.get();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(flag + ": " + e.getMessage(), e);
        }
    }

    private void requireSplit(SplitRule rule, int count) {
        if (split.isPresent() && count < 2) {
            throw new IllegalArgumentException(
                    SPLIT + ": needs two or more devices in " + DEVICES + ", found " + count);
        }
        if (rule instanceof SplitRule.Weights(var values) && values.size() != count) {
            throw new IllegalArgumentException(
                    SPLIT
                            + ": bad target layer split: expected "
                            + count
                            + " weights, one per device, found "
                            + values.size());
        }
    }

    private void requireLauncher(List<DeviceReference> named) {
        boolean startsProcess =
                named.stream().anyMatch(item -> item.site() instanceof ProcessLocation.Child)
                        || shardLauncher.isPresent() && PlacementRequest.isGrouped(named);
        if (shardLauncher.isPresent() && !startsProcess) {
            throw new IllegalArgumentException(
                    LAUNCHER
                            + ": no device needs a separate process; list two or more devices in "
                            + DEVICES
                            + ", or add @process to one");
        }
        if (workFolder.isPresent() && !startsProcess) {
            throw new IllegalArgumentException(
                    WORK_FOLDER + ": needs " + LAUNCHER + " or a device with @process");
        }
        shardLauncher.ifPresent(path -> requireNamed(LAUNCHER, path));
        workFolder.ifPresent(path -> requireNamed(WORK_FOLDER, path));
    }

    private static void requireNamed(String flag, Path path) {
        if (path.toString().isEmpty()) {
            throw new IllegalArgumentException(flag + ": expected a path, found nothing");
        }
    }

    /** Program that starts a shard process, if it is not Varve's own. */
    Optional<Path> shardLauncher() {
        return shardLauncher;
    }

    /** Folder of the sockets of shard processes. */
    Optional<Path> workFolder() {
        return workFolder;
    }

    /** The ggml build of shard processes, if it differs from this process's. */
    Optional<Path> shardGgmlHome() {
        shardGgmlHome.ifPresent(given -> TextFile.requireFolder("--target-shard-ggml-home", given));
        return shardGgmlHome;
    }
}
