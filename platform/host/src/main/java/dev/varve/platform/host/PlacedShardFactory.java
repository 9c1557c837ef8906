package dev.varve.platform.host;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.HostCores;
import dev.varve.api.model.Pooling;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.ProcessLocation;
import dev.varve.platform.remote.RemoteDevices;
import dev.varve.platform.remote.RemoteShard;
import dev.varve.platform.remote.ShardLoadRequest;
import dev.varve.platform.runtime.MemoryClaims;
import dev.varve.platform.runtime.ShardFactory;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.shard.ComputeResource;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.local.CausalEncoder;
import dev.varve.platform.shard.local.LocalShard;
import dev.varve.platform.shard.local.LocalTextEncoder;
import dev.varve.platform.shard.local.ShardDevices;
import dev.varve.platform.shard.local.WeightCache;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Supplier;

/**
 * Opens shards at their placement: on devices of this process, in processes that it starts, and in
 * listening processes. Owns the devices of this process; the caller owns the shards. Thread-safe.
 */
@SuppressWarnings("exports") // see package-info
public final class PlacedShardFactory implements ShardFactory, AutoCloseable {
    private static final String UNIX = "unix:";

    private final PreparedModel prepared;
    private final ShardLinkFactory links;
    private final Map<DeviceReference, ComputeDevice> devices = new HashMap<>();
    private final Map<DeviceReference, DeviceInfo> deviceInfos = new HashMap<>();
    private final WeightCache weights;
    private Optional<MemoryClaims.Claim> claim = Optional.empty();
    private Optional<MemoryClaims.Claim> helpers = Optional.empty();

    PlacedShardFactory(PreparedModel prepared, ShardLinkFactory links) {
        this.prepared = prepared;
        this.links = links;
        weights =
                new WeightCache(
                        prepared.settings()
                                .model()
                                .computation()
                                .expertUse()
                                .folder(prepared.settings().plugins().cacheFolder()));
    }

    /**
     * Returns the properties of a device at any site; queries another process only once.
     *
     * @throws dev.varve.api.VarveException of kind UNAVAILABLE if the device is missing
     */
    public synchronized DeviceInfo info(DeviceReference device) {
        return deviceInfos.computeIfAbsent(device, this::withoutClaims);
    }

    private DeviceInfo withoutClaims(DeviceReference device) {
        DeviceInfo found = find(device);
        return claims().map(others -> others.left(device, found)).orElse(found);
    }

    private Optional<MemoryClaims> claims() {
        return prepared.settings().devices().claims();
    }

    /** Claims the memory of a plan until this is closed, so that other models do not use it. */
    synchronized void claim(SplitMemoryPlan plan) {
        claim.ifPresent(MemoryClaims.Claim::close);
        claim = claims().map(others -> others.claim(plan, this::info));
    }

    /**
     * Claims the memory that auxiliary models need on this process's devices. Must be called before
     * they are opened: afterwards the free memory is queried again.
     */
    synchronized void claimAuxiliaryMemory(Supplier<Map<DeviceReference, Long>> needs) {
        helpers.ifPresent(MemoryClaims.Claim::close);
        helpers = claims().map(others -> others.claim(needs.get(), this::withoutClaims));
    }

    /** Creates the claims of adapters that are added to this model later. */
    AdapterClaims adapterClaims(Placement placement, int replicas) {
        return new AdapterClaims(prepared.model(), placement, replicas, claims(), this::current);
    }

    /** Returns the current properties of a device; empty if only another process knows them. */
    private Optional<DeviceInfo> current(DeviceReference device) {
        return device.site() instanceof ProcessLocation.Listening
                        || !prepared.backends().isUsable(device)
                ? Optional.empty()
                : Optional.of(prepared.backends().info(device));
    }

    private DeviceInfo find(DeviceReference device) {
        return switch (device.site()) {
            case ProcessLocation.Local local -> prepared.backends().info(device);
            case ProcessLocation.Child child ->
                    prepared.backends().isUsable(device)
                            ? prepared.backends().info(device)
                            : RemoteDevices.find(links.to(device), device.device());
            case ProcessLocation.Listening listening ->
                    RemoteDevices.find(links.to(device), device.device());
        };
    }

    @Override
    public Shard open(Placement.Part part, ShardOptions options, LoadProgressListener progress) {
        DeviceReference device = part.device();
        OpenedModel model = prepared.model();
        if (device.isLocal()) {
            return LocalShard.load(
                    model.range(part.range()),
                    ShardDevices.of(
                            device(device), part.tensors(), name -> device(part.other(name))),
                    options,
                    progress,
                    weights);
        }
        return RemoteShard.open(
                new RemoteShard.Peer(
                        device.toString(), links.to(device), new ComputeResource(HostCores.lock())),
                model.adapter(),
                new ShardLoadRequest(
                                ShardLoadRequest.Model.of(
                                        model.file(),
                                        model.adapter(),
                                        prepared.settings().model().modelOptions()),
                                part.range(),
                                part.tensors(),
                                options,
                                remote(device),
                                prepared.settings().processes().boundaryType())
                        .adaptedAs(model.adapter()),
                prepared.digests(),
                progress);
    }

    /** Creates an encoder with the weights of shards, see {@link HostedModel#textEncoder}. */
    Optional<LocalTextEncoder> textEncoder(
            Placement placement, CausalEncoder encoder, Pooling pooling, Duration turn) {
        DeviceReference first = placement.parts().getFirst().device();
        if (placement.parts().size() > 1 || placement.isSpread() || !first.isLocal()) {
            return Optional.empty();
        }
        return LocalTextEncoder.sharing(
                encoder,
                pooling,
                device(first),
                turn,
                prepared.settings().model().computation().weights(),
                weights);
    }

    /** Returns the description of a device for its process. */
    ShardLoadRequest.Device remote(DeviceReference device) {
        return new ShardLoadRequest.Device(
                device.device(), prepared.settings().devices().options(coreUse()));
    }

    /** Returns a device of this process; opens it if needed. This object owns it. */
    synchronized ComputeDevice device(DeviceReference reference) {
        return devices.computeIfAbsent(
                reference,
                unknown ->
                        prepared.backends()
                                .openDevice(
                                        reference,
                                        prepared.settings().devices().options(coreUse())));
    }

    /** Returns whether more than one process computes on this machine's cores. */
    private CpuSharingMode coreUse() {
        List<DeviceReference> devices = prepared.devices();
        long remote =
                devices.stream()
                        .filter(device -> isHere(device) && !device.isLocal())
                        .filter(device -> info(device).hostCores())
                        .count();
        boolean local =
                devices.stream().anyMatch(device -> device.isLocal() && info(device).hostCores());
        return remote + (local ? 1 : 0) > 1 ? CpuSharingMode.SHARED : CpuSharingMode.ALONE;
    }

    private static boolean isHere(DeviceReference device) {
        return !(device.site() instanceof ProcessLocation.Listening(var address))
                || address.startsWith(UNIX);
    }

    /**
     * Returns the most decode threads of a device of this process; empty if no device has a thread
     * setting.
     */
    synchronized OptionalInt threads() {
        return devices.values().stream()
                .mapToInt(device -> device.threads(Phase.DECODE))
                .filter(threads -> threads > 0)
                .max();
    }

    @Override
    public synchronized void close() {
        devices.values().forEach(ComputeDevice::close);
        devices.clear();
        claim.ifPresent(MemoryClaims.Claim::close);
        helpers.ifPresent(MemoryClaims.Claim::close);
    }
}
