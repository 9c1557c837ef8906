package dev.varve.platform.runtime;

import dev.varve.api.VarveException;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.Placement;
import dev.varve.platform.placement.Site;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.CacheSizes;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The memory that a model will need on each of its devices. All shards have KV pools of the same
 * number of slots, so the device with the least room limits it.
 *
 * @param parts in layer order
 * @param hostCache host memory for computed prompts, beside the parts
 */
public record SplitPlan(List<Part> parts, HostCachePlan hostCache) {
    /** Name of the memory that the processor's cores share. */
    private static final String HOST = "host";

    /**
     * The memory of one shard.
     *
     * @param memory with what the shard's device has free, other shards on it not counted
     */
    public record Part(Placement.Part where, MemoryPlan memory) {}

    /** Shards that take from the same memory. */
    private static final class Pool {
        private final List<Integer> parts = new ArrayList<>();
        private long free = Long.MAX_VALUE;

        /** Bytes that something beside the shards will take. */
        private long reserved;
    }

    /** Takes a copy of the parts. */
    public SplitPlan {
        parts = List.copyOf(parts);
        Objects.requireNonNull(hostCache);
    }

    /**
     * Works out the plan of a placement.
     *
     * @param devices facts about each device, by its reference
     * @throws VarveException of kind OUT_OF_MEMORY with the sums of each device if it does not fit,
     *     INVALID_REQUEST if a setting contradicts the model
     */
    public static SplitPlan of(
            LayerSplitAdapter model,
            Placement placement,
            Function<DeviceReference, DeviceInfo> devices,
            ModelSettings settings) {
        List<RangeMemory> needs = new ArrayList<>();
        List<Long> free = new ArrayList<>();
        Map<String, Pool> pools = new LinkedHashMap<>();
        for (Placement.Part part : placement.parts()) {
            DeviceInfo info = devices.apply(part.device());
            Pool pool = pools.computeIfAbsent(memoryOf(part.device(), info), name -> new Pool());
            pool.parts.add(needs.size());
            pool.free = Math.min(pool.free, info.memoryFreeBytes());
            needs.add(RangeMemory.of(model, part.range(), info, settings));
            free.add(info.memoryFreeBytes());
        }
        Optional<Pool> host = hostPool(pools, devices, settings.hostCache());
        int context = RangeMemory.contextTokens(model.shape(), settings);
        long affordable = Long.MAX_VALUE;
        for (Pool pool : pools.values()) {
            affordable = Math.min(affordable, affordableSlots(pool, needs));
        }
        int slots = RangeMemory.slots(settings.sequences(), context, affordable);
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < needs.size(); i++) {
            parts.add(
                    new Part(
                            placement.parts().get(i),
                            needs.get(i).plan(model.shape(), settings, slots, free.get(i))));
        }
        requireFits(parts, pools.values());
        return new SplitPlan(parts, hostCache(settings.hostCache(), parts, host));
    }

    /**
     * The host's memory, of which a cache takes its part; empty if there is none or nobody knows
     * how much that is.
     */
    private static Optional<Pool> hostPool(
            Map<String, Pool> pools,
            Function<DeviceReference, DeviceInfo> devices,
            HostCacheLimit limit) {
        if (limit.equals(HostCacheLimit.NONE)) {
            return Optional.empty();
        }
        if (!pools.containsKey(HOST)) {
            Pool pool = new Pool();
            try {
                pool.free = devices.apply(DeviceReference.PROCESSOR).memoryFreeBytes();
            } catch (VarveException e) {
                // No shard needs the processor's backend, and the plugin may not be installed.
                return Optional.empty();
            }
            pools.put(HOST, pool);
        }
        Pool host = pools.get(HOST);
        host.reserved = limit.reservedBytes();
        return Optional.of(host);
    }

    private static HostCachePlan hostCache(
            HostCacheLimit limit, List<Part> parts, Optional<Pool> host) {
        OptionalLong left =
                host.stream().mapToLong(pool -> pool.free - needed(parts, pool)).findFirst();
        long bytes = limit.bytes(left);
        return bytes == 0 ? HostCachePlan.NONE : new HostCachePlan(bytes, left);
    }

    /**
     * Name of the memory that a device takes from. What computes on the processor's cores shares
     * its memory, in whichever process of this machine.
     */
    public static String memoryOf(DeviceReference device, DeviceInfo info) {
        boolean thisMachine =
                !(device.site() instanceof Site.Listening(var address))
                        || address.startsWith("unix:");
        if (!thisMachine) {
            return device.toString();
        }
        return info.hostCores() ? HOST : device.device();
    }

    /** What a device has free for shards, however many of them. */
    public static long memoryForShards(
            DeviceReference device, DeviceInfo info, ModelSettings settings) {
        long reserved =
                memoryOf(device, info).equals(HOST) ? settings.hostCache().reservedBytes() : 0;
        return Math.max(0, info.memoryFreeBytes() - reserved);
    }

    private static long affordableSlots(Pool pool, List<RangeMemory> needs) {
        RangeMemory sum = new RangeMemory(0, 0, 0, 0, 0);
        for (int part : pool.parts) {
            RangeMemory need = needs.get(part);
            sum =
                    new RangeMemory(
                            sum.weightBytes() + need.weightBytes(),
                            sum.bytesPerSlot() + need.bytesPerSlot(),
                            0,
                            sum.stateBytes() + need.stateBytes(),
                            sum.computeBytes() + need.computeBytes());
        }
        return sum.affordableSlots(pool.free - pool.reserved);
    }

    private static long needed(List<Part> parts, Pool pool) {
        return pool.parts.stream()
                .mapToLong(part -> parts.get(part).memory().need().totalBytes())
                .sum();
    }

    private static void requireFits(List<Part> parts, Iterable<Pool> pools) {
        for (Pool pool : pools) {
            long sum = needed(parts, pool) + pool.reserved;
            if (sum > pool.free) {
                List<String> needs = new ArrayList<>();
                pool.parts.forEach(part -> needs.add(describe(parts.get(part))));
                if (pool.reserved > 0) {
                    needs.add("host cache " + MemoryPlan.mebibytes(pool.reserved));
                }
                String together =
                        needs.size() == 1 && pool.reserved == 0
                                ? ""
                                : String.format(
                                        Locale.ROOT,
                                        "; together %s of %s free",
                                        MemoryPlan.mebibytes(sum),
                                        MemoryPlan.mebibytes(pool.free));
                throw new VarveException(
                        VarveException.Kind.OUT_OF_MEMORY,
                        String.join("; ", needs)
                                + together
                                + MemoryPlan.DOES_NOT_FIT
                                + (pool.reserved > 0 ? ", or a smaller " + Setting.CACHE_RAM : ""));
            }
        }
    }

    private static String describe(Part part) {
        return part.memory().describe(part.where().toString());
    }

    /** The sums of all shards; what is free is the sum over the shards too. */
    public MemoryPlan total() {
        MemoryPlan first = parts.getFirst().memory();
        MemoryNeed need = MemoryNeed.NONE;
        long free = 0;
        int region = 0;
        for (Part part : parts) {
            MemoryPlan memory = part.memory();
            need = need.plus(memory.need());
            free += memory.availableBytes();
            region = Math.max(region, memory.sizes().regionSlots());
        }
        return new MemoryPlan(
                first.contextTokens(),
                new CacheSizes(
                        first.sizes().slots(),
                        first.sizes().stateRows(),
                        region,
                        first.sizes().stashes()),
                need,
                free);
    }

    /** One line per shard for people, and one for the host cache. */
    public String describe() {
        return Stream.concat(
                        parts.stream().map(SplitPlan::describe),
                        Stream.of(hostCache)
                                .filter(HostCachePlan::isPresent)
                                .map(HostCachePlan::describe))
                .collect(Collectors.joining("\n"));
    }
}
