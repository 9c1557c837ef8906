package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.backend.HostCores;
import dev.varve.api.transport.TransportOptions;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.Site;
import dev.varve.platform.remote.ChildLink;
import dev.varve.platform.remote.ListeningLink;
import dev.varve.platform.remote.LoadRequest;
import dev.varve.platform.remote.RemoteDevices;
import dev.varve.platform.remote.RemoteShard;
import dev.varve.platform.remote.ShardLaunch;
import dev.varve.platform.remote.ShardLink;
import dev.varve.platform.remote.ShardProtocol;
import dev.varve.platform.runtime.ShardFactory;
import dev.varve.platform.shard.ComputeUnit;
import dev.varve.platform.shard.LoadProgress;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.local.LocalShard;
import dev.varve.platform.wire.WireOptions;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Opens shards where they were placed: on devices of this process, in processes that it starts, and
 * in those that listen. Owns the devices of this process; the shards belong to who asked for them.
 */
final class PlacedShards implements ShardFactory, AutoCloseable {
    private static final String UNIX = "unix";

    private final PreparedModel prepared;
    private final Map<DeviceReference, ComputeDevice> devices = new HashMap<>();
    private final Map<DeviceReference, DeviceInfo> facts = new HashMap<>();

    PlacedShards(PreparedModel prepared) {
        this.prepared = prepared;
    }

    /** Facts about a device, wherever it is; asks a listening process once. */
    synchronized DeviceInfo info(DeviceReference device) {
        return facts.computeIfAbsent(device, this::find);
    }

    private DeviceInfo find(DeviceReference device) {
        return switch (device.site()) {
            case Site.Local local -> prepared.backends().info(device);
            case Site.Child child ->
                    prepared.backends().isUsable(device)
                            ? prepared.backends().info(device)
                            : RemoteDevices.find(link(device), device.device());
            case Site.Listening listening -> RemoteDevices.find(link(device), device.device());
        };
    }

    @Override
    public Shard open(Placement.Part part, ShardOptions options, LoadProgress progress) {
        DeviceReference device = part.device();
        if (device.isLocal()) {
            return LocalShard.load(
                    new ModelRange(prepared.file(), prepared.adapter(), part.range()),
                    device(device),
                    options,
                    progress);
        }
        DeviceOptions asked = prepared.arguments().deviceOptions();
        DeviceOptions threads =
                new DeviceOptions(asked.threads(), asked.threadsBatch(), sharesCores());
        return RemoteShard.open(
                new RemoteShard.Peer(
                        device.toString(), link(device), new ComputeUnit(HostCores.turn())),
                prepared.adapter(),
                new LoadRequest(
                        LoadRequest.Model.of(
                                prepared.file(), prepared.adapter(), prepared.settings().model()),
                        part.range(),
                        options,
                        new LoadRequest.Device(device.device(), threads),
                        prepared.arguments().boundaryType()),
                progress);
    }

    private synchronized ComputeDevice device(DeviceReference reference) {
        return devices.computeIfAbsent(
                reference,
                unknown -> {
                    DeviceOptions asked = prepared.arguments().deviceOptions();
                    return prepared.backends()
                            .openDevice(
                                    reference,
                                    new DeviceOptions(
                                            asked.threads(), asked.threadsBatch(), sharesCores()));
                });
    }

    /** Whether more than one process computes on this machine's cores. */
    private boolean sharesCores() {
        long remote =
                prepared.request().devices().stream()
                        .filter(device -> isHere(device) && !device.isLocal())
                        .filter(device -> info(device).hostCores())
                        .count();
        boolean local =
                prepared.request().devices().stream()
                        .anyMatch(device -> device.isLocal() && info(device).hostCores());
        return remote + (local ? 1 : 0) > 1;
    }

    private static boolean isHere(DeviceReference device) {
        return !(device.site() instanceof Site.Listening(var address))
                || address.startsWith(UNIX + ":");
    }

    private ShardLink link(DeviceReference device) {
        return switch (device.site()) {
            case Site.Local local -> throw new IllegalArgumentException(device + " is local");
            case Site.Child child ->
                    new ChildLink(
                            launch(device),
                            prepared.catalog().transport(UNIX),
                            ShardProtocol.wireOptions("server"));
            case Site.Listening(var address) -> listening(address);
        };
    }

    private ShardLink listening(String address) {
        int colon = address.indexOf(':');
        TransportOptions transport =
                prepared.arguments().transport().options(prepared.environment());
        WireOptions wire = ShardProtocol.wireOptions("server").withToken(transport.token());
        return new ListeningLink(
                prepared.catalog().transport(address.substring(0, colon)),
                address.substring(colon + 1),
                transport,
                wire);
    }

    private ShardLaunch launch(DeviceReference device) {
        List<String> command = new ArrayList<>();
        command.add(launcher().toString());
        command.add("shard");
        command.addAll(List.of("--device", device.device()));
        command.addAll(List.of("--model", prepared.file().path().toAbsolutePath().toString()));
        command.addAll(
                prepared.arguments()
                        .plugins()
                        .commandLine(prepared.arguments().placement().shardGgmlHome()));
        command.addAll(List.of("--log-level", LogSetup.level().name()));
        return new ShardLaunch(
                device.toString(), command, Map.of(), prepared.request().workFolder());
    }

    private Path launcher() {
        return prepared.request()
                .shardLauncher()
                .or(() -> prepared.environment().home().map(home -> home.resolve("bin/varve")))
                .orElseThrow(
                        () ->
                                new VarveException(
                                        VarveException.Kind.UNAVAILABLE,
                                        "--target-shard-ipc-bin is needed to start shard"
                                                + " processes: this process was not started by"
                                                + " bin/varve"));
    }

    /** Threads for decode of the first device of this process, 0 where there is none. */
    synchronized int threads() {
        return devices.values().stream()
                .mapToInt(device -> device.threads(Phase.DECODE))
                .max()
                .orElse(0);
    }

    @Override
    public synchronized void close() {
        devices.values().forEach(ComputeDevice::close);
        devices.clear();
    }
}
