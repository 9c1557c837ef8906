package dev.varve.platform.cli;

import dev.varve.platform.placement.PeerAccess;
import dev.varve.platform.placement.PlacementRequest;

import picocli.CommandLine.Option;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Options of the devices and processes of a model. */
final class PlacementArguments {
    @Option(
            names = {"--target-device", "--device"},
            paramLabel = "DEVICE",
            description =
                    "The one device that the model runs on, such as cpu:0; varve devices lists"
                            + " them (default: "
                            + PlacementFlags.DEFAULT_DEVICE
                            + ", the best backend there is).",
            order = OptionSections.DEVICES)
    private Optional<String> device = Optional.empty();

    @Option(
            names = "--target-devices",
            paramLabel = "LIST",
            description =
                    "Instead of one device: several that share the layers of the model, in layer"
                            + " order, such as cuda:0,hip:1. Behind a device, @process gives it"
                            + " a process of its own, which the server starts; @unix:/path or"
                            + " @grpc:host:port is where a varve shard listens.",
            order = OptionSections.DEVICES + 1)
    private Optional<String> devices = Optional.empty();

    @Option(
            names = "--target-layer-split",
            paramLabel = "WEIGHTS",
            description =
                    "Share of each of these devices in the layers, such as 0.08,0.46,0.46"
                            + " (default: equal shares). auto measures the devices, once, and"
                            + " takes the fastest split that fits.",
            order = OptionSections.DEVICES + 2)
    private Optional<String> split = Optional.empty();

    @Option(
            names = "--peer-access",
            description = "Let devices of one backend copy from each other directly, where it can.",
            showDefaultValue = picocli.CommandLine.Help.Visibility.NEVER,
            order = OptionSections.DEVICES + 3)
    private boolean peerAccess;

    @Option(
            names = "--target-shard-ipc-bin",
            paramLabel = "FILE",
            description =
                    "Program that the server starts as a shard process (default: varve itself)."
                            + " If it is given and no device has an @, the devices of other"
                            + " backends than the first go to processes, or all but the first if"
                            + " there is one backend.",
            order = OptionSections.PROCESSES + 1)
    private Optional<Path> shardLauncher = Optional.empty();

    @Option(
            names = "--target-shard-ipc-work-dir",
            paramLabel = "FOLDER",
            description =
                    "Folder for the sockets of shard processes (default: the system's folder for"
                            + " temporary files).",
            order = OptionSections.PROCESSES + 2)
    private Optional<Path> workFolder = Optional.empty();

    @Option(
            names = "--target-shard-ggml-home",
            paramLabel = "FOLDER",
            description =
                    "Folder with the ggml build of the shard processes, such as one with"
                            + " libggml-hip.so (default: --ggml-home, or the packed one).",
            order = OptionSections.PROCESSES + 3)
    private Optional<Path> shardGgmlHome = Optional.empty();

    /** Returns the requested devices, which may still include {@code auto}. */
    PlacementRequest request() {
        return new PlacementFlags(
                        new PlacementFlags.Target(device, devices, split),
                        peerAccess ? PeerAccess.DIRECT : PeerAccess.THROUGH_HOST,
                        new PlacementFlags.Processes(shardLauncher, workFolder))
                .read();
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
        shardGgmlHome
                .filter(given -> !Files.isDirectory(given))
                .ifPresent(
                        given -> {
                            throw new UsageException(
                                    "--target-shard-ggml-home: expected a folder, found " + given);
                        });
        return shardGgmlHome;
    }
}
