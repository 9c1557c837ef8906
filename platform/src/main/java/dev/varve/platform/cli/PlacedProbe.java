package dev.varve.platform.cli;

import dev.varve.api.backend.DeviceInfo;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.Site;
import dev.varve.platform.plan.DeviceProbe;
import dev.varve.platform.plan.DeviceSpeed;
import dev.varve.platform.plan.LocalDeviceProbe;
import dev.varve.platform.plan.ProbeCache;
import dev.varve.platform.plan.SpeedProbe;
import dev.varve.platform.shard.LoadProgress;
import dev.varve.platform.shard.ShardOptions;

import java.util.Optional;
import java.util.function.Consumer;

/**
 * Measures devices wherever they are: those of this process here, as well as those that a process
 * of ours will use and this one could; the others where they are, the way there included.
 */
record PlacedProbe(
        PreparedModel prepared, PlacedShards shards, LocalDeviceProbe local, Consumer<String> told)
        implements DeviceProbe {
    @Override
    public DeviceSpeed measure(DeviceReference device) {
        boolean elsewhere =
                device.site() instanceof Site.Listening
                        || (device.site() instanceof Site.Child
                                && !prepared.backends().isUsable(device));
        if (!elsewhere) {
            return local.measure(device);
        }
        DeviceInfo info = shards.info(device);
        String key = key(device, info);
        ProbeCache cache = local.cache();
        Optional<DeviceSpeed> known =
                local.age() == LocalDeviceProbe.Age.ANY
                        ? cache.find(key)
                                .filter(speed -> speed.kinds().size() == local.blocks().kindCount())
                        : Optional.empty();
        if (known.isPresent()) {
            return known.get();
        }
        told.accept("measuring " + device + " with a few layers of the model");
        ShardOptions options = SpeedProbe.shardOptions(prepared.adapter(), prepared.settings());
        DeviceSpeed speed =
                new SpeedProbe(
                                prepared.adapter(),
                                local.blocks(),
                                range ->
                                        shards.open(
                                                new Placement.Part(device, range),
                                                options,
                                                LoadProgress.silent()),
                                info.memoryFreeBytes())
                        .measure();
        cache.store(key, speed);
        return speed;
    }

    private String key(DeviceReference device, DeviceInfo info) {
        return String.join(
                        " | ",
                        device.toString(),
                        info.description(),
                        "threads " + prepared.arguments().deviceOptions(),
                        "cache " + prepared.settings().cacheTypes(),
                        prepared.settings().repack() ? "repacked" : "mapped",
                        "boundary " + prepared.arguments().boundaryType(),
                        "model " + local.blocks().identity())
                .replaceAll("\\R", " ");
    }
}
